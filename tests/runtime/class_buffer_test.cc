// Buffers in class memory: who has which class, and what kernels see of them.
#include "runtime/class_buffer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <thread>
#include <vector>

#include "native_objects.h"
#include "runtime/executor.h"

namespace hologram::runtime {
namespace {

// Word i of class 7, by address.
constexpr const char* kByAddress = R"(
.kernel by_address
.param d u32[] out
  sreg.u32 r10, global.x
  mov_imm.u8 r11, 7
  mov_imm.u8 r12, 0
  mov_imm.u8 r13, 0
  bound.map.u64 r14, r11, r12, r13
  cvt.u64.u32 r15, r10
  mov_imm.u64 r16, 4
  mul.u64 r15, r15, r16
  add.u64 r14, r14, r15
  ldg.u32 r17, [boundary + r14]
  stg.u32 [r1 + r10*4], r17
  exit
)";

constexpr const char* kStore = R"(
.kernel store
.param d u32[] in
  sreg.u32 r10, global.x
  ldg.u32 r11, [r1 + r10*4]
  stg.u32 [phi(7, 0, 0)], r11
  exit
)";

constexpr const char* kDouble = R"(
.kernel double
.param d u32[] inout
  sreg.u32 r10, global.x
  ldg.u32 r11, [r1 + r10*4]
  add.u32 r11, r11, r11
  stg.u32 [r1 + r10*4], r11
  exit
)";

constexpr const char* kStep = R"(
.kernel step
.param d u32[] out
  sreg.u32 r10, global.x
  phase.adv 1
  stg.u32 [r1 + r10*4], r10
  exit
)";

class ClassBufferTest : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* text : {kByAddress, kStore, kDouble, kStep}) {
      const Status added = executor_.Add(test::Assembled(text), false);
      ASSERT_TRUE(added.ok()) << (added.ok() ? "" : ToString(added.errors()[0]));
    }
  }

  std::string Launch(const std::string& name, hologram_buffer_ref buffer) {
    const auto kernel = executor_.Find(name);
    if (!kernel.ok()) return ToString(kernel.errors()[0]);
    LaunchConfig config;
    config.shape.grid = {1, 1, 1};
    config.shape.block = {static_cast<uint32_t>(buffer.bytes / 4), 1, 1};
    config.deterministic = name != "store";
    const auto outcome = kernel.value()->Launch({&buffer, 1}, {}, config);
    return outcome.ok() ? "" : outcome.errors()[0].message;
  }

  std::string Refused(std::optional<uint32_t> class_index, uint32_t width, uint32_t height) {
    const auto made = executor_.AllocateBoundary(class_index, width, height);
    return made.ok() ? "" : made.errors()[0].message;
  }

  Executor executor_;
};

hologram_buffer_ref RefOf(const ClassBuffer& buffer) {
  return {buffer.data(), buffer.size()};
}

TEST_F(ClassBufferTest, TakesTheLowestFreeClass) {
  EXPECT_EQ(executor_.NumFreeClasses(), 96u);
  auto a = executor_.AllocateBoundary({}, 48, 256);
  auto b = std::make_unique<Result<ClassBuffer>>(executor_.AllocateBoundary({}, 1, 8));
  auto c = executor_.AllocateBoundary({}, 2, 3);
  ASSERT_TRUE(a.ok() && b->ok() && c.ok());
  EXPECT_EQ(a.value().class_index(), 0u);
  EXPECT_EQ(b->value().class_index(), 1u);
  EXPECT_EQ(c.value().class_index(), 2u);
  EXPECT_EQ(a.value().size(), 12288u);
  EXPECT_EQ(c.value().size(), 6u);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(c.value().data()) % 64, 0u);
  EXPECT_EQ(executor_.NumFreeClasses(), 93u);
  b.reset();
  EXPECT_EQ(executor_.AllocateBoundary({}, 1, 1).value().class_index(), 1u);
  EXPECT_EQ(executor_.NumFreeClasses(), 94u);
}

TEST_F(ClassBufferTest, SaysWhatIsWrong) {
  EXPECT_EQ(Refused(96, 48, 256), "class_index: expected 0 to 95, found 96");
  EXPECT_EQ(Refused(0, 49, 256), "width: expected 1 to 48 pages, found 49");
  EXPECT_EQ(Refused(0, 48, 257), "height: expected 1 to 256 bytes, found 257");
  EXPECT_EQ(Refused(0, 0, 256), "width: expected 1 to 48 pages, found 0");
  EXPECT_EQ(Refused(0, 48, 0), "height: expected 1 to 256 bytes, found 0");
  const auto one = executor_.AllocateBoundary(5, 1, 1);
  EXPECT_EQ(Refused(5, 48, 256), "class_index: class 5 has a buffer already");
}

