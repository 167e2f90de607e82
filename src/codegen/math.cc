// EXP and SIGMOID: the canonical algorithms of isa/math, written out in LLVM IR by LlvmMathOps.
#include "codegen/llvm_math_ops.h"
#include "codegen/lowering.h"
#include "isa/math/exp.h"
#include "isa/math/sigmoid.h"

namespace hologram::codegen {
namespace {

template <class Format>
Values Emit(Lowering& lowering, const isa::Instruction& in, const Values& x) {
  LlvmMathOps<Format> ops(lowering, x[0]->getType(), x.size());
  if (in.op == isa::Opcode::kExp) {
    return in.fast() ? isa::math::ExpFast(ops, x) : isa::math::Exp(ops, x);
  }
  return in.fast() ? isa::math::SigmoidFast(ops, x) : isa::math::Sigmoid(ops, x);
}

}  // namespace

Values Lowering::MathFunction(const isa::Instruction& in, const Values& x) {
  if (in.type == isa::Type::kF32) return Emit<isa::math::Binary32>(*this, in, x);
  return Emit<isa::math::Binary64>(*this, in, x);
}

}  // namespace hologram::codegen
