// CVT and BITCAST of one value.
#include <cmath>

#include "codegen/emit/idioms.h"
#include "codegen/instructions/half.h"
#include "codegen/instructions/lanewise.h"

namespace hologram::codegen {

using llvm::ConstantInt;
using llvm::Type;
using llvm::Value;

namespace {

// Vectors of floats as integers: what fits, the ends for what does not, and 0 for NaN. LLVM 19
// takes its own intrinsic for this apart into lanes. The lower end is a float of every type that
// there is; the upper one may lie between two, so what is too large is chosen afterwards, in place
// of a conversion that means nothing.
Value* FloatToInteger(FunctionState& f, const isa::Instruction& in, Value* a, Type* type) {
  llvm::IRBuilder<>& ir = f.builder();
  const bool to_signed = isa::IsSignedInteger(in.type);
  const uint32_t bits = isa::BitsOf(in.type);
  const double above = std::ldexp(1.0, static_cast<int>(to_signed ? bits - 1 : bits));
  const double low = to_signed ? -above : 0.0;
  const auto constant = [&](double value) { return llvm::ConstantFP::get(a->getType(), value); };
  // NaN becomes the lower end.
  Value* kept = ir.CreateSelect(ir.CreateFCmpOGT(a, constant(low)), a, constant(low));
  Value* converted = nullptr;
  if (bits < 32) {
    // Through 32 bits, in which the upper end is exact.
    kept = ir.CreateSelect(ir.CreateFCmpOLT(kept, constant(above - 1)), kept, constant(above - 1));
    converted = ir.CreateTrunc(ir.CreateFPToSI(kept, f.VectorOf(ir.getInt32Ty())), type);
  } else {
    converted = to_signed ? ir.CreateFPToSI(kept, type) : ir.CreateFPToUI(kept, type);
    const llvm::APInt most =
        to_signed ? llvm::APInt::getSignedMaxValue(bits) : llvm::APInt::getMaxValue(bits);
    converted = ir.CreateSelect(ir.CreateFCmpOGE(a, constant(above)), ConstantInt::get(type, most),
                                ir.CreateFreeze(converted));
  }
  // AArch64's maximum, which LLVM takes for the first choice, lets signaling NaNs through.
  if (!to_signed && !f.target().is_aarch64) return converted;
  return ir.CreateSelect(ir.CreateFCmpUNO(a, a), llvm::Constant::getNullValue(type), converted);
}

Value* Convert(FunctionState& f, const isa::Instruction& in, Value* a) {
  llvm::IRBuilder<>& ir = f.builder();
  const isa::Type from = in.source_type();
  if (in.type == from) return a;
  if (isa::IsHalf(from)) {
    isa::Instruction wide = in;
    wide.mod = static_cast<uint8_t>(isa::Type::kF32);
    return Convert(f, wide, Widen(f, from, a));
  }
  if (isa::IsHalf(in.type)) return Narrow(f, in.type, NarrowBeforeRounding(f, from, a));
  Type* element = ScalarType(ir, in.type);
  Type* type = a->getType()->isVectorTy() ? f.VectorOf(element) : element;
  const bool to_signed = isa::IsSignedInteger(in.type);
  const bool from_signed = isa::IsSignedInteger(from);
  if (isa::IsFloat(in.type)) {
    if (isa::IsFloat(from)) return ir.CreateFPCast(a, type);
    // LLVM 19 converts vectors of i64 to f32 through f64 on AArch64, and rounds twice.
    const bool twice = f.target().is_aarch64 && type->isVectorTy() && isa::BitsOf(from) == 64 &&
                       in.type == isa::Type::kF32;
    if (twice) {
      a = KeepInF64(f, a, from_signed);
      type = f.VectorOf(ir.getDoubleTy());
    }
    Value* converted = from_signed ? ir.CreateSIToFP(a, type) : ir.CreateUIToFP(a, type);
    return twice ? ir.CreateFPTrunc(converted, f.VectorOf(element)) : converted;
  }
  if (!isa::IsFloat(from)) return ir.CreateIntCast(a, type, from_signed);
  if (a->getType()->isVectorTy()) return FloatToInteger(f, in, a, type);
  return ir.CreateIntrinsic(to_signed ? llvm::Intrinsic::fptosi_sat : llvm::Intrinsic::fptoui_sat,
                            {type, a->getType()}, {a});
}

}  // namespace

namespace lanewise {

Value* Cvt(FunctionState& f, const isa::Instruction& in, const Sources& s) {
  return Convert(f, in, s.a);
}

Value* Bitcast(FunctionState& f, const isa::Instruction& in, const Sources& s) {
  Type* type = ScalarType(f.builder(), in.type);
  return f.builder().CreateBitCast(s.a, s.a->getType()->isVectorTy() ? f.VectorOf(type) : type);
}

}  // namespace lanewise

}  // namespace hologram::codegen
