// LOG1P, log(1 + x), precise (f32: <= 1.0 ulp for every input, f64: <= 1.5 ulp where sampled) and
// fast (f32: <= 4 ulp).
//
//   e: the integer with fl(1 + x) / 2^e in [0.75, 1.5);  s = 2^-e,  f = x s + (s - 1),
//   log(1 + x) = e ln 2 + log(1 + f),  f in [-0.25, 0.5].
//
// f is (1 + x) / 2^e - 1 in one fused operation, so what fl(1 + x) loses is not lost. With these
// bounds f is exact in f32 except beyond 2^24, where it need not be (with sqrt(1/2) it would not be
// for x near 0.45). f32: log(1 + f) = f + f^2 P(f). f64: with w = f / (2 + f) it is
// f - (f^2 / 2 - w (f^2 / 2 + R(w^2))). The result has the sign of x, copied last because of -0.
// Rare: fl(1 + x) not in [2^-126, 2^64): -1 gives -inf, less and NaN give NaN, +inf gives +inf; a
// large x is scaled by 2^-64, and 1 is too small to matter. Coefficients: Sollya's fpminimax,
// relative error, already rounded to the format. Errors: docs/math.md.
#pragma once

#include "math/exp.h"
#include "math/ops.h"

namespace hologram::math {

template <class Format>
struct Log1pConstants;

template <>
struct Log1pConstants<Binary32> {
  static constexpr float kP[10] = {-0x1.fffffep-2f, 0x1.555558p-2f, -0x1.00010cp-2f, 0x1.999a0ep-3f,
                                   -0x1.54ff32p-3f, 0x1.24094cp-3f, -0x1.0519c8p-3f, 0x1.e55b62p-4f,
                                   -0x1.7db562p-4f, 0x1.3b6faap-5f};
  static constexpr float kFast[8] = {-0x1.000014p-1f, 0x1.5555e6p-2f,  -0x1.ffdde2p-3f,
                                     0x1.992192p-3f,  -0x1.588468p-3f, 0x1.32da5ep-3f,
                                     -0x1.ee5ffcp-4f, 0x1.bbc07cp-5f};
  static constexpr float kBeyond = 0x1p64f;
  static constexpr std::uint32_t kBeyondBits = 0x5f800000;    // 2^64
  static constexpr std::uint32_t kLowestBits = 0x00800000;    // 2^-126
  static constexpr std::uint32_t kBoundaryBits = 0x3f400000;  // 0.75
  static constexpr std::uint32_t kExponentMask = 0xff800000;
  static constexpr std::uint32_t kInfinityBits = 0x7f800000;
};

template <>
struct Log1pConstants<Binary64> {
  static constexpr double kR[7] = {0x1.555555555577dp-1, 0x1.99999998eecbbp-2, 0x1.249249b38b62dp-2,
                                   0x1.c71c00792fcddp-3, 0x1.7475090308139p-3, 0x1.384fcdbf3f693p-3,
                                   0x1.3ad611617d819p-3};
  static constexpr double kBeyond = 0x1p64;
  static constexpr std::uint64_t kBeyondBits = 0x43f0000000000000;
  static constexpr std::uint64_t kLowestBits = 0x0010000000000000;
  static constexpr std::uint64_t kBoundaryBits = 0x3fe8000000000000;
  static constexpr std::uint64_t kExponentMask = 0xfff0000000000000;
  static constexpr std::uint64_t kInfinityBits = 0x7ff0000000000000;
};

// e ln 2 + log(1 + f).
template <bool kFast, class Ops>
HOLOGRAM_MATH_INLINE typename Ops::F Log1pSum(Ops& o, typename Ops::F f, typename Ops::F e) {
  using Format = typename Ops::Format;
  using Reduction = ExpConstants<Format>;
  using Constants = Log1pConstants<Format>;
  using F = typename Ops::F;
  const F ln2_high = o.Const(Reduction::kLn2High);
  const F ln2_low = o.Const(Reduction::kLn2Low);
  if constexpr (sizeof(typename Format::Float) == 4) {
    const F square = o.Mul(f, f);
    F p{};
    if constexpr (kFast) {
      p = Horner(o, f, Constants::kFast);
    } else {
      p = Horner(o, f, Constants::kP);
    }
    const F curved = o.Mul(square, p);
    const F low = kFast ? curved : o.Fma(e, ln2_low, curved);
    return o.Fma(e, ln2_high, o.Add(f, low));
  } else {
    const F w = o.Div(f, o.Add(f, o.Const(2)));
    const F z = o.Mul(w, w);
    const F r = o.Mul(z, Horner(o, z, Constants::kR));
    const F half = o.Mul(f, o.Const(0.5));
    const F half_square = o.Mul(half, f);
    const F inner = o.Add(half_square, r);
    const F low = o.Fma(w, inner, o.Mul(e, ln2_low));
    const F rest = o.Sub(half_square, low);
    return o.Fma(e, ln2_high, o.Sub(f, rest));
  }
}

// kBeyond: x may exceed kBeyond, where it is scaled and the 1 in 1 + x counts as 0.
template <bool kFast, bool kBeyond, class Ops>
HOLOGRAM_MATH_INLINE typename Ops::F Log1pFrom(Ops& o, typename Ops::F x, typename Ops::F sum) {
  using Format = typename Ops::Format;
  using Constants = Log1pConstants<Format>;
  using F = typename Ops::F;
  using U = typename Ops::U;
  const F one = o.Const(1);
  F scaled = x;
  F unit = one;
  F argument = sum;
  F offset = o.Const(0);
  if constexpr (kBeyond) {
    const typename Ops::M beyond = o.Greater(x, o.Const(Constants::kBeyond));
    scaled = o.Select(beyond, o.Mul(x, o.Const(0x1p-64f)), x);
    unit = o.Select(beyond, offset, one);
    argument = o.Select(beyond, scaled, sum);
    offset = o.Select(beyond, o.Const(-64), offset);
  }
  const U h = o.SubBits(o.BitsOf(argument), o.ConstBits(Constants::kBoundaryBits));
  const U exponent = o.AndBits(h, o.ConstBits(Constants::kExponentMask));
  const F s = o.FromBits(o.SubBits(o.ConstBits(Format::kOne), exponent));
  const U integer = o.AShr(h, Format::kMantissaBits);
  const F biased = o.FromBits(o.AddBits(integer, o.ConstBits(Format::kRoundBits)));
  F e = o.Sub(biased, o.Const(Format::kRound));
  if constexpr (kBeyond) {
    e = o.Sub(e, offset);
    const F f = o.Fma(scaled, s, o.Fma(unit, s, o.Const(-1)));
    return Log1pSum<kFast>(o, f, e);
  } else {
    const F f = o.Fma(x, s, o.Sub(s, one));
    return Log1pSum<kFast>(o, f, e);
  }
}

template <bool kFast, class Ops>
HOLOGRAM_MATH_INLINE typename Ops::F Log1pOf(Ops& o, typename Ops::F x) {
  using Format = typename Ops::Format;
  using Constants = Log1pConstants<Format>;
  using F = typename Ops::F;
  using U = typename Ops::U;
  const F sum = o.Add(x, o.Const(1));
  const auto signed_as_x = [&](F value) -> F {
    const U sign = o.AndBits(o.BitsOf(x), o.ConstBits(~Format::kAbsMask));
    return o.FromBits(o.OrBits(o.BitsOf(value), sign));
  };
  const auto fast = [&]() -> F { return signed_as_x(Log1pFrom<kFast, false>(o, x, sum)); };
  const auto slow = [&]() -> F {
    const F infinity = o.FromBits(o.ConstBits(Constants::kInfinityBits));
    const F nan = o.FromBits(o.ConstBits(Format::kQuietNan));
    const F zero = o.Const(0);
    const F finite = signed_as_x(Log1pFrom<kFast, true>(o, x, sum));
    const F upper = o.Select(o.Less(x, infinity), finite, infinity);
    const F positive = o.Select(o.Greater(sum, zero), upper, o.Sub(zero, infinity));
    const F real = o.Select(o.Less(sum, zero), nan, positive);
    return o.Select(o.IsNan(x), nan, real);
  };
  const U above_lowest = o.SubBits(o.BitsOf(sum), o.ConstBits(Constants::kLowestBits));
  const U width = o.ConstBits(Constants::kBeyondBits - Constants::kLowestBits);
  return o.Rare(o.GreaterBits(above_lowest, width), fast, slow);
}

template <class Ops>
HOLOGRAM_MATH_INLINE typename Ops::F Log1p(Ops& o, typename Ops::F x) {
  return Log1pOf<false>(o, x);
}

template <class Ops>
HOLOGRAM_MATH_INLINE typename Ops::F Log1pFast(Ops& o, typename Ops::F x) {
  return Log1pOf<true>(o, x);
}

}  // namespace hologram::math
