// Random chains of views with sizes, indices, steps and strides as nobody would write them: each is
// refused, or every element of it lies in the buffer and is the one that a table of places says.
// Then expressions over parts of one array that overlap by chance, beside elements that nobody may
// touch: refused, or the values of copies. usage: hostile_view_test [--count=N] [--seed=S]
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <numeric>
#include <random>

#include "hologram/expression.hpp"
#include "hologram/tensor.hpp"

namespace hologram {
namespace {

unsigned count = 20000;
unsigned seed = 1;

using Random = std::mt19937;

// Mostly small, sometimes at the edge of something.
std::size_t Hostile(Random& random) {
  static constexpr std::size_t kEdges[] = {
      0,
      1,
      std::size_t{1} << 31,
      (std::size_t{1} << 32) - 1,
      std::size_t{1} << 32,
      std::size_t{1} << 61,
      std::size_t{1} << 62,
      (std::size_t{1} << 62) + 1,
      std::size_t{1} << 63,
      SIZE_MAX - 1,
      SIZE_MAX,
  };
  if (random() % 6 == 0) return kEdges[random() % std::size(kEdges)];
  return random() % 7;
}

Dimensions HostileShape(Random& random) {
  Dimensions shape;
  const std::size_t rank = random() % 5;
  for (std::size_t d = 0; d < rank; ++d) shape.insert(d, Hostile(random));
  return shape;
}

// A factor after the other: their product is `elements`.
Dimensions ShapeOf(std::size_t elements, Random& random) {
  Dimensions shape;
  while (elements > 1 && shape.size() < 4) {
    std::size_t factor = elements;
    for (const std::size_t prime : {2U, 3U, 5U}) {
      if (elements % prime == 0 && random() % 2 == 0) factor = prime;
    }
    shape.insert(shape.size(), factor);
    elements /= factor;
  }
  return shape;
}

// Its elements lie in its buffer, if it has any. They are then counted and looked at.
bool IsInside(const Tensor<int>& tensor) {
  std::size_t elements = 1;
  for (const std::size_t extent : tensor.shape()) {
    if (extent == 0) return tensor.to_vector().empty();
  }
  for (const std::size_t extent : tensor.shape()) {
    if (__builtin_mul_overflow(elements, extent, &elements)) return false;
  }
  std::size_t last = tensor.offset();
  for (std::size_t d = 0; d < tensor.ndim(); ++d) {
    std::size_t reach = 0;
    if (__builtin_mul_overflow(tensor.shape()[d] - 1, tensor.strides()[d], &reach) ||
        __builtin_add_overflow(last, reach, &last)) {
      return false;
    }
  }
  if (last >= tensor.buffer()->size()) return false;
  if (elements > 5000) return true;  // repeated by stride 0
  const std::vector<int> values = tensor.to_vector();
  if (values.size() != elements) return false;
  for (std::size_t k = 0; k < elements; ++k) {
    std::size_t place = tensor.offset();
    std::size_t rest = k;
    for (std::size_t d = tensor.ndim(); d-- > 0;) {
      place += rest % tensor.shape()[d] * tensor.strides()[d];
      rest /= tensor.shape()[d];
    }
    if (values[k] != tensor.buffer()->data()[place]) return false;
  }
  return true;
}

Tensor<int> Step(const Tensor<int>& t, Random& random) {
  const std::size_t dimension = random() % 8 == 0 ? Hostile(random) : random() % (t.ndim() + 1);
  switch (random() % 10) {
    case 0:
      return t.select(dimension, Hostile(random));
    case 1:
      return t.narrow(dimension, Hostile(random), Hostile(random));
    case 2:
    case 3:
      return t.slice(dimension, Hostile(random), Hostile(random), Hostile(random));
    case 4:
      return t.unsqueeze(dimension);
    case 5:
      return t.squeeze(dimension);
    case 6: {
      Dimensions order;
      for (std::size_t d = 0; d < t.ndim(); ++d) order.insert(d, t.ndim() - 1 - d);
      if (random() % 4 == 0) return t.permute(HostileShape(random));
      return t.permute(order);
    }
    case 7: {
      Dimensions shape = t.shape();
      for (std::size_t d = 0; d < shape.size(); ++d) {
        if (shape[d] == 1) shape[d] = Hostile(random);
      }
      return t.broadcast_to(random() % 4 == 0 ? HostileShape(random) : shape);
    }
    case 8:
      if (t.numel() > 5000) return t;  // it would be copied
      return t.reshape(random() % 3 == 0 ? HostileShape(random) : ShapeOf(t.numel(), random));
    default: {
      const Dimensions shape = HostileShape(random);
      Dimensions strides;
      for (std::size_t d = 0; d < shape.size(); ++d) strides.insert(d, Hostile(random));
      return Tensor<int>::from_buffer_with_strides(t.buffer(), shape, strides);
    }
  }
}

TEST(HostileView, ChainsStayInTheBuffer) {
  Random random(seed);
  std::size_t made = 0;
  std::size_t refused = 0;
  for (unsigned k = 0; k < count; ++k) {
    Tensor<int> tensor({2, 3, 4, 5});
    std::iota(tensor.data(), tensor.data() + tensor.numel(), 100);
    for (int step = 0; step < 6; ++step) {
      try {
        const Tensor<int> next = Step(tensor, random);
        ++made;
        ASSERT_TRUE(IsInside(next)) << "chain " << k << ": " << to_string(next.shape())
                                    << ", strides " << to_string(next.strides()) << ", offset "
                                    << next.offset() << " of " << next.buffer()->size();
        tensor = next;
      } catch (const Error& error) {
        ++refused;
        ASSERT_EQ(error.code(), HOLOGRAM_ERROR_INVALID_ARGUMENT) << error.message();
      }
    }
  }
  std::printf("%zu views, %zu refused\n", made, refused);
  EXPECT_GT(made, count);
  EXPECT_GT(refused, count / 2);
}

TEST(HostileView, ViewsForKernelsSayNoMoreThanThereIs) {
  Random random(seed + 1);
  for (unsigned k = 0; k < count; ++k) {
    const Tensor<int> base({60});
    try {
      const Dimensions shape = {Hostile(random), Hostile(random)};
      const Dimensions strides = {Hostile(random), Hostile(random)};
      const auto tensor = Tensor<int>::from_buffer_with_strides(base.buffer(), shape, strides);
      (void)tensor.view<2>();
      ASSERT_TRUE(IsInside(tensor));
      if (!tensor.is_contiguous()) continue;
      ASSERT_LE(tensor.flat().size(), 60U);
    } catch (const Error& error) {
      ASSERT_EQ(error.code(), HOLOGRAM_ERROR_INVALID_ARGUMENT) << error.message();
    }
  }
}

TEST(HostileView, ExpressionsOverPartsOfOneArray) {
  constexpr std::size_t kSize = 700;
  Random random(seed + 2);
  std::size_t ran = 0;
  std::size_t refused = 0;
  for (unsigned k = 0; k < count / 10; ++k) {
    std::vector<float> memory(kSize);
    std::iota(memory.begin(), memory.end(), 1.0f);
    std::size_t length = random() % 4 == 0 ? random() % 3 : random() % 300;
    const auto start = [&] { return random() % (kSize - length); };
    const std::size_t x = start();
    const std::size_t y = random() % 3 == 0 ? x : start();
    const std::size_t to = random() % 3 == 0 ? x : start();
    const std::span<float> all(memory);
    const std::size_t other = random() % 20 == 0 ? length + 1 : length;
    std::vector<float> wanted = memory;
    for (std::size_t i = 0; i < length; ++i) wanted[to + i] = memory[x + i] * 2 + memory[y + i];
    const std::vector<float> before = memory;
    try {
      evaluate(array(all.subspan(x, length)) * 2.0f + array(all.subspan(y, other)),
               all.subspan(to, length));
      ++ran;
      ASSERT_EQ(memory, wanted) << x << ", " << y << " to " << to << ", " << length;
    } catch (const Error& error) {
      ++refused;
      ASSERT_EQ(error.code(), HOLOGRAM_ERROR_INVALID_ARGUMENT) << error.message();
      ASSERT_EQ(memory, before) << error.message();
    }
  }
  std::printf("%zu expressions over parts of one array, %zu refused\n", ran, refused);
  EXPECT_GT(ran, count / 50);
  EXPECT_GT(refused, count / 50);
}

}  // namespace
}  // namespace hologram

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  for (int k = 1; k < argc; ++k) {
    if (std::strncmp(argv[k], "--count=", 8) == 0)
      hologram::count = static_cast<unsigned>(std::atoi(argv[k] + 8));
    if (std::strncmp(argv[k], "--seed=", 7) == 0)
      hologram::seed = static_cast<unsigned>(std::atoi(argv[k] + 7));
  }
  std::printf("seed %u, count %u\n", hologram::seed, hologram::count);
  return RUN_ALL_TESTS();
}
