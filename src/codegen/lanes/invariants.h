// Values that depend on ids, parameters and constants only: computed wherever they are needed, from
// the instructions that define them.
#pragma once

#include "codegen/instructions/instructions.h"

namespace hologram::codegen {

class Invariants {
 public:
  Invariants(Registers& registers, Position& position, Emitters& instructions)
      : plan_(instructions.function.plan()),
        registers_(registers),
        position_(position),
        instructions_(instructions) {}

  // Writes the definition of an invariant web, and what it needs, into the slots of this copy.
  void Compute(OperandId id);

 private:
  const Plan& plan_;
  Registers& registers_;
  Position& position_;
  Emitters& instructions_;
};

}  // namespace hologram::codegen
