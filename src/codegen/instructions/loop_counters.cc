#include "codegen/instructions/loop_counters.h"

namespace hologram::codegen {

using llvm::Value;

// Counts down; what decides the jump is the counter as it was.
void LoopCounters::Emit(uint32_t pc) {
  const OperandId counter = plan_.operands[pc].reads[0];
  const bool scalar = plan_.KindOf(counter) == Kind::kUniform;
  Values counts = registers_.Operand(counter, scalar);
  jumps_.clear();
  for (Value*& count : counts) {
    Value* on = b_.CreateICmpNE(count, llvm::Constant::getNullValue(count->getType()));
    jumps_.push_back(on);
    count = b_.CreateSub(count, b_.CreateZExt(on, count->getType()));
  }
  if (scalar) return registers_.WriteScalar(pc, counts[0]);
  registers_.Write(pc, std::move(counts));
}

}  // namespace hologram::codegen
