// The operation vocabulary of ops.h on the host: one number at a time (ScalarOps) or a vector of
// the compiler (VectorOps). Same bits at every width and instruction set; the build needs
// -ffp-contract=off.
//
// Files that include this are compiled for different instruction sets and linked into one library,
// so every function is inlined, and the policies live in an inline namespace named after the
// instruction set: the linker can never pick an AVX-512 body for a machine without it. For the same
// reason nothing of the standard library is called here.
#pragma once

#include <cstdint>

#include "math/ops.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#if defined(__AVX512F__) && defined(__AVX512DQ__)
#define HOLOGRAM_MATH_LEVEL level_avx512
#elif defined(__AVX2__) && defined(__FMA__)
#define HOLOGRAM_MATH_LEVEL level_avx2
#else
#define HOLOGRAM_MATH_LEVEL level_generic
#endif

namespace hologram::math {
inline namespace HOLOGRAM_MATH_LEVEL {

HOLOGRAM_MATH_INLINE float FmaScalar(float a, float b, float c) {
  return __builtin_fmaf(a, b, c);
}
HOLOGRAM_MATH_INLINE double FmaScalar(double a, double b, double c) {
  return __builtin_fma(a, b, c);
}

// Common interface of scalars and compiler vectors: the operators of the language.
template <class FormatType, class FloatType, class BitsType, class SignedType>
struct OperatorOps {
  using Format = FormatType;
  using F = FloatType;
  using U = BitsType;
  using I = SignedType;

  HOLOGRAM_MATH_INLINE static F Const(typename Format::Float value) { return F{} + value; }
  HOLOGRAM_MATH_INLINE static U ConstBits(typename Format::Bits value) { return U{} + value; }
  HOLOGRAM_MATH_INLINE static F Add(F a, F b) { return a + b; }
  HOLOGRAM_MATH_INLINE static F Sub(F a, F b) { return a - b; }
  HOLOGRAM_MATH_INLINE static F Mul(F a, F b) { return a * b; }
  HOLOGRAM_MATH_INLINE static F Div(F a, F b) { return a / b; }
  HOLOGRAM_MATH_INLINE static F Neg(F a) { return -a; }
  HOLOGRAM_MATH_INLINE static U BitsOf(F x) { return __builtin_bit_cast(U, x); }
  HOLOGRAM_MATH_INLINE static F FromBits(U x) { return __builtin_bit_cast(F, x); }
  HOLOGRAM_MATH_INLINE static U AddBits(U a, U b) { return a + b; }
  HOLOGRAM_MATH_INLINE static U SubBits(U a, U b) { return a - b; }
  HOLOGRAM_MATH_INLINE static U AndBits(U a, U b) { return a & b; }
  HOLOGRAM_MATH_INLINE static U OrBits(U a, U b) { return a | b; }
  HOLOGRAM_MATH_INLINE static U XorBits(U a, U b) { return a ^ b; }
  HOLOGRAM_MATH_INLINE static U Shl(U a, int count) { return a << count; }
  HOLOGRAM_MATH_INLINE static U LShr(U a, int count) { return a >> count; }
  HOLOGRAM_MATH_INLINE static U AShr(U a, int count) {
    return __builtin_bit_cast(U, __builtin_bit_cast(I, a) >> count);
  }
};

template <class FormatType>
struct SignedOf;
template <>
struct SignedOf<Binary32> {
  using Type = std::int32_t;
};
template <>
struct SignedOf<Binary64> {
  using Type = std::int64_t;
};

template <class FormatType>
struct ScalarOps : OperatorOps<FormatType, typename FormatType::Float, typename FormatType::Bits,
                               typename SignedOf<FormatType>::Type> {
  using F = typename FormatType::Float;
  using U = typename FormatType::Bits;
  using M = bool;

  HOLOGRAM_MATH_INLINE static F Fma(F a, F b, F c) { return FmaScalar(a, b, c); }
  HOLOGRAM_MATH_INLINE static F NegFma(F a, F b, F c) { return FmaScalar(-a, b, c); }
  HOLOGRAM_MATH_INLINE static M Less(F a, F b) { return a < b; }
  HOLOGRAM_MATH_INLINE static M Greater(F a, F b) { return a > b; }
  HOLOGRAM_MATH_INLINE static M IsNan(F a) { return a != a; }
  HOLOGRAM_MATH_INLINE static M GreaterBits(U a, U b) { return a > b; }
  HOLOGRAM_MATH_INLINE static M AnyBitSet(U a, U mask) { return (a & mask) != 0; }
  HOLOGRAM_MATH_INLINE M NotPositiveNormal(F x) { return NotPositiveNormalByBits(*this, x); }
  HOLOGRAM_MATH_INLINE static F Select(M m, F yes, F no) { return m ? yes : no; }
  HOLOGRAM_MATH_INLINE static F FloatOf(U a) {
    return static_cast<F>(static_cast<typename SignedOf<FormatType>::Type>(a));
  }
  HOLOGRAM_MATH_INLINE F Significand(F x) { return SignificandByBits(*this, x); }
  HOLOGRAM_MATH_INLINE F Exponent(F x) { return ExponentByBits(*this, x); }
  HOLOGRAM_MATH_INLINE static F Lookup16(const F (&table)[16], U i) { return table[i & 15]; }
  HOLOGRAM_MATH_INLINE F Scale2n(F p, F n) { return Scale2nByMultiplying(*this, p, n); }
  template <class Fast, class Slow>
  HOLOGRAM_MATH_INLINE static F Rare(M rare, const Fast& fast, const Slow& slow) {
    return __builtin_expect(rare, 0) ? slow() : fast();
  }
  template <class Lane>
  HOLOGRAM_MATH_INLINE F ReplaceLanes(M which, F x, F usual, const char*, const Lane& lane) {
    return __builtin_expect(which, 0) ? lane(*this, x) : usual;
  }

  // ---- one_lane.h
  using Wide = ScalarOps<Binary64>;
  HOLOGRAM_MATH_INLINE static double Widen(F x) { return static_cast<double>(x); }
  HOLOGRAM_MATH_INLINE static F Narrow(double x) { return static_cast<F>(x); }
  HOLOGRAM_MATH_INLINE static Wide WideOps() { return Wide(); }
  HOLOGRAM_MATH_INLINE static U MulBits(U a, U b) { return a * b; }
  HOLOGRAM_MATH_INLINE static U MulHighBits(U a, U b) {
    __extension__ using Product = unsigned __int128;
    return static_cast<U>(Product{a} * b >> 64);
  }
  HOLOGRAM_MATH_INLINE static U ShlBy(U a, U count) { return a << count; }
  HOLOGRAM_MATH_INLINE static U LShrBy(U a, U count) { return a >> count; }
  HOLOGRAM_MATH_INLINE static U LeadingZeros(U a) { return static_cast<U>(__builtin_clzll(a)); }
  HOLOGRAM_MATH_INLINE static U SelectBits(M m, U yes, U no) { return m ? yes : no; }
  template <std::size_t kCount>
  HOLOGRAM_MATH_INLINE static U Entry(const std::uint64_t (&table)[kCount], U index) {
    return static_cast<U>(table[index]);
  }
};

template <class Element, int kBytes>
struct VectorOf {
  typedef Element Type __attribute__((vector_size(kBytes)));
};

// Vectors of kBytes bytes: 16, 32 (AVX2 and FMA) or 64 (AVX-512).
template <class FormatType, int kBytes>
struct VectorOps
    : OperatorOps<FormatType, typename VectorOf<typename FormatType::Float, kBytes>::Type,
                  typename VectorOf<typename FormatType::Bits, kBytes>::Type,
                  typename VectorOf<typename SignedOf<FormatType>::Type, kBytes>::Type> {
  using F = typename VectorOf<typename FormatType::Float, kBytes>::Type;
  using U = typename VectorOf<typename FormatType::Bits, kBytes>::Type;
  using M = typename VectorOf<typename SignedOf<FormatType>::Type, kBytes>::Type;
  static constexpr int kLanes = kBytes / static_cast<int>(sizeof(typename FormatType::Float));
  static constexpr bool kSingle = sizeof(typename FormatType::Float) == 4;

  HOLOGRAM_MATH_INLINE static F Fma(F a, F b, F c) {
#if defined(__clang__)
    return __builtin_elementwise_fma(a, b, c);
#else
#if defined(__FMA__)
    if constexpr (kBytes == 16 && kSingle) return F(_mm_fmadd_ps(__m128(a), __m128(b), __m128(c)));
    if constexpr (kBytes == 16 && !kSingle)
      return F(_mm_fmadd_pd(__m128d(a), __m128d(b), __m128d(c)));
    if constexpr (kBytes == 32 && kSingle)
      return F(_mm256_fmadd_ps(__m256(a), __m256(b), __m256(c)));
    if constexpr (kBytes == 32 && !kSingle)
      return F(_mm256_fmadd_pd(__m256d(a), __m256d(b), __m256d(c)));
#endif
#if defined(__AVX512F__)
    if constexpr (kBytes == 64 && kSingle)
      return F(_mm512_fmadd_ps(__m512(a), __m512(b), __m512(c)));
    if constexpr (kBytes == 64 && !kSingle)
      return F(_mm512_fmadd_pd(__m512d(a), __m512d(b), __m512d(c)));
#endif
    F result = c;
    for (int i = 0; i < kLanes; ++i) result[i] = FmaScalar(a[i], b[i], c[i]);
    return result;
#endif
  }
  HOLOGRAM_MATH_INLINE static F NegFma(F a, F b, F c) { return Fma(-a, b, c); }
  HOLOGRAM_MATH_INLINE static M Less(F a, F b) { return a < b; }
  HOLOGRAM_MATH_INLINE static M Greater(F a, F b) { return a > b; }
  HOLOGRAM_MATH_INLINE static M IsNan(F a) { return a != a; }
  HOLOGRAM_MATH_INLINE static M GreaterBits(U a, U b) { return a > b; }
  HOLOGRAM_MATH_INLINE static M AnyBitSet(U a, U mask) { return (a & mask) != 0; }
  HOLOGRAM_MATH_INLINE M NotPositiveNormal(F x) { return NotPositiveNormalByBits(*this, x); }
  HOLOGRAM_MATH_INLINE static F Select(M m, F yes, F no) { return m ? yes : no; }
  HOLOGRAM_MATH_INLINE static F FloatOf(U a) {
    return __builtin_convertvector(__builtin_bit_cast(M, a), F);
  }
  HOLOGRAM_MATH_INLINE F Significand(F x) { return SignificandByBits(*this, x); }
  HOLOGRAM_MATH_INLINE F Exponent(F x) { return ExponentByBits(*this, x); }
  HOLOGRAM_MATH_INLINE static F Lookup16(const float (&table)[16], U i) {
#if defined(__AVX2__)
    if constexpr (kBytes == 32) {
      const __m256 low = _mm256_permutevar8x32_ps(_mm256_loadu_ps(table), __m256i(i));
      const __m256 high = _mm256_permutevar8x32_ps(_mm256_loadu_ps(table + 8), __m256i(i));
      const __m256 upper_half = __m256(i << 28);  // bit 3 of the index where the sign is
      return F(_mm256_blendv_ps(low, high, upper_half));
    }
#endif
    F result{};
    for (int lane = 0; lane < kLanes; ++lane) result[lane] = table[i[lane] & 15];
    return result;
  }
  HOLOGRAM_MATH_INLINE static bool Any(M m) {
#if defined(__AVX2__)
    if constexpr (kBytes == 32) return _mm256_testz_si256(__m256i(m), __m256i(m)) == 0;
#endif
#if defined(__SSE2__)
    if constexpr (kBytes == 16) return _mm_movemask_epi8(__m128i(m)) != 0;
#endif
    typename FormatType::Bits any = 0;
    for (int i = 0; i < kLanes; ++i) any |= static_cast<typename FormatType::Bits>(m[i]);
    return any != 0;
  }
  HOLOGRAM_MATH_INLINE F Scale2n(F p, F n) { return Scale2nByMultiplying(*this, p, n); }
  template <class Fast, class Slow>
  HOLOGRAM_MATH_INLINE static F Rare(M rare, const Fast& fast, const Slow& slow) {
    return __builtin_expect(Any(rare), 0) ? slow() : fast();
  }
  template <class Lane>
  HOLOGRAM_MATH_INLINE F ReplaceLanes(M which, F x, F usual, const char*, const Lane& lane) {
    if (__builtin_expect(!Any(which), 1)) return usual;
    unsigned mask = 0;
    for (int i = 0; i < kLanes; ++i) mask |= which[i] != 0 ? 1U << i : 0U;
    return ReplaceEach(mask, x, usual, lane);
  }
  template <class Lane>
  HOLOGRAM_MATH_INLINE static F ReplaceEach(unsigned mask, F x, F usual, const Lane& lane) {
    ScalarOps<FormatType> one;
    for (int i = 0; i < kLanes; ++i) {
      if ((mask >> i & 1) != 0) usual[i] = lane(one, x[i]);
    }
    return usual;
  }
};

#if defined(__AVX512F__) && defined(__AVX512DQ__)
// AVX-512 has mask registers and an instruction for Scale2n; the compilers do not always find them.
inline constexpr int kNotPositiveNormal = 0xff;  // all classes of VFPCLASSPS

struct Avx512Ops32 : VectorOps<Binary32, 64> {
  using M = __mmask16;
  HOLOGRAM_MATH_INLINE static M Less(F a, F b) {
    return _mm512_cmp_ps_mask(__m512(a), __m512(b), _CMP_LT_OQ);
  }
  HOLOGRAM_MATH_INLINE static M Greater(F a, F b) { return Less(b, a); }
  HOLOGRAM_MATH_INLINE static M IsNan(F a) {
    return _mm512_cmp_ps_mask(__m512(a), __m512(a), _CMP_UNORD_Q);
  }
  HOLOGRAM_MATH_INLINE static M GreaterBits(U a, U b) {
    return _mm512_cmpgt_epu32_mask(__m512i(a), __m512i(b));
  }
  HOLOGRAM_MATH_INLINE static M AnyBitSet(U a, U mask) {
    return _mm512_test_epi32_mask(__m512i(a), __m512i(mask));
  }
  HOLOGRAM_MATH_INLINE static M NotPositiveNormal(F x) {
    return _mm512_fpclass_ps_mask(__m512(x), kNotPositiveNormal);
  }
  HOLOGRAM_MATH_INLINE static F Significand(F x) {
    return F(_mm512_maskz_getmant_ps(__mmask16(0xffff), __m512(x), _MM_MANT_NORM_1_2,
                                     _MM_MANT_SIGN_src));
  }
  HOLOGRAM_MATH_INLINE static F Exponent(F x) {
    return F(_mm512_maskz_getexp_ps(__mmask16(0xffff), __m512(x)));
  }
  HOLOGRAM_MATH_INLINE static F Lookup16(const float (&table)[16], U i) {
    return F(_mm512_maskz_permutexvar_ps(__mmask16(0xffff), __m512i(i), _mm512_loadu_ps(table)));
  }
  HOLOGRAM_MATH_INLINE static F Select(M m, F yes, F no) {
    return F(_mm512_mask_blend_ps(m, __m512(no), __m512(yes)));
  }
  HOLOGRAM_MATH_INLINE static F Scale2n(F p, F n) {
    return F(_mm512_maskz_scalef_ps(__mmask16(0xffff), __m512(p), __m512(n)));
  }
  template <class Fast, class Slow>
  HOLOGRAM_MATH_INLINE static F Rare(M rare, const Fast& fast, const Slow& slow) {
    return __builtin_expect(rare != 0, 0) ? slow() : fast();
  }
  template <class Lane>
  HOLOGRAM_MATH_INLINE F ReplaceLanes(M which, F x, F usual, const char*, const Lane& lane) {
    return __builtin_expect(which == 0, 1) ? usual : ReplaceEach(which, x, usual, lane);
  }
};

struct Avx512Ops64 : VectorOps<Binary64, 64> {
  using M = __mmask8;
  HOLOGRAM_MATH_INLINE static M Less(F a, F b) {
    return _mm512_cmp_pd_mask(__m512d(a), __m512d(b), _CMP_LT_OQ);
  }
  HOLOGRAM_MATH_INLINE static M Greater(F a, F b) { return Less(b, a); }
  HOLOGRAM_MATH_INLINE static M IsNan(F a) {
    return _mm512_cmp_pd_mask(__m512d(a), __m512d(a), _CMP_UNORD_Q);
  }
  HOLOGRAM_MATH_INLINE static M GreaterBits(U a, U b) {
    return _mm512_cmpgt_epu64_mask(__m512i(a), __m512i(b));
  }
  HOLOGRAM_MATH_INLINE static M AnyBitSet(U a, U mask) {
    return _mm512_test_epi64_mask(__m512i(a), __m512i(mask));
  }
  HOLOGRAM_MATH_INLINE static M NotPositiveNormal(F x) {
    return _mm512_fpclass_pd_mask(__m512d(x), kNotPositiveNormal);
  }
  HOLOGRAM_MATH_INLINE static F Select(M m, F yes, F no) {
    return F(_mm512_mask_blend_pd(m, __m512d(no), __m512d(yes)));
  }
  HOLOGRAM_MATH_INLINE static F Scale2n(F p, F n) {
    return F(_mm512_maskz_scalef_pd(__mmask8(0xff), __m512d(p), __m512d(n)));
  }
  template <class Fast, class Slow>
  HOLOGRAM_MATH_INLINE static F Rare(M rare, const Fast& fast, const Slow& slow) {
    return __builtin_expect(rare != 0, 0) ? slow() : fast();
  }
  template <class Lane>
  HOLOGRAM_MATH_INLINE F ReplaceLanes(M which, F x, F usual, const char*, const Lane& lane) {
    return __builtin_expect(which == 0, 1) ? usual : ReplaceEach(which, x, usual, lane);
  }
};
#endif

}  // namespace HOLOGRAM_MATH_LEVEL
}  // namespace hologram::math
