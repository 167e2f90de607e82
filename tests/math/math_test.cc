// The canonical functions on a sample of all inputs: error bounds, special values, and the same
// bits from every instruction set, one lane at a time, and whichever arm of Rare a policy takes.
// All f32 inputs: exhaustive.cc.
#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "isa/math/batch.h"
#include "isa/math/exp.h"
#include "isa/math/host_ops.h"
#include "isa/math/sigmoid.h"
#include "math/reference.h"

namespace hologram::isa::math {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr double kInf64 = std::numeric_limits<double>::infinity();
constexpr std::size_t kSampled32 = std::size_t{1} << 20;

// Every 4,096th pattern, the low bits varied: all exponents, both signs, NaN.
const std::vector<float>& Inputs32() {
  static const std::vector<float> inputs = [] {
    std::vector<float> x(kSampled32);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const std::uint32_t low = static_cast<std::uint32_t>(i * 2654435761U) >> 20;
      x[i] = std::bit_cast<float>(static_cast<std::uint32_t>(i << 12) | low);
    }
    return x;
  }();
  return inputs;
}

// Patterns of all kinds, and points where the functions are not constant.
const std::vector<double>& Inputs64() {
  static const std::vector<double> inputs = [] {
    std::mt19937_64 random(1);
    std::vector<double> x;
    for (int i = 0; i < 100000; ++i) {
      x.push_back(std::bit_cast<double>(random()));
      const double unit = static_cast<double>(random() >> 11) * 0x1p-53;
      x.push_back((unit - 0.5) * 1600.0);
      x.push_back((unit - 0.5) * 40.0);
    }
    return x;
  }();
  return inputs;
}

template <class T>
std::vector<T> Apply(void (*batch)(const T*, T*, std::size_t), const std::vector<T>& x) {
  std::vector<T> y(x.size());
  batch(x.data(), y.data(), x.size());
  return y;
}

template <class T>
bool SameBits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

std::uint64_t Hash(const std::vector<float>& values) {  // FNV-1a over words
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const float value : values) {
    hash = (hash ^ std::bit_cast<std::uint32_t>(value)) * 0x100000001b3;
  }
  return hash;
}

// A policy that always takes the slow arm.
template <class Base>
struct SlowArmOps : Base {
  template <class Fast, class Slow>
  static typename Base::F Rare(typename Base::M, const Fast&, const Slow& slow) {
    return slow();
  }
};

template <class Ops>
std::vector<typename Ops::Format::Float> ApplyScalar(
    const char* name, const std::vector<typename Ops::Format::Float>& x) {
  const std::string function = name;
  std::vector<typename Ops::Format::Float> y;
  y.reserve(x.size());
  Ops o;
  for (const auto v : x) {
    y.push_back(function == "exp"        ? Exp(o, v)
                : function == "exp_fast" ? ExpFast(o, v)
                : function == "sigmoid"  ? Sigmoid(o, v)
                                         : SigmoidFast(o, v));
  }
  return y;
}

TEST(CanonicalMath, ErrorsStayBelowTheirBounds) {
  for (const Function32& function : kFunctions32) {
    const std::vector<float> y = Apply(AvailableBatchTables().back()->*function.batch, Inputs32());
    for (std::size_t i = 0; i < y.size(); ++i) {
      const float x = Inputs32()[i];
      if (std::isnan(x)) continue;
      const double exact = function.reference(static_cast<double>(x));
      ASSERT_LE(UlpError(y[i], exact), function.max_ulp) << function.name << " of " << x;
    }
  }
}

TEST(CanonicalMath, DoubleErrorsStayBelowTheirBounds) {
  for (const Function64& function : kFunctions64) {
    const std::vector<double> y = Apply(AvailableBatchTables().back()->*function.batch, Inputs64());
    for (std::size_t i = 0; i < y.size(); ++i) {
      const double x = Inputs64()[i];
      if (std::isnan(x)) continue;
      const long double exact = function.reference(static_cast<long double>(x));
      ASSERT_LE(UlpError(y[i], exact), function.max_ulp) << function.name << " of " << x;
    }
  }
}

