#include "isa/value_format.h"

#include <gtest/gtest.h>

namespace hologram::isa {
namespace {

std::string F64(double value, std::string_view format) {
  EXPECT_EQ(FormatError(Type::kF64, format), std::nullopt) << format;
  return FormattedText(Type::kF64, __builtin_bit_cast(uint64_t, value), format);
}

std::string I32(int32_t value, std::string_view format) {
  EXPECT_EQ(FormatError(Type::kI32, format), std::nullopt) << format;
  return FormattedText(Type::kI32, static_cast<uint32_t>(value), format);
}

bool Fits(Type type, std::string_view format) {
  return FormatError(type, format) == std::nullopt;
}

// What Python writes; more of them are compared with Python itself in tests/language.
TEST(ValueFormat, Floats) {
  EXPECT_EQ(F64(2.5, ".0f"), "2");
  EXPECT_EQ(F64(-0.0001, ".3f"), "-0.000");
  EXPECT_EQ(F64(1234567.875, ",.2f"), "1,234,567.88");
  EXPECT_EQ(F64(0.5, "%"), "50.000000%");
  EXPECT_EQ(F64(1.5, "+09.2e"), "+1.50e+00");
  EXPECT_EQ(F64(1e300, ".3g"), "1e+300");
  EXPECT_EQ(F64(100.0, ".3"), "1e+02");
  EXPECT_EQ(F64(10.0, ".3"), "10.0");
  EXPECT_EQ(F64(0.1, "x^9"), "xxx0.1xxx");
  EXPECT_EQ(F64(-__builtin_inf(), "08.1f"), "-0000inf");
  EXPECT_EQ(F64(__builtin_nan(""), "+F"), "+NAN");
  EXPECT_EQ(F64(1.7e308, ".99f").size(), 309U + 1 + 99);
}

TEST(ValueFormat, Integers) {
  EXPECT_EQ(I32(-255, "#x"), "-0xff");
  EXPECT_EQ(I32(-255, "08X"), "-00000FF");
  EXPECT_EQ(I32(INT32_MIN, ","), "-2,147,483,648");
  EXPECT_EQ(I32(65535, "_b"), "1111_1111_1111_1111");
  EXPECT_EQ(I32(7, ".1f"), "7.0");
  EXPECT_EQ(FormattedText(Type::kU64, ~uint64_t{0}, "d"), "18446744073709551615");
  EXPECT_EQ(FormattedText(Type::kI8, 0xffffff80, "5"), " -128");
}

TEST(ValueFormat, RefusesWhatPythonHasAndMore) {
  EXPECT_EQ(*FormatError(Type::kF32, ".3q"),
            "':.3q' is not a format of f32 here; write one of at most 8 characters such as :.3f, "
            ":10.3e, :g or :+.1%");
  EXPECT_FALSE(Fits(Type::kF32, "d"));
  EXPECT_FALSE(Fits(Type::kF32, "#g"));
  EXPECT_FALSE(Fits(Type::kI32, ".3d"));
  EXPECT_FALSE(Fits(Type::kI32, ",x"));
  EXPECT_FALSE(Fits(Type::kI32, "012,"));
  EXPECT_FALSE(Fits(Type::kI32, "100"));
  EXPECT_FALSE(Fits(Type::kF64, "."));
  EXPECT_FALSE(Fits(Type::kF64, "123456789"));
  EXPECT_FALSE(Fits(Type::kF64, "\x01<5"));
}

}  // namespace
}  // namespace hologram::isa
