// LOOP: counts down, and jumps if the counter was not zero.
#pragma once

#include "codegen/emit/registers.h"

namespace hologram::codegen {

class LoopCounters {
 public:
  LoopCounters(FunctionState& f, Registers& registers)
      : b_(f.builder()), plan_(f.plan()), registers_(registers) {}

  void Emit(uint32_t pc);
  // Of the LOOP that was written last: whether it jumps, once or by sub-vector.
  llvm::Value* jumps(unsigned u) const { return jumps_[u]; }

 private:
  llvm::IRBuilder<>& b_;
  const Plan& plan_;
  Registers& registers_;
  Values jumps_;
};

}  // namespace hologram::codegen
