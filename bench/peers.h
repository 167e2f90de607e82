// The other side of the ratios: plain C loops, compiled with -O3 -march=native -ffast-math (so that
// libmvec is used), and hand-written AVX-512. Loops over one function are in function_peers.h.
#pragma once

#include <cstdint>

namespace hologram::bench {

// loops.cc
void AddLoop(const float* a, const float* b, float* c, uint32_t n);
void MulLoop(const float* a, const float* b, float* c, uint32_t n);
void SaxpyLoop(float a, const float* x, const float* y, float* out, uint32_t n);
void ReluLoop(const float* x, float* y, uint32_t n);
void ClampLoop(const float* x, float* y, float low, float high, uint32_t n);
float SumLoop(const float* x, uint32_t n);
float MaxLoop(const float* x, uint32_t n);
float DotLoop(const float* x, const float* y, uint32_t n);

// row_loops.cc: three passes over each row
void SoftmaxLoop(const float* x, float* y, uint32_t rows, uint32_t columns);
void LayerNormLoop(const float* x, const float* gamma, const float* beta, float* y, uint32_t rows,
                   uint32_t columns, float epsilon);

// movement_loops.cc
void GatherLoop(const float* table, const uint32_t* index, float* out, uint32_t n);
void HistogramLoop(const uint8_t* data, uint32_t* counts, uint32_t n);
void TransposeLoop(const float* from, float* to, uint32_t width, uint32_t height);
void Stencil5Loop(const float* from, float* to, uint32_t width, uint32_t height);
void Stencil7Loop(const float* from, float* to, float rate, uint32_t width, uint32_t height,
                  uint32_t depth);
void ScanLoop(const float* x, float* out, uint32_t n);

// simd_peers.cc
// Escape counts on [-2, 0.5] x [-1.25, 1.25]; 16 pixels at a time, 4 vectors interleaved.
bool MandelbrotAvx512Available();
void MandelbrotAvx512(uint32_t* out, uint32_t width, uint32_t height, float x0, float y0, float dx,
                      float dy, uint32_t limit);

// simulation_peers.cc; only with AVX-512
void BlackScholesAvx512(const float* spot, const float* strike, const float* years, float* call,
                        float* put, float rate, float volatility, uint32_t n);
void NBodyVelocityAvx512(const float* x, const float* y, const float* z, const float* mass,
                         float* vx, float* vy, float* vz, float dt, float softening, uint32_t n);

// probes.cc: rooflines on one thread. Arrays are 64-byte aligned, n is a multiple of 16.
double FmaPeakGflops();
double StreamGbs(bool streaming_stores);  // c = a + b on 3 x 64 MiB, bytes counted as 3 n
void StreamAdd(const float* a, const float* b, float* c, uint32_t n);  // streaming stores
void StreamFill(float* c, float value, uint32_t n);
void StreamCopy(const float* a, float* c, uint32_t n);
void ReadModifyWrite(float a, const float* x, float* y, uint32_t n);  // y += a * x

}  // namespace hologram::bench
