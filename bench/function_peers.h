// Loops over one mathematical function: by libmvec (function_loops.cc, where the compiler finds its
// vector forms) and by SLEEF's AVX-512 forms (sleef_loops.cc).
#pragma once

#include <cstdint>

namespace hologram::bench {

// NAME(of x), one list for declarations and definitions: PEER(Exp, exp) and so on.
#define HOLOGRAM_BENCH_UNARY(PEER) \
  PEER(Exp, exp)                   \
  PEER(Exp2, exp2)                 \
  PEER(Expm1, expm1)               \
  PEER(Log, log)                   \
  PEER(Log2, log2)                 \
  PEER(Log10, log10)               \
  PEER(Log1p, log1p)               \
  PEER(Sin, sin)                   \
  PEER(Cos, cos)                   \
  PEER(Tan, tan)                   \
  PEER(Tanh, tanh)                 \
  PEER(Erf, erf)
#define HOLOGRAM_BENCH_BINARY(PEER) \
  PEER(Pow, pow)                    \
  PEER(Atan2, atan2)

#define DECLARE(Name, function)                           \
  void Name##Loop(const float* x, float* y, uint32_t n);  \
  void Name##Sleef(const float* x, float* y, uint32_t n); \
  void Name##Loop64(const double* x, double* y, uint32_t n);
HOLOGRAM_BENCH_UNARY(DECLARE)
#undef DECLARE
#define DECLARE(Name, function)                                             \
  void Name##Loop(const float* x, const float* y, float* out, uint32_t n);  \
  void Name##Sleef(const float* x, const float* y, float* out, uint32_t n); \
  void Name##Loop64(const double* x, const double* y, double* out, uint32_t n);
HOLOGRAM_BENCH_BINARY(DECLARE)
#undef DECLARE

void SigmoidLoop(const float* x, float* y, uint32_t n);  // 1 / (1 + expf(-x))
void SigmoidLoop64(const double* x, double* y, uint32_t n);
void SigmoidSleef(const float* x, float* y, uint32_t n);
void RsqrtLoop(const float* x, float* y, uint32_t n);  // 1 / sqrtf(x)
void RsqrtLoop64(const double* x, double* y, uint32_t n);
void GeluLoop(const float* x, float* y, uint32_t n);  // x / (1 + expf(-2 u)), the tanh form

}  // namespace hologram::bench
