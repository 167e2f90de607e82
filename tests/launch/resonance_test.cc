// Exact fractions: canonical forms, sums against a slow way, limits, and the test for unity.
#include "launch/resonance.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace hologram::launch {
namespace {

using isa::Type;

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
constexpr int64_t kMin = std::numeric_limits<int64_t>::min();

std::string Message(const Status& status) {
  return status.ok() ? "" : status.errors()[0].message;
}

FixedSum Fixed(double value) {
  FixedSum sum;
  sum.Add(*UnitsOf(value));
  return sum;
}

TEST(Resonance, CanonicalFractions) {
  EXPECT_TRUE(CheckCanonical({3, 4}).ok());
  EXPECT_TRUE(CheckCanonical({0, 1}).ok());
  EXPECT_TRUE(CheckCanonical({kMin, 1}).ok());
  EXPECT_TRUE(CheckCanonical({kMin, kMax}).ok());
  EXPECT_EQ(Message(CheckCanonical({2, 4})), "2/4 is not reduced; write 1/2");
  EXPECT_EQ(Message(CheckCanonical({0, 5})), "0/5 is not reduced; write 0/1");
  EXPECT_EQ(Message(CheckCanonical({1, 0})), "1/0 has a denominator of zero");
  EXPECT_EQ(Message(CheckCanonical({1, -2})),
            "1/-2 has a negative denominator; the sign belongs to the numerator");
}

TEST(Resonance, SumsOfFractions) {
  EXPECT_EQ(SumOf(Ratio{1, 2}, Ratio{1, 3}), (Ratio{5, 6}));
  EXPECT_EQ(SumOf(Ratio{5, 6}, Ratio{1, 6}), (Ratio{1, 1}));
  EXPECT_EQ(SumOf(Ratio{1, 2}, Ratio{1, 4}), (Ratio{3, 4}));
  EXPECT_EQ(SumOf(Ratio{-1, 2}, Ratio{1, 2}), (Ratio{0, 1}));
  EXPECT_EQ(SumOf(Ratio{kMax, 1}, Ratio{1, 1}), std::nullopt);
  EXPECT_EQ(SumOf(Ratio{kMin, 1}, Ratio{-1, 1}), std::nullopt);
  EXPECT_EQ(SumOf(Ratio{kMin, 1}, Ratio{kMax, 1}), (Ratio{-1, 1}));
  EXPECT_EQ(SumOf(Ratio{1, kMax}, Ratio{1, kMax - 1}), std::nullopt);
}

TEST(Resonance, ValuesInUnits) {
  const __int128 one = __int128{1} << kUnitBits;
  EXPECT_EQ(UnitsOf(0.25), one / 4);
  EXPECT_EQ(UnitsOf(-3.0), -3 * one);
  EXPECT_EQ(UnitsOf(-0.0), __int128{0});
  EXPECT_EQ(UnitsOf(std::ldexp(1.0, -62)), __int128{1});
  EXPECT_EQ(UnitsOf(std::ldexp(3.0, -63)), std::nullopt);
  EXPECT_EQ(UnitsOf(-std::ldexp(1.0, 63)), -2 * (one * (int64_t{1} << 62)));
  EXPECT_EQ(UnitsOf(std::ldexp(1.0, 63)), std::nullopt);
  EXPECT_EQ(UnitsOf(std::numeric_limits<double>::denorm_min()), std::nullopt);
  EXPECT_EQ(UnitsOf(std::nan("")), std::nullopt);
  EXPECT_EQ(UnitsOf(INFINITY), std::nullopt);
  EXPECT_EQ(UnitsOf(kMin), -2 * (one * (int64_t{1} << 62)));
  EXPECT_EQ(SumOf(Ratio{0, 1}, Fixed(0.1f)), (Ratio{13421773, 134217728}));
}

TEST(Resonance, SumsWithFixedPoint) {
  EXPECT_EQ(SumOf(Ratio{1, 3}, Fixed(0.5)), (Ratio{5, 6}));
  EXPECT_EQ(SumOf(Ratio{1, 6}, Fixed(0.5)), (Ratio{2, 3}));
  EXPECT_EQ(SumOf(Ratio{1, 3}, FixedSum()), (Ratio{1, 3}));
  EXPECT_EQ(SumOf(Ratio{1, 4}, Fixed(-0.25)), (Ratio{0, 1}));
  EXPECT_EQ(SumOf(Ratio{1, 3}, Fixed(std::ldexp(1.0, -61))),
            SumOf(Ratio{1, 3}, Ratio{1, int64_t{1} << 61}));
  EXPECT_EQ(SumOf(Ratio{1, 3}, Fixed(std::ldexp(1.0, -62))), std::nullopt);
  FixedSum large = Fixed(std::ldexp(1.0, 62));
  large.Add(large);
  EXPECT_EQ(SumOf(Ratio{0, 1}, large), std::nullopt);
  EXPECT_EQ(SumOf(Ratio{-1, 1}, large), (Ratio{kMax, 1}));
  for (int k = 0; k < 5; ++k) large.Add(large);  // past 128 bits
  EXPECT_EQ(large.Units(), std::nullopt);
  EXPECT_EQ(SumOf(Ratio{kMin, 1}, large), std::nullopt);
}

TEST(Resonance, FixedSumsComeBack) {
  std::mt19937_64 random(5);
  FixedSum sum;
  std::vector<__int128> added;
  for (int k = 0; k < 200; ++k) {
    const auto bits = static_cast<int64_t>(random());
    added.push_back(*UnitsOf(bits));
    sum.Add(added.back());
  }
  for (const __int128 units : added) sum.Add(-units);
  EXPECT_TRUE(sum.IsZero());
  sum.Add(-1);
  EXPECT_TRUE(sum.IsNegative());
  EXPECT_EQ(sum.Magnitude(), (std::array<uint64_t, 3>{1, 0, 0}));
  EXPECT_EQ(sum.Units(), __int128{-1});
}

// Against fractions of 64-bit numbers, where those can say it.
TEST(Resonance, RandomSumsAgreeWithFractions) {
  std::mt19937_64 random(7);
  for (int k = 0; k < 20000; ++k) {
    const auto numerator = static_cast<int64_t>(random()) >> (random() % 60);
    const auto denominator = static_cast<int64_t>((random() >> 1 >> (random() % 62)) | 1)
                             << (random() % 3);
    if (denominator <= 0) continue;
    const std::optional<Ratio> start = SumOf(Ratio{0, 1}, Ratio{numerator, denominator});
    ASSERT_TRUE(start);
    const auto digits = static_cast<int64_t>(random()) >> (random() % 60);
    const int power = static_cast<int>(random() % 62);
    FixedSum sum;
    sum.Add(__int128{digits} * (__int128{1} << (kUnitBits - power)));
    const std::optional<Ratio> added = SumOf(Ratio{0, 1}, Ratio{digits, int64_t{1} << power});
    ASSERT_TRUE(added);
    EXPECT_EQ(SumOf(*start, sum), SumOf(*start, *added))
        << numerator << "/" << denominator << " + " << digits << "/2^" << power;
  }
}

TEST(Resonance, TestForUnity) {
  Resonance resonance{};
  EXPECT_TRUE(UnityTester(resonance).Test(FixedSum(), 0));
  EXPECT_FALSE(UnityTester(resonance).Test(Fixed(std::ldexp(1.0, -62)), 0));
  resonance[0] = {1, 3};
  resonance[1] = {-1, 3};
  resonance[95] = {1, 7};
  const UnityTester tester(resonance);
  EXPECT_FALSE(tester.Test(FixedSum(), 0));
  // The nearest numbers to 1/7 on both sides.
  EXPECT_FALSE(tester.Test(FixedSum(), 1.0 / 7));
  EXPECT_TRUE(tester.Test(FixedSum(), std::nextafter(1.0 / 7, 1)));
  EXPECT_TRUE(tester.Test(Fixed(-0.25), 0.125));
  EXPECT_FALSE(tester.Test(Fixed(-0.5), 0.25));
  EXPECT_FALSE(tester.Test(Fixed(1), 1e-300));
  EXPECT_TRUE(tester.Test(Fixed(1), 1e300));
  EXPECT_TRUE(tester.Test(Fixed(1), INFINITY));
  EXPECT_FALSE(tester.Test(FixedSum(), std::numeric_limits<double>::denorm_min()));
  resonance[95] = {1, 8};
  EXPECT_TRUE(UnityTester(resonance).Test(Fixed(-0.125), 0));
  EXPECT_FALSE(UnityTester(resonance).Test(FixedSum(), 0.125));
}

// Denominators that have nothing in common make numbers of thousands of bits.
TEST(Resonance, TestForUnityWithManyDenominators) {
  Resonance resonance{};
  for (uint32_t c = 0; c < isa::kNumClasses; c += 2) {
    const auto denominator = static_cast<int64_t>(kMax - 2 * c);
    resonance[c] = {1, denominator};
    resonance[c + 1] = {-1, denominator};
  }
  EXPECT_TRUE(UnityTester(resonance).Test(FixedSum(), 0));
  resonance[95] = {0, 1};
  EXPECT_FALSE(UnityTester(resonance).Test(FixedSum(), 0));
  EXPECT_TRUE(UnityTester(resonance).Test(FixedSum(), 1.1e-19));
  EXPECT_FALSE(UnityTester(resonance).Test(FixedSum(), 1.08e-19));
}

}  // namespace
}  // namespace hologram::launch
