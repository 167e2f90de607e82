// The canonical functions over arrays: y[i] = f(a[i]) or f(a[i], b[i]). Used by the interpreter;
// the same bits on every machine. The widest instruction set of the machine is chosen once, at the
// first call. Arrays need no alignment; y may be a or b, otherwise it must not overlap them. Tested
// by tests/math/math_test.cc.
#pragma once

#include <cstddef>

#include "math/functions.h"

namespace hologram::math {

// `b` is not read where the function has one operand.
template <class T>
using Batch = void (*)(const T* a, const T* b, T* y, std::size_t n);

// The functions for one instruction set, by number.
struct BatchTable {
  const char* name;
  Batch<float> f32[kNumFunctions];
  Batch<float> fast_f32[kNumFunctions];  // the precise form where there is no fast one
  Batch<double> f64[kNumFunctions];

  Batch<float> Find32(Function function, bool fast) const {
    const auto index = static_cast<std::size_t>(function);
    return fast ? fast_f32[index] : f32[index];
  }
  Batch<double> Find64(Function function) const { return f64[static_cast<std::size_t>(function)]; }
};

// For the widest instruction set of this machine.
const BatchTable& BestBatch();

enum class Level { kGeneric, kAvx2, kAvx512 };
inline constexpr Level kLevels[] = {Level::kGeneric, Level::kAvx2, Level::kAvx512};

// nullptr where this machine does not have the level.
const BatchTable* BatchTableFor(Level level);

}  // namespace hologram::math
