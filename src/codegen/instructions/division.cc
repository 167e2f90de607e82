#include "codegen/instructions/division.h"

#include "codegen/instructions/shared_divisor.h"

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

// Constants that LLVM divides vectors by well itself: it has no product of 64 bits for them.
bool Division::IsLeftToLlvm(const isa::Instruction& in, const Value* divisor) {
  const auto* known = llvm::dyn_cast<ConstantInt>(divisor);
  if (known == nullptr || known->isMinusOne()) return false;
  return isa::BitsOf(in.type) <= 32 ||
         (!isa::IsSignedInteger(in.type) && known->getValue().isPowerOf2());
}

// By a number that all lanes share: no lane needs another one in its place.
void Division::EmitShared(uint32_t pc) {
  const isa::Instruction& in = plan_.program().code[pc];
  const bool is_signed = isa::IsSignedInteger(in.type);
  const Values a = registers_.Operand(plan_.operands[pc].reads[0], false);
  Value* b = registers_.Scalar(plan_.operands[pc].reads[1]);
  if (!plan_.verified->NeverFaults(pc)) {
    Value* is_zero = b_.CreateICmpEQ(b, ConstantInt::get(b->getType(), 0));
    Values zero;
    for (Value* mask : chunk_.Masks()) zero.push_back(b_.CreateAnd(mask, f_.Splat(is_zero)));
    faults_.Lanes(HOLOGRAM_FAULT_DIVISION_BY_ZERO, pc, zero, a, is_signed);
    b = b_.CreateSelect(is_zero, ConstantInt::get(b->getType(), 1), b);
  }
  Values results;
  if (IsLeftToLlvm(in, b)) {
    for (Value* dividends : a) results.push_back(Divide(in, dividends, f_.Splat(b)));
  } else {
    SharedDivisor divisor(f_, b, is_signed);
    for (Value* dividends : a) {
      Value* quotient = divisor.Quotient(dividends);
      const bool rem = in.op == Opcode::kRem;
      results.push_back(rem ? b_.CreateSub(dividends, b_.CreateMul(quotient, f_.Splat(b)))
                            : quotient);
    }
  }
  registers_.WriteResult(pc, false, std::move(results));
}

bool Division::SharesQuotient(uint32_t pc) const {
  const isa::Instruction& in = plan_.program().code[pc];
  const bool divides = in.op == Opcode::kDiv || in.op == Opcode::kRem;
  if (!divides || !isa::IsInteger(in.type) || !plan_.block(plan_.verified->BlockOf(pc)).reachable) {
    return false;
  }
  const InstructionOperands& operands = plan_.operands[pc];
  const auto is_known = [&](OperandId id) {
    return IsFixed(id) || plan_.webs[static_cast<size_t>(id)].invariant;
  };
  const Kind result = in.op == Opcode::kDiv ? Kind::kUniform : Kind::kAffine;
  return plan_.KindOfResult(pc) == result && plan_.KindOf(operands.reads[0]) == Kind::kAffine &&
         plan_.KindOf(operands.reads[1]) == Kind::kUniform && is_known(operands.reads[0]) &&
         is_known(operands.reads[1]);
}

void Division::ComputeQuotient(uint32_t pc) {
  isa::Instruction in = plan_.program().code[pc];
  in.op = Opcode::kDiv;
  Value* a = registers_.Scalar(plan_.operands[pc].reads[0]);
  Value* b = registers_.Scalar(plan_.operands[pc].reads[1]);
  Value* is_zero = b_.CreateICmpEQ(b, llvm::Constant::getNullValue(b->getType()));
  quotients_[pc] = Divide(in, a, Safe(in, a, b, is_zero));
}

// The divisor, or 1 where there is no quotient, and for the smallest number by -1: MIN / 1 = MIN
// and MIN rem 1 = 0.
Value* Division::Safe(const isa::Instruction& in, Value* a, Value* b, Value* is_zero) {
  Value* replace = is_zero;
  if (isa::IsSignedInteger(in.type)) {
    const llvm::APInt lowest = llvm::APInt::getSignedMinValue(isa::BitsOf(in.type));
    Value* overflow =
        b_.CreateAnd(b_.CreateICmpEQ(a, ConstantInt::get(a->getType(), lowest)),
                     b_.CreateICmpEQ(b, llvm::Constant::getAllOnesValue(a->getType())));
    replace = b_.CreateOr(replace, overflow);
  }
  return b_.CreateSelect(replace, ConstantInt::get(a->getType(), 1), b);
}

void Division::Emit(uint32_t pc) {
  const isa::Instruction& in = plan_.program().code[pc];
  const InstructionOperands& operands = plan_.operands[pc];
  // A remainder that counts from lane to lane is computed for the first.
  const bool counts = plan_.KindOfResult(pc) == Kind::kAffine;
  const bool scalar = counts || plan_.KindOfResult(pc) == Kind::kUniform;
  const bool shared = plan_.KindOf(operands.reads[1]) == Kind::kUniform;
  const bool vectors = !scalar && f_.target().width > 1;
  if (vectors && shared && f_.target().shares_divisors) return EmitShared(pc);
  Values a = registers_.Operand(operands.reads[0], scalar);
  Values b = registers_.Operand(operands.reads[1], scalar);
  Values zero;
  Values results;
  for (size_t u = 0; u < a.size(); ++u) {
    Value* is_zero = b_.CreateICmpEQ(b[u], llvm::Constant::getNullValue(a[u]->getType()));
    Value* replace = is_zero;
    if (!scalar && !chunk_.all()) replace = b_.CreateOr(replace, b_.CreateNot(chunk_.running(u)));
    zero.push_back(is_zero);
    b[u] = Safe(in, a[u], b[u], replace);
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
  const auto known = scalar ? quotients_.find(pc) : quotients_.end();
  if (known == quotients_.end()) {
    for (size_t u = 0; u < a.size(); ++u) results.push_back(Divide(in, a[u], b[u]));
  } else {
    const bool rem = in.op == Opcode::kRem;
    Value* quotient = known->second;
    results.push_back(rem ? b_.CreateSub(a[0], b_.CreateMul(quotient, b[0])) : quotient);
  }
  if (counts) {
    return registers_.WriteAffine(pc, b_.CreateIntCast(results[0], b_.getInt64Ty(), is_signed));
  }
  registers_.WriteResult(pc, scalar, std::move(results));
}

}  // namespace hologram::codegen
