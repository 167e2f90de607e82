// RSQRT, 1 / sqrt(x), precise (f32: <= 1.0 ulp for every input, f64: <= 1.5 ulp where sampled).
//
// An integer guess, then Newton steps of higher order without any division: with e = 1 - x y^2,
// 1 / sqrt(x) = y (1 + e/2 + 3 e^2/8 + 5 e^3/16 + ...). No hardware estimate, because vendors
// differ in its bits. Errors: docs/math.md.
#pragma once

#include "math/ops.h"

namespace hologram::math {

template <class Format>
struct RsqrtConstants;

template <>
struct RsqrtConstants<Binary32> {
  static constexpr std::uint32_t kGuess = 0x5f1ffff9;
  // The first step, fitted to the error of this guess: y (kFactor) (kOffset - x y^2).
  static constexpr float kOffset = 0x1.31d772p+1f;
  static constexpr float kFactor = 0x1.686c6cp-1f;
  static constexpr float kSubnormalScale = 0x1p24f;
  static constexpr float kSubnormalResult = 0x1p12f;
};

template <>
struct RsqrtConstants<Binary64> {
  static constexpr std::uint64_t kGuess = 0x5fe6eb50c7b537a9;
  static constexpr double kSubnormalScale = 0x1p54;
  static constexpr double kSubnormalResult = 0x1p27;
};

// y with the error term of third order (f32) or fourth order (f64) left.
template <class Ops>
HOLOGRAM_MATH_INLINE typename Ops::F RefineRsqrt(Ops& o, typename Ops::F x, typename Ops::F y) {
  using F = typename Ops::F;
  const F e = o.NegFma(o.Mul(x, y), y, o.Const(1));
  F p = o.Const(0.375);
  if constexpr (sizeof(typename Ops::Format::Float) == 8) p = o.Fma(e, o.Const(0.3125), p);
  p = o.Fma(p, e, o.Const(0.5));
  return o.Fma(o.Mul(e, p), y, y);
}

// REQUIRES: x is positive and normal; otherwise unspecified.
template <class Ops>
HOLOGRAM_MATH_INLINE typename Ops::F RsqrtOfNormal(Ops& o, typename Ops::F x) {
  using F = typename Ops::F;
  using Constants = RsqrtConstants<typename Ops::Format>;
  const typename Ops::U half = o.LShr(o.BitsOf(x), 1);
  F y = o.FromBits(o.SubBits(o.ConstBits(Constants::kGuess), half));
  if constexpr (sizeof(typename Ops::Format::Float) == 4) {
    const F z = o.NegFma(o.Mul(x, y), y, o.Const(Constants::kOffset));
    y = o.Mul(o.Mul(y, o.Const(Constants::kFactor)), z);
  } else {
    y = RefineRsqrt(o, x, y);
  }
  return RefineRsqrt(o, x, y);
}

template <class Ops>
HOLOGRAM_MATH_INLINE typename Ops::F Rsqrt(Ops& o, typename Ops::F x) {
  using Format = typename Ops::Format;
  using Constants = RsqrtConstants<Format>;
  using F = typename Ops::F;
  const auto fast = [&]() -> F { return RsqrtOfNormal(o, x); };
  const auto slow = [&]() -> F {
    const F zero = o.Const(0);
    const typename Ops::M small = o.Less(x, o.Const(Format::kMinNormal));
    const F scaled = o.Mul(x, o.Const(Constants::kSubnormalScale));
    const F y = RsqrtOfNormal(o, o.Select(small, scaled, x));
    const F larger = o.Mul(y, o.Const(Constants::kSubnormalResult));
    const F number = o.Select(small, larger, y);
    const F finite = o.Select(o.Less(x, o.FromBits(o.ConstBits(Format::kInfinity))), number, zero);
    const F nan = QuietNan(o);
    const typename Ops::U sign = o.AndBits(o.BitsOf(x), o.ConstBits(Format::kSign));
    const F at_zero = o.FromBits(o.OrBits(sign, o.ConstBits(Format::kInfinity)));
    const F negative = o.Select(o.Less(x, zero), nan, at_zero);
    const F other = o.Select(o.IsNan(x), nan, negative);
    return o.Select(o.Greater(x, zero), finite, other);
  };
  return o.Rare(o.NotPositiveNormal(x), fast, slow);
}

}  // namespace hologram::math
