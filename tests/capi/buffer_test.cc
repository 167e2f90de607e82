// Buffer<T> of every kind of memory, and the facts about classes.
#include "hologram/buffer.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <utility>
#include <vector>

#include "hologram/hologram.hpp"
#include "hologram/tensor.hpp"

namespace {

using hologram::any_class;
using hologram::Buffer;
using hologram::Executor;
using hologram::Phi;
using hologram::Pool;

template <class F>
std::string error_of(const F& run) {
  try {
    run();
  } catch (const hologram::Error& error) {
    return error.message();
  }
  return "no error";
}

TEST(Buffer, SaysWhatItIs) {
  Executor executor;
  const Buffer<double> linear = executor.allocate<double>(5);
  EXPECT_EQ(linear.len(), 5u);
  EXPECT_EQ(linear.size_bytes(), 40u);
  EXPECT_EQ(linear.element_size(), 8u);
  EXPECT_FALSE(linear.is_empty());
  EXPECT_TRUE(linear.is_linear());
  EXPECT_EQ(linear.pool(), Pool::linear);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(linear.data()) % 64, 0u);
  EXPECT_EQ(linear.to_vec(), std::vector<double>(5, 0.0));
  EXPECT_EQ(error_of([&] { (void)linear.class_index(); }), "a linear buffer has no class");
  EXPECT_EQ(executor.num_free_classes(), 96u);

  const Buffer<float> boundary = executor.allocate_boundary<float>(0, 48, 256);
  EXPECT_EQ(boundary.len(), 3072u);
  EXPECT_TRUE(boundary.is_boundary());
  EXPECT_EQ(boundary.pool(), Pool::boundary);
  EXPECT_EQ(boundary.class_index(), 0u);
  EXPECT_EQ(boundary.size_bytes(), 12288u);
  EXPECT_EQ(executor.num_free_classes(), 95u);
  EXPECT_TRUE(Buffer<float>(0).is_empty());
}

TEST(Buffer, HoldsWholeElements) {
  Executor executor;
  EXPECT_EQ(executor.allocate_boundary<float>(any_class, 2, 3).len(), 1u);
  EXPECT_EQ(executor.allocate_boundary<double>(any_class, 2, 3).len(), 0u);
  EXPECT_EQ(executor.allocate_boundary<std::uint8_t>().len(), 12288u);
}

TEST(Buffer, ClassesAreTakenInOrderAndGivenBack) {
  Executor executor;
  std::vector<Buffer<float>> buffers;
  for (std::uint32_t c = 0; c < 96; ++c) {
    buffers.push_back(executor.allocate_boundary<float>());
    EXPECT_EQ(buffers.back().class_index(), c);
  }
  EXPECT_EQ(error_of([&] { (void)executor.allocate_boundary<float>(); }),
            "no class is free: all 96 of the executor have a buffer");
  EXPECT_EQ(executor.allocate<float>(10).len(), 10u);  // takes no class
  buffers.erase(buffers.begin() + 40);
  EXPECT_EQ(executor.allocate_boundary<float>().class_index(), 40u);
  EXPECT_EQ(error_of([&] { (void)executor.allocate_boundary<float>(41); }),
            "class_index: class 41 has a buffer already");
  buffers.clear();
  EXPECT_EQ(executor.num_free_classes(), 96u);
}

TEST(Buffer, NamesWhatIsWrong) {
  Executor executor;
  EXPECT_EQ(error_of([&] { (void)executor.allocate_boundary<float>(96); }),
            "class_index: expected 0 to 95, found 96");
  EXPECT_EQ(error_of([&] { (void)executor.allocate_boundary<float>(0, 49, 256); }),
            "width: expected 1 to 48 pages, found 49");
  EXPECT_EQ(error_of([&] { (void)executor.allocate_boundary<float>(0, 48, 257); }),
            "height: expected 1 to 256 bytes, found 257");
  Buffer<float> buffer(1024);
  std::vector<float> half(512);
  EXPECT_EQ(error_of([&] { buffer.copy_from_slice(half); }),
            "src: expected 1024 elements, found 512");
  EXPECT_EQ(error_of([&] { buffer.copy_to_slice(half); }),
            "dst: expected 1024 elements, found 512");
  EXPECT_EQ(error_of([&] { buffer.copy_from_canonical_slice(half); }),
            "src: expected 1024 elements, found 512");
}

