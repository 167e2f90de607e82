// The bodies of batch.h for one instruction set: the including file's compiler flags decide which.
// Everything here is internal to that file (see host_ops.h for why). Nothing else may include it.
#pragma once

#include "isa/math/batch.h"
#include "isa/math/exp.h"
#include "isa/math/host_ops.h"
#include "isa/math/sigmoid.h"

namespace hologram::isa::math {
namespace {

#if defined(__AVX512F__) && defined(__AVX512DQ__)
using Batch32 = Avx512Ops32;
using Batch64 = Avx512Ops64;
#elif defined(__AVX2__) && defined(__FMA__)
using Batch32 = VectorOps<Binary32, 32>;
using Batch64 = VectorOps<Binary64, 32>;
#else
using Batch32 = VectorOps<Binary32, 16>;
using Batch64 = VectorOps<Binary64, 16>;
#endif

// `apply` maps one vector; a last incomplete vector is padded with zeros.
template <class Ops, class Element, class Apply>
HOLOGRAM_MATH_INLINE void ForEachVector(const Element* x, Element* y, std::size_t n,
                                        const Apply& apply) {
  using F = typename Ops::F;
  constexpr std::size_t kLanes = sizeof(F) / sizeof(Element);
  Ops o;
  std::size_t i = 0;
  for (; n - i >= kLanes; i += kLanes) {
    F v;
    __builtin_memcpy(&v, x + i, sizeof v);
    v = apply(o, v);
    __builtin_memcpy(y + i, &v, sizeof v);
  }
  if (i == n) return;
  F v{};
  __builtin_memcpy(&v, x + i, (n - i) * sizeof(Element));
  v = apply(o, v);
  __builtin_memcpy(y + i, &v, (n - i) * sizeof(Element));
}

void ExpF32(const float* x, float* y, std::size_t n) {
  ForEachVector<Batch32>(x, y, n, [](auto& o, auto v) { return Exp(o, v); });
}
void ExpF64(const double* x, double* y, std::size_t n) {
  ForEachVector<Batch64>(x, y, n, [](auto& o, auto v) { return Exp(o, v); });
}
void ExpFastF32(const float* x, float* y, std::size_t n) {
  ForEachVector<Batch32>(x, y, n, [](auto& o, auto v) { return ExpFast(o, v); });
}
void SigmoidF32(const float* x, float* y, std::size_t n) {
  ForEachVector<Batch32>(x, y, n, [](auto& o, auto v) { return Sigmoid(o, v); });
}
void SigmoidF64(const double* x, double* y, std::size_t n) {
  ForEachVector<Batch64>(x, y, n, [](auto& o, auto v) { return Sigmoid(o, v); });
}
void SigmoidFastF32(const float* x, float* y, std::size_t n) {
  ForEachVector<Batch32>(x, y, n, [](auto& o, auto v) { return SigmoidFast(o, v); });
}

constexpr BatchTable MakeBatchTable(const char* name) {
  return {name, ExpF32, ExpF64, ExpFastF32, SigmoidF32, SigmoidF64, SigmoidFastF32};
}

}  // namespace
}  // namespace hologram::isa::math
