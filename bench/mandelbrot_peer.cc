// Mandelbrot with AVX-512 intrinsics.
#include <immintrin.h>

#include "peers.h"

namespace hologram::bench {

#ifdef __AVX512F__

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

#else

bool MandelbrotAvx512Available() {
  return false;
}
void MandelbrotAvx512(uint32_t*, uint32_t, uint32_t, float, float, float, float, uint32_t) {}

#endif

}  // namespace hologram::bench
