// Chooses the instruction set for batch.h, once. This file itself is compiled for any machine.
#include "math/batch.h"

#include <atomic>

namespace hologram::math {

extern const BatchTable kGenericBatch;
#if defined(__x86_64__)
extern const BatchTable kAvx2Batch;
extern const BatchTable kAvx512Batch;
#endif

const BatchTable* BatchTableFor(Level level) {
  switch (level) {
    case Level::kGeneric:
      return &kGenericBatch;
#if defined(__x86_64__)
    case Level::kAvx2:
      return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? &kAvx2Batch
                                                                             : nullptr;
    case Level::kAvx512:
      return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                     __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")
                 ? &kAvx512Batch
                 : nullptr;
#else
    case Level::kAvx2:
    case Level::kAvx512:
      return nullptr;
#endif
  }
  return nullptr;
}

const BatchTable& BestBatch() {
  // No static local object: a thread that makes one while another forks leaves the child without.
  static constinit std::atomic<const BatchTable*> best{nullptr};
  const BatchTable* widest = best.load(std::memory_order_relaxed);
  if (widest != nullptr) return *widest;
  for (const Level level : kLevels) {
    const BatchTable* table = BatchTableFor(level);
    if (table != nullptr) widest = table;
  }
  best.store(widest, std::memory_order_relaxed);
  return *widest;
}

}  // namespace hologram::math
