// TANH, precise (f32: <= 1.0 ulp for every input, f64: <= 1.5 ulp where sampled) and fast (f32:
// <= 4 ulp).
//
// Precise, with a = |x|: up to a switch point a + a^3 T(a^2), beyond it (d - 2) / d with
// d = e^2a + 1. The two are computed side by side and chosen per lane. d - 2 is exact while
// a <= kPlain; beyond, 1 - 2 / d serves, and kLimit bounds a where the result is 1.
// Fast: u / (u + 2) with u = e^2a - 1, for all a. Errors: docs/math.md.
#pragma once

#include "math/exp.h"
#include "math/ops.h"
#include "math/sigmoid.h"

namespace hologram::math {

template <class Format>
struct TanhConstants;

template <>
struct TanhConstants<Binary32> {
  static constexpr const float (&kQ)[5] = SigmoidConstants<Binary32>::kQ;  // (e^r - 1 - r) / r^2
  static constexpr float kT[6] = {-0x1.55553ep-2f, 0x1.110b58p-3f,  -0x1.b92b2cp-5f,
                                  0x1.5d15f4p-6f,  -0x1.e5e464p-8f, 0x1.a0067p-10f};
  static constexpr std::uint32_t kSwitch = 0x3f4ccccd;  // 0.8
  static constexpr float kLimit = 9.25f;
  static constexpr float kPlain = 8.5f;
  static constexpr std::uint32_t kPlainBits = 0x41080000;
  // The fast form.
  // (e^2r - 1) / r, and beyond which limit the result is 1.
  static constexpr float kFast[6] = {2.0f,           0x1.fffffep0f,  0x1.5554acp0f,
                                     0x1.555714p-1f, 0x1.122b12p-2f, 0x1.6b7a4p-4f};
  static constexpr float kFastLimit = 9.25f;
};

template <>
struct TanhConstants<Binary64> {
  static constexpr const double (&kQ)[10] = ExpConstants<Binary64>::kQ;
  static constexpr double kT[13] = {
      -0x1.5555555555553p-2,  0x1.1111111110e1ep-3, -0x1.ba1ba1b9f1d1dp-5,  0x1.664f487966bd6p-6,
      -0x1.226e34219ebfap-7,  0x1.d6d39ad227997p-9, -0x1.7da04309f9dc5p-10, 0x1.3537b3657f8c1p-11,
      -0x1.f3a00e0f0075cp-13, 0x1.8cb97bee1bf8p-14, -0x1.2566492162b5p-15,  0x1.5e07e001d40e9p-17,
      -0x1.dbd99a90cdc2fp-20};
  static constexpr std::uint64_t kSwitch = 0x3fe6666666666666;  // 0.7
  static constexpr double kLimit = 20.0;
  static constexpr double kPlain = 18.0;
  static constexpr std::uint64_t kPlainBits = 0x4032000000000000;
};

// tanh a for a >= kSwitch; kBeyond: a may exceed kPlain, up to kLimit.
template <bool kBeyond, class Ops>
HOLOGRAM_MATH_INLINE typename Ops::F TanhByExp(Ops& o, typename Ops::F a) {
  using Format = typename Ops::Format;
  using Reduction = ExpConstants<Format>;
  using Constants = TanhConstants<Format>;
  using F = typename Ops::F;
  using U = typename Ops::U;
  const F one = o.Const(1);
  const F two = o.Const(2);
  const F round = o.Const(Format::kRound);
  const F shifted = o.Fma(a, o.Const(2 * Reduction::kLog2E), round);
  const F n = o.Sub(shifted, round);
  F half = o.NegFma(n, o.Const(Reduction::kLn2High / 2), a);
  if constexpr (sizeof(typename Format::Float) == 8) {
    half = o.NegFma(n, o.Const(Reduction::kLn2Low / 2), half);
  }
  const F r = o.Add(half, half);
  const F q = Horner(o, r, Constants::kQ);
  const F u = o.Fma(o.Mul(r, r), q, r);
  const U exponent = o.Shl(o.BitsOf(shifted), Format::kMantissaBits);
  const F power = o.FromBits(o.AddBits(exponent, o.ConstBits(Format::kOne)));
  const F d = o.Fma(power, u, o.Add(power, one));
  const F quotient = o.Div(o.Sub(d, two), d);
  if constexpr (!kBeyond) return quotient;
  const F complement = o.Sub(one, o.Div(two, d));
  return o.Select(o.Greater(a, o.Const(Constants::kPlain)), complement, quotient);
}

template <bool kBeyond, class Ops>
HOLOGRAM_MATH_INLINE typename Ops::F TanhOfMagnitude(Ops& o, typename Ops::F x, typename Ops::F a) {
  using Format = typename Ops::Format;
  using Constants = TanhConstants<Format>;
  using F = typename Ops::F;
  using U = typename Ops::U;
  const F large = TanhByExp<kBeyond>(o, a);
  const F s = o.Mul(a, a);
  const F t = Horner(o, s, Constants::kT);
  const F small = o.Fma(o.Mul(a, s), t, a);
  const typename Ops::M beyond_switch = o.GreaterBits(o.BitsOf(a), o.ConstBits(Constants::kSwitch));
  const F v = o.Select(beyond_switch, large, small);
  const U sign = o.AndBits(o.BitsOf(x), o.ConstBits(Format::kSign));
  return o.FromBits(o.OrBits(o.BitsOf(v), sign));
}

template <class Ops>
HOLOGRAM_MATH_INLINE typename Ops::F Tanh(Ops& o, typename Ops::F x) {
  using Format = typename Ops::Format;
  using Constants = TanhConstants<Format>;
  using F = typename Ops::F;
  using U = typename Ops::U;
  const U magnitude = o.AndBits(o.BitsOf(x), o.ConstBits(Format::kAbsMask));
  const F a = o.FromBits(magnitude);
  const auto fast = [&]() -> F { return TanhOfMagnitude<false>(o, x, a); };
  const auto slow = [&]() -> F {
    const F limited = ClampAbove(o, a, Constants::kLimit);
    return o.Select(o.IsNan(x), QuietNan(o), TanhOfMagnitude<true>(o, x, limited));
  };
  return o.Rare(o.GreaterBits(magnitude, o.ConstBits(Constants::kPlainBits)), fast, slow);
}

// u = e^2a - 1 = 2^n (e^2r - 1) + (2^n - 1) keeps its relative accuracy down to a = 0. The rounding
// constant contains the bias of the exponent, so 2^n is one shift.
template <class Ops>
HOLOGRAM_MATH_INLINE typename Ops::F TanhFast(Ops& o, typename Ops::F x) {
  using F = typename Ops::F;
  using U = typename Ops::U;
  using Constants = TanhConstants<Binary32>;
  const U bits = o.BitsOf(x);
  const F a = o.FromBits(o.AndBits(bits, o.ConstBits(Binary32::kAbsMask)));
  const F limited = ClampAbove(o, a, Constants::kFastLimit);
  const F round = o.Const(SigmoidConstants<Binary32>::kBiasedRound);
  const F shifted = o.Fma(limited, o.Const(2 * ExpConstants<Binary32>::kLog2E), round);
  const F n = o.Sub(shifted, round);
  const F r = o.NegFma(n, o.Const(ExpConstants<Binary32>::kLn2High / 2), limited);  // exact
  const F curved = o.Mul(r, Horner(o, r, Constants::kFast));
  const F power = o.FromBits(o.Shl(o.BitsOf(shifted), Binary32::kMantissaBits));
  const F u = o.Fma(power, curved, o.Sub(power, o.Const(1)));
  const F v = o.Div(u, o.Add(u, o.Const(2)));
  const U sign = o.AndBits(bits, o.ConstBits(Binary32::kSign));
  const F result = o.FromBits(o.OrBits(o.BitsOf(v), sign));
  const auto fast = [&]() -> F { return result; };
  const auto slow = [&]() -> F { return o.Select(o.IsNan(x), QuietNan(o), result); };
  return o.Rare(o.IsNan(x), fast, slow);
}

}  // namespace hologram::math
