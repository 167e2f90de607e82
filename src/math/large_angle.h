// The remainder of a large number by pi/2, after Payne and Hanek: integer arithmetic with as many
// bits of 2/pi as can matter. For one lane in f64; f32 widens its argument, which is exact.
//
// One-lane policies have, beside the operations of ops.h:
//   Wide WideOps()                a one-lane policy of Binary64
//   Wide::F Widen(F), F Narrow(Wide::F)   exact; rounded to nearest
// and in Binary64, where U has 64 bits:
//   U MulBits, MulHighBits(U, U)  the low and the high half of the product
//   U ShlBy, LShrBy(U, U count)   0 <= count < 64
//   U LeadingZeros(U)             of a number that is not 0
//   U SelectBits(M, U yes, U no)
//   U Entry(table, U index)       an element of a constant array of 64-bit words
//   F FloatOf(U)
#pragma once

#include "math/ops.h"

namespace hologram::math {

// |x| = pi/2 (4k + quadrant) + (r + low); only the low two bits of `quadrant` mean something.
template <class Ops>
struct Angle {
  typename Ops::U quadrant;
  typename Ops::F r;
  typename Ops::F low;
};

// 2/pi: the bit after the point is bit 64.
inline constexpr std::uint64_t kTwoOverPi[21] = {
    0,
    0xa2f9836e4e441529,
    0xfc2757d1f534ddc0,
    0xdb6295993c439041,
    0xfe5163abdebbc561,
    0xb7246e3a424dd2e0,
    0x06492eea09d1921c,
    0xfe1deb1cb129a73e,
    0xe88235f52ebb4484,
    0xe99c7026b45f7e41,
    0x3991d639835339f4,
    0x9c845f8bbdf9283b,
    0x1ff897ffde05980f,
    0xef2f118b5a0a6d1f,
    0x6d367ecf27cb09b7,
    0x4f463f669e5fea2d,
    0x7527bac7ebe5f17b,
    0x3d0739f78a5292ea,
    0x6bfb5fb11f8d5d08,
    0x56033046fc7b6bab,
    0xf0cfbc209af4361d,
};

// 64 bits of 2/pi from bit `at`.
template <class One>
HOLOGRAM_MATH_INLINE typename One::U BitsOfTwoOverPi(One& o, typename One::U at) {
  using U = typename One::U;
  const U word = o.LShr(at, 6);
  const U shift = o.AndBits(at, o.ConstBits(63));
  const U next = o.Entry(kTwoOverPi, o.AddBits(word, o.ConstBits(1)));
  const U left = o.ShlBy(o.Entry(kTwoOverPi, word), shift);
  const U rest = o.SubBits(o.ConstBits(63), shift);
  return o.OrBits(left, o.LShrBy(o.LShr(next, 1), rest));
}

// The fraction of a quadrant that is high 2^-62 + low 2^-126, high with its sign, as a pair of
// numbers whose sum is pi/2 times that.
template <class One>
HOLOGRAM_MATH_INLINE Angle<One> ScaleFraction(One& o, typename One::U high, typename One::U low) {
  using F = typename One::F;
  using U = typename One::U;
  constexpr double kHalfPiHigh = 0x1.921fb54442d18p0;
  constexpr double kHalfPiLow = 0x1.1a62633145c07p-54;
  const U negative = o.AShr(high, 63);
  const U one = o.ConstBits(1);
  high = o.XorBits(high, negative);
  low = o.OrBits(o.XorBits(low, negative), one);
  // Shift left until the top bit is set.
  const typename One::M tiny = o.GreaterBits(one, high);
  const U upper = o.SelectBits(tiny, low, high);
  const U lower = o.SelectBits(tiny, one, low);
  const U words = o.SelectBits(tiny, o.ConstBits(64), o.ConstBits(0));
  const U zeros = o.LeadingZeros(upper);
  const U carried = o.LShrBy(o.LShr(lower, 1), o.SubBits(o.ConstBits(63), zeros));
  const U top = o.OrBits(o.ShlBy(upper, zeros), carried);
  const U bottom = o.ShlBy(lower, zeros);
  // Two times 53 bits, exact.
  const F first = o.FloatOf(o.LShr(top, 11));
  const U middle = o.Shl(o.AndBits(top, o.ConstBits(0x7ff)), 42);
  const F second = o.FloatOf(o.OrBits(middle, o.LShr(bottom, 22)));
  const U exponent = o.SubBits(o.ConstBits(1023 + 75 - 126), o.AddBits(words, zeros));
  const F scale = o.FromBits(o.Shl(exponent, 52));
  const F h1 = o.Mul(first, scale);
  const F h2 = o.Mul(second, o.Mul(scale, o.Const(0x1p-53)));
  const F pi_high = o.Const(kHalfPiHigh);
  const F p = o.Mul(h1, pi_high);
  const F p_error = o.Fma(h1, pi_high, o.Neg(p));
  const F p_rest = o.Fma(h1, o.Const(kHalfPiLow), o.Mul(h2, pi_high));
  const F p_low = o.Add(p_error, p_rest);
  const F r = o.Add(p, p_low);
  const F r_low = o.Add(o.Sub(p, r), p_low);
  const U sign = o.AndBits(negative, o.ConstBits(Binary64::kSign));
  Angle<One> angle{};
  angle.r = o.FromBits(o.XorBits(o.BitsOf(r), sign));
  angle.low = o.FromBits(o.XorBits(o.BitsOf(r_low), sign));
  return angle;
}

// REQUIRES: the bits of a number of at least 2^-10; for infinity and NaN the angle is unspecified.
template <class One>
HOLOGRAM_MATH_INLINE Angle<One> ReduceLargeAngle(One& o, typename One::U magnitude) {
  using U = typename One::U;
  constexpr std::uint64_t kImplicit = std::uint64_t{1} << 52;
  const U fraction = o.AndBits(magnitude, o.ConstBits(kImplicit - 1));
  const U mantissa = o.OrBits(fraction, o.ConstBits(kImplicit));
  // mantissa times the window of 192 bits, mod 4 quadrants: 2 + 126 bits.
  const U at = o.SubBits(o.LShr(magnitude, 52), o.ConstBits(1075 - 62));
  const U w0 = BitsOfTwoOverPi(o, at);
  const U w1 = BitsOfTwoOverPi(o, o.AddBits(at, o.ConstBits(64)));
  const U w2 = BitsOfTwoOverPi(o, o.AddBits(at, o.ConstBits(128)));
  const U below = o.MulHighBits(mantissa, w2);
  const U low = o.AddBits(o.MulBits(mantissa, w1), below);
  const U zero = o.ConstBits(0);
  const U carry = o.SelectBits(o.GreaterBits(below, low), o.ConstBits(1), zero);
  const U top = o.MulBits(mantissa, w0);
  const U middle = o.AddBits(o.MulHighBits(mantissa, w1), carry);
  const U high = o.AddBits(top, middle);
  const U half = o.ConstBits(std::uint64_t{1} << 61);
  const U quadrant = o.LShr(o.AddBits(high, half), 62);
  Angle<One> angle = ScaleFraction(o, o.SubBits(high, o.Shl(quadrant, 62)), low);
  angle.quadrant = quadrant;
  return angle;
}

}  // namespace hologram::math
