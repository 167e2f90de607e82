// ops.hpp: the operations on tensors of every layout, against loops over their elements.
#include "hologram/ops.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numeric>
#include <random>
#include <thread>

namespace hologram {
namespace {

Ops& TheOps() {
  static Ops ops;
  return ops;
}

Tensor<float> Random(const Dimensions& shape, unsigned seed) {
  Tensor<float> tensor(shape);
  std::mt19937 generator(seed);
  std::uniform_real_distribution<float> values(-2, 2);
  for (float& value : tensor.flat()) value = values(generator);
  return tensor;
}

// Elements in the order of the rows.
std::vector<float> Expected(const Tensor<float>& a, const Tensor<float>& b, const Dimensions& shape,
                            const std::function<float(float, float)>& op) {
  const std::vector<float> x = a.broadcast_to(shape).to_vector();
  const std::vector<float> y = b.broadcast_to(shape).to_vector();
  std::vector<float> result(x.size());
  std::transform(x.begin(), x.end(), y.begin(), result.begin(), op);
  return result;
}

// Operands and results in class memory, which is memory like any other for them.
TEST(Ops, BuffersOfClasses) {
  Ops& ops = TheOps();
  Executor executor;
  const auto of_class = [&](const std::function<float(float)>& value) {
    auto tensor =
        Tensor<float>::from_buffer(executor.allocate_boundary<float>(any_class, 32, 256), {2048});
    for (std::size_t i = 0; i < 2048; ++i) tensor.data()[i] = value(static_cast<float>(i));
    return tensor;
  };
  const auto i = of_class([](float k) { return k; });
  const auto twice = of_class([](float k) { return 2 * k; });
  const auto next = of_class([](float k) { return k + 1; });
  const auto out = of_class([](float) { return -1.0f; });
  ops.add(i, twice, out);
  EXPECT_EQ(out(10), 30);
  EXPECT_EQ(out(100), 300);
  float read = 0;
  executor.read_class_memory(3 * 12288 + 400, std::as_writable_bytes(std::span(&read, 1)));
  EXPECT_EQ(read, 300);
  ops.sub(twice, i, out);
  EXPECT_EQ(out.to_vector(), i.to_vector());
  ops.add(next, next, out);
  ops.div(out, next, out);
  EXPECT_EQ(out.to_vector(), std::vector<float>(2048, 2));
  ops.mul(next, out, out);
  EXPECT_EQ(out(10), 22);
  EXPECT_EQ(executor.num_free_classes(), 92u);
}

TEST(Ops, TwoOperandsOfAnyLayout) {
  Ops& ops = TheOps();
  const Tensor<float> whole = Random({4, 6, 10}, 1);
  struct Case {
    Tensor<float> a;
    Tensor<float> b;
  };
  const Case cases[] = {
      {Random({1000}, 2), Random({1000}, 3)},
      {Random({7, 9}, 2), Random({9}, 3)},
      {Random({7, 1}, 2), Random({1, 9}, 3)},
      {Random({7, 9}, 2), Random(Dimensions{}, 3)},
      {whole.permute({0, 2, 1}), Random({4, 10, 6}, 4)},
      {whole.permute({2, 0, 1}), Random({6}, 4)},
      {whole.narrow(1, 2, 3), whole.slice(1, 0, 6, 2)},
      {Random({2, 3, 1, 5, 1, 4}, 5), Random({3, 2, 1, 7, 1}, 6)},  // six dimensions
      {Random({0, 5}, 2), Random({5}, 3)},
      {Random({1, 1}, 2), Random({1}, 3)},
  };
  for (const Case& c : cases) {
    const Dimensions shape = broadcast_shapes(c.a.shape(), c.b.shape());
    SCOPED_TRACE(to_string(c.a.shape()) + " and " + to_string(c.b.shape()));
    EXPECT_EQ(ops.add(c.a, c.b).shape(), shape);
    EXPECT_EQ(ops.add(c.a, c.b).to_vector(), Expected(c.a, c.b, shape, std::plus<float>()));
    EXPECT_EQ(ops.sub(c.a, c.b).to_vector(), Expected(c.a, c.b, shape, std::minus<float>()));
    EXPECT_EQ(ops.div(c.b, c.a).to_vector(), Expected(c.b, c.a, shape, std::divides<float>()));
    EXPECT_EQ(ops.maximum(c.a, c.b).to_vector(),
              Expected(c.a, c.b, shape, [](float x, float y) { return std::fmax(x, y); }));
  }
}

TEST(Ops, ResultsGoWhereTheyAreWanted) {
  Ops& ops = TheOps();
  const Tensor<float> a = Random({5, 8}, 1);
  const Tensor<float> b = Random({5, 8}, 2);
  const Tensor<float> wide({5, 16});
  const Tensor<float> out = wide.slice(1, 1, 16, 2);
  ops.mul(a, b, out);
  EXPECT_EQ(out.to_vector(), Expected(a, b, a.shape(), std::multiplies<float>()));
  for (const float value : wide.slice(1, 0, 16, 2).to_vector()) EXPECT_EQ(value, 0);
  const std::vector<float> sums = Expected(a, b, a.shape(), std::plus<float>());
  ops.add(a, b, a);  // in place
  EXPECT_EQ(a.to_vector(), sums);
  EXPECT_THROW(ops.add(a, b, a.narrow(0, 0, 4)), Error);
  EXPECT_THROW(ops.add(a, b, Tensor<float>({8}).broadcast_to({5, 8})), Error);
  EXPECT_THROW(ops.add(a, Tensor<float>({7})), Error);
  const Tensor<float> c = Random({8, 8}, 3);
  EXPECT_THROW(ops.add(c, c.transpose(), c), Error);  // overlaps in another order
}

TEST(Ops, OneOperand) {
  Ops& ops = TheOps();
  const Tensor<float> x = Random({3, 40}, 1);
  const auto near = [](const Tensor<float>& found, const std::vector<float>& from, auto f,
                       double ulp) {
    ASSERT_EQ(found.numel(), from.size());
    for (std::size_t k = 0; k < from.size(); ++k) {
      const double wanted = f(static_cast<double>(from[k]));
      EXPECT_NEAR(static_cast<double>(found.to_vector()[k]), wanted,
                  ulp * 1.2e-7 * std::max(std::abs(wanted), 1e-30));
    }
  };
  near(ops.exp(x), x.to_vector(), [](double v) { return std::exp(v); }, 1);
  near(ops.exp(x, Accuracy::fast), x.to_vector(), [](double v) { return std::exp(v); }, 4);
  near(
      ops.tanh(x.transpose()), x.transpose().to_vector(), [](double v) { return std::tanh(v); }, 1);
  near(ops.apply(Ops::Unary::abs, x), x.to_vector(), [](double v) { return std::abs(v); }, 0);
  Tensor<float> clipped({3, 40});
  ops.clip(x.transpose(), -1.0f, 0.5f, clipped.transpose());
  near(clipped, x.to_vector(), [](double v) { return std::min(std::max(v, -1.0), 0.5); }, 0);
  ops.scalar_mul(x, 2.0f, clipped);
  near(clipped, x.to_vector(), [](double v) { return 2 * v; }, 0);
  EXPECT_TRUE(std::isnan(ops.relu(Tensor<float>::borrow(
      std::array<float, 1>{std::numeric_limits<float>::quiet_NaN()}.data(), {1}))(0)));
  const Tensor<std::int32_t> integers({4});
  integers.copy_from(std::array<std::int32_t, 4>{1, -2, 3, INT32_MIN});
  EXPECT_EQ(ops.add(integers, integers).to_vector(), (std::vector<std::int32_t>{2, -4, 6, 0}));
  const auto error = [](const auto& function) {
    try {
      function();
    } catch (const Error& thrown) {
      return thrown.message();
    }
    return std::string("no error");
  };
  EXPECT_EQ(error([&] { ops.exp(integers); }), "exp is not there for i32");
  EXPECT_EQ(error([&] { ops.apply(Ops::Unary::tan, x, Accuracy::fast); }), "tan has no fast form");
  EXPECT_EQ(error([&] { ops.apply(Ops::Unary::count, x); }), "an operation that is none");
  Tensor<std::int32_t> threes({4});
  threes.copy_from(std::array<std::int32_t, 4>{3, 3, 3, 3});
  EXPECT_EQ(ops.div(integers, threes).to_vector(),
            (std::vector<std::int32_t>{0, 0, 1, INT32_MIN / 3}));
  Tensor<float> gone = x;
  const Tensor<float> kept = std::move(gone);
  EXPECT_EQ(ops.sum(gone), ops.sum(kept));  // NOLINT(bugprone-use-after-move)
}

TEST(Ops, Reductions) {
  Ops& ops = TheOps();
  for (const std::size_t n : {1UL, 64UL, 4096UL, 4097UL, 100'000UL, 20'000'000UL}) {
    Tensor<float> x({n});
    for (std::size_t k = 0; k < n; ++k) x.data()[k] = static_cast<float>(k % 7) - 3.0f;
    const double wanted = std::accumulate(x.flat().begin(), x.flat().end(), 0.0);
    EXPECT_NEAR(static_cast<double>(ops.sum(x)), wanted, 1e-6 * static_cast<double>(n)) << n;
    EXPECT_EQ(ops.min(x), -3.0f);
    EXPECT_EQ(ops.max(x), n == 1 ? -3.0f : 3.0f);
  }
  Tensor<double> doubles({5000});
  std::fill(doubles.flat().begin(), doubles.flat().end(), 0.5);
  EXPECT_EQ(ops.sum(doubles), 2500.0);
  EXPECT_EQ(ops.mean(doubles), 0.5);
  EXPECT_EQ(ops.sum(Tensor<float>({0})), 0.0f);
  EXPECT_THROW(ops.min(Tensor<float>({0})), Error);
  EXPECT_TRUE(std::isnan(ops.mean(Tensor<float>({3, 0}))));
}

// The elements of x that make each element of its reduction, in the order of the rows.
template <class T>
std::vector<std::vector<T>> Groups(const Tensor<T>& x, std::uint64_t axes) {
  std::size_t results = 1;
  for (std::size_t d = 0; d < x.ndim(); ++d) {
    if ((axes >> d & 1) == 0) results *= x.shape()[d];
  }
  std::vector<std::vector<T>> groups(results);
  const std::vector<T> elements = x.to_vector();
  for (std::size_t k = 0; k < elements.size(); ++k) {
    std::size_t rest = k;
    std::size_t place = 0;
    std::size_t step = 1;
    for (std::size_t d = x.ndim(); d-- > 0;) {
      const std::size_t index = rest % x.shape()[d];
      rest /= x.shape()[d];
      if ((axes >> d & 1) != 0) continue;
      place += index * step;
      step *= x.shape()[d];
    }
    groups[place].push_back(elements[k]);
  }
  return groups;
}

template <class T, class R>
void ExpectEach(const Tensor<T>& x, const ReducedAxes& axes, const Tensor<R>& found,
                const std::function<R(const std::vector<T>&)>& one) {
  const auto groups = Groups(x, axes.of("test", x.shape()));
  ASSERT_EQ(groups.size(), found.numel());
  for (std::size_t k = 0; k < groups.size(); ++k) {
    EXPECT_EQ(found.data()[k], one(groups[k])) << to_string(x.shape()) << ", element " << k;
  }
}

template <class T>
void ReduceAlong(const Tensor<T>& x, const ReducedAxes& axes) {
  using Values = const std::vector<T>&;
  Ops& ops = TheOps();
  ExpectEach<T, SumOf<T>>(x, axes, ops.sum(x, axes), [](Values v) {
    return std::accumulate(v.begin(), v.end(), SumOf<T>{0});
  });
  ExpectEach<T, MeanOf<T>>(x, axes, ops.mean(x, axes, true), [](Values v) {
    return std::accumulate(v.begin(), v.end(), MeanOf<T>{0}) / static_cast<MeanOf<T>>(v.size());
  });
  ExpectEach<T, T>(x, axes, ops.min(x, axes),
                   [](Values v) { return *std::min_element(v.begin(), v.end()); });
  ExpectEach<T, T>(x, axes, ops.max(x, axes, true),
                   [](Values v) { return *std::max_element(v.begin(), v.end()); });
  ExpectEach<T, std::uint8_t>(x, axes, ops.any(x, axes), [](Values v) {
    return static_cast<std::uint8_t>(std::count(v.begin(), v.end(), T{0}) <
                                     static_cast<std::ptrdiff_t>(v.size()));
  });
  ExpectEach<T, std::uint8_t>(x, axes, ops.all(x, axes), [](Values v) {
    return static_cast<std::uint8_t>(std::count(v.begin(), v.end(), T{0}) == 0);
  });
}

// Whole numbers, of which each order has the same sum.
template <class T>
void ReduceEachWay() {
  Tensor<T> whole({3, 5, 4, 7});
  for (std::size_t k = 0; k < whole.numel(); ++k) whole.data()[k] = static_cast<T>(k * 37 % 101);
  const Tensor<T> gaps = whole.slice(1, 1, 5, 2).permute({2, 0, 3, 1});
  for (const Tensor<T>& x : {whole, gaps, whole.select(0, 1).unsqueeze(2)}) {
    for (int axis = -4; axis < 4; ++axis) {
      ReduceAlong<T>(x, axis);
      ExpectEach<T, std::int64_t>(x, axis, TheOps().argmax(x, axis), [](const std::vector<T>& v) {
        return std::max_element(v.begin(), v.end()) - v.begin();
      });
      ExpectEach<T, std::int64_t>(x, axis, TheOps().argmin(x, axis), [](const std::vector<T>& v) {
        return std::min_element(v.begin(), v.end()) - v.begin();
      });
    }
    ReduceAlong<T>(x, {0, 2});
    ReduceAlong<T>(x, {-1, 1, 0});
    ReduceAlong<T>(x, {});
    ReduceAlong<T>(x, ReducedAxes::all());
  }
}

TEST(Ops, ReductionsAlongAxes) {
  Ops& ops = TheOps();
  ReduceEachWay<float>();
  ReduceEachWay<double>();
  ReduceEachWay<std::int32_t>();
  ReduceEachWay<std::uint8_t>();
  const Tensor<float> long_rows = Random({3, 10'000}, 4);
  EXPECT_EQ(ops.argmax(long_rows),
            std::max_element(long_rows.flat().begin(), long_rows.flat().end()) -
                long_rows.flat().begin());
  const std::vector<float> sums = ops.sum(long_rows, 1).to_vector();
  for (std::size_t k = 0; k < 3; ++k) EXPECT_EQ(sums[k], ops.sum(long_rows.select(0, k)));
  const std::vector<float> norms = ops.norm(long_rows, -1).to_vector();
  for (std::size_t k = 0; k < 3; ++k) {
    double squares = 0;
    for (const float value : long_rows.select(0, k).to_vector()) {
      squares += static_cast<double>(value) * static_cast<double>(value);
    }
    EXPECT_NEAR(static_cast<double>(norms[k]), std::sqrt(squares), 1e-5 * std::sqrt(squares));
  }
  Tensor<double> twos({2, 3});
  std::fill(twos.flat().begin(), twos.flat().end(), 2.0);
  EXPECT_EQ(ops.prod(twos, 0).to_vector(), (std::vector<double>{4, 4, 4}));
  EXPECT_EQ(ops.prod(twos), 64.0);
  Tensor<std::int8_t> low({2});
  low.copy_from(std::array<std::int8_t, 2>{-128, -128});
  EXPECT_EQ(ops.sum(low), -256);  // in 64 bits
  EXPECT_EQ(ops.mean(low), -128.0);
}

TEST(Ops, ReductionsToTensorsAndErrors) {
  Ops& ops = TheOps();
  const Tensor<float> x = Random({4, 6}, 5);
  const Tensor<float> flat({4});
  const Tensor<float> kept({4, 1});
  ops.max(x, 1, flat);
  ops.max(x, 1, kept);
  EXPECT_EQ(flat.to_vector(), ops.max(x, 1).to_vector());
  EXPECT_EQ(kept.to_vector(), flat.to_vector());
  EXPECT_TRUE(ops.max(x, 1, true).shape() == Dimensions({4, 1}));
  EXPECT_TRUE(ops.sum(x, {0, 1}, true).shape() == Dimensions({1, 1}));
  const auto error = [](const auto& call) {
    try {
      call();
    } catch (const Error& found) {
      return found.message();
    }
    return std::string("no error");
  };
  EXPECT_EQ(error([&] { ops.sum(x, 2); }), "sum: axis 2 of 4 x 6");
  EXPECT_EQ(error([&] { ops.sum(x, {1, -1}); }), "sum: axis -1 twice of 4 x 6");
  EXPECT_EQ(error([&] { ops.mean(x, 0, flat); }), "mean to 4, expected 6");
  EXPECT_EQ(error([&] { ops.max(x, 0, Random({6, 2}, 1).select(1, 0)); }),
            "max to elements with gaps");
  EXPECT_EQ(error([&] { ops.argmin(x.transpose()); }), "argmin of all elements, with gaps");
  const Tensor<float> none({0, 3});
  EXPECT_EQ(error([&] { ops.max(none, 0); }), "max of no elements");
  EXPECT_EQ(ops.max(none, 1).numel(), 0U);
  EXPECT_EQ(ops.sum(none, 0).to_vector(), (std::vector<float>{0, 0, 0}));
  EXPECT_EQ(ops.prod(none), 1.0f);
  EXPECT_TRUE(ops.all(none));
  EXPECT_FALSE(ops.any(none));
}

TEST(Ops, RowsAndProducts) {
  Ops& ops = TheOps();
  const Tensor<float> x = Random({6, 100}, 1);
  const Tensor<float> soft = ops.softmax(x);
  for (std::size_t r = 0; r < 6; ++r) {
    double total = 0;
    for (std::size_t k = 0; k < 100; ++k) total += std::exp(static_cast<double>(x(r, k)));
    for (std::size_t k = 0; k < 100; ++k) {
      const double wanted = std::exp(static_cast<double>(x(r, k))) / total;
      EXPECT_NEAR(static_cast<double>(soft(r, k)), wanted, 2e-6 * wanted);
    }
  }
  const Tensor<float> a = Random({13, 17}, 2);
  const Tensor<float> b = Random({19, 17}, 3);
  const auto check = [](const Tensor<float>& left, const Tensor<float>& right,
                        const Tensor<float>& found) {
    for (std::size_t i = 0; i < left.shape()[0]; ++i) {
      for (std::size_t j = 0; j < right.shape()[1]; ++j) {
        double total = 0;
        for (std::size_t k = 0; k < left.shape()[1]; ++k) {
          total += static_cast<double>(left(i, k)) * static_cast<double>(right(k, j));
        }
        EXPECT_NEAR(static_cast<double>(found(i, j)), total, 4e-5);
      }
    }
  };
  check(a, b.transpose(), ops.matmul(a, b.transpose()));
  check(b, a.transpose(), ops.matmul(b, a.transpose()));
  check(a.transpose(), a, ops.matmul(a.transpose(), a));
  // By tiles, of b where it is and of panels of it, with and without a narrow one.
  const Tensor<float> tall = Random({30, 50}, 4);
  const Tensor<float> wide = Random({50, 150}, 5);
  check(tall, wide, ops.matmul(tall, wide));
  const Tensor<float> turned = Random({89, 50}, 6);
  check(tall, turned.transpose(), ops.matmul(tall, turned.transpose()));
  // What an offset of a view must not lose.
  Tensor<float> two({2, 2, 2});
  two.copy_from(std::array<float, 8>{1, 2, 3, 4, 10, 20, 30, 40});
  Tensor<float> one({2, 2});
  one.copy_from(std::array<float, 4>{1, 0, 0, 1});
  EXPECT_EQ(ops.matmul(two.select(0, 1), one).to_vector(), (std::vector<float>{10, 20, 30, 40}));
  EXPECT_THROW(ops.matmul(a, b), Error);
}

TEST(Ops, SeveralThreads) {
  std::vector<std::thread> threads;
  std::atomic<int> wrong = 0;
  for (unsigned t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (unsigned k = 0; k < 200; ++k) {
        const Tensor<float> a = Random({33}, t);
        wrong += TheOps().add(a, a)(5) != 2 * a(5);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace hologram
