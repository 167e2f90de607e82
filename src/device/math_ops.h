// The operation vocabulary of math/ops.h and math/large_angle.h on values of a device: one lane.
#pragma once

#include <bit>

#include "device/math.h"
#include "math/ops.h"

namespace hologram::device {

template <class FormatType>
class DeviceMathOps {
 public:
  using Format = FormatType;
  using F = Value;
  using U = Value;
  using M = Value;
  static constexpr bool kSingle = sizeof(typename Format::Float) == 4;
  static constexpr Scalar kFloat = kSingle ? Scalar::kF32 : Scalar::kF64;
  static constexpr Scalar kBits = kSingle ? Scalar::kI32 : Scalar::kI64;

  DeviceMathOps(MathFunctions& functions, Arithmetic& arithmetic)
      : functions_(functions), arithmetic_(arithmetic), b_(arithmetic.builder()) {}

  F Const(typename Format::Float value) {
    return b_.Constant(kFloat, std::bit_cast<typename Format::Bits>(value));
  }
  U ConstBits(typename Format::Bits value) { return b_.Constant(kBits, value); }
  F Add(F a, F b) { return b_.Emit(Binary::kFAdd, a, b); }
  F Sub(F a, F b) { return b_.Emit(Binary::kFSub, a, b); }
  F Mul(F a, F b) { return b_.Emit(Binary::kFMul, a, b); }
  F Div(F a, F b) { return arithmetic_.Quotient(a, b); }
  F Neg(F a) { return b_.Emit(Unary::kNegate, a); }
  F Fma(F a, F b, F c) { return b_.Fma(a, b, c); }
  F NegFma(F a, F b, F c) { return b_.Fma(b_.Emit(Unary::kNegate, a), b, c); }
  M Less(F a, F b) { return b_.Emit(Compare::kFLt, a, b); }
  M Greater(F a, F b) { return b_.Emit(Compare::kFGt, a, b); }
  M IsNan(F a) { return arithmetic_.IsNan(a); }
  M GreaterBits(U a, U b) { return b_.Emit(Compare::kUGt, a, b); }
  M AnyBitSet(U a, U mask) {
    Value both = b_.Emit(Binary::kAnd, a, mask);
    return b_.Emit(Compare::kNe, both, b_.Constant(kBits, 0));
  }
  M NotPositiveNormal(F x) { return math::NotPositiveNormalByBits(*this, x); }
  F Select(M m, F yes, F no) { return b_.Select(m, yes, no); }
  U BitsOf(F x) { return b_.Emit(Cast::kBits, x, kBits); }
  F FromBits(U x) { return b_.Emit(Cast::kBits, x, kFloat); }
  U AddBits(U a, U b) { return b_.Emit(Binary::kAdd, a, b); }
  U SubBits(U a, U b) { return b_.Emit(Binary::kSub, a, b); }
  U AndBits(U a, U b) { return b_.Emit(Binary::kAnd, a, b); }
  U OrBits(U a, U b) { return b_.Emit(Binary::kOr, a, b); }
  U XorBits(U a, U b) { return b_.Emit(Binary::kXor, a, b); }
  U Shl(U a, int count) { return Shift(Binary::kShl, a, count); }
  U LShr(U a, int count) { return Shift(Binary::kLShr, a, count); }
  U AShr(U a, int count) { return Shift(Binary::kAShr, a, count); }
  F FloatOf(U a) { return b_.Emit(Cast::kSignedToFloat, a, kFloat); }
  F Significand(F x) { return math::SignificandByBits(*this, x); }
  F Exponent(F x) { return math::ExponentByBits(*this, x); }
  F Scale2n(F p, F n) { return math::Scale2nByMultiplying(*this, p, n); }

  F Lookup16(const float (&table)[16], U index) {
    uint64_t entries[16];
    for (size_t i = 0; i < 16; ++i) entries[i] = std::bit_cast<uint32_t>(table[i]);
    Value low = b_.Emit(Binary::kAnd, index, b_.Constant(kBits, 15));
    Value place = b_.Emit(Cast::kZeroExtend, low, Scalar::kI64);
    return b_.Load(b_.Element(b_.Table(Scalar::kF32, entries), place));
  }

  template <class Fast, class Slow>
  F Rare(M rare, const Fast& fast, const Slow& slow) {
    const Label slow_block = b_.NewBlock();
    const Label fast_block = b_.NewBlock();
    const Label join = b_.NewBlock();
    b_.Branch(rare, slow_block, fast_block);
    b_.Begin(fast_block);
    const F usual = fast();
    const Label fast_end = b_.Current();
    b_.Jump(join);
    b_.Begin(slow_block);
    const F other = slow();
    const Label slow_end = b_.Current();
    b_.Jump(join);
    b_.Begin(join);
    return Join(usual, fast_end, other, slow_end);
  }

  // `lane` becomes a function of its own.
  template <class Lane>
  F ReplaceLanes(M which, F x, F usual, const char* name, const Lane& lane) {
    const Function function = functions_.Once(std::string(name) + (kSingle ? ".f32" : ".f64"),
                                              kFloat, 1, [&](const std::vector<Value>& parameters) {
                                                DeviceMathOps one(functions_, arithmetic_);
                                                return lane(one, parameters[0]);
                                              });
    const Label from = b_.Current();
    const Label rare = b_.NewBlock();
    const Label join = b_.NewBlock();
    b_.Branch(which, rare, join);
    b_.Begin(rare);
    const F replaced = b_.Call(function, {&x, 1});
    b_.Jump(join);
    b_.Begin(join);
    return Join(usual, from, replaced, rare);
  }

  // ---- math/large_angle.h
  using Wide = DeviceMathOps<math::Binary64>;
  Wide WideOps() { return Wide(functions_, arithmetic_); }
  Value Widen(F x) { return b_.Emit(Cast::kFloat, x, Scalar::kF64); }
  F Narrow(Value x) { return b_.Emit(Cast::kFloat, x, kFloat); }
  U MulBits(U a, U b) { return b_.Emit(Binary::kMul, a, b); }
  U MulHighBits(U a, U b) { return b_.Emit(Binary::kMulHigh, a, b); }
  U ShlBy(U a, U count) { return b_.Emit(Binary::kShl, a, count); }
  U LShrBy(U a, U count) { return b_.Emit(Binary::kLShr, a, count); }
  U LeadingZeros(U a) { return b_.Emit(Unary::kLeadingZeros, a); }
  U SelectBits(M m, U yes, U no) { return b_.Select(m, yes, no); }
  template <size_t kCount>
  U Entry(const uint64_t (&table)[kCount], U index) {
    return b_.Load(b_.Element(b_.Table(Scalar::kI64, table), index));
  }

 private:
  U Shift(Binary op, U a, int count) {
    return b_.Emit(op, a, b_.Constant(kBits, static_cast<uint64_t>(count)));
  }
  F Join(F one, Label from_one, F other, Label from_other) {
    const Value phi = b_.Phi(kFloat, 2);
    b_.SetIncoming(phi, 0, one, from_one);
    b_.SetIncoming(phi, 1, other, from_other);
    return phi;
  }

  MathFunctions& functions_;
  Arithmetic& arithmetic_;
  Builder& b_;
};

}  // namespace hologram::device
