// Black-Scholes and n-body with AVX-512 intrinsics: 16 options or bodies a vector, two vectors
// interleaved where there is latency to hide.
#include <immintrin.h>
#include <sleef.h>

#include "peers.h"

namespace hologram::bench {

#ifdef __AVX512F__

namespace {

// 1 / sqrt(v): 14 bits and a Newton step, as ISPC's rsqrt.
inline __m512 ReciprocalRoot(__m512 v) {
  const __m512 r = _mm512_rsqrt14_ps(v);
  const __m512 half = _mm512_mul_ps(_mm512_set1_ps(0.5f), r);
  return _mm512_mul_ps(half, _mm512_fnmadd_ps(_mm512_mul_ps(v, r), r, _mm512_set1_ps(3.0f)));
}

inline __m512 NormalDistribution(__m512 d) {
  const __m512 half = _mm512_set1_ps(0.5f);
  const __m512 root = _mm512_set1_ps(0.70710678f);
  return _mm512_fmadd_ps(half, Sleef_erff16_u10(_mm512_mul_ps(d, root)), half);
}

}  // namespace

void BlackScholesAvx512(const float* spot, const float* strike, const float* years, float* call,
                        float* put, float rate, float volatility, uint32_t n) {
  const __m512 drift = _mm512_set1_ps(rate + 0.5f * volatility * volatility);
  const __m512 one = _mm512_set1_ps(1.0f);
  for (uint32_t i = 0; i < n; i += 16) {
    const auto live = static_cast<__mmask16>(n - i >= 16 ? 0xffffu : (1u << (n - i)) - 1);
    const __m512 s = _mm512_mask_loadu_ps(one, live, spot + i);
    const __m512 k = _mm512_mask_loadu_ps(one, live, strike + i);
    const __m512 t = _mm512_mask_loadu_ps(one, live, years + i);
    const __m512 spread = _mm512_mul_ps(_mm512_set1_ps(volatility), _mm512_sqrt_ps(t));
    const __m512 d1 =
        _mm512_div_ps(_mm512_fmadd_ps(drift, t, Sleef_logf16_u10(_mm512_div_ps(s, k))), spread);
    const __m512 n1 = NormalDistribution(d1);
    const __m512 n2 = NormalDistribution(_mm512_sub_ps(d1, spread));
    const __m512 discounted =
        _mm512_mul_ps(k, Sleef_expf16_u10(_mm512_mul_ps(_mm512_set1_ps(-rate), t)));
    _mm512_mask_storeu_ps(call + i, live, _mm512_fmsub_ps(s, n1, _mm512_mul_ps(discounted, n2)));
    _mm512_mask_storeu_ps(put + i, live,
                          _mm512_fmsub_ps(discounted, _mm512_sub_ps(one, n2),
                                          _mm512_mul_ps(s, _mm512_sub_ps(one, n1))));
  }
}

void NBodyVelocityAvx512(const float* x, const float* y, const float* z, const float* mass,
                         float* vx, float* vy, float* vz, float dt, float softening, uint32_t n) {
  constexpr uint32_t kVectors = 2;
  const __m512 soft = _mm512_set1_ps(softening);
  const __m512 step = _mm512_set1_ps(dt);
  for (uint32_t i = 0; i < n; i += 16 * kVectors) {
    __mmask16 live[kVectors];
    __m512 px[kVectors], py[kVectors], pz[kVectors], ax[kVectors], ay[kVectors], az[kVectors];
    for (uint32_t v = 0; v < kVectors; ++v) {
      const uint32_t first = i + 16 * v;
      const uint32_t left = n > first ? n - first : 0;
      live[v] = static_cast<__mmask16>(left >= 16 ? 0xffffu : (1u << left) - 1);
      px[v] = _mm512_maskz_loadu_ps(live[v], x + first);
      py[v] = _mm512_maskz_loadu_ps(live[v], y + first);
      pz[v] = _mm512_maskz_loadu_ps(live[v], z + first);
      ax[v] = ay[v] = az[v] = _mm512_setzero_ps();
    }
    for (uint32_t j = 0; j < n; ++j) {
      for (uint32_t v = 0; v < kVectors; ++v) {
        const __m512 dx = _mm512_sub_ps(_mm512_set1_ps(x[j]), px[v]);
        const __m512 dy = _mm512_sub_ps(_mm512_set1_ps(y[j]), py[v]);
        const __m512 dz = _mm512_sub_ps(_mm512_set1_ps(z[j]), pz[v]);
        const __m512 r2 =
            _mm512_fmadd_ps(dx, dx, _mm512_fmadd_ps(dy, dy, _mm512_fmadd_ps(dz, dz, soft)));
        const __m512 r = ReciprocalRoot(r2);
        const __m512 pull =
            _mm512_mul_ps(_mm512_mul_ps(_mm512_set1_ps(mass[j]), r), _mm512_mul_ps(r, r));
        ax[v] = _mm512_fmadd_ps(pull, dx, ax[v]);
        ay[v] = _mm512_fmadd_ps(pull, dy, ay[v]);
        az[v] = _mm512_fmadd_ps(pull, dz, az[v]);
      }
    }
    for (uint32_t v = 0; v < kVectors; ++v) {
      const auto add = [&](float* velocity, __m512 acceleration) {
        float* at = velocity + i + 16 * v;
        const __m512 before = _mm512_maskz_loadu_ps(live[v], at);
        _mm512_mask_storeu_ps(at, live[v], _mm512_fmadd_ps(step, acceleration, before));
      };
      add(vx, ax[v]);
      add(vy, ay[v]);
      add(vz, az[v]);
    }
  }
}

#else

void BlackScholesAvx512(const float*, const float*, const float*, float*, float*, float, float,
                        uint32_t) {}
void NBodyVelocityAvx512(const float*, const float*, const float*, const float*, float*, float*,
                         float*, float, float, uint32_t) {}

#endif

}  // namespace hologram::bench
