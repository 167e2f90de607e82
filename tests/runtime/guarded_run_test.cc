// Launches on copies whose buffers share an address but no elements: empty ones, at the begin, in
// the middle and at the end of others, and at no address.
#include <gtest/gtest.h>

#include <numeric>

#include "engines/guarded.h"
#include "native_objects.h"
#include "runtime/kernel.h"

namespace hologram::runtime {
namespace {

// x[i] += 3 for i < limits[0], y[i] = y[i] * 2 + i for i < limits[1], of lanes below n.
constexpr char kText[] = R"(
.kernel both
.param x u32[] inout
.param y u32[] inout
.param limits u32[] in
.param n u32
  sreg.u32 r5, global.x
  setge.u32 p0, r5, r4
  bra.p0 @end
  mov_imm.u32 r6, 0
  ldg.u32 r6, [r3 + r6*4]
  setge.u32 p0, r5, r6
  bra.p0 @second
  ldg.u32 r6, [r1 + r5*4]
  mov_imm.u32 r7, 3
  add.u32 r6, r6, r7
  stg.u32 [r1 + r5*4], r6
second:
  mov_imm.u32 r6, 1
  ldg.u32 r6, [r3 + r6*4]
  setge.u32 p0, r5, r6
  bra.p0 @end
  ldg.u32 r6, [r2 + r5*4]
  mov_imm.u32 r7, 2
  mul.u32 r6, r6, r7
  add.u32 r6, r6, r5
  stg.u32 [r2 + r5*4], r6
end:
  exit
)";

class GuardedRun : public testing::Test {
 protected:
  static constexpr uint32_t kSize = 10000;  // beyond any copy of an empty buffer

  // Runs on what is at `x` and `y` and compares with plain loops.
  void Run(std::span<uint32_t> x, std::span<uint32_t> y) {
    std::iota(memory_.begin(), memory_.end(), 0);
    std::vector<uint32_t> limits = {static_cast<uint32_t>(x.size()),
                                    static_cast<uint32_t>(y.size())};
    const std::array<hologram_buffer_ref, 3> buffers = {
        {{x.data(), x.size_bytes()}, {y.data(), y.size_bytes()}, {limits.data(), 8}}};
    std::vector<uint32_t> expected = memory_;
    const auto place = [&](std::span<uint32_t> part) {
      return static_cast<size_t>(part.data() - memory_.data());
    };
    for (size_t i = 0; i < x.size(); ++i) expected[place(x) + i] += 3;
    for (uint32_t i = 0; i < y.size(); ++i) {
      expected[place(y) + i] = expected[place(y) + i] * 2 + i;
    }
    const uint64_t n = kSize + 1;  // no proof covers it
    LaunchConfig config;
    config.shape.grid = {kSize / 250 + 1, 1, 1};
    config.shape.block = {250, 1, 1};
    const auto outcome = kernel_.Launch(buffers, {&n, 1}, config);
    ASSERT_TRUE(outcome.ok()) << ToString(outcome.errors()[0]);
    EXPECT_TRUE(outcome.value().guarded());
    EXPECT_EQ(memory_, expected);
  }

  std::span<uint32_t> Part(size_t first, size_t size) {
    return std::span(memory_).subspan(first, size);
  }

  std::vector<uint32_t> memory_ = std::vector<uint32_t>(kSize);
  const Kernel kernel_{verify::Verify(test::Assembled(kText)).value(), "id", "nobody made any"};
};

TEST_F(GuardedRun, EmptyBuffersBesideOthers) {
  for (const size_t place : {size_t{0}, size_t{1}, size_t{kSize / 2}, size_t{kSize}}) {
    Run(Part(place, 0), Part(0, kSize));
    Run(Part(0, kSize), Part(place, 0));
    Run(Part(place, 0), Part(place, 0));
  }
  // Where one ends and the other begins.
  Run(Part(0, kSize / 2), Part(kSize / 2, 0));
  Run(Part(kSize / 2, 0), Part(kSize / 2, kSize / 2));
}

TEST_F(GuardedRun, EmptyBuffersAtNoAddress) {
  Run({}, Part(0, kSize));
  Run(Part(0, kSize), {});
  Run({}, {});
}

TEST_F(GuardedRun, BuffersApart) {
  Run(Part(0, kSize / 2), Part(kSize / 2, kSize / 2));
  Run(Part(kSize / 2, kSize / 2), Part(0, kSize / 2));
}

// Only what is read and written, and has elements, keeps a launch from being repeated.
TEST_F(GuardedRun, EmptyBuffersDoNotChangeWhatIsRead) {
  const verify::VerifiedProgram add = verify::Verify(test::Assembled(test::kAddText)).value();
  const uint64_t n = 0;
  const auto can_repeat = [&](std::span<uint32_t> a, std::span<uint32_t> c) {
    const std::array<hologram_buffer_ref, 3> buffers = {
        {{a.data(), a.size_bytes()}, {nullptr, 0}, {c.data(), c.size_bytes()}}};
    launch::Launch launch;
    launch.buffers = buffers;
    launch.scalars = {&n, 1};
    return engines::CanRepeat(add, launch);
  };
  EXPECT_TRUE(can_repeat(Part(0, 8), Part(8, 8)));
  EXPECT_TRUE(can_repeat(Part(0, 8), Part(0, 0)));
  EXPECT_TRUE(can_repeat(Part(0, 0), Part(0, 8)));
  EXPECT_TRUE(can_repeat(Part(0, 0), Part(0, 0)));
  EXPECT_FALSE(can_repeat(Part(0, 8), Part(0, 8)));
}

}  // namespace
}  // namespace hologram::runtime
