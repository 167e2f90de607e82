// Peers written with intrinsics: the SLEEF sigmoid, Mandelbrot, and the roofline probes.
#include <immintrin.h>
#include <sleef.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "measure.h"
#include "peers.h"

namespace hologram::bench {

#ifdef __AVX512F__

void SigmoidSleefLoop(const float* x, float* y, uint32_t n) {
  const __m512 one = _mm512_set1_ps(1.0f);
  uint32_t i = 0;
  for (; i + 16 <= n; i += 16) {
    const __m512 v = _mm512_sub_ps(_mm512_setzero_ps(), _mm512_loadu_ps(x + i));
    _mm512_storeu_ps(y + i, _mm512_div_ps(one, _mm512_add_ps(one, Sleef_expf16_u10(v))));
  }
  for (; i < n; ++i) y[i] = 1.0f / (1.0f + Sleef_expf_u10(-x[i]));
}

bool MandelbrotAvx512Available() {
  return true;
}

// z^2 + c per lane until |z|^2 > 4 or `limit` rounds; the same rounding steps as the kernel.
void MandelbrotAvx512(uint32_t* out, uint32_t width, uint32_t height, float x0, float y0, float dx,
                      float dy, uint32_t limit) {
  constexpr int kVectors = 4;
  const __m512 four = _mm512_set1_ps(4.0f);
  const __m512i lane = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
  for (uint32_t row = 0; row < height; ++row) {
    const __m512 cy = _mm512_set1_ps(y0 + static_cast<float>(row) * dy);
    for (uint32_t column = 0; column < width; column += 16 * kVectors) {
      __m512 cx[kVectors];
      __m512 zx[kVectors];
      __m512 zy[kVectors];
      __m512i count[kVectors];
      __mmask16 store[kVectors];
      __mmask16 live[kVectors];
      for (int v = 0; v < kVectors; ++v) {
        const uint32_t first = column + static_cast<uint32_t>(v) * 16;
        const __m512i x = _mm512_add_epi32(_mm512_set1_epi32(static_cast<int>(first)), lane);
        store[v] = _mm512_cmplt_epu32_mask(x, _mm512_set1_epi32(static_cast<int>(width)));
        cx[v] = _mm512_add_ps(_mm512_set1_ps(x0),
                              _mm512_mul_ps(_mm512_cvtepu32_ps(x), _mm512_set1_ps(dx)));
        zx[v] = _mm512_setzero_ps();
        zy[v] = _mm512_setzero_ps();
        count[v] = _mm512_setzero_si512();
        live[v] = store[v];
      }
      for (uint32_t round = 0; round < limit; ++round) {
        unsigned any = 0;
        for (int v = 0; v < kVectors; ++v) {
          const __m512 xx = _mm512_mul_ps(zx[v], zx[v]);
          const __m512 yy = _mm512_mul_ps(zy[v], zy[v]);
          live[v] = _mm512_mask_cmp_ps_mask(live[v], _mm512_add_ps(xx, yy), four, _CMP_LE_OQ);
          zy[v] = _mm512_fmadd_ps(_mm512_add_ps(zx[v], zx[v]), zy[v], cy);
          zx[v] = _mm512_add_ps(_mm512_sub_ps(xx, yy), cx[v]);
          count[v] = _mm512_mask_add_epi32(count[v], live[v], count[v], _mm512_set1_epi32(1));
          any |= live[v];
        }
        if (any == 0) break;
      }
      for (int v = 0; v < kVectors; ++v) {
        const size_t first =
            static_cast<size_t>(row) * width + column + static_cast<size_t>(v) * 16;
        _mm512_mask_storeu_epi32(out + first, store[v], count[v]);
      }
    }
  }
}

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

#else

void SigmoidSleefLoop(const float* x, float* y, uint32_t n) {
  for (uint32_t i = 0; i < n; ++i) y[i] = 1.0f / (1.0f + Sleef_expf_u10(-x[i]));
}
bool MandelbrotAvx512Available() {
  return false;
}
void MandelbrotAvx512(uint32_t*, uint32_t, uint32_t, float, float, float, float, uint32_t) {}
double FmaPeakGflops() {
  return 0;
}
double StreamGbs(bool) {
  return 0;
}

#endif

}  // namespace hologram::bench
