// The canonical functions where the result is known exactly: zeros, infinities, NaN, and points
// that need no rounding. Every instruction set, f32, its fast form and f64.
#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "isa/math/ops.h"
#include "math/reference.h"

namespace hologram::isa::math {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

struct Special {
  Function function;
  double x;
  double expected;
};

constexpr Special kSpecials[] = {
    {Function::kExp, 0.0, 1.0},          {Function::kExp, -0.0, 1.0},
    {Function::kExp, kInf, kInf},        {Function::kExp, -kInf, 0.0},
    {Function::kExp, 0x1p100, kInf},     {Function::kExp, -0x1p100, 0.0},
    {Function::kExp, 0x1p-126, 1.0},     {Function::kExp, -0x1p-149, 1.0},
    {Function::kExp, 1000.0, kInf},      {Function::kExp, -1000.0, 0.0},
    {Function::kSigmoid, 0.0, 0.5},      {Function::kSigmoid, -0.0, 0.5},
    {Function::kSigmoid, kInf, 1.0},     {Function::kSigmoid, -kInf, 0.0},
    {Function::kSigmoid, 0x1p100, 1.0},  {Function::kSigmoid, -0x1p100, 0.0},
    {Function::kSigmoid, 0x1p-126, 0.5}, {Function::kSigmoid, -0x1p-149, 0.5},
    {Function::kSigmoid, 1000.0, 1.0},   {Function::kSigmoid, -1000.0, 0.0},
};

float Run32(const BatchTable& table, Function function, bool fast, float x) {
  float y = 0;
  table.Find32(function, fast)(&x, &x, &y, 1);
  return y;
}

double Run64(const BatchTable& table, Function function, double x) {
  double y = 0;
  table.Find64(function)(&x, &x, &y, 1);
  return y;
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
}  // namespace hologram::isa::math
