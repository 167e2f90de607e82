// The other side of every ratio: plain C loops, compiled with -O3 -march=native -ffast-math (so
// that libmvec is used), SLEEF loops, and hand-written AVX-512.
#pragma once

#include <cstdint>

namespace hologram::bench {

void AddLoop(const float* a, const float* b, float* c, uint32_t n);
void SaxpyLoop(float a, const float* x, const float* y, float* out, uint32_t n);
void SigmoidLoop(const float* x, float* y, uint32_t n);       // 1 / (1 + expf(-x)), libmvec, 4 ulp
void SigmoidSleefLoop(const float* x, float* y, uint32_t n);  // the same over Sleef_expf16_u10
// Escape counts on [-2, 0.5] x [-1.25, 1.25]; 16 pixels at a time, 4 vectors interleaved.
bool MandelbrotAvx512Available();
void MandelbrotAvx512(uint32_t* out, uint32_t width, uint32_t height, float x0, float y0, float dx,
                      float dy, uint32_t limit);

// Roofline probes on one thread.
double FmaPeakGflops();
double StreamGbs(bool streaming_stores);  // c = a + b on 3 x 64 MiB, bytes counted as 3 n

}  // namespace hologram::bench
