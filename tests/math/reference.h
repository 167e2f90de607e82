// What the tests of the canonical functions compare with: the C library in f64, and errors counted
// in units in the last place of f32. The reference errs by about 2^-29 of such a unit.
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "isa/math/batch.h"

namespace hologram::isa::math {

inline double ReferenceExp(double x) {
  return std::exp(x);
}
inline double ReferenceSigmoid(double x) {
  return 1.0 / (1.0 + std::exp(-x));
}

// One f32 function, its reference, and the bound that docs/math.md promises.
struct Function32 {
  const char* name;
  BatchTable::Function32 BatchTable::* batch;
  double (*reference)(double);
  double max_ulp;
};

inline constexpr Function32 kFunctions32[] = {
    {"exp", &BatchTable::exp_f32, ReferenceExp, 1.0},
    {"exp_fast", &BatchTable::exp_fast_f32, ReferenceExp, 4.0},
    {"sigmoid", &BatchTable::sigmoid_f32, ReferenceSigmoid, 1.0},
    {"sigmoid_fast", &BatchTable::sigmoid_fast_f32, ReferenceSigmoid, 4.0},
};

struct Function64 {
  const char* name;
  BatchTable::Function64 BatchTable::* batch;
  long double (*reference)(long double);
  double max_ulp;
};

inline constexpr Function64 kFunctions64[] = {
    {"exp", &BatchTable::exp_f64, [](long double x) { return std::exp(x); }, 1.5},
    {"sigmoid", &BatchTable::sigmoid_f64,
     [](long double x) { return 1.0L / (1.0L + std::exp(-x)); }, 1.5},
};

// Error of `value` in units in the last place at `exact`. Infinity counts as the number after the
// largest.
inline double UlpError(float value, double exact) {
  constexpr double kInfinity = 0x1p128;
  const double target = std::fmin(exact, kInfinity);
  const double found = std::isinf(value) ? kInfinity : static_cast<double>(value);
  if (std::isnan(value)) return kInfinity;
  const int exponent = std::ilogb(std::fmax(target, 0x1p-126));
  return std::fabs(found - target) / std::ldexp(1.0, std::min(exponent, 127) - 23);
}

inline double UlpError(double value, long double exact) {
  const long double kInfinity = std::ldexp(1.0L, 1024);
  const long double target = std::fmin(exact, kInfinity);
  const long double found = std::isinf(value) ? kInfinity : static_cast<long double>(value);
  if (std::isnan(value)) return 0x1p1000;
  const int exponent = std::ilogb(std::fmax(target, 0x1p-1022L));
  return static_cast<double>(std::fabs(found - target) /
                             std::ldexp(1.0L, std::min(exponent, 1023) - 52));
}

inline std::vector<const BatchTable*> AvailableBatchTables() {
  std::vector<const BatchTable*> tables;
  for (const Level level : kLevels) {
    if (const BatchTable* table = BatchTableFor(level); table != nullptr) tables.push_back(table);
  }
  return tables;
}

}  // namespace hologram::isa::math
