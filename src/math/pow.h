// POW(x, y), x^y, precise (f32: <= 1.5 ulp where sampled densely, f64: <= 1.5 ulp where sampled)
// and fast (f32: <= 4 ulp). IEEE-754 pow: see docs/math.md for the special values.
//
//   x = 2^e m, m in [sqrt(1/2), sqrt 2),  w = (m - 1) / (m + 1) in two words,  z = w^2,
//   log2 x = e + w (K + z (C1 + z P(z))),  K = 2 / ln 2, C1 = K / 3, as a sum of two words,
//   y log2 x = product + low,  x^y = 2^product 2^low as in EXP2.
//
// An error of log2 x counts up to 128 (1024) times in the exponent, so everything up to z C1 is
// carried in two words (error about 2^-34, f64 2^-64), P in one. The fast form carries z (C1 + z P)
// in one word too. Rare: x not a positive normal number, or a result that may leave the normal
// numbers: x is replaced by |x|, scaled if it is subnormal, and the special values are selected at
// the end. Coefficients: Sollya's fpminimax, relative error, already rounded to the format. Errors:
// docs/math.md.
#pragma once

#include "math/exp2.h"
#include "math/ops.h"

namespace hologram::math {

template <class Format>
struct PowConstants;

template <>
struct PowConstants<Binary32> {
  static constexpr float kHigh = 0x1.715476p1f;
  static constexpr float kLow = 0x1.4ae0cp-25f;
  static constexpr float kThirdHigh = 0x1.ec709ep-1f;
  static constexpr float kThirdLow = -0x1.e2fe02p-28f;
  static constexpr float kP[3] = {0x1.27770ep-1f, 0x1.a5bbfap-2f, 0x1.59ee12p-2f};
  static constexpr std::uint32_t kSqrtHalfBits = 0x3f3504f3;
  static constexpr std::uint32_t kMantissaMask = 0x007fffff;
  static constexpr std::uint32_t kSmallestNormalBits = 0x00800000;
  static constexpr std::uint32_t kLargestBits = 0x7f7fffff;
  static constexpr std::uint32_t kInfinityBits = 0x7f800000;
  static constexpr float kSmallestNormal = 0x1p-126f;
  static constexpr float kSubnormalScale = 0x1p24f;
  static constexpr float kSubnormalRound = 0x1.80003p23f;  // Binary32::kRound + 24
  static constexpr float kIntegral = 0x1p23f;  // from here on, every number is an integer
  static constexpr float kBeyond = 160.0f;
  static constexpr std::uint32_t kBeyondBits = 0x43200000;
};

template <>
struct PowConstants<Binary64> {
  static constexpr double kHigh = 0x1.71547652b82fep1;
  static constexpr double kLow = 0x1.777d0ffda0d24p-55;
  static constexpr double kThirdHigh = 0x1.ec709dc3a03fdp-1;
  static constexpr double kThirdLow = 0x1.d27f05548af0cp-55;
  static constexpr double kP[8] = {0x1.2776c50ef9bfcp-1, 0x1.a61762a7aedd4p-2, 0x1.484b13d6adbe8p-2,
                                   0x1.0c9a853a83f54p-2, 0x1.c68ee99ced982p-3, 0x1.8a09aec0e66c8p-3,
                                   0x1.58fd7de9628e2p-3, 0x1.61eb59dfedeep-3};
  static constexpr std::uint64_t kSqrtHalfBits = 0x3fe6a09e667f3bcd;
  static constexpr std::uint64_t kMantissaMask = 0x000fffffffffffff;
  static constexpr std::uint64_t kSmallestNormalBits = 0x0010000000000000;
  static constexpr std::uint64_t kLargestBits = 0x7fefffffffffffff;
  static constexpr std::uint64_t kInfinityBits = 0x7ff0000000000000;
  static constexpr double kSmallestNormal = 0x1p-1022;
  static constexpr double kSubnormalScale = 0x1p53;
  static constexpr double kSubnormalRound = 0x1.8000000000035p52;  // Binary64::kRound + 53
  static constexpr double kIntegral = 0x1p52;
  static constexpr double kBeyond = 1100.0;
  static constexpr std::uint64_t kBeyondBits = 0x4091300000000000;
};

// A number as high - low_negated.
template <class Ops>
struct TwoWords {
  typename Ops::F high;
  typename Ops::F low_negated;
};

// z (C1 + z P) with z = w^2, w = w_high + w_low; P is the value of the polynomial. Lows are carried
// negated, which makes each of them one fused operation.
template <class Ops>
HOLOGRAM_MATH_INLINE TwoWords<Ops> Log2Curve(Ops& o, typename Ops::F w_high, typename Ops::F w_low,
                                             typename Ops::F z, typename Ops::F p) {
  using Constants = PowConstants<typename Ops::Format>;
  using F = typename Ops::F;
  const F z_rounding = o.NegFma(w_high, w_high, z);
  const F z_negated = o.NegFma(o.Add(w_high, w_high), w_low, z_rounding);
  // c = C1 + z P
  const F third = o.Const(Constants::kThirdHigh);
  const F c_high = o.Fma(z, p, third);
  const F c_sum = o.Sub(c_high, third);
  const F c_low = o.Fma(z, p, o.Sub(o.Const(Constants::kThirdLow), c_sum));
  // z c
  TwoWords<Ops> v{};
  v.high = o.Mul(z, c_high);
  const F rounding = o.NegFma(z, c_high, v.high);
  const F first = o.NegFma(z, c_low, rounding);
  v.low_negated = o.Fma(z_negated, c_high, first);
  return v;
}

// log2((1 + w) / (1 - w)) = w (K + v). The fast form takes v in one word.
template <bool kFast, class Ops>
HOLOGRAM_MATH_INLINE TwoWords<Ops> Log2OfMantissa(Ops& o, typename Ops::F w_high,
                                                  typename Ops::F w_low) {
  using Constants = PowConstants<typename Ops::Format>;
  using F = typename Ops::F;
  const F z = o.Mul(w_high, w_high);
  const F p = Horner(o, z, Constants::kP);
  const F k = o.Const(Constants::kHigh);
  F v{};
  F k_low = o.Const(Constants::kLow);
  if constexpr (kFast) {
    v = o.Mul(z, o.Fma(z, p, o.Const(Constants::kThirdHigh)));
  } else {
    const TwoWords<Ops> curve = Log2Curve(o, w_high, w_low, z, p);
    v = curve.high;
    k_low = o.Sub(k_low, curve.low_negated);
  }
  // b = K + v
  const F b_high = o.Add(k, v);
  const F b_rounding = o.Sub(v, o.Sub(b_high, k));
  const F b_low = o.Add(b_rounding, k_low);
  // The derivative by w, for w_low: in the fast form v does not know w_low.
  const F slope = kFast ? o.Fma(v, o.Const(2), b_high) : b_high;
  // w b
  TwoWords<Ops> result{};
  result.high = o.Mul(w_high, b_high);
  const F rounding = o.NegFma(w_high, b_high, result.high);
  const F first = o.NegFma(w_high, b_low, rounding);
  result.low_negated = o.NegFma(w_low, slope, first);
  return result;
}

// log2 of a positive normal number. bias: Format::kRound, and more to subtract more from the
// result.
template <bool kFast, class Ops>
HOLOGRAM_MATH_INLINE TwoWords<Ops> Log2InTwoWords(Ops& o, typename Ops::F x, typename Ops::F bias) {
  using Format = typename Ops::Format;
  using Constants = PowConstants<Format>;
  using F = typename Ops::F;
  using U = typename Ops::U;
  const F one = o.Const(1);
  const U sqrt_half = o.ConstBits(Constants::kSqrtHalfBits);
  const U h = o.SubBits(o.BitsOf(x), sqrt_half);
  const U fraction = o.AndBits(h, o.ConstBits(Constants::kMantissaMask));
  const F m = o.FromBits(o.AddBits(fraction, sqrt_half));
  const U integer = o.AShr(h, Format::kMantissaBits);
  const F biased = o.FromBits(o.AddBits(integer, o.ConstBits(Format::kRoundBits)));
  const F e = o.Sub(biased, bias);

  const F numerator = o.Sub(m, one);
  const F denominator = o.Add(m, one);
  const F denominator_low = o.Sub(m, o.Sub(denominator, one));
  const F inverse = o.Div(one, denominator);
  const F w_high = o.Mul(numerator, inverse);
  const F first = o.NegFma(w_high, denominator, numerator);
  const F residual = o.NegFma(w_high, denominator_low, first);
  const F w_low = o.Mul(residual, inverse);
  const TwoWords<Ops> log = Log2OfMantissa<kFast>(o, w_high, w_low);
  // |e| is 0 or larger than the other.
  TwoWords<Ops> sum{};
  sum.high = o.Add(e, log.high);
  const F rounding_negated = o.Sub(o.Sub(sum.high, e), log.high);
  sum.low_negated = o.Add(rounding_negated, log.low_negated);
  return sum;
}

template <class Ops>
HOLOGRAM_MATH_INLINE TwoWords<Ops> Times(Ops& o, typename Ops::F y, const TwoWords<Ops>& log) {
  TwoWords<Ops> product{};
  product.high = o.Mul(y, log.high);
  const typename Ops::F rounding = o.NegFma(y, log.high, product.high);
  product.low_negated = o.Fma(y, log.low_negated, rounding);
  return product;
}

// v rounded to an integer, for v >= 0.
template <class Ops>
HOLOGRAM_MATH_INLINE typename Ops::F RoundMagnitude(Ops& o, typename Ops::F v) {
  using F = typename Ops::F;
  const F integral = o.Const(PowConstants<typename Ops::Format>::kIntegral);
  const F rounded = o.Sub(o.Add(v, integral), integral);
  return o.Select(o.Less(v, integral), rounded, v);
}

// Selects the special values. magnitude: |x|^y, right unless an operand is NaN, y is 0 or |x| is 1
// and y infinite.
template <class Ops>
HOLOGRAM_MATH_INLINE typename Ops::F PowSpecial(Ops& o, typename Ops::F x, typename Ops::F y,
                                                typename Ops::F magnitude) {
  using Format = typename Ops::Format;
  using Constants = PowConstants<Format>;
  using F = typename Ops::F;
  using U = typename Ops::U;
  using M = typename Ops::M;
  const F zero = o.Const(0);
  const F one = o.Const(1);
  const F nan = o.FromBits(o.ConstBits(Format::kQuietNan));
  const F minus_zero = o.FromBits(o.ConstBits(~Format::kAbsMask));
  const U no_bits = o.ConstBits(0);
  const U abs = o.ConstBits(Format::kAbsMask);
  const F x_abs = o.FromBits(o.AndBits(o.BitsOf(x), abs));
  const U y_bits = o.AndBits(o.BitsOf(y), abs);
  const F y_abs = o.FromBits(y_bits);
  const F half = o.Mul(y_abs, o.Const(0.5));
  const F whole = RoundMagnitude(o, y_abs);
  const F whole_half = RoundMagnitude(o, half);
  const M fractional = o.GreaterBits(o.XorBits(o.BitsOf(whole), y_bits), no_bits);
  const M odd_if_whole = o.GreaterBits(o.XorBits(o.BitsOf(whole_half), o.BitsOf(half)), no_bits);
  const F sign_if_whole = o.Select(odd_if_whole, minus_zero, zero);
  const F odd_sign = o.Select(fractional, zero, sign_if_whole);
  const U sign = o.AndBits(o.BitsOf(odd_sign), o.BitsOf(x));
  const F real = o.FromBits(o.OrBits(o.BitsOf(magnitude), sign));

  const F of_negative = o.Select(fractional, nan, real);
  const F of_finite = o.Select(o.Less(x, zero), of_negative, real);
  const F infinity = o.FromBits(o.ConstBits(Constants::kInfinityBits));
  const F of_number = o.Select(o.Less(x_abs, infinity), of_finite, real);
  const F without_y_nan = o.Select(o.IsNan(y), nan, of_number);
  const F without_nan = o.Select(o.IsNan(x), nan, without_y_nan);
  const M y_not_zero = o.GreaterBits(y_bits, no_bits);
  const F power = o.Select(y_not_zero, without_nan, one);
  const M x_not_one = o.GreaterBits(o.XorBits(o.BitsOf(x), o.ConstBits(Format::kOne)), no_bits);
  return o.Select(x_not_one, power, one);
}

// x^y with all special values.
template <bool kFast, class Ops>
HOLOGRAM_MATH_INLINE typename Ops::F PowSlow(Ops& o, typename Ops::F x, typename Ops::F y) {
  using Format = typename Ops::Format;
  using Constants = PowConstants<Format>;
  using F = typename Ops::F;
  using U = typename Ops::U;
  using M = typename Ops::M;
  const F zero = o.Const(0);
  const F round = o.Const(Format::kRound);
  const F infinity = o.FromBits(o.ConstBits(Constants::kInfinityBits));
  const U abs = o.ConstBits(Format::kAbsMask);
  const U x_bits = o.AndBits(o.BitsOf(x), abs);
  const F x_abs = o.FromBits(x_bits);
  const M subnormal = o.Less(x_abs, o.Const(Constants::kSmallestNormal));
  const F scaled = o.Mul(x_abs, o.Const(Constants::kSubnormalScale));
  const F normal = o.Select(subnormal, scaled, x_abs);
  const F bias = o.Select(subnormal, o.Const(Constants::kSubnormalRound), round);
  TwoWords<Ops> log = Log2InTwoWords<kFast>(o, normal, bias);
  log.high = o.Select(o.Less(x_abs, infinity), log.high, infinity);
  log.high = o.Select(o.Greater(x_abs, zero), log.high, o.Sub(zero, infinity));

  TwoWords<Ops> product = Times(o, y, log);
  const M not_one = o.GreaterBits(o.XorBits(x_bits, o.ConstBits(Format::kOne)), o.ConstBits(0));
  product.high = o.Select(not_one, product.high, zero);
  const U size = o.AndBits(o.BitsOf(product.high), abs);
  const M beyond = o.GreaterBits(size, o.ConstBits(Constants::kBeyondBits));
  const F low = o.Select(beyond, zero, product.low_negated);
  product.low_negated = o.Select(not_one, low, zero);
  const F below = ClampAbove(o, product.high, Constants::kBeyond);
  const F exponent = ClampBelow(o, below, -Constants::kBeyond);

  const F n = o.Sub(o.Add(exponent, round), round);
  const F r = o.Sub(o.Sub(exponent, n), product.low_negated);
  const F p = Exp2Polynomial<false>(o, r);
  return PowSpecial(o, x, y, o.Scale2n(p, n));
}

template <bool kFast, class Ops>
HOLOGRAM_MATH_INLINE typename Ops::F PowOf(Ops& o, typename Ops::F x, typename Ops::F y) {
  using Format = typename Ops::Format;
  using Constants = PowConstants<Format>;
  using F = typename Ops::F;
  using U = typename Ops::U;
  const F round = o.Const(Format::kRound);
  const U abs = o.ConstBits(Format::kAbsMask);
  const TwoWords<Ops> log = Log2InTwoWords<kFast>(o, x, round);
  const TwoWords<Ops> product = Times(o, y, log);
  const auto fast = [&]() -> F {
    const F shifted = o.Add(product.high, round);
    const F n = o.Sub(shifted, round);
    const F r = o.Sub(o.Sub(product.high, n), product.low_negated);
    const F p = Exp2Polynomial<false>(o, r);
    const U exponent = o.Shl(o.BitsOf(shifted), Format::kMantissaBits);
    return o.FromBits(o.AddBits(o.BitsOf(p), exponent));
  };
  const auto slow = [&]() -> F { return PowSlow<kFast>(o, x, y); };
  // A set sign bit in one of these means out of range.
  const U size = o.AndBits(o.BitsOf(product.high), abs);
  const U above_lowest = o.SubBits(o.BitsOf(x), o.ConstBits(Constants::kSmallestNormalBits));
  const U below_highest = o.SubBits(o.ConstBits(Constants::kLargestBits), o.BitsOf(x));
  const U plain = o.ConstBits(Exp2Constants<Format>::kPlainBits);
  const U x_outside = o.OrBits(above_lowest, below_highest);
  const U outside = o.OrBits(x_outside, o.SubBits(plain, size));
  return o.Rare(o.GreaterBits(outside, abs), fast, slow);
}

template <class Ops>
HOLOGRAM_MATH_INLINE typename Ops::F Pow(Ops& o, typename Ops::F x, typename Ops::F y) {
  return PowOf<false>(o, x, y);
}

template <class Ops>
HOLOGRAM_MATH_INLINE typename Ops::F PowFast(Ops& o, typename Ops::F x, typename Ops::F y) {
  return PowOf < sizeof(typename Ops::Format::Float) == 4 > (o, x, y);
}

}  // namespace hologram::math
