// EXP, precise (f32: <= 1.0 ulp for every input, f64: <= 1.0 ulp where sampled) and fast (f32: <= 4
// ulp).
//
//   n = round(x / ln 2),  r = x - n ln 2 in two steps (the first is exact),  e^x = 2^n (1 + r + r^2
//   q(r));
// the fast form has a polynomial of degree 5 for e^r as a whole, five operations fewer.
// While |x| <= kPlain the result is normal and 2^n is an integer addition to the exponent. Beyond,
// x is clamped to where the result is certainly infinite or zero, and 2^n is applied with one
// rounding. Coefficients: minimax in the relative error, rounded to the format before the rest was
// fitted; those of the fast form were then searched for the smallest measured error. Errors:
// docs/math.md.
#pragma once

#include "math/ops.h"

namespace hologram::math {

template <class Format>
struct ExpConstants;

template <>
struct ExpConstants<Binary32> {
  static constexpr float kLog2E = 0x1.715476p0f;
  static constexpr float kLn2High = 0x1.62e43p-1f;
  static constexpr float kLn2Low = -0x1.05c61p-29f;
  static constexpr float kQ[6] = {0x1p-1f,        0x1.555552p-3f,  0x1.5554e4p-5f,
                                  0x1.1115b6p-7f, 0x1.6d5166p-10f, 0x1.9a94e6p-13f};
  // e^r of the fast form; c[0] = 1 makes e^0 exact.
  static constexpr float kFast[6] = {0x1p+0f,        0x1.ffffeep-1f, 0x1.fffdacp-2f,
                                     0x1.555d3ap-3f, 0x1.574122p-5f, 0x1.0ebb92p-7f};
  static constexpr std::uint32_t kPlainBits = 0x42ae0000;  // 87
  static constexpr float kHighest = 89.0f;
  static constexpr float kLowest = -104.0f;
};

template <>
struct ExpConstants<Binary64> {
  static constexpr double kLog2E = 0x1.71547652b82fep0;
  static constexpr double kLn2High = 0x1.62e42fefa39efp-1;
  static constexpr double kLn2Low = 0x1.abc9e3b39803fp-56;
  static constexpr double kQ[10] = {
      0x1.000000000000ap-1,  0x1.55555555554fep-3,  0x1.55555555506acp-5,  0x1.1111111126b2ep-7,
      0x1.6c16c1847c94ap-10, 0x1.a01a012ffa313p-13, 0x1.a019994c1319bp-16, 0x1.71df18b9a77afp-19,
      0x1.28ae10fc92d74p-22, 0x1.ad9371fbf06c3p-26};
  static constexpr std::uint64_t kPlainBits = 0x4086200000000000;  // 708
  static constexpr double kHighest = 710.0;
  static constexpr double kLowest = -746.0;
};

// e^x = 2^n e^r = 2^n p; the low bits of `shifted` are n.
template <class Ops>
struct ExpParts {
  typename Ops::F shifted;
  typename Ops::F n;
  typename Ops::F r;
  typename Ops::F p;
};

template <class Ops>
HOLOGRAM_MATH_INLINE ExpParts<Ops> ReduceExp(Ops& o, typename Ops::F x) {
  using Constants = ExpConstants<typename Ops::Format>;
  const typename Ops::F round = o.Const(Ops::Format::kRound);
  ExpParts<Ops> parts{};
  parts.shifted = o.Fma(x, o.Const(Constants::kLog2E), round);
  parts.n = o.Sub(parts.shifted, round);
  const typename Ops::F first = o.NegFma(parts.n, o.Const(Constants::kLn2High), x);
  parts.r = o.NegFma(parts.n, o.Const(Constants::kLn2Low), first);
  return parts;
}

// Both forms are this frame around a polynomial: core(x) returns all four parts.
template <class Ops, class Core>
HOLOGRAM_MATH_INLINE typename Ops::F ExpFrame(Ops& o, typename Ops::F x, const Core& core) {
  using Format = typename Ops::Format;
  using Constants = ExpConstants<Format>;
  using F = typename Ops::F;
  using U = typename Ops::U;
  const U magnitude = o.AndBits(o.BitsOf(x), o.ConstBits(Format::kAbsMask));
  const auto fast = [&]() -> F {
    const ExpParts<Ops> parts = core(x);
    const U exponent = o.Shl(o.BitsOf(parts.shifted), Format::kMantissaBits);
    return o.FromBits(o.AddBits(o.BitsOf(parts.p), exponent));
  };
  const auto slow = [&]() -> F {
    const F below = ClampAbove(o, x, Constants::kHighest);
    const ExpParts<Ops> parts = core(ClampBelow(o, below, Constants::kLowest));
    const F scaled = o.Scale2n(parts.p, parts.n);
    return o.Select(o.IsNan(x), o.FromBits(o.ConstBits(Format::kQuietNan)), scaled);
  };
  return o.Rare(o.GreaterBits(magnitude, o.ConstBits(Constants::kPlainBits)), fast, slow);
}

template <class Ops>
HOLOGRAM_MATH_INLINE typename Ops::F Exp(Ops& o, typename Ops::F x) {
  using F = typename Ops::F;
  return ExpFrame(o, x, [&o](F y) {
    ExpParts<Ops> parts = ReduceExp(o, y);
    const F q = Horner(o, parts.r, ExpConstants<typename Ops::Format>::kQ);
    const F square = o.Mul(parts.r, parts.r);
    const F u = o.Fma(square, q, parts.r);
    parts.p = o.Add(u, o.Const(1));
    return parts;
  });
}

template <class Ops>
HOLOGRAM_MATH_INLINE typename Ops::F ExpFast(Ops& o, typename Ops::F x) {
  return ExpFrame(o, x, [&o](typename Ops::F y) {
    ExpParts<Ops> parts = ReduceExp(o, y);
    parts.p = Horner(o, parts.r, ExpConstants<Binary32>::kFast);
    return parts;
  });
}

}  // namespace hologram::math
