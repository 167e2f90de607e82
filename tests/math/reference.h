// References of the tests of the canonical functions: the C library in f64 and in the 80-bit
// format, and errors counted in units in the last place. The f64 reference errs by about 2^-29
// units of f32.
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "math/batch.h"

namespace hologram::math {

// One function of functions.def, and the bounds that docs/math.md promises. References of functions
// with one operand ignore the second argument.
struct Reference {
  Function function;
  double (*f64)(double, double);
  long double (*f80)(long double, long double);
  double max_ulp_f32 = 1.0;
  double max_ulp_f64 = 1.5;
  bool increasing = true;
};

inline constexpr Reference kReferences[] = {
    {Function::kExp, [](double x, double) { return std::exp(x); },
     [](long double x, long double) { return std::exp(x); }},
    {Function::kSigmoid, [](double x, double) { return 1 / (1 + std::exp(-x)); },
     [](long double x, long double) { return 1 / (1 + std::exp(-x)); }},
    {Function::kLog, [](double x, double) { return std::log(x); },
     [](long double x, long double) { return std::log(x); }},
    {Function::kLog2, [](double x, double) { return std::log2(x); },
     [](long double x, long double) { return std::log2(x); }},
    {Function::kLog10, [](double x, double) { return std::log10(x); },
     [](long double x, long double) { return std::log10(x); }},
    {Function::kRsqrt, [](double x, double) { return 1 / std::sqrt(x); },
     [](long double x, long double) { return 1 / std::sqrt(x); }, 1.0, 1.5, false},
    {Function::kSin, [](double x, double) { return std::sin(x); },
     [](long double x, long double) { return std::sin(x); }, 1.0, 1.5, false},
    {Function::kCos, [](double x, double) { return std::cos(x); },
     [](long double x, long double) { return std::cos(x); }, 1.0, 1.5, false},
    {Function::kTan, [](double x, double) { return std::tan(x); },
     [](long double x, long double) { return std::tan(x); }, 1.0, 1.5, false},
    {Function::kTanh, [](double x, double) { return std::tanh(x); },
     [](long double x, long double) { return std::tanh(x); }},
    {Function::kErf, [](double x, double) { return std::erf(x); },
     [](long double x, long double) { return std::erf(x); }},
    {Function::kPow, [](double x, double y) { return std::pow(x, y); },
     [](long double x, long double y) { return std::pow(x, y); }, 1.5},
    {Function::kExp2, [](double x, double) { return std::exp2(x); },
     [](long double x, long double) { return std::exp2(x); }},
    {Function::kExpm1, [](double x, double) { return std::expm1(x); },
     [](long double x, long double) { return std::expm1(x); }},
    {Function::kLog1p, [](double x, double) { return std::log1p(x); },
     [](long double x, long double) { return std::log1p(x); }},
    {Function::kAtan2, [](double y, double x) { return std::atan2(y, x); },
     [](long double y, long double x) { return std::atan2(y, x); }},
};
static_assert(std::size(kReferences) == kNumFunctions, "every function needs a reference");

inline constexpr double kMaxUlpFast = 4.0;

// A form of a function: `fast` only where there is a fast form.
struct Form {
  const Reference& reference;
  bool fast;

  Function function() const { return reference.function; }
  int num_operands() const { return InfoOf(function()).num_operands; }
  double max_ulp_f32() const { return fast ? kMaxUlpFast : reference.max_ulp_f32; }
  std::string name() const {  // "exp_fast"
    return std::string(isa::InfoOf(InfoOf(function()).op).mnemonic) + (fast ? "_fast" : "");
  }
};

inline std::vector<Form> AllForms() {
  std::vector<Form> forms;
  for (const Reference& reference : kReferences) {
    forms.push_back({reference, false});
    if (InfoOf(reference.function).has_fast) forms.push_back({reference, true});
  }
  return forms;
}

// Error of `value` in units in the last place at `exact`; `smallest` and `largest` are the
// exponents of the smallest and largest normal numbers. Infinity counts as the number after the
// largest.
template <class T, class Wide>
double UlpError(T value, Wide exact, int smallest, int largest, int digits) {
  const Wide infinity = std::ldexp(Wide{1}, largest + 1);
  if (std::isnan(value) || std::isnan(exact)) {
    return std::isnan(value) && std::isnan(exact) ? 0 : HUGE_VAL;
  }
  const auto limited = [=](Wide v) { return std::fmax(std::fmin(v, infinity), -infinity); };
  const Wide target = limited(exact);
  const Wide found = limited(static_cast<Wide>(value));
  const Wide normal = std::ldexp(Wide{1}, smallest);
  const int exponent = std::min(std::ilogb(std::fmax(std::fabs(target), normal)), largest);
  return static_cast<double>(std::fabs(found - target) /
                             std::ldexp(Wide{1}, exponent - digits + 1));
}

inline double UlpError(float value, double exact) {
  return UlpError(value, exact, -126, 127, 24);
}
inline double UlpError(double value, long double exact) {
  return UlpError(value, exact, -1022, 1023, 53);
}

inline std::vector<const BatchTable*> AvailableBatchTables() {
  std::vector<const BatchTable*> tables;
  for (const Level level : kLevels) {
    if (const BatchTable* table = BatchTableFor(level); table != nullptr) tables.push_back(table);
  }
  return tables;
}

}  // namespace hologram::math
