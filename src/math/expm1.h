// EXPM1, e^x - 1, precise (f32: <= 1.0 ulp for every input, f64: <= 1.5 ulp where sampled) and fast
// (f32: <= 4 ulp).
//
//   n = round(x / ln 2),  r = x - n ln 2 as in EXP,  u = e^r - 1 = r + r^2 q(r),
//   e^x - 1 = 2^n u + (2^n - 1),  one fused operation; 2^n - 1 is exact while |n| <= kExact.
//
// Where n changes, 1 + u would lose the digits that u has: from n = 0 to n = 1 the result is
// 2 * -0.29 + 1 = 0.41. The precise form therefore keeps n = 0 up to |x| = 1/2 and fits q there;
// the fast form does not. The result has the sign of x, copied last, because 0 - 0 would lose that
// of -0. Rare, |x| > kPlain: n > kExact is EXP with -2^-n added to r^2 q; n < -kExact is 2^n (1 +
// u) - 1. Coefficients: Sollya's fpminimax on [-1/2, 1/2], absolute error of e^r with 1 + r given,
// already rounded to the format. Errors: docs/math.md.
#pragma once

#include "math/exp.h"
#include "math/ops.h"

namespace hologram::math {

template <class Format>
struct Expm1Constants;

template <>
struct Expm1Constants<Binary32> {
  static constexpr float kQ[6] = {0x1.000002p-1f, 0x1.555558p-3f,  0x1.5551fap-5f,
                                  0x1.110e58p-7f, 0x1.6f214cp-10f, 0x1.a39bc6p-13f};
  static constexpr std::uint32_t kPlainBits = 0x41873333;  // 16.9, n <= 24
  static constexpr std::uint32_t kHalfBits = 0x3f000000;
  static constexpr float kExact = 24.0f;
  static constexpr float kHighest = 89.5f;
  static constexpr float kLowest = -20.0f;
};

template <>
struct Expm1Constants<Binary64> {
  static constexpr double kQ[12] = {0x1p-1,
                                    0x1.5555555555555p-3,
                                    0x1.55555555555c2p-5,
                                    0x1.1111111111211p-7,
                                    0x1.6c16c16bf4eb7p-10,
                                    0x1.a01a019fd1da1p-13,
                                    0x1.a01a021ad210fp-16,
                                    0x1.71de3af5fc21dp-19,
                                    0x1.27e42c39d16dfp-22,
                                    0x1.ae62dc8304219p-26,
                                    0x1.203877767b123p-29,
                                    0x1.62e7cd808eb4ep-33};
  static constexpr std::uint64_t kPlainBits = 0x4042800000000000;  // 37, n <= 53
  static constexpr std::uint64_t kHalfBits = 0x3fe0000000000000;
  static constexpr double kExact = 53.0;
  static constexpr double kHighest = 710.5;
  static constexpr double kLowest = -40.0;
};

template <class Ops>
struct Expm1Parts {
  typename Ops::F n;
  typename Ops::F power;  // 2^n, where it is a normal number
  typename Ops::F r;
  typename Ops::F square;  // r^2
  typename Ops::F q;
  typename Ops::F u;  // e^r - 1
};

// kNear: n = 0 while |x| <= 1/2.
template <bool kNear, class Ops>
HOLOGRAM_MATH_INLINE Expm1Parts<Ops> ReduceExpm1(Ops& o, typename Ops::F x,
                                                 typename Ops::U magnitude) {
  using Format = typename Ops::Format;
  using Reduction = ExpConstants<Format>;
  using Constants = Expm1Constants<Format>;
  using F = typename Ops::F;
  using U = typename Ops::U;
  const F round = o.Const(Format::kRound);
  F shifted = o.Fma(x, o.Const(Reduction::kLog2E), round);
  if constexpr (kNear) {
    const auto far = o.GreaterBits(magnitude, o.ConstBits(Constants::kHalfBits));
    shifted = o.Select(far, shifted, round);
  }
  Expm1Parts<Ops> parts{};
  parts.n = o.Sub(shifted, round);
  const U exponent = o.Shl(o.BitsOf(shifted), Format::kMantissaBits);
  parts.power = o.FromBits(o.AddBits(exponent, o.ConstBits(Format::kOne)));
  const F first = o.NegFma(parts.n, o.Const(Reduction::kLn2High), x);
  parts.r = o.NegFma(parts.n, o.Const(Reduction::kLn2Low), first);
  parts.q = Horner(o, parts.r, Constants::kQ);
  parts.square = o.Mul(parts.r, parts.r);
  parts.u = o.Fma(parts.square, parts.q, parts.r);
  return parts;
}

template <bool kNear, class Ops>
HOLOGRAM_MATH_INLINE typename Ops::F Expm1Of(Ops& o, typename Ops::F x) {
  using Format = typename Ops::Format;
  using Constants = Expm1Constants<Format>;
  using F = typename Ops::F;
  using U = typename Ops::U;
  const F one = o.Const(1);
  const U magnitude = o.AndBits(o.BitsOf(x), o.ConstBits(Format::kAbsMask));
  const auto signed_as_x = [&](F value) -> F {
    const U sign = o.AndBits(o.BitsOf(x), o.ConstBits(~Format::kAbsMask));
    return o.FromBits(o.OrBits(o.BitsOf(value), sign));
  };
  const auto fast = [&]() -> F {
    const Expm1Parts<Ops> parts = ReduceExpm1<kNear>(o, x, magnitude);
    return signed_as_x(o.Fma(parts.power, parts.u, o.Sub(parts.power, one)));
  };
  const auto slow = [&]() -> F {
    const F below = ClampAbove(o, x, Constants::kHighest);
    const Expm1Parts<Ops> parts =
        ReduceExpm1<kNear>(o, ClampBelow(o, below, Constants::kLowest), magnitude);
    const F middle = o.Fma(parts.power, parts.u, o.Sub(parts.power, one));
    const F negative_n = o.Sub(o.Const(0), parts.n);
    const F lost = o.Scale2n(o.Const(-1), negative_n);
    const F curved = o.Fma(parts.square, parts.q, lost);
    const F above_one = o.Add(o.Add(parts.r, curved), one);
    const F large = o.Scale2n(above_one, parts.n);
    const F tiny = o.Fma(parts.power, o.Add(parts.u, one), o.Const(-1));
    const F upper = o.Select(o.Greater(parts.n, o.Const(Constants::kExact)), large, middle);
    const F all = o.Select(o.Less(parts.n, o.Const(-Constants::kExact)), tiny, upper);
    return o.Select(o.IsNan(x), o.FromBits(o.ConstBits(Format::kQuietNan)), signed_as_x(all));
  };
  return o.Rare(o.GreaterBits(magnitude, o.ConstBits(Constants::kPlainBits)), fast, slow);
}

template <class Ops>
HOLOGRAM_MATH_INLINE typename Ops::F Expm1(Ops& o, typename Ops::F x) {
  return Expm1Of<true>(o, x);
}

template <class Ops>
HOLOGRAM_MATH_INLINE typename Ops::F Expm1Fast(Ops& o, typename Ops::F x) {
  return Expm1Of < sizeof(typename Ops::Format::Float) == 8 > (o, x);
}

}  // namespace hologram::math
