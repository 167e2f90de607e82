// Loops over SLEEF's AVX-512 functions of at most 1.0 ulp by its documentation ("u10").
#include <immintrin.h>
#include <sleef.h>

#include "function_peers.h"

namespace hologram::bench {
namespace {

#ifdef __AVX512F__
using Vector = __m512;
constexpr uint32_t kWidth = 16;
inline Vector Load(const float* p, uint32_t live) {
  return _mm512_maskz_loadu_ps(static_cast<__mmask16>((1u << live) - 1), p);
}
inline void Store(float* p, uint32_t live, Vector v) {
  _mm512_mask_storeu_ps(p, static_cast<__mmask16>((1u << live) - 1), v);
}
inline Vector LoadAll(const float* p) {
  return _mm512_loadu_ps(p);
}
inline void StoreAll(float* p, Vector v) {
  _mm512_storeu_ps(p, v);
}
#define SLEEF(function) Sleef_##function##f16_u10
#else
using Vector = float;
constexpr uint32_t kWidth = 1;
inline Vector Load(const float* p, uint32_t) {
  return *p;
}
inline void Store(float* p, uint32_t, Vector v) {
  *p = v;
}
inline Vector LoadAll(const float* p) {
  return *p;
}
inline void StoreAll(float* p, Vector v) {
  *p = v;
}
#define SLEEF(function) Sleef_##function##f_u10
#endif

template <class Function>
inline void Map(const float* x, float* y, uint32_t n, Function function) {
  uint32_t i = 0;
  for (; i + kWidth <= n; i += kWidth) StoreAll(y + i, function(LoadAll(x + i)));
  if (i < n) Store(y + i, n - i, function(Load(x + i, n - i)));
}

template <class Function>
inline void Map(const float* x, const float* y, float* out, uint32_t n, Function function) {
  uint32_t i = 0;
  for (; i + kWidth <= n; i += kWidth) {
    StoreAll(out + i, function(LoadAll(x + i), LoadAll(y + i)));
  }
  if (i < n) Store(out + i, n - i, function(Load(x + i, n - i), Load(y + i, n - i)));
}

}  // namespace

#define DEFINE(Name, function)                                 \
  void Name##Sleef(const float* x, float* y, uint32_t n) {     \
    Map(x, y, n, [](Vector v) { return SLEEF(function)(v); }); \
  }
HOLOGRAM_BENCH_UNARY(DEFINE)
#undef DEFINE

#define DEFINE(Name, function)                                                   \
  void Name##Sleef(const float* x, const float* y, float* out, uint32_t n) {     \
    Map(x, y, out, n, [](Vector a, Vector b) { return SLEEF(function)(a, b); }); \
  }
HOLOGRAM_BENCH_BINARY(DEFINE)
#undef DEFINE

void SigmoidSleef(const float* x, float* y, uint32_t n) {
  Map(x, y, n, [](Vector v) { return 1.0f / (1.0f + SLEEF(exp)(-v)); });
}

}  // namespace hologram::bench
