// f16 and bf16. Their webs hold bits (i16): LLVM has these types, but promises neither one rounding
// for each operation nor canonical NaNs. Every operation widens, computes in f32 and rounds once,
// as isa/half.h says and the interpreter does; rounding makes every NaN canonical. f16 uses the
// processor's conversions where it has them; bf16 is the upper half of an f32.
// Tested by tests/conformance and tests/differential.
#include "isa/half.h"

#include "codegen/emit/idioms.h"
#include "codegen/instructions/half.h"

namespace hologram::codegen {

using llvm::ConstantFP;
using llvm::ConstantInt;

namespace {

// Arithmetic on values of one type, vectors or not, with constants on the right.
class Bits {
 public:
  Bits(llvm::IRBuilder<>& b, llvm::Type* type) : b_(b), type_(type) {}
  llvm::Value* Number(uint64_t v) { return ConstantInt::get(type_, v); }
  llvm::Value* And(llvm::Value* a, uint64_t v) { return b_.CreateAnd(a, Number(v)); }
  llvm::Value* Add(llvm::Value* a, uint64_t v) { return b_.CreateAdd(a, Number(v)); }
  llvm::Value* Sub(llvm::Value* a, uint64_t v) { return b_.CreateSub(a, Number(v)); }
  llvm::Value* Shl(llvm::Value* a, uint64_t v) { return b_.CreateShl(a, Number(v)); }
  llvm::Value* Shr(llvm::Value* a, uint64_t v) { return b_.CreateLShr(a, Number(v)); }
  llvm::Value* Below(llvm::Value* a, uint64_t v) { return b_.CreateICmpULT(a, Number(v)); }
  llvm::Value* IsEven(llvm::Value* a) { return b_.CreateICmpEQ(And(a, 1), Number(0)); }

