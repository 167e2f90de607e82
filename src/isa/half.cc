// The loops of half.h: portable ones that compilers vectorise, and F16C's conversions where the
// machine has them (chosen once, at the first call).
#include "isa/half.h"

#include "base/check.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace hologram::isa {
namespace {

template <class T>
void WidenLoop(const T* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = Widen(in[i]);
}

template <class T>
void NarrowLoop(const float* in, T* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = Narrow<T>(in[i]);
}

#if defined(__x86_64__)
bool HasF16c() {
  return __builtin_cpu_supports("f16c") && __builtin_cpu_supports("avx");
}

[[gnu::target("avx,f16c")]] void WidenF16c(const F16* in, float* out, std::size_t n) {
  std::size_t i = 0;
  for (; n - i >= 8; i += 8) {
    __m128i bits;
    __builtin_memcpy(&bits, in + i, sizeof bits);
    _mm256_storeu_ps(out + i, _mm256_cvtph_ps(bits));
  }
  WidenLoop(in + i, out + i, n - i);
}

// The instruction keeps payloads, so NaNs are made canonical before.
[[gnu::target("avx,f16c")]] void NarrowF16c(const float* in, F16* out, std::size_t n) {
  const __m256 nan = _mm256_set1_ps(__builtin_nanf(""));
  std::size_t i = 0;
  for (; n - i >= 8; i += 8) {
    const __m256 value = _mm256_loadu_ps(in + i);
    const __m256 is_nan = _mm256_cmp_ps(value, value, _CMP_UNORD_Q);
    const __m128i bits =
        _mm256_cvtps_ph(_mm256_blendv_ps(value, nan, is_nan), _MM_FROUND_TO_NEAREST_INT);
    __builtin_memcpy(out + i, &bits, sizeof bits);
  }
  NarrowLoop(in + i, out + i, n - i);
}
#endif

}  // namespace

uint64_t FloatBits(double value, Type type) {
  switch (type) {
    case Type::kF16:
      return Narrow<F16>(RoundToOdd(value)).bits;
    case Type::kBF16:
      return Narrow<BF16>(RoundToOdd(value)).bits;
    case Type::kF32:
      return std::bit_cast<uint32_t>(static_cast<float>(value));
    default:
      HOLOGRAM_CHECK(type == Type::kF64);
      return std::bit_cast<uint64_t>(value);
  }
}

double FloatValue(uint64_t bits, Type type) {
  switch (type) {
    case Type::kF16:
      return static_cast<double>(Widen(F16{static_cast<uint16_t>(bits)}));
    case Type::kBF16:
      return static_cast<double>(Widen(BF16{static_cast<uint16_t>(bits)}));
    case Type::kF32:
      return static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(bits)));
    default:
      HOLOGRAM_CHECK(type == Type::kF64);
      return std::bit_cast<double>(bits);
  }
}

void WidenBatch(const F16* in, float* out, std::size_t n) {
#if defined(__x86_64__)
  if (HasF16c()) return WidenF16c(in, out, n);
#endif
  WidenLoop(in, out, n);
}

void WidenBatch(const BF16* in, float* out, std::size_t n) {
  WidenLoop(in, out, n);
}

void NarrowBatch(const float* in, F16* out, std::size_t n) {
#if defined(__x86_64__)
  if (HasF16c()) return NarrowF16c(in, out, n);
#endif
  NarrowLoop(in, out, n);
}

void NarrowBatch(const float* in, BF16* out, std::size_t n) {
  NarrowLoop(in, out, n);
}

}  // namespace hologram::isa
