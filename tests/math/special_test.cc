// The canonical functions where the result is known exactly: zeros, infinities, NaN, and points
// that need no rounding. Every instruction set, f32, its fast form and f64.
#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "math/ops.h"
#include "math/reference.h"

namespace hologram::math {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();  // 0x7ff8000000000000

struct Special {
  Function function;
  double x;
  double expected;
};

constexpr Special kSpecials[] = {
    {Function::kExp, 0.0, 1.0},
    {Function::kExp, -0.0, 1.0},
    {Function::kExp, kInf, kInf},
    {Function::kExp, -kInf, 0.0},
    {Function::kExp, 0x1p100, kInf},
    {Function::kExp, -0x1p100, 0.0},
    {Function::kExp, 0x1p-126, 1.0},
    {Function::kExp, -0x1p-149, 1.0},
    {Function::kExp, 1000.0, kInf},
    {Function::kExp, -1000.0, 0.0},
    {Function::kSigmoid, 0.0, 0.5},
    {Function::kSigmoid, -0.0, 0.5},
    {Function::kSigmoid, kInf, 1.0},
    {Function::kSigmoid, -kInf, 0.0},
    {Function::kSigmoid, 0x1p100, 1.0},
    {Function::kSigmoid, -0x1p100, 0.0},
    {Function::kSigmoid, 0x1p-126, 0.5},
    {Function::kSigmoid, -0x1p-149, 0.5},
    {Function::kSigmoid, 1000.0, 1.0},
    {Function::kSigmoid, -1000.0, 0.0},
    {Function::kLog, 0.0, -kInf},
    {Function::kLog, -0.0, -kInf},
    {Function::kLog, 1.0, 0.0},
    {Function::kLog, kInf, kInf},
    {Function::kLog, -kInf, kNan},
    {Function::kLog, -1.0, kNan},
    {Function::kLog, -0x1p-149, kNan},
    {Function::kLog2, 0.0, -kInf},
    {Function::kLog2, -0.0, -kInf},
    {Function::kLog2, 1.0, 0.0},
    {Function::kLog2, 2.0, 1.0},
    {Function::kLog2, 0x1p-126, -126.0},
    {Function::kLog2, 0x1p127, 127.0},
    {Function::kLog2, kInf, kInf},
    {Function::kLog2, -kInf, kNan},
    {Function::kLog2, -2.0, kNan},
    {Function::kLog10, 0.0, -kInf},
    {Function::kLog10, -0.0, -kInf},
    {Function::kLog10, 1.0, 0.0},
    {Function::kLog10, kInf, kInf},
    {Function::kLog10, -kInf, kNan},
    {Function::kLog10, -10.0, kNan},
    {Function::kRsqrt, 0.0, kInf},
    {Function::kRsqrt, -0.0, -kInf},
    {Function::kRsqrt, kInf, 0.0},
    {Function::kRsqrt, -kInf, kNan},
    {Function::kRsqrt, -1.0, kNan},
    {Function::kRsqrt, -0x1p-149, kNan},
    {Function::kSin, 0.0, 0.0},
    {Function::kSin, -0.0, -0.0},
    {Function::kSin, 0x1p-149, 0x1p-149},
    {Function::kSin, -0x1p-130, -0x1p-130},
    {Function::kSin, kInf, kNan},
    {Function::kSin, -kInf, kNan},
    {Function::kCos, 0.0, 1.0},
    {Function::kCos, -0.0, 1.0},
    {Function::kCos, 0x1p-149, 1.0},
    {Function::kCos, kInf, kNan},
    {Function::kCos, -kInf, kNan},
    {Function::kTan, 0.0, 0.0},
    {Function::kTan, -0.0, -0.0},
    {Function::kTan, 0x1p-149, 0x1p-149},
    {Function::kTan, -0x1p-130, -0x1p-130},
    {Function::kTan, kInf, kNan},
    {Function::kTan, -kInf, kNan},
    {Function::kTanh, 0.0, 0.0},
    {Function::kTanh, -0.0, -0.0},
    {Function::kTanh, 0x1p-149, 0x1p-149},
    {Function::kTanh, -0x1p-130, -0x1p-130},
    {Function::kTanh, 30.0, 1.0},
    {Function::kTanh, -0x1p100, -1.0},
    {Function::kTanh, kInf, 1.0},
    {Function::kTanh, -kInf, -1.0},
    {Function::kErf, 0.0, 0.0},
    {Function::kErf, -0.0, -0.0},
    {Function::kErf, kInf, 1.0},
    {Function::kErf, -kInf, -1.0},
    {Function::kErf, 7.0, 1.0},
    {Function::kErf, -0x1p100, -1.0},
    {Function::kExp2, 0.0, 1.0},
    {Function::kExp2, -0.0, 1.0},
    {Function::kExp2, kInf, kInf},
    {Function::kExp2, -kInf, 0.0},
    {Function::kExp2, 10.0, 1024.0},
    {Function::kExp2, -126.0, 0x1p-126},
    {Function::kExp2, 127.0, 0x1p127},
    {Function::kExp2, -149.0, 0x1p-149},
    {Function::kExp2, 1024.0, kInf},
    {Function::kExp2, -1100.0, 0.0},
    {Function::kExp2, 0x1p-149, 1.0},
    {Function::kExp2, -0x1p100, 0.0},
    {Function::kExpm1, 0.0, 0.0},
    {Function::kExpm1, -0.0, -0.0},
    {Function::kExpm1, kInf, kInf},
    {Function::kExpm1, -kInf, -1.0},
    {Function::kExpm1, 1000.0, kInf},
    {Function::kExpm1, -1000.0, -1.0},
    {Function::kExpm1, 0x1p-149, 0x1p-149},
    {Function::kExpm1, -0x1p-140, -0x1p-140},
    {Function::kLog1p, 0.0, 0.0},
    {Function::kLog1p, -0.0, -0.0},
    {Function::kLog1p, kInf, kInf},
    {Function::kLog1p, -1.0, -kInf},
    {Function::kLog1p, -2.0, kNan},
    {Function::kLog1p, -kInf, kNan},
    {Function::kLog1p, -0x1.000002p0, kNan},
    {Function::kLog1p, 0x1p-149, 0x1p-149},
    {Function::kLog1p, -0x1p-140, -0x1p-140},
};

struct Special2 {
  Function function;
  double a;
  double b;
  double expected;
};

// IEEE 754-2019, 9.2.1.
constexpr double kOdd = 3.0;
constexpr double kLargeOdd = 0x1.fffffep23;  // 2^24 - 1, the largest odd f32
constexpr double kSpecialPowers[][3] = {
    {kNan, 0.0, 1.0},
    {kNan, -0.0, 1.0},
    {kInf, 0.0, 1.0},
    {-kInf, -0.0, 1.0},
    {0.0, 0.0, 1.0},
    {-0.0, -0.0, 1.0},
    {-2.5, 0.0, 1.0},
    {1.0, kNan, 1.0},
    {1.0, kInf, 1.0},
    {1.0, -kInf, 1.0},
    {1.0, 0x1p100, 1.0},
    {-1.0, kInf, 1.0},
    {-1.0, -kInf, 1.0},
    {-1.0, kNan, kNan},
    {kNan, 1.0, kNan},
    {2.0, kNan, kNan},
    {kNan, kNan, kNan},
    {kNan, kInf, kNan},
    // zeros
    {0.0, -kOdd, kInf},
    {-0.0, -kOdd, -kInf},
    {-0.0, -kLargeOdd, -kInf},
    {0.0, -2.0, kInf},
    {-0.0, -2.0, kInf},
    {-0.0, -0.5, kInf},
    {-0.0, -0x1p24, kInf},
    {0.0, -kInf, kInf},
    {-0.0, -kInf, kInf},
    {0.0, kOdd, 0.0},
    {-0.0, kOdd, -0.0},
    {-0.0, kLargeOdd, -0.0},
    {-0.0, 2.0, 0.0},
    {-0.0, 0.5, 0.0},
    {0.0, 0.5, 0.0},
    {-0.0, kInf, 0.0},
    {0.0, kInf, 0.0},
    {-0.0, 0x1p-149, 0.0},
    // infinite exponents
    {0.5, kInf, 0.0},
    {-0.5, kInf, 0.0},
    {0.5, -kInf, kInf},
    {-0.5, -kInf, kInf},
    {2.0, kInf, kInf},
    {-2.0, kInf, kInf},
    {2.0, -kInf, 0.0},
    {-2.0, -kInf, 0.0},
    {0x1.fffffep-1, kInf, 0.0},
    {0x1.000002p0, kInf, kInf},
    {0x1p-149, -kInf, kInf},
    // infinite bases
    {kInf, 0.5, kInf},
    {kInf, -0.5, 0.0},
    {kInf, kInf, kInf},
    {kInf, -kInf, 0.0},
    {kInf, 0x1p-149, kInf},
    {-kInf, kOdd, -kInf},
    {-kInf, 2.0, kInf},
    {-kInf, 0.5, kInf},
    {-kInf, -kOdd, -0.0},
    {-kInf, -2.0, 0.0},
    {-kInf, -0.5, 0.0},
    {-kInf, kInf, kInf},
    {-kInf, -kInf, 0.0},
    // negative bases
    {-8.0, 0.5, kNan},
    {-8.0, -0x1p-149, kNan},
    {-1.0, 1.5, kNan},
    {-0x1p-149, 2.5, kNan},
    {-2.0, 3.0, -8.0},
    {-2.0, 4.0, 16.0},
    {-1.0, kLargeOdd, -1.0},
    {-1.0, 0x1p24, 1.0},
    {-1.0, 0x1p100, 1.0},
    {-2.0, -kOdd, -0.125},
    {-1.0, 0x1.fffffep21, kNan},
    // exact, overflow, underflow
    {2.0, 10.0, 1024.0},
    {4.0, 0.5, 2.0},
    {4.0, -0.5, 0.5},
    {2.0, -149.0, 0x1p-149},
    {0x1p-149, 1.0, 0x1p-149},
    {0x1p-140, 0.5, 0x1p-70},
    {7.0, 1.0, 7.0},
    {0.25, 2.0, 0.0625},
    {2.0, 1024.0, kInf},
    {2.0, -1200.0, 0.0},
    {-2.0, 1025.0, -kInf},
    {-2.0, -1201.0, -0.0},
    {3.0, 0x1p100, kInf},
    {3.0, -0x1p100, 0.0},
    {0.3, 0x1p100, 0.0},
    {5.0, 0x1p-149, 1.0},
};

constexpr double kPi = 0x1.921fb54442d18p1;
// y, x, the angle rounded to f64.
constexpr double kSpecialAngles[][3] = {
    {0.0, 0.0, 0.0},
    {-0.0, 0.0, -0.0},
    {0.0, -0.0, kPi},
    {-0.0, -0.0, -kPi},
    {0.0, 1.0, 0.0},
    {-0.0, 1.0, -0.0},
    {0.0, -1.0, kPi},
    {-0.0, -1.0, -kPi},
    {0.0, 0x1p-149, 0.0},
    {-0.0, -0x1p-149, -kPi},
    {1.0, 0.0, kPi / 2},
    {1.0, -0.0, kPi / 2},
    {-1.0, 0.0, -kPi / 2},
    {-1.0, -0.0, -kPi / 2},
    {0x1p-149, 0.0, kPi / 2},
    {0.0, kInf, 0.0},
    {-0.0, kInf, -0.0},
    {0.0, -kInf, kPi},
    {-0.0, -kInf, -kPi},
    {2.0, kInf, 0.0},
    {-2.0, kInf, -0.0},
    {2.0, -kInf, kPi},
    {-2.0, -kInf, -kPi},
    {kInf, 2.0, kPi / 2},
    {-kInf, 2.0, -kPi / 2},
    {kInf, -2.0, kPi / 2},
    {-kInf, -2.0, -kPi / 2},
    {kInf, 0.0, kPi / 2},
    {-kInf, -0.0, -kPi / 2},
    {kInf, kInf, kPi / 4},
    {-kInf, kInf, -kPi / 4},
    {kInf, -kInf, 0.75 * kPi},
    {-kInf, -kInf, -0.75 * kPi},
    {1.0, 1.0, kPi / 4},
    {-1.0, 1.0, -kPi / 4},
    {0x1p-149, 0x1p-149, kPi / 4},
    {0x1p100, 0x1p100, kPi / 4},
    {kNan, 1.0, kNan},
    {1.0, kNan, kNan},
    {kNan, kNan, kNan},
    {kNan, kInf, kNan},
    {kInf, kNan, kNan},
    {0.0, kNan, kNan},
    {kNan, 0.0, kNan},
    {0x1p-149, 1.0, 0x1p-149},
    {0x1p-100, 0x1p-60, 0x1p-40},
    {0x1p100, 0x1p-100, kPi / 2},
    {0x1p-60, 0x1p67, 0x1p-127},
};

std::vector<Special2> SpecialsOfTwo() {
  std::vector<Special2> all;
  for (const auto& [a, b, expected] : kSpecialPowers)
    all.push_back({Function::kPow, a, b, expected});
  for (const auto& [a, b, expected] : kSpecialAngles) {
    all.push_back({Function::kAtan2, a, b, expected});
  }
  return all;
}

float Run32(const BatchTable& table, Function function, bool fast, float a, float b) {
  float y = 0;
  table.Find32(function, fast)(&a, &b, &y, 1);
  return y;
}
float Run32(const BatchTable& table, Function function, bool fast, float x) {
  return Run32(table, function, fast, x, x);
}

double Run64(const BatchTable& table, Function function, double a, double b) {
  double y = 0;
  table.Find64(function)(&a, &b, &y, 1);
  return y;
}
double Run64(const BatchTable& table, Function function, double x) {
  return Run64(table, function, x, x);
}

TEST(SpecialValues, AreExactWithTheRightZero) {
  const auto bits = [](double v) { return std::bit_cast<std::uint64_t>(v); };
  for (const BatchTable* table : AvailableBatchTables()) {
    for (const Special& special : kSpecials) {
      const Function function = special.function;
      const auto x = static_cast<float>(special.x);
      for (const bool fast : {false, true}) {
        const double y = static_cast<double>(Run32(*table, function, fast, x));
        EXPECT_EQ(bits(y), bits(special.expected))
            << isa::InfoOf(InfoOf(function).op).name << (fast ? " fast " : " ") << special.x << ": "
            << y;
      }
      const double y = Run64(*table, function, special.x);
      EXPECT_EQ(bits(y), bits(special.expected))
          << isa::InfoOf(InfoOf(function).op).name << " f64 " << special.x << ": " << y;
    }
  }
}

// Zeros with their sign, NaN and infinities to the bit; other numbers within `ulp`.
template <class T, class Wide>
void ExpectSpecial(const Special2& special, T y, Wide expected, double ulp) {
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  const auto nearest = static_cast<T>(expected);
  const bool same = std::bit_cast<Bits>(y) == std::bit_cast<Bits>(nearest);
  const bool number = std::isfinite(nearest) && nearest != 0 && std::isfinite(y);
  EXPECT_TRUE(same || (number && UlpError(y, expected) <= ulp))
      << isa::InfoOf(InfoOf(special.function).op).name << " f" << 8 * sizeof(T) << " of "
      << special.a << ", " << special.b << ": " << y << ", not " << nearest;
}

// Powers that need no rounding are exact.
TEST(SpecialValues, OfTwoOperandsAreThoseOfIeee) {
  for (const BatchTable* table : AvailableBatchTables()) {
    for (const Special2& special : SpecialsOfTwo()) {
      const bool exact = special.function == Function::kPow;
      const auto a = static_cast<float>(special.a);
      const auto b = static_cast<float>(special.b);
      for (const bool fast : {false, true}) {
        const double ulp = exact ? 0 : fast ? kMaxUlpFast : 1.0;
        ExpectSpecial(special, Run32(*table, special.function, fast, a, b), special.expected, ulp);
      }
      const double y = Run64(*table, special.function, special.a, special.b);
      ExpectSpecial(special, y, static_cast<long double>(special.expected), exact ? 0 : 1.0);
    }
  }
}

// Without rounding: the algorithm itself is exact there.
TEST(SpecialValues, ExactPowersHaveExactLogarithms) {
  for (int k = -149; k <= 127; ++k) {
    const float x = std::ldexp(1.0F, k);
    for (const bool fast : {false, true}) {
      EXPECT_EQ(Run32(BestBatch(), Function::kLog2, fast, x), static_cast<float>(k));
    }
  }
  for (int k = -1074; k <= 1023; ++k) {
    EXPECT_EQ(Run64(BestBatch(), Function::kLog2, std::ldexp(1.0, k)), k);
  }
  double power = 1;
  for (int k = 0; k <= 22; ++k, power *= 10) {
    if (k <= 10) {
      const auto x = static_cast<float>(power);
      EXPECT_EQ(Run32(BestBatch(), Function::kLog10, false, x), static_cast<float>(k));
    }
    EXPECT_EQ(Run64(BestBatch(), Function::kLog10, power), k);
  }
}

bool IsTrigonometric(Function function) {
  return function == Function::kSin || function == Function::kCos || function == Function::kTan;
}

void ExpectAngleBelowBounds(const Form& form, double x) {
  const long double exact = form.reference.f80(static_cast<long double>(x), 0);
  EXPECT_LE(UlpError(Run64(BestBatch(), form.function(), x), exact), form.reference.max_ulp_f64)
      << form.name() << " f64 of " << x;
  const auto single = static_cast<float>(x);
  if (std::isinf(single)) return;
  const double exact32 = form.reference.f64(static_cast<double>(single), 0);
  const float value = Run32(BestBatch(), form.function(), form.fast, single);
  EXPECT_LE(UlpError(value, exact32), form.max_ulp_f32()) << form.name() << " of " << single;
}

// The double closest to a multiple of pi/2 for its size, neighbours of small multiples, and points
// around the limits of the reductions.
TEST(SpecialValues, HardAnglesStayBelowTheBounds) {
  std::vector<double> angles = {6381956970095103 * 0x1p797, 0x1p1023, 0x1.fffffffffffffp1023};
  for (int k = 1; k < 2000; ++k) angles.push_back(k * 1.5707963267948966);
  for (const double limit : {0x1p15, 0x1p17, 0x1p28}) {
    for (int k = -50; k <= 50; ++k) angles.push_back(limit * (1 + k * 0x1p-22));
  }
  for (const Form& form : AllForms()) {
    if (!IsTrigonometric(form.function())) continue;
    for (const double x : angles) {
      for (const double y : {x, std::nextafter(x, 0.0), -x}) ExpectAngleBelowBounds(form, y);
    }
  }
}

TEST(SpecialValues, NanBecomesTheCanonicalNan) {
  for (const std::uint32_t pattern : {0x7fc00000U, 0xffc00000U, 0x7f800001U, 0xffffffffU}) {
    const std::uint64_t wide = std::uint64_t{pattern | 0x7ff00000U} << 32 | 1;
    for (const BatchTable* table : AvailableBatchTables()) {
      for (const Form& form : AllForms()) {
        if (form.num_operands() != 1) continue;
        const float y = Run32(*table, form.function(), form.fast, std::bit_cast<float>(pattern));
        EXPECT_EQ(std::bit_cast<std::uint32_t>(y), Binary32::kQuietNan) << form.name();
        const double y64 = Run64(*table, form.function(), std::bit_cast<double>(wide));
        EXPECT_EQ(std::bit_cast<std::uint64_t>(y64), Binary64::kQuietNan) << form.name();
      }
    }
  }
}

TEST(SpecialValues, SubnormalResultsAreReached) {
  constexpr float kInputs[] = {-88.0F, -95.0F, -103.0F, -103.97F, -103.98F};
  for (const Form& form : AllForms()) {
    if (form.function() != Function::kExp && form.function() != Function::kSigmoid) continue;
    for (const float x : kInputs) {
      const float y = Run32(BestBatch(), form.function(), form.fast, x);
      EXPECT_LT(y, 0x1p-126F) << form.name();
      EXPECT_LE(UlpError(y, form.reference.f64(static_cast<double>(x), 0)), form.max_ulp_f32());
      if (x > -103.975F) {
        EXPECT_GT(y, 0.0F) << form.name();
      } else {
        EXPECT_LE(y, 0x1p-149F) << form.name();
      }
    }
  }
}

}  // namespace
}  // namespace hologram::math
