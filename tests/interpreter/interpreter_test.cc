// What the conformance files cannot say about the interpreter: the values of variables in a fault,
// chunks of lanes, and memory after a fault. The instructions themselves are tested by
// tests/conformance and tests/differential.
#include "interpreter/interpreter.h"

#include <gtest/gtest.h>

#include <numeric>

#include "text/text.h"

namespace hologram::interpreter {
namespace {

verify::VerifiedProgram VerifyText(const std::string& text) {
  auto programs = text::Assemble(text, "test.hasm");
  EXPECT_TRUE(programs.ok()) << ToString(programs.errors()[0]);
  auto verified = verify::Verify(std::move(programs.value()[0]));
  EXPECT_TRUE(verified.ok()) << ToString(verified.errors()[0]);
  return std::move(verified).value();
}

template <class T>
hologram_buffer_ref RefTo(std::vector<T>& values) {
  return {values.data(), values.size() * sizeof(T)};
}

std::optional<launch::Fault> RunProgram(const std::string& text,
                                        const std::vector<hologram_buffer_ref>& buffers,
                                        hologram_launch_shape shape,
                                        uint64_t budget = launch::kDefaultBudget) {
  const verify::VerifiedProgram program = VerifyText(text);
  launch::Launch launch;
  launch.buffers = buffers;
  launch.shape = shape;
  launch.budget = budget;
  launch.deterministic = false;
  const auto tier = CheckLaunch(program, launch);
  EXPECT_TRUE(tier.ok()) << ToString(tier.errors()[0]);
  auto fault = Run(program, launch);
  EXPECT_TRUE(fault.ok());
  return fault.value();
}

hologram_launch_shape Lanes(uint32_t grid, uint32_t block) {
  return {{grid, 1, 1}, {block, 1, 1}};
}

constexpr char kGather[] = R"(
.kernel gather
.source "k.py"
.param index i32[] in
.param a f32[] in
.param d f32[] out
  sreg.u32 r10, global.x
  ldg.i32 r11, [r1 + r10*4]
  mov_imm.f64 r12, 0x3fe0000000000000
  mov_imm.i32 r13, 2
  add.i32 r14, r11, r13
  ldg.f32 r15, [r2 + r14*4] ; k.py:7:9 a[j + 2] {j=r11, i=r10, half=r12}
  stg.f32 [r3 + r10*4], r15
  exit
)";

TEST(FaultTest, NamesTheValuesOfVariablesInTheFaultingLane) {
  std::vector<int32_t> index(300, 1);
  index[200] = -7;
  index[250] = 99;
  std::vector<float> a(50);
  std::vector<float> d(300);
  const auto fault = RunProgram(kGather, {RefTo(index), RefTo(a), RefTo(d)}, Lanes(3, 100));
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->code, uint32_t{HOLOGRAM_FAULT_OUT_OF_BOUNDS});
  EXPECT_EQ(fault->lane, 200U);
  EXPECT_EQ(fault->pc, 5U);
  EXPECT_EQ(fault->index, -5);
  EXPECT_EQ(fault->variables, "j = -7, i = 200, half = 0.5");
}

TEST(FaultTest, ReportsTheLowestLaneOfAllChunks) {
  std::vector<int32_t> index(10000, 1);
  index[9000] = index[5001] = index[5000] = 48;
  std::vector<float> a(50);
  std::vector<float> d(10000);
  const auto fault = RunProgram(kGather, {RefTo(index), RefTo(a), RefTo(d)}, Lanes(100, 100));
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->lane, 5000U);
  EXPECT_EQ(fault->variables, "j = 48, i = 5000, half = 0.5");
}

TEST(FaultTest, LeavesEarlierLanesComplete) {
  std::vector<int32_t> index(300, 1);
  index[299] = 1000;
  std::vector<float> a(50, 3);
  std::vector<float> d(300);
  EXPECT_TRUE(RunProgram(kGather, {RefTo(index), RefTo(a), RefTo(d)}, Lanes(3, 100)));
  EXPECT_EQ(d[0], 3);
  EXPECT_EQ(d[299], 0);
}

TEST(ChunkTest, BlocksNeedNotDivideChunks) {
  constexpr char kIds[] = R"(
.kernel ids
.param lane u32[] out
.param block u32[] out
  sreg.u64 r10, linear
  sreg.u32 r11, lane.x
  sreg.u32 r12, block.x
  stg.u32 [r1 + r10*4], r11
  stg.u32 [r2 + r10*4], r12
  exit
)";
  for (const uint32_t width : {1U, 7U, 100U, 1000U, 1024U}) {
    const uint32_t blocks = 9000 / width + 1;
    std::vector<uint32_t> lane(size_t{width} * blocks, 77);
    std::vector<uint32_t> block(lane.size(), 77);
    EXPECT_FALSE(RunProgram(kIds, {RefTo(lane), RefTo(block)}, Lanes(blocks, width)));
    for (uint32_t i = 0; i < lane.size(); ++i) {
      ASSERT_EQ(lane[i], i % width) << width;
      ASSERT_EQ(block[i], i / width) << width;
    }
  }
}

TEST(BudgetTest, EndsAnEndlessLoop) {
  constexpr char kEndless[] = R"(
.kernel endless
.param d u32[] out
loop:
  bra @loop
)";
  std::vector<uint32_t> d(1);
  const auto fault = RunProgram(kEndless, {RefTo(d)}, Lanes(4, 100), 1000);
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->code, uint32_t{HOLOGRAM_FAULT_BUDGET});
  EXPECT_EQ(fault->lane, 0U);
  EXPECT_EQ(fault->pc, 0U);
}

TEST(MemoryTest, BuffersNeedNoAlignmentBeyondTheirElements) {
  constexpr char kCopy[] = R"(
.kernel copy
.param a u16[] in
.param d u16[] out
  sreg.u32 r10, global.x
  ldg.u16 r11, [r1 + r10*2]
  stg.u16 [r2 + r10*2], r11
  exit
)";
  std::vector<uint16_t> a(1001);
  std::iota(a.begin(), a.end(), uint16_t{0});
  std::vector<uint16_t> d(1001);
  const hologram_buffer_ref from{a.data() + 1, 2000};
  const hologram_buffer_ref to{d.data() + 1, 2000};
  EXPECT_FALSE(RunProgram(kCopy, {from, to}, Lanes(10, 100)));
  EXPECT_EQ(a, d);
}

}  // namespace
}  // namespace hologram::interpreter
