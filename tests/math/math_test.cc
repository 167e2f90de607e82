// The canonical functions on a sample of all inputs: error bounds and the same bits from every
// instruction set, one lane at a time, and whichever arm of Rare a policy takes. Special values:
// special_test.cc. All f32 inputs: exhaustive.cc.
#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "math/apply.h"
#include "math/batch.h"
#include "math/host_ops.h"
#include "math/reference.h"

namespace hologram::math {
namespace {

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
const std::vector<T>& Inputs() {
  if constexpr (sizeof(T) == 4) {
    return Inputs32();
  } else {
    return Inputs64();
  }
}

// The second operands for the first ones `x`: the same values in another order, and often equal or
// close ones.
template <class T>
std::vector<T> Partners(const std::vector<T>& x) {
  std::vector<T> b(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    b[i] = i % 16 == 0 ? x[i] : x[(i * 7919 + 5) % x.size()];
  }
  return b;
}

template <class T>
Batch<T> Find(const BatchTable& table, const Form& form) {
  if constexpr (sizeof(T) == 4) {
    return table.Find32(form.function(), form.fast);
  } else {
    return table.Find64(form.function());
  }
}

template <class T>
std::vector<T> RunOn(const BatchTable& table, const Form& form, const std::vector<T>& x) {
  const std::vector<T> b = Partners(x);
  std::vector<T> y(x.size());
  Find<T>(table, form)(x.data(), b.data(), y.data(), x.size());
  return y;
}

template <class T>
bool SameBits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

struct Hex {
  std::uint64_t value;
  bool operator==(const Hex&) const = default;
};
void PrintTo(const Hex& hex, std::ostream* out) {
  *out << "0x" << std::hex << hex.value << std::dec;
}

template <class T>
Hex Hash(const std::vector<T>& values) {  // FNV-1a over words
  using Word = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const T value : values) hash = (hash ^ std::bit_cast<Word>(value)) * 0x100000001b3;
  return Hex{hash};
}

// A policy that always takes the slow arm.
template <class Base>
struct SlowArmOps : Base {
  template <class Fast, class Slow>
  static typename Base::F Rare(typename Base::M, const Fast&, const Slow& slow) {
    return slow();
  }
};

template <Function kFunction, bool kFast, class Ops>
auto ApplyOne(Ops& o, typename Ops::F a, typename Ops::F b) {
  if constexpr (InfoOf(kFunction).num_operands == 1) {
    return Apply<kFunction, kFast>(o, a);
  } else {
    return Apply<kFunction, kFast>(o, a, b);
  }
}

template <Function kFunction, bool kFast, class Ops, class T>
std::vector<T> ApplyEach(const std::vector<T>& x) {
  const std::vector<T> b = Partners(x);
  std::vector<T> y(x.size());
  Ops o;
  for (std::size_t i = 0; i < x.size(); ++i) y[i] = ApplyOne<kFunction, kFast>(o, x[i], b[i]);
  return y;
}

template <class Ops, class T>
std::vector<T> RunScalar(const Form& form, const std::vector<T>& x) {
  switch (form.function()) {
#define FUNCTION(Name, operands, has_fast)                            \
  case Function::k##Name:                                             \
    return form.fast ? ApplyEach<Function::k##Name, has_fast, Ops>(x) \
                     : ApplyEach<Function::k##Name, false, Ops>(x);
#include "math/functions.def"
  }
  return {};
}

// Forms that are an algorithm of their own in T.
template <class T>
std::vector<Form> Forms() {
  std::vector<Form> forms;
  for (const Form& form : AllForms()) {
    if (sizeof(T) == 4 || !form.fast) forms.push_back(form);
  }
  return forms;
}

TEST(CanonicalMath, ErrorsStayBelowTheirBounds) {
  const std::vector<float>& x = Inputs32();
  const std::vector<float> b = Partners(x);
  for (const Form& form : Forms<float>()) {
    const std::vector<float> y = RunOn(BestBatch(), form, x);
    for (std::size_t i = 0; i < y.size(); ++i) {
      const double exact = form.reference.f64(static_cast<double>(x[i]), static_cast<double>(b[i]));
      ASSERT_LE(UlpError(y[i], exact), form.max_ulp_f32())
          << form.name() << " of " << x[i] << ", " << b[i];
    }
  }
}

TEST(CanonicalMath, DoubleErrorsStayBelowTheirBounds) {
  const std::vector<double>& x = Inputs64();
  const std::vector<double> b = Partners(x);
  for (const Form& form : Forms<double>()) {
    const std::vector<double> y = RunOn(BestBatch(), form, x);
    for (std::size_t i = 0; i < y.size(); ++i) {
      const long double exact = form.reference.f80(x[i], b[i]);
      ASSERT_LE(UlpError(y[i], exact), form.reference.max_ulp_f64)
          << form.name() << " of " << x[i] << ", " << b[i];
    }
  }
}

TEST(CanonicalMath, SinesAndHyperbolicTangentsStayWithinOne) {
  for (const Form& form : Forms<float>()) {
    const Function function = form.function();
    if (function != Function::kSin && function != Function::kCos && function != Function::kTanh) {
      continue;
    }
    for (const float y : RunOn(BestBatch(), form, Inputs32())) {
      EXPECT_FALSE(std::fabs(y) > 1.0F) << form.name();
    }
  }
}

template <class T>
void ExpectSameBitsFromEveryInstructionSet() {
  for (const BatchTable* table : AvailableBatchTables()) {
    for (const Form& form : Forms<T>()) {
      EXPECT_TRUE(SameBits(RunOn(BestBatch(), form, Inputs<T>()), RunOn(*table, form, Inputs<T>())))
          << form.name() << " " << table->name;
    }
  }
}

TEST(CanonicalMath, EveryInstructionSetGivesTheSameBits) {
  ExpectSameBitsFromEveryInstructionSet<float>();
  ExpectSameBitsFromEveryInstructionSet<double>();
}

template <class T, class Ops>
void ExpectSameBitsFromOneLane() {
  for (const Form& form : Forms<T>()) {
    const std::vector<T> y = RunOn(BestBatch(), form, Inputs<T>());
    EXPECT_TRUE(SameBits(y, RunScalar<Ops>(form, Inputs<T>()))) << form.name();
    EXPECT_TRUE(SameBits(y, RunScalar<SlowArmOps<Ops>>(form, Inputs<T>())))
        << form.name() << " by the slow arm";
  }
}

TEST(CanonicalMath, OneLaneAndTheSlowArmGiveTheBitsOfAVector) {
  ExpectSameBitsFromOneLane<float, ScalarOps<Binary32>>();
  ExpectSameBitsFromOneLane<double, ScalarOps<Binary64>>();
}

// The definition itself must not drift: bundles and other machines rely on these bits.
struct Pin {
  const char* form;
  Hex f32;
  Hex f64;  // not looked at in fast forms
};
constexpr Pin kPins[] = {
    {"exp", {0x8215044cf9ecdf4a}, {0x9101a799854eb54b}},
    {"exp_fast", {0x9746536df775f627}, {}},
    {"sigmoid", {0x105405c0e8180493}, {0x3e0fdc8dbc788ae4}},
    {"sigmoid_fast", {0xf0b63c6c58d31c51}, {}},
    {"log", {0xdc84e3aefe901f5b}, {0x692a7f171d9f73e3}},
    {"log_fast", {0xc2b32e547cf36ff7}, {}},
    {"log2", {0xaac55477c12fc4fc}, {0x986f0e0bf7de4075}},
    {"log2_fast", {0x9ad3f1ce26fab8c3}, {}},
    {"log10", {0x882e26e7c41e75da}, {0x31415f3d7249a374}},
    {"log10_fast", {0x93ca32bc45aaffa7}, {}},
    {"rsqrt", {0x6cd54e79ae839871}, {0x57346dbe6cdf24b6}},
    {"sin", {0xe9cab3ae19c9a774}, {0x84f297457d6c81d3}},
    {"sin_fast", {0x4383d14b1b2845bb}, {}},
    {"cos", {0x896cd139730b6670}, {0x770076e0a089d1e5}},
    {"cos_fast", {0xbdcd2058543fc49f}, {}},
    {"tan", {0xa3c980465ed2eb7c}, {0x63720f8fbc92ea85}},
    {"tanh", {0xa131889e735e83ac}, {0xf27c07dcab2ce595}},
    {"tanh_fast", {0xb9e27307b27f9fe7}, {}},
    {"erf", {0x217de7e3a0e32673}, {0xc21dc00c1101352e}},
    {"erf_fast", {0xea31cc1fb4e596b}, {}},
    {"pow", {0xca864de31adbe4d7}, {0xea9fb613eb70d9af}},
    {"pow_fast", {0x122fbd32a4be24d1}, {}},
    {"exp2", {0xbd43d9e5e3046732}, {0x39d98db896df6387}},
    {"exp2_fast", {0x358d405ee993e4f0}, {}},
    {"expm1", {0x67f0396c9b8e36f5}, {0xc5fb8c50c1b45c33}},
    {"expm1_fast", {0x3cd0dc5ebee17f08}, {}},
    {"log1p", {0xad808cf97306da94}, {0x757ba94374a871ab}},
    {"log1p_fast", {0x5e035da572fe4f35}, {}},
    {"atan2", {0x1470ab3cfcc7fda7}, {0xcb615aca6d5e25dc}},
    {"atan2_fast", {0xe9087c44a192046}, {}},
};

TEST(CanonicalMath, BitsAreThoseOfTheFirstRelease) {
  const std::vector<Form> forms = AllForms();
  ASSERT_EQ(forms.size(), std::size(kPins));
  for (std::size_t i = 0; i < forms.size(); ++i) {
    EXPECT_EQ(forms[i].name(), kPins[i].form);
    EXPECT_EQ(Hash(RunOn(BestBatch(), forms[i], Inputs32())), kPins[i].f32) << forms[i].name();
    if (forms[i].fast) continue;
    EXPECT_EQ(Hash(RunOn(BestBatch(), forms[i], Inputs64())), kPins[i].f64)
        << forms[i].name() << " f64";
  }
}

TEST(CanonicalMathBatch, ShortUnalignedAndInPlaceArraysWork) {
  const Form form = AllForms()[0];
  for (const BatchTable* table : AvailableBatchTables()) {
    for (std::size_t n = 0; n <= 40; ++n) {
      std::vector<float> x(n + 2, 7.0F);
      for (std::size_t i = 0; i < n; ++i) x[i + 1] = static_cast<float>(i) - 20.0F;
      const std::vector<float> inner(x.begin() + 1, x.end() - 1);
      const std::vector<float> expected = RunScalar<ScalarOps<Binary32>>(form, inner);
      std::vector<float> y = x;
      const Batch<float> function = Find<float>(*table, form);
      function(x.data() + 1, nullptr, y.data() + 1, n);
      EXPECT_TRUE(SameBits(expected, {y.begin() + 1, y.end() - 1})) << table->name << " " << n;
      EXPECT_EQ(y.front(), 7.0F);
      EXPECT_EQ(y.back(), 7.0F);
      function(x.data() + 1, nullptr, x.data() + 1, n);
      EXPECT_TRUE(SameBits(x, y)) << table->name << " " << n;
    }
  }
}

}  // namespace
}  // namespace hologram::math