 private:
  llvm::IRBuilder<>& b_;
  llvm::Type* type_;
};

// Widen and Narrow of isa/half.h, step by step.
llvm::Value* WidenF16Bits(llvm::IRBuilder<>& b, llvm::Value* half, llvm::Type* words,
                          llvm::Type* floats) {
  constexpr uint64_t kRebias = uint64_t{112} << 23;
  Bits o(b, words);
  llvm::Value* word = b.CreateZExt(half, words);
  llvm::Value* magnitude = o.Shl(o.And(word, 0x7fff), 13);
  llvm::Value* one_more = b.CreateBitCast(o.Add(magnitude, kRebias + (1U << 23)), floats);
  llvm::Value* below =
      b.CreateBitCast(b.CreateFSub(one_more, ConstantFP::get(floats, 0x1p-14)), words);
  llvm::Value* finite = o.Below(magnitude, uint64_t{0x7c00} << 13);
  llvm::Value* normal =
      b.CreateSelect(finite, o.Add(magnitude, kRebias), o.Add(magnitude, 2 * kRebias));
  llvm::Value* bits = b.CreateSelect(o.Below(magnitude, 1U << 23), below, normal);
  return b.CreateBitCast(b.CreateOr(bits, o.Shl(o.And(word, 0x8000), 16)), floats);
}

llvm::Value* NarrowF16Bits(llvm::IRBuilder<>& b, llvm::Value* value, llvm::Type* words) {
  constexpr uint64_t kSmallestNormal = uint64_t{113} << 23;
  Bits o(b, words);
  llvm::Type* floats = value->getType();
  llvm::Value* bits = b.CreateBitCast(value, words);
  llvm::Value* magnitude = o.And(bits, 0x7fffffff);
  llvm::Value* odd = o.And(o.Shr(magnitude, 13), 1);
  llvm::Value* rebiased = o.Sub(magnitude, (uint64_t{112} << 23) - 0xfff);
  llvm::Value* normal = o.Shr(b.CreateAdd(rebiased, odd), 13);
  llvm::Value* is_small = o.Below(magnitude, kSmallestNormal);
  llvm::Value* safe = b.CreateBitCast(b.CreateSelect(is_small, magnitude, o.Number(0)), floats);
  llvm::Value* shifted = b.CreateFAdd(safe, ConstantFP::get(floats, 0.5));
  llvm::Value* small = o.Sub(b.CreateBitCast(shifted, words), uint64_t{126} << 23);
  llvm::Value* finite = b.CreateSelect(is_small, small, normal);
  llvm::Value* fits = o.Below(magnitude, uint64_t{143} << 23);
  llvm::Value* rounded = b.CreateSelect(fits, finite, o.Number(0x7c00));
  rounded = b.CreateOr(rounded, o.And(o.Shr(bits, 16), 0x8000));
  return b.CreateSelect(b.CreateFCmpUNO(value, value), o.Number(isa::kCanonicalNanF16), rounded);
}

llvm::Value* NarrowBF16Bits(llvm::IRBuilder<>& b, llvm::Value* value, llvm::Type* words) {
  Bits o(b, words);
  llvm::Value* bits = b.CreateBitCast(value, words);
  llvm::Value* odd = o.And(o.Shr(bits, 16), 1);
  llvm::Value* rounded = o.Shr(b.CreateAdd(o.Add(bits, 0x7fff), odd), 16);
  return b.CreateSelect(b.CreateFCmpUNO(value, value), o.Number(isa::kCanonicalNanBF16), rounded);
}

}  // namespace

llvm::Value* Widen(FunctionState& f, isa::Type half, llvm::Value* bits) {
  llvm::IRBuilder<>& ir = f.builder();
  llvm::Type* words = LikeVector(ir.getInt32Ty(), bits);
  llvm::Type* floats = LikeVector(ir.getFloatTy(), bits);
  if (half == isa::Type::kBF16) {
    Bits o(ir, words);
    return ir.CreateBitCast(o.Shl(ir.CreateZExt(bits, words), 16), floats);
  }
  if (!f.target().converts_f16) return WidenF16Bits(ir, bits, words, floats);
  return ir.CreateFPExt(ir.CreateBitCast(bits, LikeVector(ir.getHalfTy(), bits)), floats);
}

llvm::Value* Narrow(FunctionState& f, isa::Type half, llvm::Value* value) {
  llvm::IRBuilder<>& ir = f.builder();
  llvm::Type* words = LikeVector(ir.getInt32Ty(), value);
  llvm::Type* bits = LikeVector(ir.getInt16Ty(), value);
  if (half == isa::Type::kBF16) return ir.CreateTrunc(NarrowBF16Bits(ir, value, words), bits);
  if (!f.target().converts_f16) return ir.CreateTrunc(NarrowF16Bits(ir, value, words), bits);
  llvm::Value* canonical = Canonical(ir, value);
  if (f.target().keeps_f16_nan && !value->getType()->isVectorTy()) {
    // LLVM would choose between numbers of 16 bits instead, and make a call of fmaxf of that.
    canonical = ir.CreateArithmeticFence(canonical, canonical->getType());
  }
  llvm::Value* rounded = ir.CreateFPTrunc(canonical, LikeVector(ir.getHalfTy(), value));
  if (f.target().keeps_f16_nan) return ir.CreateBitCast(rounded, bits);
  // GPUs give a NaN of their own, whatever the operand is.
  return ir.CreateSelect(ir.CreateFCmpUNO(value, value), ir.getInt16(0x7E00),
                         ir.CreateBitCast(rounded, bits));
}

// The f32 whose rounding to 16 bits is the rounding of the value.
llvm::Value* NarrowBeforeRounding(FunctionState& f, isa::Type from, llvm::Value* value) {
  llvm::IRBuilder<>& ir = f.builder();
  if (from == isa::Type::kF32) return value;
  if (from == isa::Type::kF64) return RoundToOdd(f, value);
  const bool is_signed = isa::IsSignedInteger(from);
  const auto to_float = [&](llvm::Value* v, llvm::Type* element) {
    llvm::Type* type = LikeVector(element, v);
    return is_signed ? ir.CreateSIToFP(v, type) : ir.CreateUIToFP(v, type);
  };
  const uint32_t size = isa::BitsOf(from);
  if (size <= 16) return to_float(value, ir.getFloatTy());
  if (size == 32) return RoundToOdd(f, to_float(value, ir.getDoubleTy()));
  return RoundToOdd(f, to_float(KeepInF64(f, value, is_signed), ir.getDoubleTy()));
}

// An integer that f64 holds exactly and that rounds to f32, and to fewer digits, like this one of
// 64 bits: what f64 cannot hold is only "a little more".
llvm::Value* KeepInF64(FunctionState& f, llvm::Value* value, bool is_signed) {
  llvm::IRBuilder<>& ir = f.builder();
  constexpr uint64_t kLow = 0xfff;
  constexpr uint64_t kExact = uint64_t{1} << 52;
  Bits o(ir, value->getType());
  llvm::Value* magnitude =
      is_signed ? ir.CreateBinaryIntrinsic(llvm::Intrinsic::abs, value, ir.getFalse()) : value;
  llvm::Value* lost = ir.CreateICmpNE(o.And(value, kLow), o.Number(0));
  llvm::Value* sticky =
      ir.CreateOr(o.And(value, ~kLow), ir.CreateSelect(lost, o.Number(0x800), o.Number(0)));
  return ir.CreateSelect(o.Below(magnitude, kExact), value, sticky);
}

// f64 to f32; see isa/half.h.
llvm::Value* RoundToOdd(FunctionState& f, llvm::Value* value) {
  llvm::IRBuilder<>& ir = f.builder();
  llvm::Type* floats = LikeVector(ir.getFloatTy(), value);
  llvm::Type* words = LikeVector(ir.getInt32Ty(), value);
  Bits o(ir, words);
  llvm::Value* nearest = ir.CreateFPTrunc(value, floats);
  llvm::Value* back = ir.CreateFPExt(nearest, value->getType());
  llvm::Value* bits = ir.CreateBitCast(nearest, words);
  llvm::Value* have = ir.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, back);
  llvm::Value* want = ir.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, value);
  llvm::Value* change = ir.CreateAnd(ir.CreateFCmpONE(have, want), o.IsEven(bits));
  llvm::Value* toward =
      ir.CreateSelect(ir.CreateFCmpOLT(have, want), o.Add(bits, 1), o.Sub(bits, 1));
  return ir.CreateBitCast(ir.CreateSelect(change, toward, bits), floats);
}

