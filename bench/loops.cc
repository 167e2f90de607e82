// Compiled with -O3 -march=native -ffast-math: the loops a C programmer would ship.
#include <cmath>

#include "peers.h"

namespace hologram::bench {

void AddLoop(const float* __restrict a, const float* __restrict b, float* __restrict c,
             uint32_t n) {
  for (uint32_t i = 0; i < n; ++i) c[i] = a[i] + b[i];
}

void MulLoop(const float* __restrict a, const float* __restrict b, float* __restrict c,
             uint32_t n) {
  for (uint32_t i = 0; i < n; ++i) c[i] = a[i] * b[i];
}

void SaxpyLoop(float a, const float* __restrict x, const float* __restrict y, float* __restrict out,
               uint32_t n) {
  for (uint32_t i = 0; i < n; ++i) out[i] = a * x[i] + y[i];
}

void ReluLoop(const float* __restrict x, float* __restrict y, uint32_t n) {
  for (uint32_t i = 0; i < n; ++i) y[i] = x[i] > 0.0f ? x[i] : 0.0f;
}

void ClampLoop(const float* __restrict x, float* __restrict y, float low, float high, uint32_t n) {
  for (uint32_t i = 0; i < n; ++i) y[i] = fminf(fmaxf(x[i], low), high);
}

float SumLoop(const float* x, uint32_t n) {
  float sum = 0.0f;
  for (uint32_t i = 0; i < n; ++i) sum += x[i];
  return sum;
}

float MaxLoop(const float* x, uint32_t n) {
  float largest = x[0];
  for (uint32_t i = 1; i < n; ++i) largest = x[i] > largest ? x[i] : largest;
  return largest;
}

float DotLoop(const float* x, const float* y, uint32_t n) {
  float sum = 0.0f;
  for (uint32_t i = 0; i < n; ++i) sum += x[i] * y[i];
  return sum;
}

}  // namespace hologram::bench