TEST(CanonicalMath, NanBecomesTheCanonicalNan) {
  for (const std::uint32_t pattern : {0x7fc00000U, 0xffc00000U, 0x7f800001U, 0xffffffffU}) {
    for (const BatchTable* table : AvailableBatchTables()) {
      for (const Function32& function : kFunctions32) {
        const std::vector<float> y = Apply(table->*function.batch, {std::bit_cast<float>(pattern)});
        EXPECT_EQ(std::bit_cast<std::uint32_t>(y[0]), Binary32::kQuietNan) << function.name;
      }
      for (const Function64& function : kFunctions64) {
        const std::uint64_t wide = std::uint64_t{pattern | 0x7ff00000U} << 32 | 1;
        const std::vector<double> y = Apply(table->*function.batch, {std::bit_cast<double>(wide)});
        EXPECT_EQ(std::bit_cast<std::uint64_t>(y[0]), Binary64::kQuietNan) << function.name;
      }
    }
  }
}

struct Special {
  double x;
  double exp;
  double sigmoid;
};
constexpr Special kSpecials[] = {
    {0.0, 1.0, 0.5},        {-0.0, 1.0, 0.5},     {kInf64, kInf64, 1.0}, {-kInf64, 0.0, 0.0},
    {0x1p100, kInf64, 1.0}, {-0x1p100, 0.0, 0.0}, {0x1p-126, 1.0, 0.5},  {-0x1p-149, 1.0, 0.5},
    {1000.0, kInf64, 1.0},  {-1000.0, 0.0, 0.0}};

TEST(CanonicalMath, SpecialValuesAreExactAndZeroIsPositive) {
  for (const BatchTable* table : AvailableBatchTables()) {
    for (const Special& special : kSpecials) {
      const std::vector<float> x = {static_cast<float>(special.x)};
      const auto bits = [](double v) { return std::bit_cast<std::uint64_t>(v); };
      for (const auto batch : {table->exp_f32, table->exp_fast_f32}) {
        EXPECT_EQ(bits(static_cast<double>(Apply(batch, x)[0])), bits(special.exp)) << special.x;
      }
      for (const auto batch : {table->sigmoid_f32, table->sigmoid_fast_f32}) {
        EXPECT_EQ(bits(static_cast<double>(Apply(batch, x)[0])), bits(special.sigmoid))
            << special.x;
      }
      EXPECT_EQ(bits(Apply(table->exp_f64, {special.x})[0]), bits(special.exp)) << special.x;
      EXPECT_EQ(bits(Apply(table->sigmoid_f64, {special.x})[0]), bits(special.sigmoid))
          << special.x;
    }
  }
}

TEST(CanonicalMath, SubnormalResultsAreReached) {
  const std::vector<float> x = {-88.0F, -95.0F, -103.0F, -103.97F, -103.98F};
  for (const Function32& function : kFunctions32) {
    const std::vector<float> y = Apply(AvailableBatchTables().back()->*function.batch, x);
    EXPECT_GT(y[3], 0.0F) << function.name;
    EXPECT_LE(y[4], 0x1p-149F) << function.name;
    for (std::size_t i = 0; i < x.size(); ++i) {
      EXPECT_LT(y[i], 0x1p-126F) << function.name;
      EXPECT_LE(UlpError(y[i], function.reference(static_cast<double>(x[i]))), function.max_ulp);
    }
  }
}

TEST(CanonicalMath, EveryInstructionSetGivesTheSameBits) {
  const std::vector<const BatchTable*> tables = AvailableBatchTables();
  for (const BatchTable* table : tables) {
    for (const Function32& function : kFunctions32) {
      EXPECT_TRUE(SameBits(Apply(tables[0]->*function.batch, Inputs32()),
                           Apply(table->*function.batch, Inputs32())))
          << function.name << " " << table->name;
    }
    for (const Function64& function : kFunctions64) {
      EXPECT_TRUE(SameBits(Apply(tables[0]->*function.batch, Inputs64()),
                           Apply(table->*function.batch, Inputs64())))
          << function.name << " " << table->name;
    }
  }
}

