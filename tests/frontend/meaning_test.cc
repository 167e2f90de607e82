// Compiles meaning.py and runs its kernels on one lane: the results are those of Python where
// Python defines them (floor division, ranges, short circuits), of the language's rules elsewhere.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "frontend/compile_python.h"
#include "frontend/frontend.h"
#include "frontend/one_lane.h"

namespace hologram::frontend {
namespace {

const isa::Program& ProgramOf(const std::string& name) {
  static const auto programs = CompileJson(JsonOf(".", "meaning.py"), "meaning.py", "");
  static const isa::Program kNone;
  for (const Diagnostic& error : programs.errors()) ADD_FAILURE() << ToString(error);
  for (size_t i = 0; programs.ok() && i < programs.value().size(); ++i) {
    if (programs.value()[i].name == name) return programs.value()[i];
  }
  ADD_FAILURE() << "no kernel " << name;
  return kNone;
}

OneLane RunKernel(const std::string& name, const std::vector<uint64_t>& scalars) {
  return {ProgramOf(name), scalars};
}

uint64_t I32(int64_t value) {
  return static_cast<uint32_t>(value);
}
uint64_t F32(float value) {
  return std::bit_cast<uint32_t>(value);
}
float AsF32(const tests::Value& value) {
  return std::bit_cast<float>(static_cast<uint32_t>(value.bits));
}

int64_t FloorDivide(int64_t a, int64_t b) {
  return static_cast<int64_t>(std::floor(static_cast<double>(a) / static_cast<double>(b)));
}

std::vector<int64_t> Ints(const OneLane& lane, size_t count, size_t parameter = 0) {
  std::vector<int64_t> values;
  for (size_t i = 0; i < count; ++i) values.push_back(lane.Int(parameter, i));
  return values;
}

TEST(Meaning, DivisionOfSignedIntegersFloors) {
  for (const int64_t a : {-100, -9, -8, -7, -1, 0, 1, 6, 7, 8, 9, 2147483647}) {
    for (const int64_t b : {-7, -2, -1, 1, 2, 3, 7}) {
      const auto quotient = [a](int64_t by) { return FloorDivide(a, by); };
      const auto remainder = [a](int64_t by) { return a - by * FloorDivide(a, by); };
      EXPECT_EQ(Ints(RunKernel("floor_divide", {I32(a), I32(b)}), 8),
                (std::vector<int64_t>{quotient(b), remainder(b), quotient(4), remainder(4),
                                      quotient(7), remainder(7), quotient(-3), remainder(-3)}))
          << a << " " << b;
    }
  }
  EXPECT_EQ(Ints(RunKernel("floor_divide_bytes", {0xF9, 2}), 3),
            (std::vector<int64_t>{-4, 1, -4}));  // -7
}

TEST(Meaning, DivisionOfFloatsFloors) {
  const OneLane lane = RunKernel("floor_floats", {F32(-7.5F), F32(2.0F)});
  EXPECT_EQ(AsF32(lane.At(0, 0)), -4.0F);
  EXPECT_EQ(AsF32(lane.At(0, 1)), 0.5F);
}

TEST(Meaning, RangesCountAsInPython) {
  EXPECT_EQ(Ints(RunKernel("ranges", {I32(10)}), 6),
            (std::vector<int64_t>{45, 54, 2 + 5 + 8, 9, 5, 3}));
  EXPECT_EQ(Ints(RunKernel("ranges", {I32(0)}), 6), (std::vector<int64_t>{0, -1, 0, -1, 0, 0}));
  EXPECT_EQ(Ints(RunKernel("ranges", {I32(-3)}), 6), (std::vector<int64_t>{0, 0, 0, -1, 0, 0}));
}

TEST(Meaning, RangesEndWhereTheCounterWouldWrap) {
  EXPECT_EQ(Ints(RunKernel("range_of_bytes", {255}), 2), (std::vector<int64_t>{128, 85}));
  EXPECT_EQ(Ints(RunKernel("range_of_bytes", {254}), 2), (std::vector<int64_t>{127, 85}));
}

TEST(Meaning, LoopsNest) {
  int64_t sum = 0;
  for (int i = 0; i < 6; ++i) {
    for (int j = i; j < 6 && j != 3; ++j) sum += i * 10 + j;
  }
  EXPECT_EQ(Ints(RunKernel("nested", {I32(6)}), 2), (std::vector<int64_t>{sum, 1 + 1 + 2 + 3 + 4}));
}

TEST(Meaning, ComparisonsWithNanAreFalse) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<int64_t> unordered{0, 1, 0, 1, 1, 2, 1, 2};
  EXPECT_EQ(Ints(RunKernel("nan_conditions", {F32(nan), F32(1)}), 8), unordered);
  EXPECT_EQ(Ints(RunKernel("nan_conditions", {F32(1), F32(nan)}), 8), unordered);
  EXPECT_EQ(Ints(RunKernel("nan_conditions", {F32(1), F32(2)}), 8),
            (std::vector<int64_t>{1, 0, 1, 0, 1, 1, 0, 1}));
  EXPECT_EQ(Ints(RunKernel("nan_conditions", {F32(2), F32(2)}), 8),
            (std::vector<int64_t>{0, 1, 1, 0, 0, 2, 1, 1}));
}

TEST(Meaning, WhatIsNotNeededIsNotEvaluated) {
  EXPECT_EQ(Ints(RunKernel("short_circuit", {I32(7), I32(0)}), 6),
            (std::vector<int64_t>{0, 1, 0, -1, 0, 1}));
  EXPECT_EQ(Ints(RunKernel("short_circuit", {I32(7), I32(2)}), 6),
            (std::vector<int64_t>{1, 1, 1, 3, 0, 0}));
  EXPECT_EQ(Ints(RunKernel("short_circuit", {I32(4), I32(10)}), 6),
            (std::vector<int64_t>{0, 0, 0, 0, 1, 0}));
}

TEST(Meaning, CastsSaturate) {
  const OneLane high = RunKernel("casts", {F32(3e9F), I32(300), uint64_t{1} << 40, ~uint64_t{0}});
  EXPECT_EQ(Ints(high, 2), (std::vector<int64_t>{255, 255}));
  EXPECT_EQ(Ints(high, 6, 1),
            (std::vector<int64_t>{2147483647, 127, 300, INT64_MAX, 65535, 2147483647}));
  const OneLane low = RunKernel("casts", {F32(std::nanf("")), I32(-300), ~uint64_t{0} << 40, 5});
  EXPECT_EQ(Ints(low, 2), (std::vector<int64_t>{0, 0}));
  EXPECT_EQ(Ints(low, 6, 1), (std::vector<int64_t>{-2147483648LL, -128, 0, 5, 0, 0}));
}

TEST(Meaning, MixedIntegersGetATypeThatHoldsBoth) {
  const OneLane lane = RunKernel("promotions", {0xFFFFFFFF, I32(-5), 200});
  EXPECT_EQ(Ints(lane, 3, 1), (std::vector<int64_t>{4294967290, 144, -10 - 4294967295LL}));
  const auto f64 = [&lane](uint64_t i) { return std::bit_cast<double>(lane.At(0, i).bits); };
  EXPECT_EQ(f64(0), 1073741823.75);  // f32 would round 2^32 - 1
  EXPECT_EQ(f64(1), 4294967295.0 / 3.0);
  EXPECT_EQ(f64(2), 100.0);
}

TEST(Meaning, ContractFusesProducts) {
  const float a = 1.0F + 0x1p-12F;  // a * a needs one bit more than f32 has
  const float c = -1.0F - 0x1p-11F;
  const OneLane lane = RunKernel("contracted", {F32(a), F32(a), F32(c)});
  EXPECT_EQ(AsF32(lane.At(0, 0)), std::fma(a, a, c));
  EXPECT_EQ(AsF32(lane.At(0, 1)), std::fma(a, a, c));
  EXPECT_EQ(AsF32(lane.At(0, 2)), std::fma(a, a, -c));
  EXPECT_EQ(AsF32(lane.At(0, 3)), std::fma(-a, a, c));
  EXPECT_EQ(AsF32(lane.At(0, 4)), std::fma(a, a, -(c * c)));
  const OneLane unfused = RunKernel("plain", {F32(a), F32(a), F32(c)});
  EXPECT_EQ(AsF32(unfused.At(0, 0)), 0.0F);
  EXPECT_EQ(AsF32(lane.At(0, 0)), 0x1p-24F);
}

TEST(Meaning, LocalsKeepTheirValuesWhileTheyAreAssigned) {
  const OneLane lane = RunKernel("swap", {I32(5)});  // x = 7, y = 7, x = -7
  EXPECT_EQ(lane.Int(0, 93), 7);
  EXPECT_EQ(lane.Int(0, 0), -7);
}

TEST(Meaning, HelpersAndTuplesComputeAsInPython) {
  EXPECT_EQ(Ints(RunKernel("helpers", {I32(12), I32(18)}), 9),
            (std::vector<int64_t>{12, 18, 6, 65, 0, -1, 3, 301218, 77}));
  EXPECT_EQ(Ints(RunKernel("helpers", {I32(-12), I32(35)}), 9),
            (std::vector<int64_t>{-12, 35, 1, 65, 0, -1, 0, 230000 - 1200 + 35, 77}));
}

TEST(Meaning, KnownPowersAreProducts) {
  EXPECT_EQ(Ints(RunKernel("powers", {I32(-3), F32(1)}), 6),
            (std::vector<int64_t>{9, -27, -243, 1, -3, static_cast<int32_t>(-617673396283947U)}));
  const float y = 1.1F;
  const OneLane lane = RunKernel("powers", {I32(0), F32(y)});
  const float square = y * y;
  EXPECT_EQ(AsF32(lane.At(1, 0)), square);
  EXPECT_EQ(AsF32(lane.At(1, 1)), square * y);
  const float cube = square * y;
  EXPECT_EQ(AsF32(lane.At(1, 2)), (cube * cube) * y);
  EXPECT_EQ(AsF32(lane.At(1, 3)), 1.0F / y);
  EXPECT_EQ(AsF32(lane.At(1, 4)), 1.0F / square);
  EXPECT_EQ(AsF32(lane.At(1, 5)), 1.0F);
}

TEST(Meaning, InfinitiesAndNanAreLiteralsOfEveryFloatType) {
  const auto bits = [](const OneLane& lane, size_t parameter, size_t count) {
    std::vector<uint64_t> values;
    for (size_t i = 0; i < count; ++i) values.push_back(lane.At(parameter, i).bits);
    return values;
  };
  const OneLane lane = RunKernel("endless_literals", {F32(-2.5F)});
  EXPECT_EQ(bits(lane, 0, 8),
            (std::vector<uint64_t>{0x7F800000, 0xFF800000, 0x7FC00000, 0x7FC00000, 0xFF800000,
                                   F32(-2.5F), 0x7F800000, 0xFF800000}));
  EXPECT_EQ(bits(lane, 1, 5),
            (std::vector<uint64_t>{0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000,
                                   0x7FF0000000000000, 0x7FF0000000000000}));
  EXPECT_EQ(bits(lane, 2, 2), (std::vector<uint64_t>{0x7C00, 0x7E00}));
  EXPECT_EQ(bits(lane, 3, 2), (std::vector<uint64_t>{0xFF80, 0x7FC0}));
  EXPECT_EQ(Ints(lane, 6, 4), (std::vector<int64_t>{2147483647, -2147483648LL, 0, 1, 0, 1}));
  const OneLane endless =
      RunKernel("endless_literals", {F32(std::numeric_limits<float>::infinity())});
  EXPECT_EQ(bits(endless, 0, 5)[4], 0x7F800000U);
  EXPECT_EQ(Ints(endless, 6, 4), (std::vector<int64_t>{2147483647, -2147483648LL, 0, 0, 0, 1}));
}

}  // namespace
}  // namespace hologram::frontend
