// f16 and bf16: every value, every boundary between two values, and the conversions of all types
// against integer arithmetic on exact numbers.
#include "isa/half.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace hologram::isa {
namespace {

// Sign, exponent and fraction taken apart by the definition of the format.
template <class T>
struct Format;
template <>
struct Format<F16> {
  static constexpr int kFraction = 10;
  static constexpr int kLowest = -24;  // exponent of the last bit of a subnormal
  static constexpr Type kType = Type::kF16;
  static constexpr uint16_t kNan = 0x7e00;
};
template <>
struct Format<BF16> {
  static constexpr int kFraction = 7;
  static constexpr int kLowest = -133;
  static constexpr Type kType = Type::kBF16;
  static constexpr uint16_t kNan = 0x7fc0;
};

template <class T>
constexpr uint16_t kInfinity =
    static_cast<uint16_t>(0x7fff >> Format<T>::kFraction << Format<T>::kFraction);

// The value of finite bits; of those of infinity, what a larger exponent would mean.
template <class T>
double Meaning(uint16_t bits) {
  const int field = (bits & 0x7fff) >> Format<T>::kFraction;
  const int one = 1 << Format<T>::kFraction;
  const int fraction = bits & (one - 1);
  const double magnitude = field == 0 ? std::ldexp(fraction, Format<T>::kLowest)
                                      : std::ldexp(fraction + one, Format<T>::kLowest + field - 1);
  return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

template <class T>
class HalfTest : public testing::Test {};
using Halves = testing::Types<F16, BF16>;
TYPED_TEST_SUITE(HalfTest, Halves);

TYPED_TEST(HalfTest, WidensAllValuesExactly) {
  using T = TypeParam;
  for (uint32_t i = 0; i < 65536; ++i) {
    const auto bits = static_cast<uint16_t>(i);
    const float wide = Widen(T{bits});
    const uint16_t magnitude = bits & 0x7fff;
    if (magnitude > kInfinity<T>) {
      ASSERT_TRUE(std::isnan(wide)) << i;
      ASSERT_EQ(Narrow<T>(wide).bits, Format<T>::kNan);
      continue;
    }
    if (magnitude == kInfinity<T>) {
      ASSERT_TRUE(std::isinf(wide)) << i;
    } else {
      ASSERT_EQ(static_cast<double>(wide), Meaning<T>(bits)) << i;
    }
    ASSERT_EQ(std::signbit(wide), bits >> 15 != 0) << i;
    ASSERT_EQ(Narrow<T>(wide).bits, bits);
    ASSERT_EQ(FloatBits(FloatValue(bits, Format<T>::kType), Format<T>::kType), bits);
  }
}

// Between two neighbours: the tie goes to the even one, everything beside it to the nearer one. The
// last boundary is that of infinity.
TYPED_TEST(HalfTest, RoundsAtEveryBoundaryOfDoubles) {
  using T = TypeParam;
  for (uint16_t low = 0; low < kInfinity<T>; ++low) {
    const auto high = static_cast<uint16_t>(low + 1);
    const double tie = (Meaning<T>(low) + Meaning<T>(high)) / 2;
    const uint16_t even = (low & 1) == 0 ? low : high;
    const auto expect = [](double value, uint16_t bits) {
      ASSERT_EQ(FloatBits(value, Format<T>::kType), bits) << value;
      ASSERT_EQ(FloatBits(-value, Format<T>::kType), bits | 0x8000) << value;
    };
    expect(tie, even);
    expect(std::nextafter(tie, HUGE_VAL), high);
    expect(std::nextafter(tie, 0.0), low);
    expect(std::nextafter(Meaning<T>(low), HUGE_VAL), low);
    expect(std::nextafter(Meaning<T>(high), 0.0), high);
  }
}

TYPED_TEST(HalfTest, RoundsAtEveryBoundaryOfFloats) {
  using T = TypeParam;
  for (uint16_t low = 0; low < kInfinity<T>; ++low) {
    const auto high = static_cast<uint16_t>(low + 1);
    const auto tie = static_cast<float>((Meaning<T>(low) + Meaning<T>(high)) / 2);
    ASSERT_EQ(Narrow<T>(tie).bits, (low & 1) == 0 ? low : high);
    ASSERT_EQ(Narrow<T>(-tie).bits, ((low & 1) == 0 ? low : high) | 0x8000);
    ASSERT_EQ(Narrow<T>(std::nextafter(tie, HUGE_VALF)).bits, high);
    ASSERT_EQ(Narrow<T>(std::nextafter(tie, 0.0F)).bits, low);
  }
}

TYPED_TEST(HalfTest, EndsOfTheRange) {
  using T = TypeParam;
  constexpr double kHuge = std::numeric_limits<double>::max();
  constexpr double kTiny = std::numeric_limits<double>::denorm_min();
  EXPECT_EQ(FloatBits(kHuge, Format<T>::kType), kInfinity<T>);
  EXPECT_EQ(FloatBits(-HUGE_VAL, Format<T>::kType), kInfinity<T> | 0x8000);
  EXPECT_EQ(FloatBits(kTiny, Format<T>::kType), 0);
  EXPECT_EQ(FloatBits(-kTiny, Format<T>::kType), 0x8000);
  EXPECT_EQ(FloatBits(-0.0, Format<T>::kType), 0x8000);
  EXPECT_EQ(FloatBits(std::nan("7"), Format<T>::kType), Format<T>::kNan);
}

// The batches, which may use the machine's conversions, against the functions.
TYPED_TEST(HalfTest, BatchesHaveTheSameBits) {
  using T = TypeParam;
  std::vector<T> halves(65536 + 5);
  for (size_t i = 0; i < halves.size(); ++i) halves[i] = {static_cast<uint16_t>(i)};
  std::vector<float> wide(halves.size());
  WidenBatch(halves.data(), wide.data(), wide.size());
  for (size_t i = 0; i < halves.size(); ++i) {
    const float expected = Widen(halves[i]);
    if (expected != expected) {
      ASSERT_TRUE(std::isnan(wide[i])) << i;
    } else {
      ASSERT_EQ(std::bit_cast<uint32_t>(wide[i]), std::bit_cast<uint32_t>(expected)) << i;
    }
  }
  constexpr uint32_t kStep = 977;  // odd: other low bits each time
  std::vector<float> floats;
  for (uint64_t bits = 0; bits < uint64_t{1} << 32; bits += kStep) {
    floats.push_back(std::bit_cast<float>(static_cast<uint32_t>(bits)));
  }
  std::vector<T> narrow(floats.size());
  NarrowBatch(floats.data(), narrow.data(), floats.size());
  for (size_t i = 0; i < floats.size(); ++i) {
    ASSERT_EQ(narrow[i].bits, Narrow<T>(floats[i]).bits) << i;
  }
}

// Rounds |integer| by shifting.
template <class T>
uint16_t RoundInteger(__int128 value) {
  const auto sign = static_cast<uint16_t>(value < 0 ? 0x8000 : 0);
  const auto magnitude = static_cast<unsigned __int128>(value < 0 ? -value : value);
  constexpr unsigned kLimit = 2U << Format<T>::kFraction;
  int drop = 0;
  while (magnitude >> drop >= kLimit) ++drop;
  auto kept = static_cast<uint64_t>(magnitude >> drop);
  if (drop > 0) {
    const unsigned __int128 rest = magnitude & ((static_cast<unsigned __int128>(1) << drop) - 1);
    const unsigned __int128 tie = static_cast<unsigned __int128>(1) << (drop - 1);
    if (rest > tie || (rest == tie && kept % 2 == 1)) ++kept;
  }
  // At most 2^64, which both doubles and bf16 hold.
  const double rounded = std::ldexp(static_cast<double>(kept), drop);
  for (uint16_t low = 0, high = kInfinity<T>;;) {  // the bits, by bisection of the order
    if (high - low <= 1) return sign | (Meaning<T>(high) == rounded ? high : low);
    const auto middle = static_cast<uint16_t>((low + high) / 2);
    if (rounded >= Meaning<T>(kInfinity<T>)) return sign | kInfinity<T>;
    (Meaning<T>(middle) <= rounded ? low : high) = middle;
  }
}

template <class T, class Integer>
void CheckIntegers() {
  std::mt19937_64 random(7);
  constexpr int kBits = static_cast<int>(sizeof(Integer)) * 8;
  const auto check = [](Integer value) {
    ASSERT_EQ(Narrow<T>(RoundToOdd(ToOddDouble(value))).bits, RoundInteger<T>(value)) << value;
  };
  for (int i = 0; i < 200000; ++i) {
    check(static_cast<Integer>(static_cast<Integer>(random()) >> (random() % kBits)));
  }
  // Around ties and around 2^52, where the way changes.
  for (int shift = 0; shift < kBits; ++shift) {
    for (int below = 0; below < 14 && below < shift; ++below) {
      const uint64_t tie = (uint64_t{1} << shift) + (uint64_t{1} << (shift - below - 1));
      for (int step = -2; step <= 2; ++step) {
        const auto value = static_cast<Integer>(tie + static_cast<uint64_t>(int64_t{step}));
        check(value);
        check(static_cast<Integer>(0 - static_cast<uint64_t>(value)));
      }
    }
  }
}

TYPED_TEST(HalfTest, RoundsIntegersOnce) {
  CheckIntegers<TypeParam, int32_t>();
  CheckIntegers<TypeParam, uint32_t>();
  CheckIntegers<TypeParam, int64_t>();
  CheckIntegers<TypeParam, uint64_t>();
}

// Exact: the sum of a product of at most 22 bits and a number, both multiples of 2^-48, as an
// integer. (bf16 has no such window for all its numbers; tests/conformance has its hard cases.)
TEST(FusedToOddTest, RoundsOnceInF16) {
  std::mt19937_64 random(11);
  for (int i = 0; i < 2000000; ++i) {
    const uint64_t bits = random();
    uint16_t a = static_cast<uint16_t>(bits);
    uint16_t b = static_cast<uint16_t>(bits >> 16);
    uint16_t c = static_cast<uint16_t>(bits >> 32);
    for (uint16_t* x : {&a, &b, &c}) {
      if ((*x & 0x7c00) == 0x7c00) *x ^= 0x4000;
    }
    const double scale = std::ldexp(1.0, 24);
    const auto x = static_cast<__int128>(Meaning<F16>(a) * scale);
    const auto y = static_cast<__int128>(Meaning<F16>(b) * scale);
    const auto z = static_cast<__int128>(Meaning<F16>(c) * scale) * (__int128{1} << 24);
    const __int128 sum = x * y + z;
    if (sum == 0) continue;
    // A sum below 2^127 * 2^-48: what double keeps, with a sticky bit for the rest.
    const auto magnitude = static_cast<unsigned __int128>(sum < 0 ? -sum : sum);
    int drop = 0;
    while ((magnitude >> drop) >> 50 != 0) ++drop;
    auto kept = static_cast<uint64_t>(magnitude >> drop);
    if (static_cast<unsigned __int128>(kept) << drop != magnitude) kept |= 1;
    const double exact = std::ldexp(static_cast<double>(kept), drop - 48);
    const float fused = FusedToOdd(Widen(F16{a}), Widen(F16{b}), Widen(F16{c}));
    ASSERT_EQ(Narrow<F16>(fused).bits, FloatBits(sum < 0 ? -exact : exact, Type::kF16))
        << a << " " << b << " " << c;
  }
}

}  // namespace
}  // namespace hologram::isa
