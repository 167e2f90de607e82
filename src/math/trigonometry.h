// SIN, COS and TAN, precise (f32: <= 1.0 ulp for every input, f64: <= 1.5 ulp where sampled), and
// SIN and COS fast (f32: <= 4 ulp).
//
// Precise: |x| = (pi/2) n + r + low, with pi/2 in three words. n P1 and the part of n P2 above the
// last place of r are exact, so r + low is right to the last bits even next to a multiple of pi/2.
// The offset of the quadrant (sine 1, cosine 2) is in the rounding constant, so that both compute
// a sine in odd quadrants and minus a cosine in even ones. TAN is r / (r cot r) or its inverse,
// with the denominator in two words. Fast: a multiple of pi and one polynomial, r in one word.
// Beyond the limit of the three words a lane takes large_angle.h; in f32, the f64 function,
// rounded. Errors: docs/math.md.
#pragma once

#include "math/large_angle.h"
#include "math/ops.h"

namespace hologram::math {

template <class Format>
struct TrigonometryConstants;

template <>
struct TrigonometryConstants<Binary32> {
  static constexpr float kTwoOverPi = 0x1.45f306p-1f;
  static constexpr float kHalfPi1 = 0x1.921fb4p0f;
  static constexpr float kHalfPi2 = 0x1.4442dp-24f;
  static constexpr float kHalfPi3 = 0x1.84698ap-48f;
  static constexpr std::uint32_t kLimit = 0x48000000;         // 2^17
  static constexpr std::uint32_t kTangentLimit = 0x47000000;  // 2^15
  static constexpr float kSine[3] = {-0x1.555544p-3f, 0x1.1106d6p-7f, -0x1.992462p-13f};
  static constexpr float kCosine[3] = {-0x1.55554ap-5f, 0x1.6c0c1ep-10f, -0x1.99e334p-16f};
  static constexpr float kCotangent[4] = {-0x1.555542p-2f, -0x1.6c28e8p-6f, -0x1.12c148p-9f,
                                          -0x1.045502p-12f};
  // The fast forms; the polynomial was searched for one that never leaves [-1, 1] and gives cos 0
  // = 1.
  static constexpr float kOneOverPi = 0x1.45f306p-2f;
  static constexpr float kPi1 = 0x1.921fb4p1f;
  static constexpr float kPi2 = 0x1.4442dp-23f;
  static constexpr float kPi3 = 0x1.84698ap-47f;
  static constexpr float kFast[4] = {-0x1.555548p-3f, 0x1.110ecp-7f, -0x1.9f6facp-13f,
                                     0x1.5d9ed8p-19f};
};

template <>
struct TrigonometryConstants<Binary64> {
  static constexpr double kTwoOverPi = 0x1.45f306dc9c883p-1;
  static constexpr double kHalfPi1 = 0x1.921fb54442d18p0;
  static constexpr double kHalfPi2 = 0x1.1a62633145c06p-54;
  static constexpr double kHalfPi3 = 0x1.c1cd129024e09p-107;
  static constexpr std::uint64_t kLimit = 0x41b0000000000000;  // 2^28
  static constexpr std::uint64_t kTangentLimit = kLimit;
  static constexpr double kSine[6] = {-0x1.5555555555548p-3,  0x1.111111110f751p-7,
                                      -0x1.a01a019befb93p-13, 0x1.71de355c5f14p-19,
                                      -0x1.ae5e52092adabp-26, 0x1.5d8d6e1090555p-33};
  static constexpr double kCosine[6] = {-0x1.555555555554bp-5,  0x1.6c16c16c1500cp-10,
                                        -0x1.a01a019c8d949p-16, 0x1.27e4f7f008783p-22,
                                        -0x1.1ee9da88f4795p-29, 0x1.8fa5c165deabcp-37};
  static constexpr double kCotangent[9] = {
      -0x1.555555555556bp-2,  -0x1.6c16c16c11666p-6,  -0x1.1566abc3b9a7dp-9,
      -0x1.bbd776bf7f3efp-13, -0x1.66a969cda428ep-16, -0x1.2272c10862562p-19,
      -0x1.d8c3a9743ea5fp-23, -0x1.693c54e5f547fp-26, -0x1.aa79ead56aa9p-29};
};

// The angle of a = |x|; `quadrant` gets kOffset added.
template <int kOffset, class Ops>
HOLOGRAM_MATH_INLINE Angle<Ops> ReduceAngle(Ops& o, typename Ops::F a) {
  using Format = typename Ops::Format;
  using Float = typename Format::Float;
  using Constants = TrigonometryConstants<Format>;
  using F = typename Ops::F;
  const F round = o.Const(Format::kRound + Float{kOffset});
  const F shifted = o.Fma(a, o.Const(Constants::kTwoOverPi), round);
  const F n = o.Sub(shifted, round);
  const F r1 = o.NegFma(n, o.Const(Constants::kHalfPi1), a);  // exact
  // n P2 on the grid of 0.75's last place; then the rest of it, exact as well.
  const F grid = o.Const(Float{0.75});
  const F second = o.Const(Constants::kHalfPi2);
  const F coarse = o.Sub(o.Fma(n, second, grid), grid);
  F r = o.Sub(r1, coarse);
  F low = o.NegFma(n, second, coarse);
  if constexpr (sizeof(Float) == 8) {  // r may be tiny; keep all bits of low
    const F sum = o.Add(r, low);
    low = o.Add(o.Sub(r, sum), low);
    r = sum;
  }
  Angle<Ops> angle{};
  angle.quadrant = o.BitsOf(shifted);
  angle.r = r;
  angle.low = o.NegFma(n, o.Const(Constants::kHalfPi3), low);
  return angle;
}

// The sine (quadrant with offset 1) or cosine (2) of x, given the angle of |x|.
template <bool kCosine, class Ops>
HOLOGRAM_MATH_INLINE typename Ops::F SineOfAngle(Ops& o, const Angle<Ops>& angle,
                                                 typename Ops::U x_bits) {
  using Format = typename Ops::Format;
  using Float = typename Format::Float;
  using Constants = TrigonometryConstants<Format>;
  using F = typename Ops::F;
  using U = typename Ops::U;
  const F r = angle.r;
  const F s = o.Mul(r, r);
  const typename Ops::M odd = o.AnyBitSet(angle.quadrant, o.ConstBits(1));
  // Odd: r + (r z + low), z = s S(s).  Even: -1 + (r r/2 + (r low + s z)), z = s C(s).
  const F sine = Horner(o, s, Constants::kSine);
  const F cosine = Horner(o, s, Constants::kCosine);
  const F z = o.Mul(s, o.Select(odd, sine, cosine));
  const F large = o.Select(odd, r, o.Const(-1));
  const F factor = o.Select(odd, z, o.Mul(r, o.Const(Float{0.5})));
  const F curved = o.Fma(s, z, o.Mul(r, angle.low));
  const F small = o.Select(odd, angle.low, curved);
  const F sum = o.Fma(r, factor, small);
  const F result = o.Add(large, sum);
  U sign = o.Shl(angle.quadrant, static_cast<int>(sizeof(Float)) * 8 - 2);
  if constexpr (!kCosine) sign = o.XorBits(x_bits, sign);
  return o.FromBits(o.XorBits(o.BitsOf(result), o.AndBits(sign, o.ConstBits(Format::kSign))));
}

// r / (r cot r), or minus the inverse in odd quadrants.
template <class Ops>
HOLOGRAM_MATH_INLINE typename Ops::F TangentOfAngle(Ops& o, const Angle<Ops>& angle,
                                                    typename Ops::U x_bits) {
  using Format = typename Ops::Format;
  using Constants = TrigonometryConstants<Format>;
  using F = typename Ops::F;
  using U = typename Ops::U;
  const F one = o.Const(1);
  const F r = o.Add(angle.r, angle.low);  // r may be tiny, even 0, where low is not
  const F low = o.Add(o.Sub(angle.r, r), angle.low);
  const F s = o.Mul(r, r);
  const F q = Horner(o, s, Constants::kCotangent);
  const F d = o.Fma(s, q, one);
  const F d_error = o.Fma(s, q, o.Sub(one, d));
  // d/dr (r cot r) is about -0.6875 r
  const F d_low = o.Fma(o.Mul(r, low), o.Const(-0.6875), d_error);
  const typename Ops::M odd = o.AnyBitSet(angle.quadrant, o.ConstBits(1));
  const F numerator = o.Select(odd, o.Neg(d), r);
  const F numerator_low = o.Select(odd, o.Neg(d_low), low);
  const F denominator = o.Select(odd, r, d);
  const F denominator_low = o.Select(odd, low, d_low);
  const F y = o.Div(one, denominator);
  const F t = o.Mul(numerator, y);
  const F g1 = o.NegFma(t, denominator, numerator);  // exact
  const F g2 = o.NegFma(t, denominator_low, o.Add(g1, numerator_low));
  const F result = o.Fma(g2, y, t);
  const U sign = o.AndBits(x_bits, o.ConstBits(Format::kSign));
  return o.FromBits(o.XorBits(o.BitsOf(result), sign));
}

enum class Trigonometric { kSine, kCosine, kTangent };

template <Trigonometric kFunction, class Ops>
HOLOGRAM_MATH_INLINE typename Ops::F OfAngle(Ops& o, const Angle<Ops>& angle,
                                             typename Ops::U x_bits) {
  if constexpr (kFunction == Trigonometric::kTangent) {
    return TangentOfAngle(o, angle, x_bits);
  } else {
    return SineOfAngle < kFunction == Trigonometric::kCosine > (o, angle, x_bits);
  }
}

template <Trigonometric kFunction>
inline constexpr int kQuadrantOffset = kFunction == Trigonometric::kSine     ? 1
                                       : kFunction == Trigonometric::kCosine ? 2
                                                                             : 0;

// One lane, x of any size above 2^-10, in f64.
template <Trigonometric kFunction, class One>
HOLOGRAM_MATH_INLINE typename One::F OfLarge64(One& o, typename One::F x) {
  using U = typename One::U;
  const U bits = o.BitsOf(x);
  const U magnitude = o.AndBits(bits, o.ConstBits(Binary64::kAbsMask));
  Angle<One> angle = ReduceLargeAngle(o, magnitude);
  angle.quadrant = o.AddBits(angle.quadrant, o.ConstBits(kQuadrantOffset<kFunction>));
  return OfAngle<kFunction>(o, angle, bits);
}

template <Trigonometric kFunction, class One>
HOLOGRAM_MATH_INLINE typename One::F OfLarge(One& o, typename One::F x) {
  using Format = typename One::Format;
  using F = typename One::F;
  using U = typename One::U;
  F result{};
  if constexpr (sizeof(typename Format::Float) == 4) {
    auto wide = o.WideOps();
    result = o.Narrow(OfLarge64<kFunction>(wide, o.Widen(x)));
  } else {
    result = OfLarge64<kFunction>(o, x);
  }
  const U magnitude = o.AndBits(o.BitsOf(x), o.ConstBits(Format::kAbsMask));
  const typename One::M not_finite = o.GreaterBits(magnitude, o.ConstBits(Format::kInfinity - 1));
  return o.Select(not_finite, QuietNan(o), result);
}

// `usual`, but the right result where |x| is above the limit, infinite or NaN.
template <Trigonometric kFunction, class Ops>
HOLOGRAM_MATH_INLINE typename Ops::F WithLarge(Ops& o, typename Ops::F x, typename Ops::U magnitude,
                                               typename Ops::F usual) {
  using Constants = TrigonometryConstants<typename Ops::Format>;
  constexpr bool kTangent = kFunction == Trigonometric::kTangent;
  constexpr auto kLimit = kTangent ? Constants::kTangentLimit : Constants::kLimit;
  constexpr const char* kName = kTangent                              ? "large_tan"
                                : kFunction == Trigonometric::kCosine ? "large_cos"
                                                                      : "large_sin";
  const typename Ops::M large = o.GreaterBits(magnitude, o.ConstBits(kLimit));
  return o.ReplaceLanes(large, x, usual, kName,
                        [](auto& one, const auto& y) { return OfLarge<kFunction>(one, y); });
}

template <Trigonometric kFunction, class Ops>
HOLOGRAM_MATH_INLINE typename Ops::F PreciseTrigonometric(Ops& o, typename Ops::F x) {
  using U = typename Ops::U;
  const U bits = o.BitsOf(x);
  const U magnitude = o.AndBits(bits, o.ConstBits(Ops::Format::kAbsMask));
  const Angle<Ops> angle = ReduceAngle<kQuadrantOffset<kFunction>>(o, o.FromBits(magnitude));
  const typename Ops::F usual = OfAngle<kFunction>(o, angle, bits);
  return WithLarge<kFunction>(o, x, magnitude, usual);
}

template <class Ops>
HOLOGRAM_MATH_INLINE typename Ops::F Sin(Ops& o, typename Ops::F x) {
  return PreciseTrigonometric<Trigonometric::kSine>(o, x);
}
template <class Ops>
HOLOGRAM_MATH_INLINE typename Ops::F Cos(Ops& o, typename Ops::F x) {
  return PreciseTrigonometric<Trigonometric::kCosine>(o, x);
}
template <class Ops>
HOLOGRAM_MATH_INLINE typename Ops::F Tan(Ops& o, typename Ops::F x) {
  return PreciseTrigonometric<Trigonometric::kTangent>(o, x);
}

// sin r with the sign bit that is the lowest bit of `shifted` flipped in; |r| <= pi/2 and a little.
// The zero that is added makes s p a positive zero for r = -0, so that the sum keeps its sign.
template <class Ops>
HOLOGRAM_MATH_INLINE typename Ops::F FastSineOf(Ops& o, typename Ops::F r,
                                                typename Ops::F shifted) {
  const typename Ops::F s = o.Mul(r, r);
  const typename Ops::F p = Horner(o, s, TrigonometryConstants<Binary32>::kFast);
  const typename Ops::F v = o.Fma(r, o.Fma(s, p, o.Const(0)), r);
  return o.FromBits(o.XorBits(o.BitsOf(v), o.Shl(o.BitsOf(shifted), 31)));
}

template <class Ops>
HOLOGRAM_MATH_INLINE typename Ops::F SinFast(Ops& o, typename Ops::F x) {
  using F = typename Ops::F;
  using Constants = TrigonometryConstants<Binary32>;
  const F round = o.Const(Binary32::kRound);
  const F shifted = o.Fma(x, o.Const(Constants::kOneOverPi), round);
  const F n = o.Sub(shifted, round);
  const F r1 = o.NegFma(n, o.Const(Constants::kPi1), x);  // exact
  const F r2 = o.NegFma(n, o.Const(Constants::kPi2), r1);
  const F r = o.NegFma(n, o.Const(Constants::kPi3), r2);
  const F usual = FastSineOf(o, r, shifted);
  const typename Ops::U magnitude = o.AndBits(o.BitsOf(x), o.ConstBits(Binary32::kAbsMask));
  return WithLarge<Trigonometric::kSine>(o, x, magnitude, usual);
}

// cos x = (-1)^n sin((n + 1/2) pi - x)
template <class Ops>
HOLOGRAM_MATH_INLINE typename Ops::F CosFast(Ops& o, typename Ops::F x) {
  using F = typename Ops::F;
  using Constants = TrigonometryConstants<Binary32>;
  const F half = o.Const(0.5f);
  const F round = o.Const(Binary32::kRound);
  const F turns = o.Fma(x, o.Const(Constants::kOneOverPi), o.Const(-0.5f));
  const F shifted = o.Add(turns, round);
  const F n = o.Add(o.Sub(shifted, round), half);
  const F r1 = o.Fma(n, o.Const(Constants::kPi1), o.Neg(x));  // exact
  const F r2 = o.Fma(n, o.Const(Constants::kPi2), r1);
  const F r = o.Fma(n, o.Const(Constants::kPi3), r2);
  const F usual = FastSineOf(o, r, shifted);
  const typename Ops::U magnitude = o.AndBits(o.BitsOf(x), o.ConstBits(Binary32::kAbsMask));
  return WithLarge<Trigonometric::kCosine>(o, x, magnitude, usual);
}

}  // namespace hologram::math