// a * b + c of f32 values in f64, rounded to odd. The product is exact in f64 (of f32 values, if
// that does not overflow); the error of the sum says in which direction it was rounded.
llvm::Value* FusedToOdd(FunctionState& f, llvm::Value* a, llvm::Value* b, llvm::Value* c) {
  llvm::IRBuilder<>& ir = f.builder();
  llvm::Type* wide = LikeVector(ir.getDoubleTy(), a);
  Bits o(ir, LikeVector(ir.getInt64Ty(), a));
  llvm::Type* bits = LikeVector(ir.getInt64Ty(), a);
  llvm::Value* product = ir.CreateFMul(ir.CreateFPExt(a, wide), ir.CreateFPExt(b, wide));
  llvm::Value* addend = ir.CreateFPExt(c, wide);
  llvm::Value* sum = ir.CreateFAdd(product, addend);
  llvm::Value* part = ir.CreateFSub(sum, product);
  llvm::Value* error =
      ir.CreateFAdd(ir.CreateFSub(product, ir.CreateFSub(sum, part)), ir.CreateFSub(addend, part));
  llvm::Value* sum_bits = ir.CreateBitCast(sum, bits);
  llvm::Value* error_bits = ir.CreateBitCast(error, bits);
  llvm::Value* inexact = ir.CreateFCmpONE(error, ConstantFP::get(wide, 0.0));
  llvm::Value* opposite = ir.CreateAShr(ir.CreateXor(sum_bits, error_bits), o.Number(63));
  llvm::Value* toward_error = ir.CreateAdd(sum_bits, ir.CreateOr(opposite, o.Number(1)));
  llvm::Value* odd =
      ir.CreateSelect(ir.CreateAnd(inexact, o.IsEven(sum_bits)), toward_error, sum_bits);
  return ir.CreateBitCast(odd, wide);
}

}  // namespace hologram::codegen
