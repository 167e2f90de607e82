// Compiled with -O3 -march=native -ffast-math: the loops a C programmer would ship.
#include <cmath>

#include "peers.h"

namespace hologram::bench {

void AddLoop(const float* __restrict a, const float* __restrict b, float* __restrict c,
             uint32_t n) {
  for (uint32_t i = 0; i < n; ++i) c[i] = a[i] + b[i];
}

void SaxpyLoop(float a, const float* __restrict x, const float* __restrict y, float* __restrict out,
               uint32_t n) {
  for (uint32_t i = 0; i < n; ++i) out[i] = a * x[i] + y[i];
}

void SigmoidLoop(const float* __restrict x, float* __restrict y, uint32_t n) {
  for (uint32_t i = 0; i < n; ++i) y[i] = 1.0f / (1.0f + expf(-x[i]));
}

}  // namespace hologram::bench
