// expression.hpp: the bits of the operations one by one, and what is refused. Needs the plugin.
#include "hologram/expression.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <limits>
#include <new>
#include <random>
#include <thread>

#include "hologram/ops.hpp"

namespace {
std::atomic<std::size_t> num_allocations{0};
}  // namespace

[[gnu::noinline]] void* operator new(std::size_t size) {
  ++num_allocations;
  void* memory = std::malloc(size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t /*size*/) noexcept {
  std::free(memory);
}

namespace hologram {
namespace {

Ops& TheOps() {
  static Ops ops;
  return ops;
}

template <class T>
Tensor<T> Random(const Dimensions& shape, unsigned seed) {
  Tensor<T> tensor(shape);
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> values(-40, 40);
  std::size_t k = 0;
  for (T& value : tensor.flat()) {
    value = static_cast<T>(values(generator) + (std::is_unsigned_v<T> ? 41 : 0));
    if constexpr (std::is_floating_point_v<T>) {
      if (k % 11 == 0) value = std::numeric_limits<T>::infinity();
      if (k % 13 == 0) value = std::numeric_limits<T>::quiet_NaN();
      if (k % 17 == 0) value = -T{0};
    }
    ++k;
  }
  return tensor;
}

template <class E>
auto Computed(const E& expression, const Dimensions& shape) {
  Tensor<typename E::value_type> out(shape);
  evaluate(expression, out);
  return out;
}

template <class T>
bool SameBits(const Tensor<T>& a, const Tensor<T>& b) {
  return a.shape() == b.shape() &&
         std::memcmp(a.flat().data(), b.flat().data(), a.flat().size_bytes()) == 0;
}

template <class E>
std::string KernelId(const E& /*expression*/) {
  std::array<std::uint8_t, E::arrays> same;
  for (std::size_t k = 0; k < E::arrays; ++k) same[k] = static_cast<std::uint8_t>(k);
  return detail::expression_kernel<E>(same).id();
}

#define EXPECT_SAME(expression, wanted) \
  EXPECT_TRUE(SameBits(Computed(expression, (wanted).shape()), wanted)) << circuit(expression)

TEST(Expression, OneFunctionHasTheBitsOfTheOperation) {
  using U = Ops::Unary;
  Ops& ops = TheOps();
  const auto check = [&]<class T>(T) {
    const auto x = Random<T>({1037}, 1);
    EXPECT_SAME(-x, ops.apply(U::neg, x));
#define HOLOGRAM_UNARY_NAME(name) EXPECT_SAME(name(x), ops.apply(U::name, x));
#define HOLOGRAM_OTHER_NAME(name)
#include "hologram/detail/operation_names.inc"
    auto far = Random<T>({1037}, 2);
    for (T& value : far.flat()) value *= T{20};  // where results, and what they are made of, vanish
    EXPECT_SAME(silu(far), ops.apply(U::silu, far));
    EXPECT_SAME(gelu(far), ops.apply(U::gelu, far));
    EXPECT_SAME(softplus(far), ops.apply(U::softplus, far));
  };
  check(float{});
  check(double{});
  const auto x = Random<float>({1037}, 1);
  EXPECT_SAME(fast::exp(x), ops.exp(x, Accuracy::fast));
  EXPECT_SAME(fast::tanh(x), ops.tanh(x, Accuracy::fast));
  EXPECT_SAME(fast::silu(x), ops.silu(x, Accuracy::fast));
  EXPECT_SAME(fast::gelu(x), ops.gelu(x, Accuracy::fast));
}

// merge:gelu and merge:gelu_erf are names for the same steps.
TEST(Expression, GeluOfCircuitsHasTheBitsOfTheOperation) {
  Ops& ops = TheOps();
  const auto check = [&]<class T>(T, const std::string& type) {
    auto x = Random<T>({1037}, 1);
    for (std::size_t k = 0; k < 100; ++k) x.flat()[k] *= T{1e-30f} * T{1e-10f};  // some subnormal
    for (const auto& [name, op] :
         {std::pair{"gelu", Ops::Unary::gelu}, {"gelu_erf", Ops::Unary::gelu_erf}}) {
      Executor exec;
      std::string circuit = "(" + type;
      circuit += " c00) -> (" + type;
      circuit += " c01) over n merge:";
      circuit += name;
      circuit += "@c00[c00,c01]";
      exec.load_circuit(circuit, name);
      Tensor<T> out(x.shape());
      exec.kernel(name)(std::span<const T>(x.flat()), out.flat(), std::uint32_t{1037});
      EXPECT_TRUE(SameBits(out, ops.apply(op, x))) << name << " of " << type;
    }
  };
  check(float{}, "f32");
  check(double{}, "f64");
}

TEST(Expression, ArithmeticOfAllTypes) {
  Ops& ops = TheOps();
  const auto check = [&]<class T>(T) {
    const auto x = Random<T>({7, 150}, 1);
    const auto y = Random<T>({7, 150}, 2);
    EXPECT_SAME(x + y, ops.add(x, y));
    EXPECT_SAME(x - y, ops.sub(x, y));
    EXPECT_SAME(x * y, ops.mul(x, y));
    EXPECT_SAME(minimum(x, y), ops.minimum(x, y));
    EXPECT_SAME(maximum(x, y), ops.maximum(x, y));
    EXPECT_SAME(relu(x * y - x), ops.apply(Ops::Unary::relu, ops.sub(ops.mul(x, y), x)));
  };
  check(float{});
  check(double{});
  check(std::int8_t{});
  check(std::int16_t{});
  check(std::int32_t{});
  check(std::int64_t{});
  check(std::uint8_t{});
  check(std::uint16_t{});
  check(std::uint32_t{});
  check(std::uint64_t{});
}

TEST(Expression, HalvesRoundAfterEachStep) {
  Tensor<f16> x({300});
  std::uint16_t bits = 0;
  for (f16& value : x.flat()) value.bits = bits = static_cast<std::uint16_t>(bits + 217);
  Ops& ops = TheOps();
  const Tensor<f16> wanted = ops.apply(Ops::Unary::gelu, ops.mul(ops.add(x, x), x));
  EXPECT_SAME(gelu((x + x) * x), wanted);
  const f16 one{0x3c00};
  Tensor<f16> ones({300});
  for (f16& value : ones.flat()) value = one;
  EXPECT_SAME(x * one + x, ops.add(ops.mul(x, ones), x));
}

TEST(Expression, ChainsWithNumbersConditionsAndCasts) {
  Ops& ops = TheOps();
  const auto x = Random<float>({1000}, 1);
  const auto b = Random<float>({1000}, 2);
  Tensor<float> two({1000});
  for (float& value : two.flat()) value = 2;
  const Tensor<float> sum = ops.add(ops.mul(x, two), b);
  EXPECT_SAME(relu(2.0f * x + b), ops.apply(Ops::Unary::relu, sum));
  EXPECT_SAME(relu(2 * x + b), ops.apply(Ops::Unary::relu, sum));
  EXPECT_SAME(
      gelu(gelu(gelu(x))),
      ops.apply(Ops::Unary::gelu, ops.apply(Ops::Unary::gelu, ops.apply(Ops::Unary::gelu, x))));
  const auto doubles = Computed(cast<double>(x) * 0.5 + cast<double>(b), {1000});
  const auto bytes = Computed(cast<std::uint8_t>(cast<std::int32_t>(x)), {1000});
  const auto less = Computed(x < b, {1000});
  const auto chosen = Computed(where(x < b, x, 7), {1000});
  for (std::size_t k = 0; k < 1000; ++k) {
    const float v = x(k);
    if (std::isnan(v)) continue;
    if (!std::isnan(b(k))) {
      EXPECT_EQ(doubles(k), static_cast<double>(v) * 0.5 + static_cast<double>(b(k)));
    }
    EXPECT_EQ(bytes(k), static_cast<std::uint8_t>(v < 0 ? 0 : v > 255 ? 255 : v));
    EXPECT_EQ(less(k), v < b(k) ? 1 : 0);
    EXPECT_EQ(chosen(k), v < b(k) ? v : 7);
  }
}

TEST(Expression, EqualCircuitsHaveOneKernel) {
  const auto x = Random<float>({10}, 1);
  const auto b = Random<float>({10}, 2);
  EXPECT_EQ(KernelId(relu(x + b)), KernelId(relu(b + x)));
  EXPECT_NE(KernelId(relu(x + b)), KernelId(relu(x - b)));
  EXPECT_EQ(circuit(relu(x * 2.0f)),
            "(f32 c00, f32 $s0) -> (f32 c01) over n merge:mul@c00[$s0,c02] . "
            "merge:le@c02[#0.0:f32,c03] . merge:select@c03[#0.0:f32,c02,c02] . copy@c02->c01");
}

TEST(Expression, MemoryOfAllKinds) {
  std::vector<float> x = {1, 2, 3};
  Buffer<float> y(3);
  evaluate(array(x) * 2.0f, y);
  EXPECT_EQ(y[2], 6);
  evaluate(array(y) + array(x) * array(x), x);  // in place
  EXPECT_EQ(x, (std::vector<float>{3, 8, 15}));
  const Tensor<float> t({3});
  Executor exec;
  exec.set_threads(1);
  exec.run(t + array(x), t);
  EXPECT_EQ(t(2), 15);
  evaluate(-t, t, {.backend = Backend::interpreter});
  EXPECT_EQ(t(2), -15);
  evaluate(array(std::vector<float>{}) * 2.0f, std::span<float>{});
}

TEST(Expression, LaterCallsTakeNoMemory) {
  const auto x = Random<float>({100}, 1);
  const Tensor<float> out({100});
  const auto call = [&] { evaluate(relu(2.0f * x + x * x), out); };
  call();
  const std::size_t before = num_allocations;
  for (int k = 0; k < 10; ++k) call();
  EXPECT_EQ(num_allocations, before);
}

TEST(Expression, ThreadsMayShareAnExpression) {
  const auto x = Random<float>({20000}, 1);
  const auto y = tanh(x * x) - x;
  std::vector<Tensor<float>> results;
  for (int k = 0; k < 4; ++k) results.emplace_back(Dimensions{20000});
  std::vector<std::thread> threads;
  for (int k = 0; k < 4; ++k) {
    threads.emplace_back([&, k] { evaluate(y, results[static_cast<std::size_t>(k)]); });
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& result : results) EXPECT_TRUE(SameBits(result, results[0]));
}

template <class F>
std::string MessageOf(const F& f) {
  try {
    f();
  } catch (const Error& error) {
    return error.message();
  }
  return "nothing was thrown";
}

TEST(Expression, Refusals) {
  const auto x = Random<float>({4, 6}, 1);
  const auto flat = Random<float>({24}, 1);
  const Tensor<float> out({4, 6});
  EXPECT_EQ(MessageOf([&] { evaluate(x + flat, out); }),
            "array 2 of an expression is 24, the result 4 x 6");
  std::vector<float> few(5);
  EXPECT_EQ(MessageOf([&] { evaluate(x + array(few), out); }),
            "array 2 of an expression has 5 elements, the result 24");
  EXPECT_EQ(MessageOf([&] { evaluate(x.transpose() + 1, Tensor<float>({6, 4})); }),
            "a tensor with gaps has no flat form; use contiguous()");
  EXPECT_EQ(MessageOf([&] { (void)(Tensor<std::int8_t>({3}) + 300); }),
            "a number of an expression that does not fit its type");
  const Tensor<std::int32_t> zeros({3});
  EXPECT_EQ(MessageOf([&] { evaluate(zeros / zeros, zeros); }).substr(0, 16), "division by zero");
  const std::span<float> all = flat.flat();
  EXPECT_NE(MessageOf([&] { evaluate(array(all.first(20)) * 2, all.subspan(4)); }),
            "nothing was thrown");
}

}  // namespace
}  // namespace hologram
