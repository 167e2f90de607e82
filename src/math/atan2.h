// ATAN2(y, x), the angle of the point (x, y), precise (f32: <= 1.0 ulp where sampled densely, f64:
// <= 1.5 ulp where sampled) and fast (f32: <= 4 ulp). IEEE-754 special values: signed zeros and
// infinities are points on the axes and diagonals, NaN gives NaN.
//
//   b / a = min(|x|, |y|) / max(|x|, |y|) = z + z_low,  z = b (1 / a), z_low = (b - z a) (1 / a),
//   atan(b / a) = z + (z s P(s) + z_low (1 - s / 2)),  s = z^2;
//   the angle is k pi/2 +- atan(b / a), k = 0, 1, 2, with the sign of y; k pi/2 is added in two
//   words.
//
// 1 - s / 2 approximates the derivative 1 / (1 + s). The fast form has z = b / a without z_low, two
// coefficients fewer and pi/2 in one word. Rare: b below kLowest (zero included) or a above
// kHighest: both are scaled by a power of two; infinities and zeros become 1 and 0. Coefficients:
// Sollya's fpminimax of atan(sqrt(s)) / sqrt(s) on [0, 1], relative error, already rounded to the
// format. Errors: docs/math.md.
#pragma once

#include "math/ops.h"

