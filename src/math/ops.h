// The vocabulary in which the canonical mathematical functions are written.
//
// EXP, SIGMOID and their relatives have ONE definition each (one header per family in this folder):
// a template over a policy class `Ops`, which defines what an operation does. The host policies
// (host_ops.h) compute with numbers; the code generator's policy emits instructions. Every
// operation is an IEEE-754 operation rounded to nearest even with subnormals kept, or an integer
// operation of fixed width, so all policies give the same bits. Values go in and come out; there
// are not variables to assign, so an emitting policy needs no phi except in Rare. Tested by
// tests/math.
//
// A policy provides the following. F: values of the format, U: unsigned integers of the same width,
// M: truth values; each a scalar, a vector, or whatever the policy likes; F and U may be one type.
//
// clang-format off
//   Format                      Binary32 or Binary64 below
//   F Const(Format::Float)      the same constant in every lane
//   U ConstBits(Format::Bits)
//   F Add, Sub, Mul, Div(F, F)
//   F Neg(F)                    the sign bit flipped
//   F Fma(a, b, c)              a * b + c with one rounding
//   F NegFma(a, b, c)           c - a * b with one rounding
//   M Less, Greater(F, F)       false on NaN
//   M IsNan(F)
//   M GreaterBits(U, U)         unsigned
//   M AnyBitSet(U a, U mask)    a & mask is not 0
//   M NotPositiveNormal(F)      zero, subnormal, negative, infinite or NaN. Policies without an
//                               instruction for it call NotPositiveNormalByBits.
//   F Select(M, F yes, F no)
//   U BitsOf(F)
//   F FromBits(U)
//   U AddBits, SubBits, AndBits, OrBits, XorBits(U, U)
//   U Shl, LShr, AShr(U, int)   0 <= count < width; AShr copies the sign
//   F FloatOf(U)                two's complement integer to float; f32, or one lane
//   F Significand(F x)          m in [1, 2) with x = m * 2^e; x positive and normal, otherwise
//                               unspecified. Policies without an instruction for it call
//                               SignificandByBits.
//   F Exponent(F x)             that e. Policies without an instruction for it call ExponentByBits.
//   F Lookup16(table, U i)      table[i & 15] of a table of 16 Format::Float; f32
//   F Scale2n(F p, F n)         p * 2^n with one rounding; |p| in [0.5, 2], n integral, within
//                               twice the exponent range, unspecified if NaN. Policies without an
//                               instruction for it call Scale2nByMultiplying.
//   F Rare(M rare, fast, slow)  fast and slow are callables without arguments that return F: slow()
//                               right in every lane, fast() where `rare` is false, and there with
//                               the same bits. So a policy may branch per lane, or on any of many.
//   F ReplaceLanes(M which, F x, F usual, name, lane)
//                               `usual`, but lane(one, x) in every lane where `which` holds: for what
//                               is too rare and too long for vectors. `one` is a policy with one
//                               lane, the vocabulary of one_lane.h. `name` names the lambda.
// clang-format on
//
// How the algorithms keep to it:
//  - Constants are hexadecimal; nothing depends on rounding by the compiler.
//  - At most one argument of a call is itself an operation on values, so the order in which an
//    emitting policy sees the operations does not depend on the compiler of this file.
//  - A NaN result is always the canonical quiet NaN, Format::kQuietNan.
#pragma once

#include <cstddef>
#include <cstdint>

#define HOLOGRAM_MATH_INLINE [[gnu::always_inline]] inline

