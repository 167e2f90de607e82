// The canonical functions over arrays: y[i] = f(x[i]). Used by the interpreter; the same bits on
// every machine. The widest instruction set of the machine is chosen once, at the first call. x and
// y need no alignment; they may be the same array, otherwise they must not overlap. Tested by
// tests/math/math_test.cc.
#pragma once

#include <cstddef>

namespace hologram::isa::math {

void ExpBatch(const float* x, float* y, std::size_t n);
void ExpBatch(const double* x, double* y, std::size_t n);
void ExpFastBatch(const float* x, float* y, std::size_t n);
void SigmoidBatch(const float* x, float* y, std::size_t n);
void SigmoidBatch(const double* x, double* y, std::size_t n);
void SigmoidFastBatch(const float* x, float* y, std::size_t n);

// What the functions above choose from; for tests.
struct BatchTable {
  using Function32 = void (*)(const float*, float*, std::size_t);
  using Function64 = void (*)(const double*, double*, std::size_t);
  const char* name;
  Function32 exp_f32;
  Function64 exp_f64;
  Function32 exp_fast_f32;
  Function32 sigmoid_f32;
  Function64 sigmoid_f64;
  Function32 sigmoid_fast_f32;
};

enum class Level { kGeneric, kAvx2, kAvx512 };
inline constexpr Level kLevels[] = {Level::kGeneric, Level::kAvx2, Level::kAvx512};

// nullptr where this machine does not have the level.
const BatchTable* BatchTableFor(Level level);

}  // namespace hologram::isa::math