TEST(CanonicalMath, OneLaneGivesTheBitsOfAVector) {
  for (const Function32& function : kFunctions32) {
    EXPECT_TRUE(SameBits(Apply(AvailableBatchTables().back()->*function.batch, Inputs32()),
                         ApplyScalar<ScalarOps<Binary32>>(function.name, Inputs32())))
        << function.name;
  }
  for (const Function64& function : kFunctions64) {
    EXPECT_TRUE(SameBits(Apply(AvailableBatchTables().back()->*function.batch, Inputs64()),
                         ApplyScalar<ScalarOps<Binary64>>(function.name, Inputs64())))
        << function.name;
  }
}

TEST(CanonicalMath, TheSlowArmGivesTheBitsOfTheFastArm) {
  for (const Function32& function : kFunctions32) {
    EXPECT_TRUE(SameBits(ApplyScalar<ScalarOps<Binary32>>(function.name, Inputs32()),
                         ApplyScalar<SlowArmOps<ScalarOps<Binary32>>>(function.name, Inputs32())))
        << function.name;
  }
  for (const Function64& function : kFunctions64) {
    EXPECT_TRUE(SameBits(ApplyScalar<ScalarOps<Binary64>>(function.name, Inputs64()),
                         ApplyScalar<SlowArmOps<ScalarOps<Binary64>>>(function.name, Inputs64())))
        << function.name;
  }
}

// The definition itself must not drift: bundles and other machines rely on these bits.
TEST(CanonicalMath, BitsAreThoseOfTheFirstRelease) {
  constexpr std::uint64_t kHashes[] = {0x8215044cf9ecdf4a, 0x9746536df775f627, 0x105405c0e8180493,
                                       0xf0b63c6c58d31c51};
  for (std::size_t i = 0; i < std::size(kFunctions32); ++i) {
    const std::vector<float> y =
        Apply(AvailableBatchTables().back()->*kFunctions32[i].batch, Inputs32());
    EXPECT_EQ(Hash(y), kHashes[i]) << kFunctions32[i].name;
  }
}

TEST(CanonicalMathBatch, ShortUnalignedAndInPlaceArraysWork) {
  for (const BatchTable* table : AvailableBatchTables()) {
    for (std::size_t n = 0; n <= 40; ++n) {
      std::vector<float> x(n + 2, 7.0F);
      for (std::size_t i = 0; i < n; ++i) x[i + 1] = static_cast<float>(i) - 20.0F;
      const std::vector<float> expected =
          ApplyScalar<ScalarOps<Binary32>>("exp", {x.begin() + 1, x.end() - 1});
      std::vector<float> y = x;
      table->exp_f32(x.data() + 1, y.data() + 1, n);
      EXPECT_TRUE(SameBits(expected, {y.begin() + 1, y.end() - 1})) << table->name << " " << n;
      EXPECT_EQ(y.front(), 7.0F);
      EXPECT_EQ(y.back(), 7.0F);
      table->exp_f32(x.data() + 1, x.data() + 1, n);
      EXPECT_TRUE(SameBits(x, y)) << table->name << " " << n;
    }
  }
}

TEST(CanonicalMathBatch, TheDispatchedFunctionsAreTheRightOnes) {
  const std::vector<float> x = {-3.0F, -0.3F, 0.1F, 2.0F, kInf};
  const std::vector<double> x64 = {-3.0, -0.3, 0.1, 2.0, kInf64};
  const BatchTable* table = AvailableBatchTables().front();
  EXPECT_TRUE(SameBits(Apply<float>(ExpBatch, x), Apply(table->exp_f32, x)));
  EXPECT_TRUE(SameBits(Apply<float>(ExpFastBatch, x), Apply(table->exp_fast_f32, x)));
  EXPECT_TRUE(SameBits(Apply<float>(SigmoidBatch, x), Apply(table->sigmoid_f32, x)));
  EXPECT_TRUE(SameBits(Apply<float>(SigmoidFastBatch, x), Apply(table->sigmoid_fast_f32, x)));
  EXPECT_TRUE(SameBits(Apply<double>(ExpBatch, x64), Apply(table->exp_f64, x64)));
  EXPECT_TRUE(SameBits(Apply<double>(SigmoidBatch, x64), Apply(table->sigmoid_f64, x64)));
}

}  // namespace
}  // namespace hologram::isa::math
