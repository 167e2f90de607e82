// An index that a few instructions make of an element that the lane has loaded: x[(keys[i] >>
// shift) & 255]. Where lanes use it one after the other, it is cheaper to load and compute it once
// more for each of them, in scalars, than to take it out of a vector.
#pragma once

#include "codegen/instructions/lanewise.h"
#include "codegen/instructions/places.h"

namespace hologram::codegen {

class IndexAgain {
 public:
  IndexAgain(FunctionState& f, Registers& registers, Places& places)
      : f_(f), plan_(f.plan()), registers_(registers), places_(places) {}

  // `pc`: the access that has the index. False for those that are loaded and not computed with.
  bool Can(OperandId index, uint32_t pc) const;
  // REQUIRES: Can(index, pc), and all lanes run.
  llvm::Value* OfLane(OperandId index, uint32_t pc, uint64_t lane);

 private:
  int Cost(OperandId id, uint32_t pc) const;

  FunctionState& f_;
  const Plan& plan_;
  Registers& registers_;
  Places& places_;
};

}  // namespace hologram::codegen
