#include "codegen/instructions/division.h"

namespace hologram::codegen {

using isa::Opcode;
using llvm::ConstantInt;
using llvm::Type;
using llvm::Value;

// Quotient or remainder. REQUIRES: b is not 0, and not -1 where a is the smallest number. Numbers
// of up to 32 bits divide exactly in f64: a quotient that is no integer is further than its
// rounding error from the next one. Wider ones are divided lane by lane.
Value* Division::Divide(const isa::Instruction& in, Value* a, Value* b) {
  const bool is_signed = isa::IsSignedInteger(in.type);
  const bool rem = in.op == Opcode::kRem;
  if (!a->getType()->isVectorTy() || isa::BitsOf(in.type) > 32 || llvm::isa<llvm::Constant>(b)) {
    if (rem) return is_signed ? b_.CreateSRem(a, b) : b_.CreateURem(a, b);
    return is_signed ? b_.CreateSDiv(a, b) : b_.CreateUDiv(a, b);
  }
  Type* wide = f_.VectorOf(b_.getDoubleTy());
  const auto extend = [&](Value* v) {
    return is_signed ? b_.CreateSIToFP(v, wide) : b_.CreateUIToFP(v, wide);
  };
  Value* ratio = b_.CreateFDiv(extend(a), extend(b));
  Value* quotient =
      is_signed ? b_.CreateFPToSI(ratio, a->getType()) : b_.CreateFPToUI(ratio, a->getType());
  return rem ? b_.CreateSub(a, b_.CreateMul(quotient, b)) : quotient;
}

void Division::Emit(uint32_t pc) {
  const isa::Instruction& in = plan_.program().code[pc];
  const InstructionOperands& operands = plan_.operands[pc];
  const bool scalar = plan_.KindOfResult(pc) == Kind::kUniform;
  Values a = registers_.Operand(operands.reads[0], scalar);
  Values b = registers_.Operand(operands.reads[1], scalar);
  Values zero;
  Values results;
  for (size_t u = 0; u < a.size(); ++u) {
    Type* type = a[u]->getType();
    Value* one = ConstantInt::get(type, 1);
    Value* is_zero = b_.CreateICmpEQ(b[u], llvm::Constant::getNullValue(type));
    Value* replace = is_zero;
    if (!scalar && !chunk_.all()) replace = b_.CreateOr(replace, b_.CreateNot(chunk_.running(u)));
    if (isa::IsSignedInteger(in.type)) {
      const llvm::APInt lowest = llvm::APInt::getSignedMinValue(isa::BitsOf(in.type));
      Value* overflow = b_.CreateAnd(b_.CreateICmpEQ(a[u], ConstantInt::get(type, lowest)),
                                     b_.CreateICmpEQ(b[u], llvm::Constant::getAllOnesValue(type)));
      replace = b_.CreateOr(replace, overflow);  // MIN / 1 = MIN and MIN rem 1 = 0
    }
    zero.push_back(is_zero);
    b[u] = b_.CreateSelect(replace, one, b[u]);
  }
  const bool is_signed = isa::IsSignedInteger(in.type);
  if (plan_.verified->NeverFaults(pc)) {
    zero.clear();
  } else if (scalar) {
    faults_.All(HOLOGRAM_FAULT_DIVISION_BY_ZERO, pc, zero[0],
                b_.CreateIntCast(a[0], b_.getInt64Ty(), is_signed));
  } else {
    if (!chunk_.all()) {
      for (size_t u = 0; u < zero.size(); ++u) zero[u] = b_.CreateAnd(zero[u], chunk_.running(u));
    }
    faults_.Lanes(HOLOGRAM_FAULT_DIVISION_BY_ZERO, pc, zero, a, is_signed);
  }
  for (size_t u = 0; u < a.size(); ++u) results.push_back(Divide(in, a[u], b[u]));
  registers_.WriteResult(pc, scalar, std::move(results));
}

}  // namespace hologram::codegen
