// Updates of floats that happen in the order of lanes (VerifiedProgram::ordered_updates). The
// interpreter runs an instruction in many lanes before the next one, so updates are kept until all
// lanes of a chunk have come to a barrier or to their end, and are made then, lane after lane.
#pragma once

#include <cstdint>
#include <vector>

#include "isa/program.h"

namespace hologram::interpreter {

class OrderedUpdates {
 public:
  explicit OrderedUpdates(const isa::Program& program) : program_(program) {}

  // `bits`: of a value of the type of the instruction at `pc`. `element` is in bounds.
  void Add(uint32_t pc, uint32_t lane, uint8_t* element, uint64_t bits) {
    kept_.push_back({element, bits, pc, lane});
  }
  // Makes all that are kept; they were added, lane by lane, in the order of its steps.
  void Make();
  void Forget() { kept_.clear(); }

 private:
  struct Update {
    uint8_t* element;
    uint64_t bits;
    uint32_t pc;
    uint32_t lane;
  };

  const isa::Program& program_;
  std::vector<Update> kept_;
};

}  // namespace hologram::interpreter
