#include "device/arithmetic.h"

#include <bit>
#include <cmath>
#include <utility>

#include "base/check.h"
#include "isa/half.h"

namespace hologram::device {

using isa::Opcode;
using Comparison = device::Compare;

namespace {

constexpr uint64_t MagnitudeMask(Scalar type) {
  return type == Scalar::kF64 ? ~uint64_t{0} >> 1 : 0x7fffffff;
}
constexpr uint64_t Infinity(Scalar type) {
  return type == Scalar::kF64 ? uint64_t{0x7ff} << 52 : 0x7f800000;
}
constexpr uint64_t QuietNan(Scalar type) {
  return type == Scalar::kF64 ? uint64_t{0xfff} << 51 : 0x7fc00000;
}

constexpr uint64_t SignBit(isa::Type type) {
  return uint64_t{1} << (isa::BitsOf(type) - 1);
}

}  // namespace

Value Arithmetic::FloatConstant(Scalar type, double value) {
  if (type == Scalar::kF64) return b_.Constant(type, std::bit_cast<uint64_t>(value));
  return b_.Constant(type, std::bit_cast<uint32_t>(static_cast<float>(value)));
}

Value Arithmetic::IsNan(Value a) {
  const Scalar type = b_.TypeOf(a);
  Value magnitude = And(Bits(a), MagnitudeMask(type));
  return b_.Emit(Comparison::kUGt, magnitude, Like(magnitude, Infinity(type)));
}

Value Arithmetic::IsEven(Value bits) {
  Value last = And(bits, 1);
  return b_.Emit(Comparison::kEq, last, Like(bits, 0));
}

Value Arithmetic::Canonical(Value a) {
  const Scalar type = b_.TypeOf(a);
  Value is_nan = IsNan(a);
  Value bits = Bits(a);
  return FloatOf(b_.Select(is_nan, Like(bits, QuietNan(type)), bits), type);
}

Value Arithmetic::Result(const isa::Instruction& in, Value a, Value b, Value c) {
  const isa::Type type = in.type;
  if (in.op == Opcode::kMov) return a;
  if (in.op == Opcode::kCvt) return Convert(type, in.source_type(), a);
  if (in.op == Opcode::kBitcast) return b_.Emit(Cast::kBits, a, ScalarOf(type));
  if (isa::IsInteger(type)) return Integer(in.op, type, a, b, c);
  // These look at bits.
  if (in.op == Opcode::kAbs || in.op == Opcode::kNeg) {
    Value bits = isa::IsHalf(type) ? a : Bits(a);
    const uint64_t sign = SignBit(type);
    Value result =
        in.op == Opcode::kAbs ? And(bits, sign - 1) : b_.Emit(Binary::kXor, bits, Like(bits, sign));
    return FloatOf(result, ScalarOf(type));
  }
  if (!isa::IsHalf(type)) return Wide(in.op, a, b, c);
  const auto widened = [&](Value v) { return v == 0 ? 0 : Widen(type, v); };
  a = widened(a);
  b = widened(b);
  c = widened(c);
  if (in.op == Opcode::kFma) return Narrow(type, RoundToOdd(FusedToOdd(a, b, c)));
  if (in.op == Opcode::kMad) {
    a = Widen(type, Narrow(type, b_.Emit(Binary::kFMul, a, b)));
    return Narrow(type, b_.Emit(Binary::kFAdd, a, c));
  }
  return Narrow(type, Wide(in.op, a, b, c));
}

Value Arithmetic::Combine(Opcode op, isa::Type type, Value a, Value b) {
  isa::Instruction in;
  in.op = op;
  in.type = type;
  return Result(in, a, b, 0);
}

Value Arithmetic::Wide(Opcode op, Value a, Value b, Value c) {
  constexpr std::pair<Opcode, Binary> kBinary[] = {
      {Opcode::kAdd, Binary::kFAdd}, {Opcode::kSub, Binary::kFSub}, {Opcode::kMul, Binary::kFMul}};
  constexpr std::pair<Opcode, Unary> kUnary[] = {{Opcode::kFloor, Unary::kFloor},
                                                 {Opcode::kCeil, Unary::kCeil},
                                                 {Opcode::kTrunc, Unary::kTrunc},
                                                 {Opcode::kRound, Unary::kRound}};
  for (const auto& [known, operation] : kBinary) {
    if (known == op) return b_.Emit(operation, a, b);
  }
  for (const auto& [known, operation] : kUnary) {
    if (known == op) return b_.Emit(operation, a);
  }
  if (op == Opcode::kDiv) return Quotient(a, b);
  if (op == Opcode::kSqrt) return Root(a);
  if (op == Opcode::kMad) return b_.Emit(Binary::kFAdd, b_.Emit(Binary::kFMul, a, b), c);
  if (op == Opcode::kFma) return b_.Fma(a, b, c);
  HOLOGRAM_CHECK(op == Opcode::kMin || op == Opcode::kMax);
  return Extreme(op == Opcode::kMax, a, b);
}

// The shift amount is taken modulo the number of bits.
Value Arithmetic::Shift(Opcode op, isa::Type type, Value a, Value b) {
  const bool is_wide = isa::BitsOf(type) > 32;
  Value low = And(b, isa::BitsOf(type) - 1);
  low = b_.Emit(is_wide ? Cast::kZeroExtend : Cast::kTruncate, low, ScalarOf(type));
  if (op == Opcode::kShl) return b_.Emit(Binary::kShl, a, low);
  return b_.Emit(isa::IsSignedInteger(type) ? Binary::kAShr : Binary::kLShr, a, low);
}

Value Arithmetic::Integer(Opcode op, isa::Type type, Value a, Value b, Value c) {
  const bool is_signed = isa::IsSignedInteger(type);
  constexpr std::pair<Opcode, Binary> kBinary[] = {
      {Opcode::kAdd, Binary::kAdd}, {Opcode::kSub, Binary::kSub}, {Opcode::kMul, Binary::kMul},
      {Opcode::kAnd, Binary::kAnd}, {Opcode::kOr, Binary::kOr},   {Opcode::kXor, Binary::kXor}};
  for (const auto& [known, operation] : kBinary) {
    if (known == op) return b_.Emit(operation, a, b);
  }
  if (op == Opcode::kDiv) return b_.Emit(is_signed ? Binary::kSDiv : Binary::kUDiv, a, b);
  if (op == Opcode::kRem) return b_.Emit(is_signed ? Binary::kSRem : Binary::kURem, a, b);
  if (op == Opcode::kMad) return b_.Emit(Binary::kAdd, b_.Emit(Binary::kMul, a, b), c);
  if (op == Opcode::kNot) return b_.Emit(Unary::kNot, a);
  if (op == Opcode::kPopc) return b_.Emit(Unary::kPopCount, a);
  if (op == Opcode::kShl || op == Opcode::kShr) return Shift(op, type, a, b);
  if (op == Opcode::kAbs || op == Opcode::kNeg) {
    Value zero = Like(a, 0);
    Value negated = b_.Emit(Binary::kSub, zero, a);
    if (op == Opcode::kNeg) return negated;
    return b_.Select(b_.Emit(Comparison::kSLt, a, zero), negated, a);
  }
  HOLOGRAM_CHECK(op == Opcode::kMin || op == Opcode::kMax);
  constexpr Comparison kOrders[2][2] = {{Comparison::kULt, Comparison::kUGt},
                                        {Comparison::kSLt, Comparison::kSGt}};
  Value first = b_.Emit(kOrders[is_signed ? 1 : 0][op == Opcode::kMax ? 1 : 0], a, b);
  return b_.Select(first, a, b);
}

// A number beats NaN and -0 < +0: equal numbers differ at most in the sign of zero, so their bits
// are combined.
Value Arithmetic::Extreme(bool max, Value a, Value b) {
  const Scalar type = b_.TypeOf(a);
  Value better = b_.Select(b_.Emit(max ? Comparison::kFGt : Comparison::kFLt, a, b), a, b);
  Value bits = Bits(a);
  Value merged = FloatOf(b_.Emit(max ? Binary::kAnd : Binary::kOr, bits, Bits(b)), type);
  Value exact = b_.Select(b_.Emit(Comparison::kFEq, a, b), merged, better);
  return b_.Select(IsNan(b), a, exact);
}

Value Arithmetic::Compare(isa::Condition condition, isa::Type type, Value a, Value b) {
  constexpr Comparison kFloats[] = {Comparison::kFEq, Comparison::kFNe, Comparison::kFLt,
                                    Comparison::kFLe, Comparison::kFGt, Comparison::kFGe};
  constexpr Comparison kSigned[] = {Comparison::kEq,  Comparison::kNe,  Comparison::kSLt,
                                    Comparison::kSLe, Comparison::kSGt, Comparison::kSGe};
  constexpr Comparison kUnsigned[] = {Comparison::kEq,  Comparison::kNe,  Comparison::kULt,
                                      Comparison::kULe, Comparison::kUGt, Comparison::kUGe};
  const auto k = static_cast<size_t>(condition);
  if (isa::IsHalf(type)) {
    Value first = Widen(type, a);
    return b_.Emit(kFloats[k], first, Widen(type, b));
  }
  if (isa::IsFloat(type)) return b_.Emit(kFloats[k], a, b);
  return b_.Emit(isa::IsSignedInteger(type) ? kSigned[k] : kUnsigned[k], a, b);
}

Value Arithmetic::Quotient(Value a, Value b) {
  if (b_.TypeOf(a) == Scalar::kF64 || division_ == Division::kSingle) {
    return b_.Emit(Binary::kFDiv, a, b);
  }
  // 53 bits are more than twice 24 and two: there is no second rounding.
  const auto wide = [&](Value v) { return b_.Emit(Cast::kFloat, v, Scalar::kF64); };
  Value dividend = wide(a);
  return b_.Emit(Cast::kFloat, b_.Emit(Binary::kFDiv, dividend, wide(b)), Scalar::kF32);
}

Value Arithmetic::Root(Value a) {
  if (b_.TypeOf(a) == Scalar::kF64 || division_ == Division::kSingle) {
    return b_.Emit(Unary::kSqrt, a);
  }
  Value root = b_.Emit(Unary::kSqrt, b_.Emit(Cast::kFloat, a, Scalar::kF64));
  return b_.Emit(Cast::kFloat, root, Scalar::kF32);
}

// ---- Conversions

Value Arithmetic::Extend(isa::Type type, Value a) {
  const bool is_signed = isa::IsSignedInteger(type);
  return b_.Emit(is_signed ? Cast::kSignExtend : Cast::kZeroExtend, a, Scalar::kI64);
}

Value Arithmetic::IntegerToFloat(isa::Type from, Scalar to, Value a) {
  const bool is_signed = isa::IsSignedInteger(from);
  if (isa::BitsOf(from) < 32) {
    a = b_.Emit(is_signed ? Cast::kSignExtend : Cast::kZeroExtend, a, Scalar::kI32);
  }
  return b_.Emit(is_signed ? Cast::kSignedToFloat : Cast::kUnsignedToFloat, a, to);
}

// What fits, the ends for what does not, and 0 for NaN. The lower end is a float of every type; the
// upper one may lie between two, so what is too large is chosen afterwards.
Value Arithmetic::FloatToInteger(isa::Type to, Value a) {
  const bool is_signed = isa::IsSignedInteger(to);
  const uint32_t bits = isa::BitsOf(to);
  const Scalar own = ScalarOf(to);
  const Scalar type = b_.TypeOf(a);
  const double above = std::ldexp(1.0, static_cast<int>(is_signed ? bits - 1 : bits));
  Value low = FloatConstant(type, is_signed ? -above : 0.0);
  Value limit = FloatConstant(type, above);
  Value too_large = b_.Emit(Comparison::kFGe, a, limit);
  Value kept = b_.Select(b_.Emit(Comparison::kFGt, a, low), a, low);  // NaN becomes the lower end
  kept = b_.Select(too_large, low, kept);
  Value converted = 0;
  if (bits < 32) {
    converted = b_.Emit(Cast::kTruncate, b_.Emit(Cast::kFloatToSigned, kept, Scalar::kI32), own);
  } else {
    converted = b_.Emit(is_signed ? Cast::kFloatToSigned : Cast::kFloatToUnsigned, kept, own);
  }
  const auto most = static_cast<uint64_t>(isa::MaxOf(to));
  converted = b_.Select(too_large, Like(converted, most), converted);
  if (!is_signed) return converted;
  Value is_nan = IsNan(a);
  return b_.Select(is_nan, Like(converted, 0), converted);
}

Value Arithmetic::Convert(isa::Type to, isa::Type from, Value a) {
  if (to == from) return a;
  if (isa::IsHalf(from)) return Convert(to, isa::Type::kF32, Widen(from, a));
  if (isa::IsHalf(to)) return Narrow(to, BeforeNarrowing(from, a));
  const Scalar own = ScalarOf(to);
  if (isa::IsFloat(to)) {
    if (isa::IsFloat(from)) return b_.Emit(Cast::kFloat, a, own);
    return IntegerToFloat(from, own, a);
  }
  if (isa::IsFloat(from)) return FloatToInteger(to, a);
  if (isa::BitsOf(to) < isa::BitsOf(from)) return b_.Emit(Cast::kTruncate, a, own);
  const bool is_signed = isa::IsSignedInteger(from);
  return b_.Emit(is_signed ? Cast::kSignExtend : Cast::kZeroExtend, a, own);
}

// ---- Floats of 16 bits, as isa/half.h has them

Value Arithmetic::Widen(isa::Type half, Value bits) {
  if (half == isa::Type::kF16) return WidenF16(bits);
  Value word = b_.Emit(Cast::kZeroExtend, bits, Scalar::kI32);
  return FloatOf(Shl(word, 16), Scalar::kF32);
}

Value Arithmetic::Narrow(isa::Type half, Value value) {
  Value word = half == isa::Type::kF16 ? NarrowF16(value) : NarrowBF16(value);
  return b_.Emit(Cast::kTruncate, word, Scalar::kI16);
}

Value Arithmetic::WidenF16(Value half) {
  constexpr uint64_t kRebias = uint64_t{112} << 23;
  Value word = b_.Emit(Cast::kZeroExtend, half, Scalar::kI32);
  Value magnitude = Shl(And(word, 0x7fff), 13);
  Value one_more = FloatOf(Add(magnitude, kRebias + (1U << 23)), Scalar::kF32);
  Value below = Bits(b_.Emit(Binary::kFSub, one_more, FloatConstant(Scalar::kF32, 0x1p-14)));
  Value finite = Below(magnitude, uint64_t{0x7c00} << 13);
  Value usual = Add(magnitude, kRebias);
  Value normal = b_.Select(finite, usual, Add(magnitude, 2 * kRebias));
  Value bits = b_.Select(Below(magnitude, 1U << 23), below, normal);
  Value sign = Shl(And(word, 0x8000), 16);
  return FloatOf(b_.Emit(Binary::kOr, bits, sign), Scalar::kF32);
}

Value Arithmetic::NarrowF16(Value value) {
  constexpr uint64_t kSmallestNormal = uint64_t{113} << 23;
  Value bits = Bits(value);
  Value magnitude = And(bits, 0x7fffffff);
  Value odd = And(Shr(magnitude, 13), 1);
  Value rebiased = Sub(magnitude, (uint64_t{112} << 23) - 0xfff);
  Value normal = Shr(b_.Emit(Binary::kAdd, rebiased, odd), 13);
  Value is_small = Below(magnitude, kSmallestNormal);
  Value safe = FloatOf(b_.Select(is_small, magnitude, Like(magnitude, 0)), Scalar::kF32);
  Value shifted = b_.Emit(Binary::kFAdd, safe, FloatConstant(Scalar::kF32, 0.5));
  Value small = Sub(Bits(shifted), uint64_t{126} << 23);
  Value finite = b_.Select(is_small, small, normal);
  Value fits = Below(magnitude, uint64_t{143} << 23);
  Value rounded = b_.Select(fits, finite, Like(finite, 0x7c00));
  Value sign = And(Shr(bits, 16), 0x8000);
  rounded = b_.Emit(Binary::kOr, rounded, sign);
  Value is_nan = IsNan(value);
  return b_.Select(is_nan, Like(rounded, isa::kCanonicalNanF16), rounded);
}

Value Arithmetic::NarrowBF16(Value value) {
  Value bits = Bits(value);
  Value odd = And(Shr(bits, 16), 1);
  Value rounded = Shr(b_.Emit(Binary::kAdd, Add(bits, 0x7fff), odd), 16);
  Value is_nan = IsNan(value);
  return b_.Select(is_nan, Like(rounded, isa::kCanonicalNanBF16), rounded);
}

// The f32 whose rounding to 16 bits is the rounding of the value.
Value Arithmetic::BeforeNarrowing(isa::Type from, Value value) {
  if (from == isa::Type::kF32) return value;
  if (from == isa::Type::kF64) return RoundToOdd(value);
  const uint32_t size = isa::BitsOf(from);
  if (size <= 16) return IntegerToFloat(from, Scalar::kF32, value);
  if (size == 64) value = KeepInF64(value, isa::IsSignedInteger(from));
  return RoundToOdd(IntegerToFloat(from, Scalar::kF64, value));
}

// An integer that f64 holds exactly and that rounds to fewer digits like this one of 64 bits.
Value Arithmetic::KeepInF64(Value value, bool is_signed) {
  constexpr uint64_t kLow = 0xfff;
  constexpr uint64_t kExact = uint64_t{1} << 52;
  Value magnitude = is_signed ? Integer(Opcode::kAbs, isa::Type::kI64, value, 0, 0) : value;
  Value zero = Like(value, 0);
  Value lost = b_.Emit(Comparison::kNe, And(value, kLow), zero);
  Value high = And(value, ~kLow);
  Value low = b_.Select(lost, Like(value, 0x800), zero);
  Value sticky = b_.Emit(Binary::kOr, high, low);
  return b_.Select(Below(magnitude, kExact), value, sticky);
}

// f64 to f32.
Value Arithmetic::RoundToOdd(Value value) {
  constexpr uint64_t kMagnitude = ~uint64_t{0} >> 1;
  Value nearest = b_.Emit(Cast::kFloat, value, Scalar::kF32);
  Value back = b_.Emit(Cast::kFloat, nearest, Scalar::kF64);
  Value bits = Bits(nearest);
  Value have = And(Bits(back), kMagnitude);
  Value want = And(Bits(value), kMagnitude);
  Value even = IsEven(bits);
  Value inexact = b_.Emit(Comparison::kNe, have, want);
  Value number = b_.Emit(Unary::kNot, IsNan(value));
  Value change = b_.Emit(Binary::kAnd, b_.Emit(Binary::kAnd, inexact, even), number);
  Value up = Add(bits, 1);
  Value down = Sub(bits, 1);
  Value toward = b_.Select(b_.Emit(Comparison::kULt, have, want), up, down);
  return FloatOf(b_.Select(change, toward, bits), Scalar::kF32);
}

// a * b + c of f32 values in f64, rounded to odd: the product is exact, and the error of the sum
// says in which direction it was rounded.
Value Arithmetic::FusedToOdd(Value a, Value b, Value c) {
  const auto wide = [&](Value v) { return b_.Emit(Cast::kFloat, v, Scalar::kF64); };
  Value first = wide(a);
  Value product = b_.Emit(Binary::kFMul, first, wide(b));
  Value addend = wide(c);
  Value sum = b_.Emit(Binary::kFAdd, product, addend);
  Value part = b_.Emit(Binary::kFSub, sum, product);
  Value left = b_.Emit(Binary::kFSub, product, b_.Emit(Binary::kFSub, sum, part));
  Value error = b_.Emit(Binary::kFAdd, left, b_.Emit(Binary::kFSub, addend, part));
  Value sum_bits = Bits(sum);
  Value error_bits = Bits(error);
  Value zero = FloatConstant(Scalar::kF64, 0.0);
  Value less = b_.Emit(Comparison::kFLt, error, zero);
  Value inexact = b_.Emit(Binary::kOr, less, b_.Emit(Comparison::kFGt, error, zero));
  Value differ = b_.Emit(Binary::kXor, sum_bits, error_bits);
  Value opposite = b_.Emit(Binary::kAShr, differ, Like(differ, 63));
  Value step = b_.Emit(Binary::kOr, opposite, Like(opposite, 1));
  Value toward = b_.Emit(Binary::kAdd, sum_bits, step);
  Value even = IsEven(sum_bits);
  Value change = b_.Emit(Binary::kAnd, inexact, even);
  return FloatOf(b_.Select(change, toward, sum_bits), Scalar::kF64);
}

}  // namespace hologram::device