namespace hologram::math {

struct Binary32 {
  using Float = float;
  using Bits = std::uint32_t;
  static constexpr int kMantissaBits = 23;
  static constexpr Bits kAbsMask = 0x7fffffff;
  static constexpr Bits kSign = 0x80000000;
  static constexpr Bits kInfinity = 0x7f800000;
  static constexpr Bits kMinNormalBits = 0x00800000;
  static constexpr float kMinNormal = 0x1p-126f;
  static constexpr Bits kOne = 0x3f800000;
  static constexpr Bits kQuietNan = 0x7fc00000;
  // x + kRound has the unit in the last place 1: adding it rounds x to an integer, whose two's
  // complement form is in the low mantissa bits.
  static constexpr float kRound = 0x1.8p23f;
  static constexpr Bits kRoundBits = 0x4b400000;
};

struct Binary64 {
  using Float = double;
  using Bits = std::uint64_t;
  static constexpr int kMantissaBits = 52;
  static constexpr Bits kAbsMask = 0x7fffffffffffffff;
  static constexpr Bits kSign = 0x8000000000000000;
  static constexpr Bits kInfinity = 0x7ff0000000000000;
  static constexpr Bits kMinNormalBits = 0x0010000000000000;
  static constexpr double kMinNormal = 0x1p-1022;
  static constexpr Bits kOne = 0x3ff0000000000000;
  static constexpr Bits kQuietNan = 0x7ff8000000000000;
  static constexpr double kRound = 0x1.8p52;
  static constexpr Bits kRoundBits = 0x4338000000000000;
};

// c[0] + x * (c[1] + x * (c[2] + ...)), one fused operation per step.
template <std::size_t kFrom = 0, class Ops, std::size_t kCount>
HOLOGRAM_MATH_INLINE typename Ops::F Horner(Ops& o, typename Ops::F x,
                                            const typename Ops::Format::Float (&c)[kCount]) {
  if constexpr (kFrom + 1 == kCount) {
    return o.Const(c[kFrom]);
  } else {
    const typename Ops::F rest = Horner<kFrom + 1>(o, x, c);
    return o.Fma(rest, x, o.Const(c[kFrom]));
  }
}

// Scale2n by two multiplications with powers of two: the first is exact, so there is one rounding.
template <class Ops>
HOLOGRAM_MATH_INLINE typename Ops::F Scale2nByMultiplying(Ops& o, typename Ops::F p,
                                                          typename Ops::F n) {
  using Format = typename Ops::Format;
  using F = typename Ops::F;
  using U = typename Ops::U;
  const F rounded = o.Add(n, o.Const(Format::kRound));
  const U exponent = o.SubBits(o.BitsOf(rounded), o.ConstBits(Format::kRoundBits));
  const U half = o.AShr(exponent, 1);
  const U rest = o.SubBits(exponent, half);
  const U one = o.ConstBits(Format::kOne);
  const U first = o.AddBits(o.Shl(half, Format::kMantissaBits), one);
  const U second = o.AddBits(o.Shl(rest, Format::kMantissaBits), one);
  const F scaled = o.Mul(p, o.FromBits(first));
  return o.Mul(scaled, o.FromBits(second));
}

template <class Ops>
HOLOGRAM_MATH_INLINE typename Ops::M NotPositiveNormalByBits(Ops& o, typename Ops::F x) {
  using Format = typename Ops::Format;
  constexpr typename Format::Bits kNumbers = Format::kInfinity - Format::kMinNormalBits - 1;
  const typename Ops::U above = o.SubBits(o.BitsOf(x), o.ConstBits(Format::kMinNormalBits));
  return o.GreaterBits(above, o.ConstBits(kNumbers));
}

template <class Ops>
HOLOGRAM_MATH_INLINE typename Ops::F SignificandByBits(Ops& o, typename Ops::F x) {
  using Format = typename Ops::Format;
  using Bits = typename Format::Bits;
  constexpr Bits kMantissaMask = (Bits{1} << Format::kMantissaBits) - 1;
  const typename Ops::U mantissa = o.AndBits(o.BitsOf(x), o.ConstBits(kMantissaMask));
  return o.FromBits(o.OrBits(mantissa, o.ConstBits(Format::kOne)));
}

template <class Ops>
HOLOGRAM_MATH_INLINE typename Ops::F ExponentByBits(Ops& o, typename Ops::F x) {
  using Format = typename Ops::Format;
  constexpr typename Format::Bits kBias = Format::kOne >> Format::kMantissaBits;
  const typename Ops::U biased = o.LShr(o.BitsOf(x), Format::kMantissaBits);
  return o.FloatOf(o.SubBits(biased, o.ConstBits(kBias)));
}

template <class Ops>
HOLOGRAM_MATH_INLINE typename Ops::F QuietNan(Ops& o) {
  return o.FromBits(o.ConstBits(Ops::Format::kQuietNan));
}

// min(x, limit) and max(x, limit) in the form that becomes one instruction on x86; NaN stays NaN.
template <class Ops>
HOLOGRAM_MATH_INLINE typename Ops::F ClampAbove(Ops& o, typename Ops::F x,
                                                typename Ops::Format::Float limit) {
  const typename Ops::F bound = o.Const(limit);
  return o.Select(o.Less(bound, x), bound, x);
}
template <class Ops>
HOLOGRAM_MATH_INLINE typename Ops::F ClampBelow(Ops& o, typename Ops::F x,
                                                typename Ops::Format::Float limit) {
  const typename Ops::F bound = o.Const(limit);
  return o.Select(o.Greater(bound, x), bound, x);
}

}  // namespace hologram::math
