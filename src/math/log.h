// LOG, LOG2 and LOG10, precise (f32: <= 1.0 ulp for every input, f64: <= 1.5 ulp where sampled) and
// fast (f32: <= 4 ulp).
//
//   x = 2^e m with m in [sqrt 1/2, sqrt 2),  f = m - 1
//   f32: log x = e ln 2 + f + f^2 P(f); the other bases have P and f scaled by 1 / ln 2 or 1 /
//   ln 10. f64: s = f / (2 + f), log m = f - f^2/2 + s (f^2/2 + R(s^2)); the other bases multiply
//   the two
//        words of log m by a constant of two words.
//   fast: x = 2^e m with m in [1, 2), r = c m - 1 with c of 16 by the first bits of m,
//         log x = e ln 2 - log c + r P(r).
// Only positive normal numbers take the fast arm; a subnormal one is scaled first in the slow arm.
// Coefficients: minimax in the relative error, rounded to the format. Errors: docs/math.md.
#pragma once

#include "math/ops.h"

namespace hologram::math {

enum class LogBase { kE, k2, k10 };

template <class Format>
struct LogConstants;

template <>
struct LogConstants<Binary32> {
  static constexpr std::uint32_t kSqrtHalf = 0x3f3504f3;
  static constexpr float kE[9] = {-0x1.fffff8p-2f, 0x1.55555p-2f,   -0x1.000432p-2f,
                                  0x1.99a41ap-3f,  -0x1.5425c4p-3f, 0x1.226dfcp-3f,
                                  -0x1.0f3fa6p-3f, 0x1.0860cep-3f,  -0x1.38472ap-4f};
  static constexpr float k2[9] = {-0x1.71547p-1f,  0x1.ec7094p-2f,  -0x1.715ac8p-2f,
                                  0x1.277ef4p-2f,  -0x1.eab182p-3f, 0x1.a2e684p-3f,
                                  -0x1.877ae4p-3f, 0x1.7e0e22p-3f,  -0x1.c36726p-4f};
  static constexpr float k10[9] = {-0x1.bcb7aap-3f, 0x1.287a72p-3f,  -0x1.bcbf2ap-4f,
                                   0x1.63cf38p-4f,  -0x1.276f44p-4f, 0x1.f88526p-5f,
                                   -0x1.d76478p-5f, 0x1.cb62ep-5f,   -0x1.0efa9cp-5f};
  static constexpr float kLn2High = 0x1.62e43p-1f;  // e kLn2High is exact
  static constexpr float kLn2Low = -0x1.05c61p-29f;
  static constexpr float kLog2EHigh = 0x1.715476p0f;
  static constexpr float kLog2ELow = 0x1.4ae0cp-26f;
  static constexpr float kLog10EHigh = 0x1.bcb7b2p-2f;
  static constexpr float kLog10ELow = -0x1.5b235ep-27f;
  static constexpr float kLog10Of2High = 0x1.344136p-2f;
  static constexpr float kLog10Of2Low = -0x1.ec10cp-27f;
  static constexpr float kSubnormalScale = 0x1p24f;
  static constexpr float kSubnormalExponent = 24;
};

template <>
struct LogConstants<Binary64> {
  static constexpr std::uint64_t kSqrtHalf = 0x3fe6a09e667f3bcd;
  static constexpr double kR[7] = {0x1.5555555555593p-1, 0x1.999999997fa39p-2, 0x1.2492494224e8ap-2,
                                   0x1.c71c51dcf77abp-3, 0x1.74664887e8376p-3, 0x1.39a0b4d914bdfp-3,
                                   0x1.2f103aea38f07p-3};
  static constexpr double kLn2High = 0x1.62e42fefa39efp-1;
  static constexpr double kLn2Low = 0x1.abc9e3b39803fp-56;
  static constexpr double kLog2EHigh = 0x1.71547652b82fep0;
  static constexpr double kLog2ELow = 0x1.777d0ffda0d24p-56;
  static constexpr double kLog10EHigh = 0x1.bcb7b1526e50ep-2;
  static constexpr double kLog10ELow = 0x1.95355baaafad3p-57;
  static constexpr double kLog10Of2High = 0x1.34413508p-2;
  static constexpr double kLog10Of2Low = 0x1.f79fef311f12bp-34;
  static constexpr double kExponentRound = 0x1p52 + 1023;
  static constexpr std::uint64_t kExponentRoundBits = 0x4330000000000000;  // 2^52
  static constexpr double kSubnormalScale = 0x1p54;
  static constexpr double kSubnormalExponent = 54;
};

// The fast forms: log(1 + r) / r for r in [-1/32, 1/16], the logarithm of 2, and, for m from
// 1 + i / 16 to 1 + (i + 1) / 16, a factor c = kFactor[i] with kLog[i] = -log c.
//
// Next to 1 the logarithm is r P(r) alone: c is 1 in the first part, and 1/2 in the last one, where
// e kOfTwo + kLog is 0 for e = -1. Of the numbers near 1 / (1 + (i + 1/2) / 16), c of another part
// is the one whose kLog is most nearly exact (within 2^-38); where i >= 8, that is kLog - kOfTwo,
// for e = -1. P: minimax in the relative error, then searched for the smallest measured error in
// units of the last place on the two outer parts.
template <LogBase kBase>
struct LogFastConstants;

template <>
struct LogFastConstants<LogBase::kE> {
  static constexpr float kP[4] = {0x1.fffffep-1f, -0x1.00011ep-1f, 0x1.558ce4p-2f, -0x1.ea9e2p-3f};
  static constexpr float kOfTwo = 0x1.62e43p-1f;
  static constexpr float kFactor[16] = {
      0x1p+0f,        0x1.d3ac8ap-1f, 0x1.bb8fcap-1f, 0x1.a469ccp-1f,
      0x1.8ff0f8p-1f, 0x1.7d43b6p-1f, 0x1.6cc8ap-1f,  0x1.5c5efap-1f,
      0x1.4ed662p-1f, 0x1.417adap-1f, 0x1.352496p-1f, 0x1.2932aap-1f,
      0x1.1fda2ep-1f, 0x1.156382p-1f, 0x1.0c144ep-1f, 0x1p-1f};
  static constexpr float kLog[16] = {0x0p+0f,        0x1.72e7e8p-4f, 0x1.25dceap-3f, 0x1.93a20cp-3f,
                                     0x1.f9debep-3f, 0x1.2de84p-2f,  0x1.5b2814p-2f, 0x1.8a4c48p-2f,
                                     0x1.b2df2ep-2f, 0x1.dc8f1ap-2f, 0x1.025092p-1f, 0x1.167d84p-1f,
                                     0x1.26d962p-1f, 0x1.39ceaap-1f, 0x1.4b490ep-1f, 0x1.62e43p-1f};
};

template <>
struct LogFastConstants<LogBase::k2> {
  static constexpr float kP[4] = {0x1.715476p+0f, -0x1.715648p-1f, 0x1.eca006p-2f, -0x1.5fe032p-2f};
  static constexpr float kOfTwo = 1;
  static constexpr float kFactor[16] = {
      0x1p+0f,        0x1.d38ee4p-1f, 0x1.bb54b2p-1f, 0x1.a34a98p-1f,
      0x1.901e88p-1f, 0x1.7d3916p-1f, 0x1.6c81aap-1f, 0x1.5d064p-1f,
      0x1.4dbe8p-1f,  0x1.40f572p-1f, 0x1.34c4fap-1f, 0x1.29b82ap-1f,
      0x1.1efe22p-1f, 0x1.1596eep-1f, 0x1.0d22f2p-1f, 0x1p-1f};
  static constexpr float kLog[16] = {0x0p+0f,        0x1.0c48a8p-3f, 0x1.a97e1ep-3f, 0x1.271b72p-2f,
                                     0x1.6c4038p-2f, 0x1.b3b88cp-2f, 0x1.f5f6ccp-2f, 0x1.1b0aaep-1f,
                                     0x1.3c1c06p-1f, 0x1.58f686p-1f, 0x1.758ff2p-1f, 0x1.907b4ap-1f,
                                     0x1.ab962p-1f,  0x1.c4318ap-1f, 0x1.db095ap-1f, 0x1p+0f};
};

template <>
struct LogFastConstants<LogBase::k10> {
  static constexpr float kP[4] = {0x1.bcb7bp-2f, -0x1.bcb994p-3f, 0x1.28a6eap-3f, -0x1.a9e416p-4f};
  static constexpr float kOfTwo = 0x1.344136p-2f;
  static constexpr float kFactor[16] = {
      0x1p+0f,        0x1.d3c38ap-1f, 0x1.ba44e8p-1f, 0x1.a4e61p-1f,
      0x1.8f736cp-1f, 0x1.7c9a0cp-1f, 0x1.6c0a5cp-1f, 0x1.5c0978p-1f,
      0x1.4dfe14p-1f, 0x1.41d362p-1f, 0x1.351fc4p-1f, 0x1.2a235cp-1f,
      0x1.1fd5bap-1f, 0x1.155eb8p-1f, 0x1.0ce1d6p-1f, 0x1p-1f};
  static constexpr float kLog[16] = {
      0x0p+0f,        0x1.417b3ap-5f, 0x1.046fecp-4f, 0x1.5c89d8p-4f,
      0x1.b99368p-4f, 0x1.07c7dep-3f, 0x1.2f59b2p-3f, 0x1.575608p-3f,
      0x1.7bf8dep-3f, 0x1.9cfa46p-3f, 0x1.c0caf8p-3f, 0x1.e0fa54p-3f,
      0x1.00212ep-2f, 0x1.10997cp-2f, 0x1.1e6bc4p-2f, 0x1.344136p-2f};
};

// x = 2^e (1 + f).
template <class Ops>
struct LogParts {
  typename Ops::F e;
  typename Ops::F f;
};

// REQUIRES: x is positive and normal; otherwise unspecified.
template <class Ops>
HOLOGRAM_MATH_INLINE LogParts<Ops> ReduceLog(Ops& o, typename Ops::F x) {
  using Format = typename Ops::Format;
  using Constants = LogConstants<Format>;
  using Bits = typename Format::Bits;
  constexpr bool kSingle = sizeof(Bits) == 4;
  constexpr Bits kMantissaMask = (Bits{1} << Format::kMantissaBits) - 1;
  // In f64 the offset leaves the exponent biased, because there is no conversion everywhere.
  constexpr Bits kOffset = kSingle ? Constants::kSqrtHalf : Constants::kSqrtHalf - Format::kOne;
  const typename Ops::U h = o.SubBits(o.BitsOf(x), o.ConstBits(kOffset));
  const typename Ops::U mantissa = o.AndBits(h, o.ConstBits(kMantissaMask));
  const typename Ops::U m = o.AddBits(mantissa, o.ConstBits(Constants::kSqrtHalf));
  LogParts<Ops> parts{};
  parts.f = o.Sub(o.FromBits(m), o.Const(1));
  if constexpr (kSingle) {
    parts.e = o.FloatOf(o.AShr(h, Format::kMantissaBits));
  } else {
    const typename Ops::U biased = o.LShr(h, Format::kMantissaBits);
    const typename Ops::U shifted = o.OrBits(biased, o.ConstBits(Constants::kExponentRoundBits));
    parts.e = o.Sub(o.FromBits(shifted), o.Const(Constants::kExponentRound));
  }
  return parts;
}

template <LogBase kBase, class Ops>
HOLOGRAM_MATH_INLINE typename Ops::F LogOfParts32(Ops& o, const LogParts<Ops>& parts) {
  using F = typename Ops::F;
  using Constants = LogConstants<Binary32>;
  const F e = parts.e;
  const F f = parts.f;
  const F square = o.Mul(f, f);
  if constexpr (kBase == LogBase::kE) {
    const F u = o.Mul(square, Horner(o, f, Constants::kE));
    const F w = o.Add(f, o.Fma(e, o.Const(Constants::kLn2Low), u));
    return o.Fma(e, o.Const(Constants::kLn2High), w);
  } else if constexpr (kBase == LogBase::k2) {
    const F p = Horner(o, f, Constants::k2);
    const F u = o.Fma(square, p, o.Mul(f, o.Const(Constants::kLog2ELow)));
    return o.Add(e, o.Fma(f, o.Const(Constants::kLog2EHigh), u));
  } else {
    const F p = Horner(o, f, Constants::k10);
    const F u = o.Fma(square, p, o.Mul(f, o.Const(Constants::kLog10ELow)));
    const F low = o.Fma(e, o.Const(Constants::kLog10Of2Low), u);
    const F w = o.Fma(f, o.Const(Constants::kLog10EHigh), low);
    return o.Fma(e, o.Const(Constants::kLog10Of2High), w);
  }
}

template <LogBase kBase, class Ops>
HOLOGRAM_MATH_INLINE typename Ops::F LogOfParts64(Ops& o, const LogParts<Ops>& parts) {
  using F = typename Ops::F;
  using Constants = LogConstants<Binary64>;
  const F e = parts.e;
  const F f = parts.f;
  const F s = o.Div(f, o.Add(f, o.Const(2)));
  const F z = o.Mul(s, s);
  const F r = o.Mul(z, Horner(o, z, Constants::kR));
  const F half_square = o.Mul(o.Mul(o.Const(0.5), f), f);
  const F curved = o.Add(half_square, r);
  if constexpr (kBase == LogBase::kE) {
    const F t = o.Fma(s, curved, o.Mul(e, o.Const(Constants::kLn2Low)));
    const F v = o.Sub(f, o.Sub(half_square, t));
    return o.Fma(e, o.Const(Constants::kLn2High), v);
  } else {
    constexpr bool kIs2 = kBase == LogBase::k2;
    const F high = o.Const(kIs2 ? Constants::kLog2EHigh : Constants::kLog10EHigh);
    const F low = o.Const(kIs2 ? Constants::kLog2ELow : Constants::kLog10ELow);
    // log m = hi + lo, then the product p + pl of two-word numbers.
    const F hi = o.Sub(f, half_square);
    const F lost = o.Sub(o.Sub(f, hi), half_square);
    const F lo = o.Fma(s, curved, lost);
    const F p = o.Mul(hi, high);
    const F p_error = o.Fma(hi, high, o.Neg(p));
    F pl = o.Fma(lo, high, o.Fma(hi, low, p_error));
    F whole = e;
    if constexpr (!kIs2) {
      whole = o.Mul(e, o.Const(Constants::kLog10Of2High));  // exact
      pl = o.Fma(e, o.Const(Constants::kLog10Of2Low), pl);
    }
    const F y = o.Add(whole, p);
    const F y_error = o.Add(o.Sub(whole, y), p);
    return o.Add(y, o.Add(y_error, pl));
  }
}

template <LogBase kBase, class Ops>
HOLOGRAM_MATH_INLINE typename Ops::F LogOfParts(Ops& o, const LogParts<Ops>& parts) {
  if constexpr (sizeof(typename Ops::Format::Float) == 4) {
    return LogOfParts32<kBase>(o, parts);
  } else {
    return LogOfParts64<kBase>(o, parts);
  }
}

// Shared by all forms: core(reduce(x)) is the logarithm of a positive normal number.
template <class Ops, class Reduce, class Core>
HOLOGRAM_MATH_INLINE typename Ops::F LogFrame(Ops& o, typename Ops::F x, const Reduce& reduce,
                                              const Core& core) {
  using Format = typename Ops::Format;
  using Constants = LogConstants<Format>;
  using F = typename Ops::F;
  const auto fast = [&]() -> F { return core(reduce(x)); };
  const auto slow = [&]() -> F {
    const F zero = o.Const(0);
    const typename Ops::M small = o.Less(x, o.Const(Format::kMinNormal));
    const F scaled = o.Mul(x, o.Const(Constants::kSubnormalScale));
    auto parts = reduce(o.Select(small, scaled, x));
    const F extra = o.Select(small, o.Const(Constants::kSubnormalExponent), zero);
    parts.e = o.Sub(parts.e, extra);
    const F infinity = o.FromBits(o.ConstBits(Format::kInfinity));
    const F finite = o.Select(o.Less(x, infinity), core(parts), infinity);
    const F nan = QuietNan(o);
    const F negative = o.Select(o.Less(x, zero), nan, o.Neg(infinity));
    const F other = o.Select(o.IsNan(x), nan, negative);
    return o.Select(o.Greater(x, zero), finite, other);
  };
  return o.Rare(o.NotPositiveNormal(x), fast, slow);
}

template <LogBase kBase, class Ops>
HOLOGRAM_MATH_INLINE typename Ops::F PreciseLog(Ops& o, typename Ops::F x) {
  using F = typename Ops::F;
  return LogFrame(
      o, x, [&o](F y) { return ReduceLog(o, y); },
      [&o](const LogParts<Ops>& parts) { return LogOfParts<kBase>(o, parts); });
}

// x = 2^e m with m in [1, 2).
template <class Ops>
struct LogFastParts {
  typename Ops::F e;
  typename Ops::F m;
};

template <LogBase kBase, class Ops>
HOLOGRAM_MATH_INLINE typename Ops::F LogOfFastParts(Ops& o, const LogFastParts<Ops>& parts) {
  using F = typename Ops::F;
  using Constants = LogFastConstants<kBase>;
  const typename Ops::U part = o.LShr(o.BitsOf(parts.m), Binary32::kMantissaBits - 4);
  const F factor = o.Lookup16(Constants::kFactor, part);
  const F log_of_factor = o.Lookup16(Constants::kLog, part);
  const F r = o.Fma(parts.m, factor, o.Const(-1));
  const F p = Horner(o, r, Constants::kP);
  if constexpr (kBase == LogBase::k2) {
    return o.Fma(r, p, o.Add(parts.e, log_of_factor));
  } else {
    return o.Fma(r, p, o.Fma(parts.e, o.Const(Constants::kOfTwo), log_of_factor));
  }
}

template <LogBase kBase, class Ops>
HOLOGRAM_MATH_INLINE typename Ops::F FastLog(Ops& o, typename Ops::F x) {
  using F = typename Ops::F;
  const auto reduce = [&o](F y) {
    LogFastParts<Ops> parts{};
    parts.e = o.Exponent(y);
    parts.m = o.Significand(y);
    return parts;
  };
  return LogFrame(o, x, reduce,
                  [&o](const LogFastParts<Ops>& parts) { return LogOfFastParts<kBase>(o, parts); });
}

template <class Ops>
HOLOGRAM_MATH_INLINE typename Ops::F Log(Ops& o, typename Ops::F x) {
  return PreciseLog<LogBase::kE>(o, x);
}
template <class Ops>
HOLOGRAM_MATH_INLINE typename Ops::F LogFast(Ops& o, typename Ops::F x) {
  return FastLog<LogBase::kE>(o, x);
}
template <class Ops>
HOLOGRAM_MATH_INLINE typename Ops::F Log2(Ops& o, typename Ops::F x) {
  return PreciseLog<LogBase::k2>(o, x);
}
template <class Ops>
HOLOGRAM_MATH_INLINE typename Ops::F Log2Fast(Ops& o, typename Ops::F x) {
  return FastLog<LogBase::k2>(o, x);
}
template <class Ops>
HOLOGRAM_MATH_INLINE typename Ops::F Log10(Ops& o, typename Ops::F x) {
  return PreciseLog<LogBase::k10>(o, x);
}
template <class Ops>
HOLOGRAM_MATH_INLINE typename Ops::F Log10Fast(Ops& o, typename Ops::F x) {
  return FastLog<LogBase::k10>(o, x);
}

}  // namespace hologram::math
