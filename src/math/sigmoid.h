// SIGMOID, 1 / (1 + e^-x), precise (f32: <= 1.0 ulp for every input, f64: <= 1.0 ulp where sampled)
// and fast (f32: <= 4 ulp). Errors: docs/math.md.
#pragma once

#include "math/exp.h"
#include "math/ops.h"

namespace hologram::math {

template <class Format>
struct SigmoidConstants;

template <>
struct SigmoidConstants<Binary32> {
  static constexpr float kQ[5] = {0x1.fffffcp-2f, 0x1.55549p-3f, 0x1.5558a2p-5f, 0x1.123adp-7f,
                                  0x1.6a5e34p-10f};
  static constexpr float kPlain = 87.0f;
  static constexpr float kBiasedRound = 0x1.8000fep23f;  // Binary32::kRound + 127
  // The fast form.
  static constexpr float kFast[6] = {0x1p+0f,         -0x1.fffff6p-1f, 0x1.fffe04p-2f,
                                     -0x1.555bf6p-3f, 0x1.5722ep-5f,   -0x1.0ed8aap-7f};
  static constexpr float kScale = 0x1p-24f;
  static constexpr float kRound = 0x1.8000cep23f;  // Binary32::kRound + 127 - 24
  static constexpr float kLowest = -104.5f;
  static constexpr float kHighest = 70.0f;
};

template <>
struct SigmoidConstants<Binary64> {
  static constexpr const double (&kQ)[10] = ExpConstants<Binary64>::kQ;
  static constexpr double kPlain = 708.0;
  static constexpr double kBiasedRound = 0x1.80000000003ffp52;  // Binary64::kRound + 1023
};

// With a = |x|, n = -round(a / ln 2), e^a = 2^-n (1 + r1 + w) and s = 2^n:
//   sigmoid(-a) = s y,  y = 1 / (s + 1 + r1 + w),  sigmoid(a) = 1 - s y.
// The sum b = 1 + s is exact down to n = -23 (-52); y takes one Newton step whose residual uses the
// four terms one by one, so the rounding of their sum does not matter. The rounding constant
// contains the bias of the exponent, so s is one shift. kBeyond: a may exceed kPlain, where s is no
// normal number: s counts as zero in the sum and 2^n is applied with one rounding.
template <bool kBeyond, class Ops>
HOLOGRAM_MATH_INLINE typename Ops::F SigmoidOfMagnitude(Ops& o, typename Ops::F x,
                                                        typename Ops::F a) {
  using Format = typename Ops::Format;
  using Reduction = ExpConstants<Format>;
  using Constants = SigmoidConstants<Format>;
  using F = typename Ops::F;
  using M = typename Ops::M;
  const F one = o.Const(1);
  const F round = o.Const(Constants::kBiasedRound);
  const F ln2_low = o.Const(Reduction::kLn2Low);

  const F shifted = o.Fma(a, o.Const(-Reduction::kLog2E), round);
  const F n = o.Sub(shifted, round);
  const F r1 = o.Fma(n, o.Const(Reduction::kLn2High), a);
  const F r = o.Fma(n, ln2_low, r1);
  const F q = Horner(o, r, Constants::kQ);
  const F square = o.Mul(r, r);
  const F curved = o.Mul(square, q);
  const F w = o.Fma(n, ln2_low, curved);

  F s = o.FromBits(o.Shl(o.BitsOf(shifted), Format::kMantissaBits));
  if constexpr (kBeyond) {
    const M beyond = o.Greater(a, o.Const(Constants::kPlain));
    s = o.Select(beyond, o.Const(0), s);
  }
  const F b = o.Add(s, one);
  const F rest = o.Add(r1, w);
  const F y = o.Div(one, o.Add(b, rest));
  const F lost = o.Sub(s, o.Sub(b, one));
  const F g1 = o.NegFma(y, b, one);
  const F g2 = o.NegFma(y, lost, g1);
  const F g3 = o.NegFma(y, r1, g2);
  const F g4 = o.NegFma(y, w, g3);
  const F refined = o.Fma(y, g4, y);
  F v = o.Mul(refined, s);
  if constexpr (kBeyond) {
    const M beyond = o.Greater(a, o.Const(Constants::kPlain));
    v = o.Select(beyond, o.Scale2n(refined, n), v);
  }
  const F complement = o.Sub(one, v);
  return o.Select(o.Greater(x, o.Const(0)), complement, v);
}

template <class Ops>
HOLOGRAM_MATH_INLINE typename Ops::F Sigmoid(Ops& o, typename Ops::F x) {
  using Format = typename Ops::Format;
  using Reduction = ExpConstants<Format>;
  using F = typename Ops::F;
  using U = typename Ops::U;
  const U magnitude = o.AndBits(o.BitsOf(x), o.ConstBits(Format::kAbsMask));
  const F a = o.FromBits(magnitude);
  const auto fast = [&]() -> F { return SigmoidOfMagnitude<false>(o, x, a); };
  const auto slow = [&]() -> F {
    const F clamped = ClampAbove(o, a, -Reduction::kLowest);
    const F v = SigmoidOfMagnitude<true>(o, x, clamped);
    return o.Select(o.IsNan(x), o.FromBits(o.ConstBits(Format::kQuietNan)), v);
  };
  return o.Rare(o.GreaterBits(magnitude, o.ConstBits(Reduction::kPlainBits)), fast, slow);
}

// 1 / (1 + e^-x) = 2^-24 / (2^-24 + 2^(n-24) p(q)) with n = round(-x / ln 2), q = x + n ln 2, p(q)
// = e^-q. The factor 2^-24 brings the exponent of every result, the subnormal ones included, into
// one power of two, and the rounding constant is chosen so that shifting the low bits of `shifted`
// IS that power: biased exponent 0 (counts as 0: result 1) up to 255 (infinity: result 0).
template <class Ops>
HOLOGRAM_MATH_INLINE typename Ops::F SigmoidFastFrom(Ops& o, typename Ops::F shifted,
                                                     typename Ops::F x) {
  using F = typename Ops::F;
  using Reduction = ExpConstants<Binary32>;
  using Constants = SigmoidConstants<Binary32>;
  const F scale = o.Const(Constants::kScale);
  const F n = o.Sub(shifted, o.Const(Constants::kRound));
  const F first = o.Fma(n, o.Const(Reduction::kLn2High), x);
  const F q = o.Fma(n, o.Const(Reduction::kLn2Low), first);
  const F p = Horner(o, q, Constants::kFast);
  const F power = o.FromBits(o.Shl(o.BitsOf(shifted), Binary32::kMantissaBits));
  return o.Div(scale, o.Fma(power, p, scale));
}

// Far from zero (x below -105.7 or above 71.7) and for NaN the biased exponent leaves 0..255.
template <class Ops>
HOLOGRAM_MATH_INLINE typename Ops::F SigmoidFast(Ops& o, typename Ops::F x) {
  using F = typename Ops::F;
  using Constants = SigmoidConstants<Binary32>;
  const F negative_log2e = o.Const(-ExpConstants<Binary32>::kLog2E);
  const F round = o.Const(Constants::kRound);
  const F shifted = o.Fma(x, negative_log2e, round);
  const auto fast = [&]() -> F { return SigmoidFastFrom(o, shifted, x); };
  const auto slow = [&]() -> F {
    const F above = ClampBelow(o, x, Constants::kLowest);
    const F clamped = ClampAbove(o, above, Constants::kHighest);
    const F v = SigmoidFastFrom(o, o.Fma(clamped, negative_log2e, round), clamped);
    return o.Select(o.IsNan(x), o.FromBits(o.ConstBits(Binary32::kQuietNan)), v);
  };
  const typename Ops::U exponent = o.SubBits(o.BitsOf(shifted), o.ConstBits(Binary32::kRoundBits));
  return o.Rare(o.GreaterBits(exponent, o.ConstBits(255)), fast, slow);
}

}  // namespace hologram::math
