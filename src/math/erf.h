// ERF, precise (f32: <= 1.0 ulp for every input, f64: <= 1.5 ulp where sampled) and fast (f32: <= 4
// ulp).
//
//   a = |x| <= 1:  a + a S(a^2);
//   a > 1:         1 - 2^q,  q = T(a - 1) = log2(erfc(a)),  2^q as in EXP2.
//
// Both are computed and one is selected; a is limited to kOne, from where the result is 1. The
// result has the sign of x. Coefficients: Sollya's fpminimax, already rounded to the format: S in
// the absolute error of erf(a) / a - 1 on [0, 1], T in the error of q weighted by erfc(a), which is
// what reaches the result. Errors: docs/math.md.
#pragma once

#include "math/exp2.h"
#include "math/ops.h"

namespace hologram::math {

template <class Format>
struct ErfConstants;

template <>
struct ErfConstants<Binary32> {
  static constexpr float kS[7] = {0x1.06eba8p-3f, -0x1.81274p-2f,   0x1.ce2d52p-4f, -0x1.b7fec4p-6f,
                                  0x1.542fecp-8f, -0x1.a5197ap-11f, 0x1.4c5cb4p-14f};
  static constexpr float kFastS[6] = {0x1.06eba2p-3f,  -0x1.81268p-2f, 0x1.ce0af8p-4f,
                                      -0x1.b5b7c4p-6f, 0x1.42a6f6p-8f, -0x1.28787ap-11f};
  static constexpr float kT[7] = {-0x1.558eaep1f, -0x1.e75318p1f,  -0x1.376418p0f, -0x1.ea4074p-5f,
                                  0x1.d23b3p-7f,  -0x1.55ab54p-9f, 0x1.118d2ap-12f};
  static constexpr float kFastT[6] = {-0x1.558eaep1f,  -0x1.e752d2p1f, -0x1.376cb8p0f,
                                      -0x1.e53212p-5f, 0x1.abf914p-7f, -0x1.b6718ep-10f};
  static constexpr float kOne = 4.0f;
};

template <>
struct ErfConstants<Binary64> {
  static constexpr double kS[14] = {
      0x1.06eba8214db69p-3,  -0x1.812746b037a02p-2,  0x1.ce2f21a043b39p-4,  -0x1.b82ce312c9046p-6,
      0x1.565bcd17e7affp-8,  -0x1.c02db5bf4fdf2p-11, 0x1.f9a35d6366c6dp-14, -0x1.f4d6e3d73802p-17,
      0x1.ba29d49a8d0f7p-20, -0x1.622497fd12df8p-23, 0x1.112a309b72beap-26, -0x1.fbbb16912a4f1p-30,
      0x1.46ec34a1d4291p-32, -0x1.3737f2eb81f88p-35};
  static constexpr double kT[19] = {
      -0x1.558eada6637f3p1,   -0x1.e75328fe78c2fp1,   -0x1.37627e9b5d74cp0,  -0x1.eb31368626cc4p-5,
      0x1.da57641ba83b2p-7,   -0x1.7603db24b6b7dp-9,  0x1.6701e3ea32864p-12, 0x1.3e38a09ae8362p-15,
      -0x1.491ea722e5426p-15, 0x1.d3e2097124236p-17,  -0x1.9b754b14ba75p-19, 0x1.3401a4b03a7a2p-22,
      0x1.7eeb48d613e14p-24,  -0x1.b3c18dbe89468p-25, 0x1.c4237bf3f2963p-27, -0x1.223002d33982dp-29,
      0x1.c3ca879d907c6p-33,  -0x1.66cb2f29e77dap-37, 0x1.341f44d96cf91p-43};
  static constexpr double kOne = 6.0;
};

// |erf(x)| for a = |x|.
template <bool kFast, class Ops>
HOLOGRAM_MATH_INLINE typename Ops::F ErfOfMagnitude(Ops& o, typename Ops::F a) {
  using Format = typename Ops::Format;
  using Constants = ErfConstants<Format>;
  using F = typename Ops::F;
  using U = typename Ops::U;
  const F one = o.Const(1);
  const F round = o.Const(Format::kRound);
  const F square = o.Mul(a, a);
  F s{};
  F q{};
  const F distance = o.Sub(ClampAbove(o, a, Constants::kOne), one);
  if constexpr (kFast) {
    s = Horner(o, square, Constants::kFastS);
    q = Horner(o, distance, Constants::kFastT);
  } else {
    s = Horner(o, square, Constants::kS);
    q = Horner(o, distance, Constants::kT);
  }
  const F near = o.Fma(a, s, a);
  const F shifted = o.Add(q, round);
  const F n = o.Sub(shifted, round);
  const F p = Exp2Polynomial<kFast>(o, o.Sub(q, n));
  const U exponent = o.Shl(o.BitsOf(shifted), Format::kMantissaBits);
  const F power = o.FromBits(o.AddBits(exponent, o.ConstBits(Format::kOne)));
  const F far = o.NegFma(power, p, one);
  return o.Select(o.Greater(a, one), far, near);
}

template <bool kFast, class Ops>
HOLOGRAM_MATH_INLINE typename Ops::F ErfOf(Ops& o, typename Ops::F x) {
  using Format = typename Ops::Format;
  using F = typename Ops::F;
  using U = typename Ops::U;
  const U sign = o.AndBits(o.BitsOf(x), o.ConstBits(~Format::kAbsMask));
  const F a = o.FromBits(o.XorBits(o.BitsOf(x), sign));
  const F magnitude = ErfOfMagnitude<kFast>(o, a);
  const F result = o.FromBits(o.OrBits(o.BitsOf(magnitude), sign));
  return o.Select(o.IsNan(x), o.FromBits(o.ConstBits(Format::kQuietNan)), result);
}

template <class Ops>
HOLOGRAM_MATH_INLINE typename Ops::F Erf(Ops& o, typename Ops::F x) {
  return ErfOf<false>(o, x);
}

template <class Ops>
HOLOGRAM_MATH_INLINE typename Ops::F ErfFast(Ops& o, typename Ops::F x) {
  return ErfOf<true>(o, x);
}

}  // namespace hologram::math
