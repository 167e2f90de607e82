// f16 and bf16. Their webs hold bits (i16): LLVM has these types, but promises neither one rounding
// for each operation nor canonical NaNs. Every operation widens, computes in f32 and rounds once,
// as isa/half.h says and the interpreter does; rounding makes every NaN canonical. f16 uses the
// processor's conversions where it has them; bf16 is the upper half of an f32.
// Tested by tests/conformance and tests/differential.
#include "isa/half.h"

#include "codegen/lowering.h"

namespace hologram::codegen {

using isa::Opcode;
using llvm::ConstantFP;
using llvm::ConstantInt;

llvm::Type* Lowering::LikeVector(Type* element, Value* value) {
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(value->getType());
  if (vector == nullptr) return element;
  return llvm::FixedVectorType::get(element, vector->getNumElements());
}

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

llvm::Value* Lowering::Widen(isa::Type half, Value* bits) {
  Type* words = LikeVector(b_.getInt32Ty(), bits);
  Type* floats = LikeVector(b_.getFloatTy(), bits);
  if (half == isa::Type::kBF16) {
    Bits o(b_, words);
    return b_.CreateBitCast(o.Shl(b_.CreateZExt(bits, words), 16), floats);
  }
  if (!target_.converts_f16) return WidenF16Bits(b_, bits, words, floats);
  return b_.CreateFPExt(b_.CreateBitCast(bits, LikeVector(b_.getHalfTy(), bits)), floats);
}

llvm::Value* Lowering::Narrow(isa::Type half, Value* value) {
  Type* words = LikeVector(b_.getInt32Ty(), value);
  Type* bits = LikeVector(b_.getInt16Ty(), value);
  if (half == isa::Type::kBF16) return b_.CreateTrunc(NarrowBF16Bits(b_, value, words), bits);
  if (!target_.converts_f16) return b_.CreateTrunc(NarrowF16Bits(b_, value, words), bits);
  Value* canonical = Canonical(value);
  if (!IsPtx(options_.level) && !value->getType()->isVectorTy()) {
    // LLVM would choose between numbers of 16 bits instead, and make a call of fmaxf of that.
    canonical = b_.CreateArithmeticFence(canonical, canonical->getType());
  }
  Value* rounded = b_.CreateFPTrunc(canonical, LikeVector(b_.getHalfTy(), value));
  if (!IsPtx(options_.level)) return b_.CreateBitCast(rounded, bits);
  // GPUs give a NaN of their own, whatever the operand is.
  return b_.CreateSelect(b_.CreateFCmpUNO(value, value), b_.getInt16(0x7E00),
                         b_.CreateBitCast(rounded, bits));
}

// The f32 whose rounding to 16 bits is the rounding of the value.
llvm::Value* Lowering::NarrowBeforeRounding(isa::Type from, Value* value) {
  if (from == isa::Type::kF32) return value;
  if (from == isa::Type::kF64) return RoundToOdd(value);
  const bool is_signed = isa::IsSignedInteger(from);
  const auto to_float = [&](Value* v, Type* element) {
    Type* type = LikeVector(element, v);
    return is_signed ? b_.CreateSIToFP(v, type) : b_.CreateUIToFP(v, type);
  };
  const uint32_t size = isa::BitsOf(from);
  if (size <= 16) return to_float(value, b_.getFloatTy());
  if (size == 32) return RoundToOdd(to_float(value, b_.getDoubleTy()));
  return RoundToOdd(to_float(KeepInF64(value, is_signed), b_.getDoubleTy()));
}

// An integer that f64 holds exactly and that rounds to f32, and to fewer digits, like this one of
// 64 bits: what f64 cannot hold is only "a little more".
llvm::Value* Lowering::KeepInF64(Value* value, bool is_signed) {
  constexpr uint64_t kLow = 0xfff;
  constexpr uint64_t kExact = uint64_t{1} << 52;
  Bits o(b_, value->getType());
  Value* magnitude =
      is_signed ? b_.CreateBinaryIntrinsic(llvm::Intrinsic::abs, value, b_.getFalse()) : value;
  Value* lost = b_.CreateICmpNE(o.And(value, kLow), o.Number(0));
  Value* sticky =
      b_.CreateOr(o.And(value, ~kLow), b_.CreateSelect(lost, o.Number(0x800), o.Number(0)));
  return b_.CreateSelect(o.Below(magnitude, kExact), value, sticky);
}

// f64 to f32; see isa/half.h.
llvm::Value* Lowering::RoundToOdd(Value* value) {
  Type* floats = LikeVector(b_.getFloatTy(), value);
  Type* words = LikeVector(b_.getInt32Ty(), value);
  Bits o(b_, words);
  Value* nearest = b_.CreateFPTrunc(value, floats);
  Value* back = b_.CreateFPExt(nearest, value->getType());
  Value* bits = b_.CreateBitCast(nearest, words);
  Value* have = Unary(llvm::Intrinsic::fabs, back);
  Value* want = Unary(llvm::Intrinsic::fabs, value);
  Value* change = b_.CreateAnd(b_.CreateFCmpONE(have, want), o.IsEven(bits));
  Value* toward = b_.CreateSelect(b_.CreateFCmpOLT(have, want), o.Add(bits, 1), o.Sub(bits, 1));
  return b_.CreateBitCast(b_.CreateSelect(change, toward, bits), floats);
}

// a * b + c of f32 values in f64, rounded to odd. The product is exact in f64 (of f32 values, if
// that does not overflow); the error of the sum says in which direction it was rounded.
llvm::Value* Lowering::FusedToOdd(Value* a, Value* b, Value* c) {
  Type* wide = LikeVector(b_.getDoubleTy(), a);
  Bits o(b_, LikeVector(b_.getInt64Ty(), a));
  Type* bits = LikeVector(b_.getInt64Ty(), a);
  Value* product = b_.CreateFMul(b_.CreateFPExt(a, wide), b_.CreateFPExt(b, wide));
  Value* addend = b_.CreateFPExt(c, wide);
  Value* sum = b_.CreateFAdd(product, addend);
  Value* part = b_.CreateFSub(sum, product);
  Value* error =
      b_.CreateFAdd(b_.CreateFSub(product, b_.CreateFSub(sum, part)), b_.CreateFSub(addend, part));
  Value* sum_bits = b_.CreateBitCast(sum, bits);
  Value* error_bits = b_.CreateBitCast(error, bits);
  Value* inexact = b_.CreateFCmpONE(error, ConstantFP::get(wide, 0.0));
  Value* opposite = b_.CreateAShr(b_.CreateXor(sum_bits, error_bits), o.Number(63));
  Value* toward_error = b_.CreateAdd(sum_bits, b_.CreateOr(opposite, o.Number(1)));
  Value* odd = b_.CreateSelect(b_.CreateAnd(inexact, o.IsEven(sum_bits)), toward_error, sum_bits);
  return b_.CreateBitCast(odd, wide);
}

llvm::Value* Lowering::HalfOperation(const isa::Instruction& in, Value* a, Value* b, Value* c) {
  Bits o(b_, a->getType());
  if (in.op == Opcode::kAbs) return o.And(a, 0x7fff);
  if (in.op == Opcode::kNeg) return b_.CreateXor(a, o.Number(0x8000));
  isa::Instruction wide = in;
  wide.type = isa::Type::kF32;
  const auto widen = [&](Value* v) { return v == nullptr ? nullptr : Widen(in.type, v); };
  a = widen(a);
  b = widen(b);
  c = widen(c);
  if (in.op == Opcode::kFma) return Narrow(in.type, RoundToOdd(FusedToOdd(a, b, c)));
  if (in.op == Opcode::kMad) {
    Value* product = Widen(in.type, Narrow(in.type, b_.CreateFMul(a, b)));
    return Narrow(in.type, b_.CreateFAdd(product, c));
  }
  return Narrow(in.type, FloatOperation(wide, a, b, c));
}

}  // namespace hologram::codegen
