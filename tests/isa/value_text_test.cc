#include "isa/value_text.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <random>

#include "isa/half.h"

namespace hologram::isa {
namespace {

std::string F32(float value) {
  return ValueText(Type::kF32, __builtin_bit_cast(uint32_t, value));
}
std::string F64(double value) {
  return ValueText(Type::kF64, __builtin_bit_cast(uint64_t, value));
}

TEST(ValueText, IntegersOfEveryWidth) {
  EXPECT_EQ(ValueText(Type::kI8, 0x80), "-128");
  EXPECT_EQ(ValueText(Type::kI8, 0xffffff01), "1");
  EXPECT_EQ(ValueText(Type::kU8, 0xff), "255");
  EXPECT_EQ(ValueText(Type::kI64, ~uint64_t{0}), "-1");
  EXPECT_EQ(ValueText(Type::kU64, ~uint64_t{0}), "18446744073709551615");
}

// What Python and NumPy write.
TEST(ValueText, Floats) {
  EXPECT_EQ(F32(0.1F), "0.1");
  EXPECT_EQ(F32(1.0F), "1.0");
  EXPECT_EQ(F32(-0.0F), "-0.0");
  EXPECT_EQ(F32(123456789.0F), "123456790.0");
  EXPECT_EQ(F32(16777217.0F), "16777216.0");
  EXPECT_EQ(F32(1e-4F), "1e-04");  // less than a ten-thousandth
  EXPECT_EQ(F32(1.5e-7F), "1.5e-07");
  EXPECT_EQ(F32(3.4028235e38F), "3.4028235e+38");
  EXPECT_EQ(F32(INFINITY), "inf");
  EXPECT_EQ(F32(-NAN), "nan");
  EXPECT_EQ(F64(0.0001), "0.0001");
  EXPECT_EQ(F64(0.00001), "1e-05");
  EXPECT_EQ(F64(1e16), "1e+16");
  EXPECT_EQ(F64(9999999999999998.0), "9999999999999998.0");
  EXPECT_EQ(F64(5e-324), "5e-324");
  EXPECT_EQ(F64(-1.7976931348623157e308), "-1.7976931348623157e+308");
  EXPECT_EQ(ValueText(Type::kF16, 0x7bff), "65500.0");
  EXPECT_EQ(ValueText(Type::kF16, 0x0001), "6e-08");
  EXPECT_EQ(ValueText(Type::kF16, 0x2e66), "0.1");
  EXPECT_EQ(ValueText(Type::kBF16, 0x3dcd), "0.1");
  EXPECT_EQ(ValueText(Type::kBF16, 0x7f7f), "3.39e+38");
}

TEST(ValueText, HalvesAreReadBack) {
  for (const Type type : {Type::kF16, Type::kBF16}) {
    for (uint64_t bits = 0; bits < 65536; ++bits) {
      const double value = FloatValue(bits, type);
      if (std::isnan(value)) continue;
      const std::string text = ValueText(type, bits);
      ASSERT_EQ(FloatBits(std::strtod(text.c_str(), nullptr), type), bits) << text;
    }
  }
}

TEST(ValueText, FloatsAreReadBack) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 200000; ++i) {
    const uint64_t bits = random();
    const auto narrow = __builtin_bit_cast(float, static_cast<uint32_t>(bits));
    const auto wide = __builtin_bit_cast(double, bits);
    if (std::isnan(narrow) || std::isnan(wide)) continue;
    ASSERT_EQ(std::strtof(F32(narrow).c_str(), nullptr), narrow);
    ASSERT_EQ(std::strtod(F64(wide).c_str(), nullptr), wide);
  }
}

}  // namespace
}  // namespace hologram::isa
