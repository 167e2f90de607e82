// The canonical functions of two operands where they are not constant: exponents up to the limits
// of the format, bases near 1, negative bases with integer exponents, points near the axes and
// diagonals, results and operands that are subnormal. Error bounds; special values:
// special_test.cc.
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "math/reference.h"

namespace hologram::math {
namespace {

template <class T>
struct Pairs {
  std::vector<T> a;
  std::vector<T> b;

  void Add(double x, double y) {
    a.push_back(static_cast<T>(x));
    b.push_back(static_cast<T>(y));
  }
};

class Numbers {
 public:
  double Between(double low, double high) {
    return low + (high - low) * (static_cast<double>(random_() >> 11) * 0x1p-53);
  }
  int Below(int limit) { return static_cast<int>(random_() % static_cast<std::uint64_t>(limit)); }
  std::uint64_t Bits() { return random_(); }

 private:
  std::mt19937_64 random_{7};
};

template <class T>
Pairs<T> PowInputs(std::size_t count) {
  constexpr bool kSingle = sizeof(T) == 4;
  const double top = kSingle ? 128 : 1024;  // log2 of the smallest number that overflows
  Numbers numbers;
  Pairs<T> pairs;
  const auto towards_limit = [&](double base, double low) {  // base^y near 2^+-top
    const double share = numbers.Between(low, 1.17) * (numbers.Below(2) == 0 ? 1 : -1);
    pairs.Add(base, share * top / std::log2(static_cast<double>(static_cast<T>(base))));
  };
  for (std::size_t i = 0; i < count; ++i) {
    const int exponent = numbers.Below(2 * static_cast<int>(top) + 20) - static_cast<int>(top) - 20;
    towards_limit(std::ldexp(numbers.Between(1, 2), exponent), 0);
    towards_limit(numbers.Between(0.5, 2), 0);
    towards_limit(numbers.Between(0.69, 1.43), 0.98);
    const double near_one =
        std::ldexp(numbers.Between(-0.5, 0.5), -numbers.Below(kSingle ? 20 : 50));
    if (static_cast<T>(1 + near_one) != 1) towards_limit(1 + near_one, 0.9);
    pairs.Add(numbers.Between(0, 20), numbers.Between(-10, 10));
    pairs.Add(numbers.Between(-20, 0), numbers.Below(41) - 20);
  }
  return pairs;
}

template <class T>
Pairs<T> Atan2Inputs(std::size_t count) {
  const int top = sizeof(T) == 4 ? 128 : 1024;
  Numbers numbers;
  Pairs<T> pairs;
  for (std::size_t i = 0; i < count; ++i) {
    const double x = numbers.Between(-1, 1);
    const double y = numbers.Between(-1, 1);
    pairs.Add(y, x);
    pairs.Add(std::ldexp(y, numbers.Below(60) - 30), x);
    pairs.Add(x, x * (1 + std::ldexp(y, -numbers.Below(30))));
    pairs.Add(std::ldexp(y, numbers.Below(60) - top), std::ldexp(x, 2 - top));
    pairs.Add(std::ldexp(y, top - numbers.Below(60)), std::ldexp(x, top));
    pairs.Add(std::ldexp(y, numbers.Below(200) - 100), std::ldexp(x, -numbers.Below(200)));
    pairs.Add(std::ldexp(y, -numbers.Below(top)), std::ldexp(x, numbers.Below(top)));
  }
  return pairs;
}

template <class T>
Pairs<T> InputsOf(Function function, std::size_t count) {
  EXPECT_TRUE(function == Function::kPow || function == Function::kAtan2) << "needs inputs";
  return function == Function::kPow ? PowInputs<T>(count) : Atan2Inputs<T>(count);
}

TEST(TwoOperands, ErrorsStayBelowTheirBounds) {
  for (const Form& form : AllForms()) {
    if (form.num_operands() != 2) continue;
    const Pairs<float> in = InputsOf<float>(form.function(), 100000);
    std::vector<float> y(in.a.size());
    BestBatch().Find32(form.function(), form.fast)(in.a.data(), in.b.data(), y.data(), y.size());
    for (std::size_t i = 0; i < y.size(); ++i) {
      const double exact =
          form.reference.f64(static_cast<double>(in.a[i]), static_cast<double>(in.b[i]));
      ASSERT_LE(UlpError(y[i], exact), form.max_ulp_f32())
          << form.name() << " of " << in.a[i] << ", " << in.b[i];
    }
  }
}

TEST(TwoOperands, DoubleErrorsStayBelowTheirBounds) {
  for (const Form& form : AllForms()) {
    if (form.num_operands() != 2 || form.fast) continue;
    const Pairs<double> in = InputsOf<double>(form.function(), 20000);
    std::vector<double> y(in.a.size());
    BestBatch().Find64(form.function())(in.a.data(), in.b.data(), y.data(), y.size());
    for (std::size_t i = 0; i < y.size(); ++i) {
      const long double exact = form.reference.f80(in.a[i], in.b[i]);
      ASSERT_LE(UlpError(y[i], exact), form.reference.max_ulp_f64)
          << form.name() << " of " << in.a[i] << ", " << in.b[i];
    }
  }
}

}  // namespace
}  // namespace hologram::math
