// EXP2, 2^x, precise (f32: <= 1.0 ulp for every input, f64: <= 1.0 ulp where sampled) and fast
// (f32:
// <= 4 ulp).
//
//   n = round(x),  r = x - n (exact),  2^x = 2^n p(r),  p(0) = 1, so integers give exact powers.
//
// The fast form has one coefficient fewer. While |x| <= kPlain, 2^n is an integer addition to the
// exponent; beyond, x is clamped to where the result is certainly infinite or zero, and 2^n is
// applied with one rounding. Coefficients: Sollya's fpminimax, relative error on [-1/2, 1/2],
// already rounded to the format. Errors: docs/math.md.
#pragma once

#include "math/ops.h"

namespace hologram::math {

template <class Format>
struct Exp2Constants;

template <>
struct Exp2Constants<Binary32> {
  static constexpr float kP[7] = {0x1p0f,        0x1.62e43p-1f,   0x1.ebfbd8p-3f, 0x1.c6af76p-5f,
                                  0x1.3b30ap-7f, 0x1.5f0b82p-10f, 0x1.3fa206p-13f};
  static constexpr float kFast[6] = {0x1p0f,         0x1.62e42ap-1f, 0x1.ebf9bap-3f,
                                     0x1.c6b69ap-5f, 0x1.3ceaf8p-7f, 0x1.5bfd58p-10f};
  static constexpr std::uint32_t kPlainBits = 0x42fa0000;  // 125
  static constexpr float kHighest = 129.0f;
  static constexpr float kLowest = -151.0f;
};

template <>
struct Exp2Constants<Binary64> {
  static constexpr double kP[13] = {0x1p0,
                                    0x1.62e42fefa39efp-1,
                                    0x1.ebfbdff82c58dp-3,
                                    0x1.c6b08d704a182p-5,
                                    0x1.3b2ab6fba53b8p-7,
                                    0x1.5d87fe7888dffp-10,
                                    0x1.430912f7013a2p-13,
                                    0x1.ffcbfcdb1c5bfp-17,
                                    0x1.62c027b683d18p-20,
                                    0x1.b524232261e33p-24,
                                    0x1.e4bbc00d182dap-28,
                                    0x1.eafdc2f8ac1a1p-32,
                                    0x1.de49d650ab502p-36};
  static constexpr std::uint64_t kPlainBits = 0x408fe80000000000;  // 1021
  static constexpr double kHighest = 1025.0;
  static constexpr double kLowest = -1077.0;
};

// 2^r for |r| a little above 1/2 at most.
template <bool kFast, class Ops>
HOLOGRAM_MATH_INLINE typename Ops::F Exp2Polynomial(Ops& o, typename Ops::F r) {
  using Constants = Exp2Constants<typename Ops::Format>;
  if constexpr (kFast) {
    return Horner(o, r, Constants::kFast);
  } else {
    return Horner(o, r, Constants::kP);
  }
}

template <bool kFast, class Ops>
HOLOGRAM_MATH_INLINE typename Ops::F Exp2Of(Ops& o, typename Ops::F x) {
  using Format = typename Ops::Format;
  using Constants = Exp2Constants<Format>;
  using F = typename Ops::F;
  using U = typename Ops::U;
  const F round = o.Const(Format::kRound);
  const U magnitude = o.AndBits(o.BitsOf(x), o.ConstBits(Format::kAbsMask));
  const auto fast = [&]() -> F {
    const F shifted = o.Add(x, round);
    const F n = o.Sub(shifted, round);
    const F p = Exp2Polynomial<kFast>(o, o.Sub(x, n));
    const U exponent = o.Shl(o.BitsOf(shifted), Format::kMantissaBits);
    return o.FromBits(o.AddBits(o.BitsOf(p), exponent));
  };
  const auto slow = [&]() -> F {
    const F below = ClampAbove(o, x, Constants::kHighest);
    const F clamped = ClampBelow(o, below, Constants::kLowest);
    const F n = o.Sub(o.Add(clamped, round), round);
    const F p = Exp2Polynomial<kFast>(o, o.Sub(clamped, n));
    const F scaled = o.Scale2n(p, n);
    return o.Select(o.IsNan(x), o.FromBits(o.ConstBits(Format::kQuietNan)), scaled);
  };
  return o.Rare(o.GreaterBits(magnitude, o.ConstBits(Constants::kPlainBits)), fast, slow);
}

template <class Ops>
HOLOGRAM_MATH_INLINE typename Ops::F Exp2(Ops& o, typename Ops::F x) {
  return Exp2Of<false>(o, x);
}

template <class Ops>
HOLOGRAM_MATH_INLINE typename Ops::F Exp2Fast(Ops& o, typename Ops::F x) {
  return Exp2Of<true>(o, x);
}

}  // namespace hologram::math
