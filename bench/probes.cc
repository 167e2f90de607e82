// Rooflines: what the machine can do at best, by loops that do nothing else.
#include <immintrin.h>

#include <algorithm>
#include <cstdlib>

#include "measure.h"
#include "peers.h"

namespace hologram::bench {

#ifdef __AVX512F__

double FmaPeakGflops() {
  constexpr int kChains = 16;
  constexpr int kRounds = 200'000;
  double best = 0;
  for (int repetition = 0; repetition < 5; ++repetition) {
    __m512 acc[kChains];
    for (auto& a : acc) a = _mm512_set1_ps(1.0f);
    const __m512 m = _mm512_set1_ps(0.999999f);
    const __m512 c = _mm512_set1_ps(1e-6f);
    const double start = NowNs();
    for (int round = 0; round < kRounds; ++round) {
      for (auto& a : acc) {
        a = _mm512_fmadd_ps(a, m, c);
        asm volatile("" : "+v"(a));
      }
    }
    const double ns = NowNs() - start;
    best = std::max(best, 2.0 * 16 * kChains * kRounds / ns);
  }
  return best;
}

double StreamGbs(bool streaming_stores) {
  constexpr size_t kCount = size_t{16} << 20;
  auto* memory = static_cast<float*>(std::aligned_alloc(64, 3 * kCount * sizeof(float)));
  if (memory == nullptr) return 0;
  std::fill(memory, memory + 3 * kCount, 1.0f);
  const float* a = memory;
  const float* b = memory + kCount;
  float* c = memory + 2 * kCount;
  double best = 0;
  for (int repetition = 0; repetition < 7; ++repetition) {
    const double start = NowNs();
    for (size_t i = 0; i < kCount; i += 16) {
      const __m512 sum = _mm512_add_ps(_mm512_load_ps(a + i), _mm512_load_ps(b + i));
      if (streaming_stores) {
        _mm512_stream_ps(c + i, sum);
      } else {
        _mm512_store_ps(c + i, sum);
      }
    }
    _mm_sfence();
    best = std::max(best, 3.0 * kCount * sizeof(float) / (NowNs() - start));
  }
  std::free(memory);
  return best;
}

void StreamAdd(const float* a, const float* b, float* c, uint32_t n) {
  for (uint32_t i = 0; i < n; i += 16) {
    _mm512_stream_ps(c + i, _mm512_add_ps(_mm512_load_ps(a + i), _mm512_load_ps(b + i)));
  }
  _mm_sfence();
}

void StreamFill(float* c, float value, uint32_t n) {
  const __m512 v = _mm512_set1_ps(value);
  for (uint32_t i = 0; i < n; i += 16) _mm512_stream_ps(c + i, v);
  _mm_sfence();
}

void StreamCopy(const float* a, float* c, uint32_t n) {
  for (uint32_t i = 0; i < n; i += 16) _mm512_stream_ps(c + i, _mm512_load_ps(a + i));
  _mm_sfence();
}

void ReadModifyWrite(float a, const float* x, float* y, uint32_t n) {
  const __m512 factor = _mm512_set1_ps(a);
  for (uint32_t i = 0; i < n; i += 16) {
    _mm512_store_ps(y + i, _mm512_fmadd_ps(factor, _mm512_load_ps(x + i), _mm512_load_ps(y + i)));
  }
}

#else

double FmaPeakGflops() {
  return 0;
}
double StreamGbs(bool) {
  return 0;
}
void StreamAdd(const float* a, const float* b, float* c, uint32_t n) {
  for (uint32_t i = 0; i < n; ++i) c[i] = a[i] + b[i];
}
void StreamFill(float* c, float value, uint32_t n) {
  std::fill(c, c + n, value);
}
void StreamCopy(const float* a, float* c, uint32_t n) {
  std::copy(a, a + n, c);
}
void ReadModifyWrite(float a, const float* x, float* y, uint32_t n) {
  for (uint32_t i = 0; i < n; ++i) y[i] += a * x[i];
}

#endif

}  // namespace hologram::bench
