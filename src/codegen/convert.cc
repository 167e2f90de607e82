// CVT, and integer DIV and REM with their faults.
#include <cmath>

#include "codegen/lowering.h"

namespace hologram::codegen {

using isa::Opcode;
using llvm::ConstantInt;

llvm::Value* Lowering::Convert(const isa::Instruction& in, Value* a) {
  const isa::Type from = in.source_type();
  if (in.type == from) return a;
  if (isa::IsHalf(from)) {
    isa::Instruction wide = in;
    wide.mod = static_cast<uint8_t>(isa::Type::kF32);
    return Convert(wide, Widen(from, a));
  }
  if (isa::IsHalf(in.type)) return Narrow(in.type, NarrowBeforeRounding(from, a));
  Type* element = ScalarType(in.type);
  Type* type = a->getType()->isVectorTy() ? VectorOf(element) : element;
  const bool to_signed = isa::IsSignedInteger(in.type);
  const bool from_signed = isa::IsSignedInteger(from);
  if (isa::IsFloat(in.type)) {
    if (isa::IsFloat(from)) return b_.CreateFPCast(a, type);
    // LLVM 19 converts vectors of i64 to f32 through f64 on AArch64, and rounds twice.
    const bool twice = options_.level == Level::kAArch64 && type->isVectorTy() &&
                       isa::BitsOf(from) == 64 && in.type == isa::Type::kF32;
    if (twice) {
      a = KeepInF64(a, from_signed);
      type = VectorOf(b_.getDoubleTy());
    }
    Value* converted = from_signed ? b_.CreateSIToFP(a, type) : b_.CreateUIToFP(a, type);
    return twice ? b_.CreateFPTrunc(converted, VectorOf(element)) : converted;
  }
  if (!isa::IsFloat(from)) return b_.CreateIntCast(a, type, from_signed);
  if (a->getType()->isVectorTy()) return FloatToInteger(in, a, type);
  return b_.CreateIntrinsic(to_signed ? llvm::Intrinsic::fptosi_sat : llvm::Intrinsic::fptoui_sat,
                            {type, a->getType()}, {a});
}

// Vectors of floats as integers: what fits, the ends for what does not, and 0 for NaN. LLVM 19
// takes its own intrinsic for this apart into lanes. The lower end is a float of every type that
// there is; the upper one may lie between two, so what is too large is chosen afterwards, in place
// of a conversion that means nothing.
llvm::Value* Lowering::FloatToInteger(const isa::Instruction& in, Value* a, Type* type) {
  const bool to_signed = isa::IsSignedInteger(in.type);
  const uint32_t bits = isa::BitsOf(in.type);
  const double above = std::ldexp(1.0, static_cast<int>(to_signed ? bits - 1 : bits));
  const double low = to_signed ? -above : 0.0;
  const auto constant = [&](double value) { return llvm::ConstantFP::get(a->getType(), value); };
  // NaN becomes the lower end.
  Value* kept = b_.CreateSelect(b_.CreateFCmpOGT(a, constant(low)), a, constant(low));
  Value* converted = nullptr;
  if (bits < 32) {
    // Through 32 bits, in which the upper end is exact.
    kept = b_.CreateSelect(b_.CreateFCmpOLT(kept, constant(above - 1)), kept, constant(above - 1));
    converted = b_.CreateTrunc(b_.CreateFPToSI(kept, VectorOf(b_.getInt32Ty())), type);
  } else {
    converted = to_signed ? b_.CreateFPToSI(kept, type) : b_.CreateFPToUI(kept, type);
    const llvm::APInt most =
        to_signed ? llvm::APInt::getSignedMaxValue(bits) : llvm::APInt::getMaxValue(bits);
    converted = b_.CreateSelect(b_.CreateFCmpOGE(a, constant(above)), ConstantInt::get(type, most),
                                b_.CreateFreeze(converted));
  }
  // AArch64's maximum, which LLVM takes for the first choice, lets signaling NaNs through.
  if (!to_signed && options_.level != Level::kAArch64) return converted;
  return b_.CreateSelect(b_.CreateFCmpUNO(a, a), llvm::Constant::getNullValue(type), converted);
}

// Quotient or remainder. REQUIRES: b is not 0, and not -1 where a is the smallest number. Numbers
// of up to 32 bits divide exactly in f64: a quotient that is no integer is further than its
// rounding error from the next one. Wider ones are divided lane by lane.
llvm::Value* Lowering::Divide(const isa::Instruction& in, Value* a, Value* b) {
  const bool is_signed = isa::IsSignedInteger(in.type);
  const bool rem = in.op == Opcode::kRem;
  if (!a->getType()->isVectorTy() || isa::BitsOf(in.type) > 32 || llvm::isa<llvm::Constant>(b)) {
    if (rem) return is_signed ? b_.CreateSRem(a, b) : b_.CreateURem(a, b);
    return is_signed ? b_.CreateSDiv(a, b) : b_.CreateUDiv(a, b);
  }
  Type* wide = VectorOf(b_.getDoubleTy());
  const auto extend = [&](Value* v) {
    return is_signed ? b_.CreateSIToFP(v, wide) : b_.CreateUIToFP(v, wide);
  };
  Value* ratio = b_.CreateFDiv(extend(a), extend(b));
  Value* quotient =
      is_signed ? b_.CreateFPToSI(ratio, a->getType()) : b_.CreateFPToUI(ratio, a->getType());
  return rem ? b_.CreateSub(a, b_.CreateMul(quotient, b)) : quotient;
}

void Lowering::EmitDivision(uint32_t pc) {
  const isa::Instruction& in = plan_.program().code[pc];
  const InstructionOperands& operands = plan_.operands[pc];
  const bool scalar = plan_.KindOfResult(pc) == Kind::kUniform;
  Values a = Operand(operands.reads[0], scalar);
  Values b = Operand(operands.reads[1], scalar);
  Values zero;
  Values results;
  for (size_t u = 0; u < a.size(); ++u) {
    Type* type = a[u]->getType();
    Value* one = ConstantInt::get(type, 1);
    Value* is_zero = b_.CreateICmpEQ(b[u], llvm::Constant::getNullValue(type));
    Value* replace = is_zero;
    if (!scalar && !all_) replace = b_.CreateOr(replace, b_.CreateNot(mask_[u]));
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
    FaultAll(HOLOGRAM_FAULT_DIVISION_BY_ZERO, pc, zero[0],
             b_.CreateIntCast(a[0], b_.getInt64Ty(), is_signed));
  } else {
    if (!all_) {
      for (size_t u = 0; u < zero.size(); ++u) zero[u] = b_.CreateAnd(zero[u], mask_[u]);
    }
    FaultLanes(HOLOGRAM_FAULT_DIVISION_BY_ZERO, pc, zero, a, is_signed);
  }
  for (size_t u = 0; u < a.size(); ++u) results.push_back(Divide(in, a[u], b[u]));
  if (scalar) return WriteScalar(pc, results[0]);
  Write(pc, std::move(results));
}

}  // namespace hologram::codegen