namespace hologram::math {

template <class Format>
struct Atan2Constants;

template <>
struct Atan2Constants<Binary32> {
  static constexpr float kP[9] = {-0x1.55553ep-2f, 0x1.9991ecp-3f,  -0x1.24211ap-3f,
                                  0x1.c0946cp-4f,  -0x1.5825f2p-4f, 0x1.da9c2ep-5f,
                                  -0x1.fe7d24p-6f, 0x1.6551e2p-7f,  -0x1.d5a1aap-10f};
  static constexpr float kFast[7] = {-0x1.5552dep-2f, 0x1.99127cp-3f,  -0x1.1f916ap-3f,
                                     0x1.985134p-4f,  -0x1.ed3512p-5f, 0x1.95465p-6f,
                                     -0x1.3c158p-8f};
  static constexpr float kHalfPiHigh = 0x1.921fb6p0f;
  static constexpr float kHalfPiLow = -0x1.777a5cp-25f;
  static constexpr std::uint32_t kLowestBits = 0x0f800000;   // 2^-96
  static constexpr std::uint32_t kHighestBits = 0x7e000000;  // 2^125
  static constexpr std::uint32_t kInfinityBits = 0x7f800000;
  static constexpr float kLarge = 0x1p60f;
  static constexpr float kDown = 0x1p-24f;
  static constexpr float kUp = 0x1p64f;
};

template <>
struct Atan2Constants<Binary64> {
  static constexpr double kP[19] = {
      -0x1.555555555544cp-2,  0x1.999999998411p-3,   -0x1.2492491fa2135p-3, 0x1.c71c709e19f6ap-4,
      -0x1.745d02310537bp-4,  0x1.3b12b2e8e2d29p-4,  -0x1.11089d02ddf34p-4, 0x1.e1781735b6d5dp-5,
      -0x1.ad32ba4e035bdp-5,  0x1.7ee3f62d55b3ap-5,  -0x1.4f4521c9f34d5p-5, 0x1.1715db00d2af3p-5,
      -0x1.a726a91901229p-6,  0x1.162c3d955665ap-6,  -0x1.2cf76bedcb45bp-7, 0x1.f96cc72a1271ap-9,
      -0x1.312a3f05f8008p-10, 0x1.d3bb1130fa135p-13, -0x1.53e5c935af8f2p-16};
  static constexpr double kHalfPiHigh = 0x1.921fb54442d18p0;
  static constexpr double kHalfPiLow = 0x1.1a62633145c07p-54;
  static constexpr std::uint64_t kLowestBits = 0x07b0000000000000;   // 2^-900
  static constexpr std::uint64_t kHighestBits = 0x7fc0000000000000;  // 2^1021
  static constexpr std::uint64_t kInfinityBits = 0x7ff0000000000000;
  static constexpr double kLarge = 0x1p500;
  static constexpr double kDown = 0x1p-100;
  static constexpr double kUp = 0x1p512;
};

// Parts of the angle besides b / a.
template <class Ops>
struct Octant {
  typename Ops::F quarter;  // k
  typename Ops::U flip;     // the sign of atan(b / a) before that of y
  typename Ops::U sign;     // of y
};

template <bool kFast, class Ops>
HOLOGRAM_MATH_INLINE typename Ops::F AngleOf(Ops& o, typename Ops::F b, typename Ops::F a,
                                             const Octant<Ops>& octant) {
  using Constants = Atan2Constants<typename Ops::Format>;
  using F = typename Ops::F;
  const F k = octant.quarter;
  const F signed_b = o.FromBits(o.XorBits(o.BitsOf(b), octant.flip));
  F angle{};
  if constexpr (kFast) {
    const F z = o.Div(signed_b, a);
    const F s = o.Mul(z, z);
    const F cube = o.Mul(s, z);
    const F p = Horner(o, s, Constants::kFast);
    const F t = o.Fma(cube, p, z);
    angle = o.Fma(k, o.Const(Constants::kHalfPiHigh), t);
  } else {
    const F inverse = o.Div(o.Const(1), a);
    const F z = o.Mul(signed_b, inverse);
    const F z_low = o.Mul(o.NegFma(z, a, signed_b), inverse);
    const F s = o.Mul(z, z);
    const F cube = o.Mul(s, z);
    const F slope = o.NegFma(s, o.Const(0.5), o.Const(1));
    const F p = Horner(o, s, Constants::kP);
    const F curved = o.Fma(cube, p, o.Mul(z_low, slope));
    // k pi/2 + z in two words, then the small terms.
    const F half_pi = o.Const(Constants::kHalfPiHigh);
    const F high = o.Fma(k, half_pi, z);
    const F used = o.NegFma(k, half_pi, high);
    const F low = o.Sub(z, used);
    const F small = o.Fma(k, o.Const(Constants::kHalfPiLow), curved);
    angle = o.Add(high, o.Add(low, small));
  }
  return o.FromBits(o.XorBits(o.BitsOf(angle), octant.sign));
}

template <bool kFast, class Ops>
HOLOGRAM_MATH_INLINE typename Ops::F Atan2Of(Ops& o, typename Ops::F y, typename Ops::F x) {
  using Format = typename Ops::Format;
  using Constants = Atan2Constants<Format>;
  using F = typename Ops::F;
  using U = typename Ops::U;
  using M = typename Ops::M;
  const U abs = o.ConstBits(Format::kAbsMask);
  const U sign = o.ConstBits(~Format::kAbsMask);
  const U x_magnitude = o.AndBits(o.BitsOf(x), abs);
  const U y_magnitude = o.AndBits(o.BitsOf(y), abs);
  const F x_abs = o.FromBits(x_magnitude);
  const F y_abs = o.FromBits(y_magnitude);
  // By bits, so that NaN is the larger one.
  const M steep = o.GreaterBits(y_magnitude, x_magnitude);
  const F a = o.Select(steep, y_abs, x_abs);
  const F b = o.Select(steep, x_abs, y_abs);
  const F zero = o.Const(0);
  const M left = o.GreaterBits(o.BitsOf(x), abs);
  Octant<Ops> octant{};
  octant.quarter = o.Select(steep, o.Const(1), o.Select(left, o.Const(2), zero));
  // pi/2 - r and pi - r, but pi/2 + r: flipped where exactly one of `steep` and `left` holds.
  const F steep_sign = o.Select(steep, o.FromBits(sign), zero);
  const U left_sign = o.AndBits(o.BitsOf(x), sign);
  octant.flip = o.XorBits(o.BitsOf(steep_sign), left_sign);
  octant.sign = o.AndBits(o.BitsOf(y), sign);

  const auto fast = [&]() -> F { return AngleOf<kFast>(o, b, a, octant); };
  const auto slow = [&]() -> F {
    const F one = o.Const(1);
    const F infinity = o.FromBits(o.ConstBits(Constants::kInfinityBits));
    const M large = o.Greater(a, o.Const(Constants::kLarge));
    const F factor = o.Select(large, o.Const(Constants::kDown), o.Const(Constants::kUp));
    const F scaled_a = o.Mul(a, factor);
    const F scaled_b = o.Mul(b, factor);
    const F finite_b = o.Select(o.Less(a, infinity), scaled_b, zero);
    const F other_b = o.Select(o.Less(b, infinity), finite_b, one);
    const F finite_a = o.Select(o.Less(a, infinity), scaled_a, one);
    const F other_a = o.Select(o.Greater(a, zero), finite_a, one);
    const F angle = AngleOf<kFast>(o, other_b, other_a, octant);
    return o.Select(o.IsNan(a), o.FromBits(o.ConstBits(Format::kQuietNan)), angle);
  };
  const U above_lowest = o.SubBits(o.BitsOf(b), o.ConstBits(Constants::kLowestBits));
  const U below_highest = o.SubBits(o.ConstBits(Constants::kHighestBits), o.BitsOf(a));
  return o.Rare(o.GreaterBits(o.OrBits(above_lowest, below_highest), abs), fast, slow);
}

template <class Ops>
HOLOGRAM_MATH_INLINE typename Ops::F Atan2(Ops& o, typename Ops::F y, typename Ops::F x) {
  return Atan2Of<false>(o, y, x);
}

template <class Ops>
HOLOGRAM_MATH_INLINE typename Ops::F Atan2Fast(Ops& o, typename Ops::F y, typename Ops::F x) {
  return Atan2Of < sizeof(typename Ops::Format::Float) == 4 > (o, y, x);
}

}  // namespace hologram::math
