// The resonance R[96]: one exact fraction per class, and the sums of a launch that are added to it
// when the launch has succeeded.
//
// An addend of RES.ACCUM is a multiple of 2^-62 below 2^63, so the contributions of a launch are
// summed in fixed point, 192 bits wide: no order of lanes can make a difference, and 2^66 of them
// fit. Only the sum with the fraction that was there must fit 64-bit numbers again.
// Tested by tests/launch/resonance_test.cc and tests/conformance/atlas_cases.py.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "isa/atlas.h"
#include "isa/type.h"

namespace hologram::launch {

// Canonical: denominator > 0, no common divisor, zero is 0/1.
struct Ratio {
  int64_t numerator = 0;
  int64_t denominator = 1;
  bool operator==(const Ratio&) const = default;
};

// Success, or which rule `ratio` breaks.
Status CheckCanonical(Ratio ratio);
// The canonical fraction of the sum; nothing if it does not fit.
std::optional<Ratio> SumOf(Ratio a, Ratio b);

// A signed number of units of 2^-62.
class FixedSum {
 public:
  void Add(__int128 units);
  void Add(const FixedSum& other);
  bool IsZero() const { return low_ == 0 && middle_ == 0 && high_ == 0; }
  bool IsNegative() const { return static_cast<int64_t>(high_) < 0; }
  std::array<uint64_t, 3> Magnitude() const;  // low word first
  // As an __int128, if it fits.
  std::optional<__int128> Units() const;

 private:
  uint64_t low_ = 0;
  uint64_t middle_ = 0;
  uint64_t high_ = 0;
};

inline constexpr int kUnitBits = 62;  // a unit is 2^-kUnitBits
// A value in units; nothing if it is not a fraction of 64-bit numbers (nan and infinities are
// none).
std::optional<__int128> UnitsOf(double value);
std::optional<__int128> UnitsOf(int64_t value);
// Of the bits of an i32, i64, f32 or f64.
std::optional<__int128> UnitsOf(isa::Type type, uint64_t bits);

// The fraction plus the sum; nothing if it does not fit.
std::optional<Ratio> SumOf(Ratio ratio, const FixedSum& sum);

using Resonance = std::array<Ratio, isa::kNumClasses>;

// |the sum of all classes + own| < bound, exactly; bound 0: is zero. REQUIRES: bound >= 0.
class UnityTester {
 public:
  explicit UnityTester(const Resonance& resonance);
  bool Test(const FixedSum& own, double bound) const;

 private:
  // Magnitudes in 32-bit digits, lowest first, no zeros at the end.
  std::vector<uint32_t> numerator_;
  std::vector<uint32_t> denominator_;
  bool negative_ = false;
};

}  // namespace hologram::launch
