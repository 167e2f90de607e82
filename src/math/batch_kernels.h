// The bodies of batch.h for one instruction set: the including file's compiler flags decide which.
// Everything here is internal to that file (see host_ops.h for why). Nothing else may include it.
#pragma once

#include "math/apply.h"
#include "math/batch.h"
#include "math/host_ops.h"

namespace hologram::math {
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

template <class F, class Element>
HOLOGRAM_MATH_INLINE F LoadVector(const Element* from, std::size_t count) {
  F v{};
  __builtin_memcpy(&v, from, count * sizeof(Element));
  return v;
}

// Elements i .. i + count - 1.
template <Function kFunction, bool kFast, class Ops, class Element>
HOLOGRAM_MATH_INLINE typename Ops::F ApplyAt(Ops& o, const Element* a, const Element* b,
                                             std::size_t i, std::size_t count) {
  using F = typename Ops::F;
  const F first = LoadVector<F>(a + i, count);
  if constexpr (InfoOf(kFunction).num_operands == 1) {
    return Apply<kFunction, kFast>(o, first);
  } else {
    return Apply<kFunction, kFast>(o, first, LoadVector<F>(b + i, count));
  }
}

// A last incomplete vector is padded with zeros.
template <Function kFunction, bool kFast, class Ops, class Element>
void RunBatch(const Element* a, const Element* b, Element* y, std::size_t n) {
  using F = typename Ops::F;
  constexpr std::size_t kLanes = sizeof(F) / sizeof(Element);
  Ops o;
  std::size_t i = 0;
  for (; n - i >= kLanes; i += kLanes) {
    const F v = ApplyAt<kFunction, kFast>(o, a, b, i, kLanes);
    __builtin_memcpy(y + i, &v, sizeof v);
  }
  if (i == n) return;
  const F v = ApplyAt<kFunction, kFast>(o, a, b, i, n - i);
  __builtin_memcpy(y + i, &v, (n - i) * sizeof(Element));
}

constexpr BatchTable MakeBatchTable(const char* name) {
  return {name,
          {
#define FUNCTION(Name, operands, has_fast) RunBatch<Function::k##Name, false, Batch32>,
#include "math/functions.def"
          },
          {
#define FUNCTION(Name, operands, has_fast) RunBatch<Function::k##Name, has_fast, Batch32>,
#include "math/functions.def"
          },
          {
#define FUNCTION(Name, operands, has_fast) RunBatch<Function::k##Name, false, Batch64>,
#include "math/functions.def"
          }};
}

}  // namespace
}  // namespace hologram::math