TEST(Buffer, CopiesKeepBits) {
  Executor executor;
  std::vector<float> values(16);
  for (std::size_t k = 0; k < values.size(); ++k) values[k] = 2.5f * static_cast<float>(k);
  Buffer<float> linear(16);
  Buffer<float> boundary = executor.allocate_boundary<float>(any_class, 1, 64);
  for (Buffer<float>* buffer : {&linear, &boundary}) {
    buffer->copy_from_slice(values);
    EXPECT_EQ(buffer->to_vec(), values);
    std::vector<float> out(16);
    buffer->copy_to_slice(out);
    EXPECT_EQ(out[15], 37.5f);
    buffer->fill(42);
    EXPECT_EQ(buffer->to_vec(), std::vector<float>(16, 42.0f));
  }
}

TEST(Buffer, MovesTakeTheMemoryAlong) {
  Executor executor;
  Buffer<float> a = executor.allocate_boundary<float>(3);
  float* const memory = a.data();
  Buffer<float> b = std::move(a);
  EXPECT_EQ(b.data(), memory);
  EXPECT_TRUE(a.is_empty() && a.is_linear());
  Buffer<float> c(8);
  c = std::move(b);
  EXPECT_EQ(c.class_index(), 3u);
  EXPECT_EQ(executor.num_free_classes(), 95u);
  c = Buffer<float>(8);
  EXPECT_EQ(executor.num_free_classes(), 96u);
}

TEST(Buffer, IsTheMemoryOfTheClass) {
  Executor executor;
  Buffer<float> buffer = executor.allocate_boundary<float>(7);
  buffer[2] = 1.5f;
  float read = 0;
  executor.read_class_memory(7 * 12288 + 8, std::as_writable_bytes(std::span(&read, 1)));
  EXPECT_EQ(read, 1.5f);
  const float written = 2.5f;
  executor.write_class_memory(7 * 12288 + 8, std::as_bytes(std::span(&written, 1)));
  EXPECT_EQ(buffer[2], 2.5f);
}

TEST(Buffer, OutlivesItsExecutor) {
  auto executor = std::make_unique<Executor>();
  Buffer<float> buffer = executor->allocate_boundary<float>();
  executor.reset();
  buffer.fill(1);
  EXPECT_EQ(buffer[3071], 1.0f);
}

TEST(Buffer, HasViewsOfOtherTypes) {
  Executor executor;
  Buffer<float> buffer = executor.allocate_boundary<float>(any_class, 1, 12);
  buffer.fill(1);
  EXPECT_EQ(buffer.as<std::uint8_t>().size(), 12u);
  EXPECT_EQ(std::as_const(buffer).as<std::uint8_t>()[3], 0x3f);
  EXPECT_EQ(static_cast<void*>(buffer.as<std::uint32_t>().data()), buffer.data());
  EXPECT_EQ(error_of([&] { (void)buffer.as<double>(); }),
            "12 bytes of this buffer are no whole, aligned elements of 8 bytes");
  auto odd = Buffer<std::uint8_t>::borrow(buffer.as<std::uint8_t>().subspan(1, 4));
  EXPECT_EQ(error_of([&] { (void)odd.as<float>(); }),
            "4 bytes of this buffer are no whole, aligned elements of 4 bytes");
}

TEST(Buffer, IsATensor) {
  Executor executor;
  auto tensor =
      hologram::Tensor<float>::from_buffer(executor.allocate_boundary<float>(5), {48, 64});
  EXPECT_TRUE(tensor.buffer()->is_boundary());
  tensor(1, 0) = 9;
  float read = 0;
  executor.read_class_memory(5 * 12288 + 256, std::as_writable_bytes(std::span(&read, 1)));
  EXPECT_EQ(read, 9.0f);
}