TEST_F(ClassBufferTest, TheNinetySeventhIsRefused) {
  std::vector<ClassBuffer> all;
  all.reserve(96);
  for (int k = 0; k < 96; ++k) {
    auto made = executor_.AllocateBoundary({}, 48, 256);
    ASSERT_TRUE(made.ok());
    all.push_back(std::move(made).value());
  }
  EXPECT_EQ(Refused({}, 1, 1), "no class is free: all 96 of the executor have a buffer");
  all.pop_back();
  EXPECT_EQ(executor_.AllocateBoundary({}, 1, 1).value().class_index(), 95u);
}

TEST_F(ClassBufferTest, IsTheMemoryThatKernelsSee) {
  auto buffer = executor_.AllocateBoundary(7, 48, 256);
  ASSERT_TRUE(buffer.ok());
  auto* words = reinterpret_cast<uint32_t*>(buffer.value().data());
  for (uint32_t i = 0; i < 3072; ++i) words[i] = i;
  std::vector<uint32_t> d(100);
  EXPECT_EQ(Launch("by_address", {d.data(), 400}), "");
  EXPECT_EQ(d[99], 99u);
  EXPECT_EQ(Launch("double", {words, 512}), "");
  EXPECT_EQ(Launch("by_address", {d.data(), 400}), "");
  EXPECT_EQ(d[99], 198u);
  d[0] = 4711;
  EXPECT_EQ(Launch("store", {d.data(), 4}), "");
  EXPECT_EQ(words[0], 4711u);
  uint32_t found = 0;
  EXPECT_TRUE(executor_.ReadClassMemory(7 * 12288 + 4 * 99, &found, 4).ok());
  EXPECT_EQ(found, 198u);
}

TEST_F(ClassBufferTest, KeepsWhatTheClassHolds) {
  const uint32_t value = 9;
  ASSERT_TRUE(executor_.WriteClassMemory(3 * 12288, &value, 4).ok());
  for (int k = 0; k < 2; ++k) {
    const auto buffer = executor_.AllocateBoundary(3, 1, 4);
    EXPECT_EQ(buffer.value().data()[0], 9);
  }
}

TEST_F(ClassBufferTest, IsNoArgumentOfKernelsThatUseClassMemory) {
  const auto buffer = executor_.AllocateBoundary(0, 1, 16);
  const hologram_buffer_ref ref = RefOf(buffer.value());
  EXPECT_EQ(Launch("by_address", ref),
            "kernel 'by_address': 'd' is the memory of a class, and the kernel reads class memory "
            "by its addresses too; pass a buffer outside of it");
  EXPECT_EQ(Launch("store", ref),
            "kernel 'store': 'd' is the memory of a class, and the kernel writes class memory by "
            "its addresses too; pass a buffer outside of it");
  EXPECT_EQ(Launch("step", ref), "");  // it uses the phase alone
  EXPECT_EQ(ref.bytes, 16u);
  EXPECT_EQ(buffer.value().data()[4], 1);
  // That of another executor is memory like any other.
  Executor other;
  const auto foreign = other.AllocateBoundary(0, 1, 16);
  EXPECT_EQ(Launch("by_address", RefOf(foreign.value())), "");
}

TEST_F(ClassBufferTest, OutlivesTheExecutor) {
  auto executor = std::make_unique<Executor>();
  const auto buffer = executor->AllocateBoundary({}, 48, 256);
  executor.reset();
  std::memset(buffer.value().data(), 1, buffer.value().size());
  EXPECT_EQ(buffer.value().data()[12287], 1);
}

TEST_F(ClassBufferTest, ThreadsGetClassesOfTheirOwn) {
  std::vector<std::thread> threads;
  std::vector<int> wrong(4);
  for (size_t t = 0; t < wrong.size(); ++t) {
    threads.emplace_back([&, t] {
      for (int k = 0; k < 1000; ++k) {
        const auto buffer = executor_.AllocateBoundary({}, 1, 8);
        if (!buffer.ok()) ++wrong[t];
        std::memset(buffer.value().data(), static_cast<int>(t), 8);
        wrong[t] += static_cast<int>(std::count_if(buffer.value().data(), buffer.value().data() + 8,
                                                   [&](uint8_t b) { return b != t; }));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, std::vector<int>(4, 0));
  EXPECT_EQ(executor_.NumFreeClasses(), 96u);
}

}  // namespace
}  // namespace hologram::runtime
