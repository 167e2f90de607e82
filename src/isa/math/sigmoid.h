// SIGMOID, 1 / (1 + e^-x), precise (f32: <= 1.0 ulp for every input, f64: <= 1.0 ulp where sampled) and fast
// (f32: <= 4 ulp). Errors: docs/math.md.
#pragma once

#include "isa/math/exp.h"
#include "isa/math/ops.h"

namespace hologram::isa::math {

template <class Format>
struct SigmoidConstants;

template <>
struct SigmoidConstants<Binary32> {
  static constexpr float kQ[5] = {0x1.fffffcp-2f, 0x1.55549p-3f, 0x1.5558a2p-5f, 0x1.123adp-7f,
                                  0x1.6a5e34p-10f};
  static constexpr float kPlain = 87.0f;
};

template <>
struct SigmoidConstants<Binary64> {
  static constexpr const double (&kQ)[10] = ExpConstants<Binary64>::kQ;
  static constexpr double kPlain = 708.0;
};

// With a = |x|, e^a = 2^n (1 + r1 + w) and s = 2^-n:
//   sigmoid(-a) = s y,  y = 1 / (s + 1 + r1 + w),  sigmoid(a) = 1 - s y.
// The sum b = 1 + s is exact up to n = 23 (52); y takes one Newton step whose residual uses the four terms
// one by one, so the rounding of their sum does not matter. kBeyond: a may exceed kPlain, where s
// is no normal number: s counts as zero in the sum and 2^-n is applied with one rounding.
template <bool kBeyond, class Ops>
HOLOGRAM_MATH_INLINE typename Ops::F SigmoidOfMagnitude(Ops& o, typename Ops::F x,
                                                        typename Ops::F a) {
  using Format = typename Ops::Format;
  using Reduction = ExpConstants<Format>;
  using Constants = SigmoidConstants<Format>;
  using F = typename Ops::F;
  using M = typename Ops::M;
  const F one = o.Const(1);
  const F round = o.Const(Format::kRound);
  const F ln2_low = o.Const(Reduction::kLn2Low);

  const F shifted = o.Fma(a, o.Const(Reduction::kLog2E), round);
  const F n = o.Sub(shifted, round);
  const F r1 = o.NegFma(n, o.Const(Reduction::kLn2High), a);
  const F r = o.NegFma(n, ln2_low, r1);
  const F q = Horner(o, r, Constants::kQ);
  const F square = o.Mul(r, r);
  const F curved = o.Mul(square, q);
  const F w = o.NegFma(n, ln2_low, curved);

  F s = o.FromBits(o.SubBits(o.ConstBits(Format::kOne),
                             o.Shl(o.BitsOf(shifted), Format::kMantissaBits)));
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
    const F negative_n = o.Sub(o.Const(0), n);
    v = o.Select(beyond, o.Scale2n(refined, negative_n), v);
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

}  // namespace hologram::isa::math
