#include "codegen/instructions/trap.h"

namespace hologram::codegen {

using llvm::Value;

void EmitTrap(uint32_t pc, FunctionState& f, Registers& registers, const Chunk& chunk,
              Faults& faults) {
  const Plan& plan = f.plan();
  llvm::IRBuilder<>& b = f.builder();
  const bool always = plan.program().code[pc].mod == 0;
  const OperandId predicate = plan.operands[pc].predicates[0];
  if (always || plan.scalar || plan.KindOf(predicate) == Kind::kUniform) {
    Value* bad = always ? b.getTrue() : registers.Scalar(predicate);
    return faults.All(HOLOGRAM_FAULT_ASSERTION, pc, bad, b.getInt64(0));
  }
  Values bad;
  for (unsigned u = 0; u < chunk.unroll(); ++u)
    bad.push_back(b.CreateAnd(registers.Vector(predicate, u), chunk.Mask(u)));
  faults.Lanes(HOLOGRAM_FAULT_ASSERTION, pc, bad, {});
}

}  // namespace hologram::codegen