TEST(Canonical, ClearsTheLowestBitOfEachByte) {
  Buffer<std::uint8_t> bytes(16);
  std::vector<std::uint8_t> odd(16);
  std::vector<std::uint8_t> even(16);
  for (std::size_t k = 0; k < 16; ++k) {
    odd[k] = static_cast<std::uint8_t>(2 * k + 1);
    even[k] = static_cast<std::uint8_t>(2 * k);
  }
  EXPECT_TRUE(bytes.verify_canonical());
  bytes.copy_from_slice(odd);
  EXPECT_FALSE(bytes.verify_canonical());
  bytes.copy_from_canonical_slice(odd);
  EXPECT_EQ(bytes.to_vec(), even);
  EXPECT_TRUE(bytes.verify_canonical());
  bytes[15] = 1;
  EXPECT_FALSE(bytes.verify_canonical());
}

TEST(Canonical, ChangesNumbers) {
  Executor executor;
  const std::vector<float> values = {1, 2, 0.1f, -3.3f};
  Buffer<float> buffer = executor.allocate_boundary<float>(any_class, 1, 16);
  buffer.copy_from_slice(values);
  EXPECT_EQ(buffer.to_vec(), values);  // a copy leaves them alone
  buffer.canonicalize_all();
  const std::uint32_t expected[] = {0x3e800000, 0x40000000, 0x3ccccccc, 0xc0523232};
  for (std::size_t k = 0; k < 4; ++k) EXPECT_EQ(buffer.as<std::uint32_t>()[k], expected[k]) << k;
  EXPECT_EQ(buffer[0], 0.25f);
  EXPECT_EQ(buffer[3], -3.2843137f);
}

TEST(Classes, OffsetsArePagesAndBytes) {
  EXPECT_EQ(hologram::offset_to_phi(42, 255), (Phi{0, 255}));
  EXPECT_EQ(hologram::offset_to_phi(42, 256), (Phi{1, 0}));
  EXPECT_EQ(hologram::offset_to_phi(42, 1024), (Phi{4, 0}));
  EXPECT_EQ(hologram::offset_to_phi(95, 12287), (Phi{47, 255}));
  for (std::uint32_t offset = 0; offset < 12288; ++offset) {
    EXPECT_EQ(hologram::phi_to_offset(1, hologram::offset_to_phi(1, offset)), offset);
  }
  EXPECT_EQ(error_of([] { (void)hologram::offset_to_phi(95, 12288); }),
            "offset: expected 0 to 12287, found 12288");
  EXPECT_EQ(error_of([] { (void)hologram::offset_to_phi(96, 0); }),
            "class_index: expected 0 to 95, found 96");
  EXPECT_EQ(error_of([] { (void)hologram::phi_to_offset(0, {48, 0}); }),
            "page: expected 0 to 47, found 48");
  EXPECT_EQ(error_of([] { (void)hologram::phi_to_offset(0, {0, 256}); }),
            "byte: expected 0 to 255, found 256");
}

TEST(Classes, HoldSoManyElements) {
  static_assert(hologram::fits_in_class<float>(3072) && !hologram::fits_in_class<float>(3073));
  static_assert(hologram::fits_in_class<double>(1536) && !hologram::fits_in_class<double>(1537));
  static_assert(hologram::fits_in_class<std::uint8_t>(12288));
  static_assert(!hologram::fits_in_class<std::uint8_t>(12289));
  static_assert(!hologram::fits_in_class<double>(SIZE_MAX));
  EXPECT_EQ(hologram::max_elements_per_class<float>(), 3072u);
  EXPECT_EQ(hologram::max_elements_per_class<double>(), 1536u);
}

TEST(LaunchConfig, CoversSoManyElements) {
  const hologram::LaunchConfig config = hologram::default_launch_config(257);
  EXPECT_EQ(config.grid, (std::array<std::uint32_t, 3>{2, 1, 1}));
  EXPECT_EQ(config.block, (std::array<std::uint32_t, 3>{256, 1, 1}));
  EXPECT_EQ(hologram::default_launch_config(256).grid[0], 1u);
  EXPECT_EQ(hologram::default_launch_config((std::uint64_t{1} << 40) - 256).grid[0], UINT32_MAX);
  EXPECT_EQ(error_of([] { (void)hologram::default_launch_config(0); }),
            "elements: expected 1 to 1099511627520, found 0");
  EXPECT_EQ(error_of([] { (void)hologram::default_launch_config(std::uint64_t{1} << 40); }),
            "elements: expected 1 to 1099511627520, found 1099511627776");
}

}  // namespace
