// The arbiter of math_exhaustive against the 80-bit C library: two references must not differ by
// more than their own errors.
#include "math/arbiter.h"

#include <gtest/gtest.h>

#include <bit>
#include <random>

#include "math/reference.h"

namespace hologram::math {
namespace {

double ScreenedUlpError(const Form& form, float x, float y) {
  return UlpError(y, form.reference.f80(x, 0), -126, 127, 24);
}

TEST(Arbiter, AgreesWithThe80BitLibrary) {
  if (!kHasArbiter) GTEST_SKIP() << "MPFR is missing";
  std::mt19937 random(20);
  for (const Form& form : AllForms()) {
    if (form.num_operands() != 1) continue;
    int compared = 0;
    for (int i = 0; i < 3000; ++i) {
      const bool everyday = i % 2 == 0;
      const uint32_t bits = static_cast<uint32_t>(random());
      const float x =
          std::bit_cast<float>(everyday ? (bits & 0x807fffff) | (120 + bits % 16) << 23 : bits);
      float y = 0;
      BestBatch().Find32(form.function(), form.fast)(&x, &x, &y, 1);
      if (std::isnan(x) || std::isnan(y)) continue;
      ++compared;
      EXPECT_NEAR(ArbitratedUlpError(form.function(), x, y), ScreenedUlpError(form, x, y), 1e-9)
          << form.name() << " of " << x;
    }
    EXPECT_GT(compared, 1000) << form.name();
  }
}

TEST(Arbiter, CountsOverflowAndSubnormalsAsTheBoundsDo) {
  if (!kHasArbiter) GTEST_SKIP() << "MPFR is missing";
  // e^89 > 2^128: the infinity is exact, the largest number is one unit off.
  EXPECT_EQ(ArbitratedUlpError(Function::kExp, 89, HUGE_VALF), 0);
  EXPECT_EQ(ArbitratedUlpError(Function::kExp, 89, 0x1.fffffep127f), 1);
  // 2^-149 is the smallest subnormal number, and the unit there.
  EXPECT_EQ(ArbitratedUlpError(Function::kExp2, -149, 0x1p-149f), 0);
  EXPECT_EQ(ArbitratedUlpError(Function::kExp2, -149, 0x4p-149f), 3);
  EXPECT_EQ(ArbitratedUlpError(Function::kSin, 0, -0.0F), 0);
}

}  // namespace
}  // namespace hologram::math
