// Compiled with -O3 -march=native -ffast-math: each call becomes one of libmvec.
#include <cmath>

#include "function_peers.h"

namespace hologram::bench {

#define DEFINE(Name, function)                                                      \
  void Name##Loop(const float* __restrict x, float* __restrict y, uint32_t n) {     \
    for (uint32_t i = 0; i < n; ++i) y[i] = function##f(x[i]);                      \
  }                                                                                 \
  void Name##Loop64(const double* __restrict x, double* __restrict y, uint32_t n) { \
    for (uint32_t i = 0; i < n; ++i) y[i] = function(x[i]);                         \
  }
HOLOGRAM_BENCH_UNARY(DEFINE)
#undef DEFINE

#define DEFINE(Name, function)                                                                 \
  void Name##Loop(const float* __restrict x, const float* __restrict y, float* __restrict out, \
                  uint32_t n) {                                                                \
    for (uint32_t i = 0; i < n; ++i) out[i] = function##f(x[i], y[i]);                         \
  }                                                                                            \
  void Name##Loop64(const double* __restrict x, const double* __restrict y,                    \
                    double* __restrict out, uint32_t n) {                                      \
    for (uint32_t i = 0; i < n; ++i) out[i] = function(x[i], y[i]);                            \
  }
HOLOGRAM_BENCH_BINARY(DEFINE)
#undef DEFINE

void SigmoidLoop(const float* __restrict x, float* __restrict y, uint32_t n) {
  for (uint32_t i = 0; i < n; ++i) y[i] = 1.0f / (1.0f + expf(-x[i]));
}

void SigmoidLoop64(const double* __restrict x, double* __restrict y, uint32_t n) {
  for (uint32_t i = 0; i < n; ++i) y[i] = 1.0 / (1.0 + exp(-x[i]));
}

void RsqrtLoop(const float* __restrict x, float* __restrict y, uint32_t n) {
  for (uint32_t i = 0; i < n; ++i) y[i] = 1.0f / sqrtf(x[i]);
}

void RsqrtLoop64(const double* __restrict x, double* __restrict y, uint32_t n) {
  for (uint32_t i = 0; i < n; ++i) y[i] = 1.0 / sqrt(x[i]);
}

void GeluLoop(const float* __restrict x, float* __restrict y, uint32_t n) {
  for (uint32_t i = 0; i < n; ++i) {
    const float v = x[i];
    const float u = 1.5957691216057308f * (v + 0.044715f * (v * v * v));
    y[i] = v / (1.0f + expf(-u));
  }
}

}  // namespace hologram::bench
