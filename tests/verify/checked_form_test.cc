// What the checked form of a kernel leaves to its code, and what it still demands of a launch.
#include "verify/checked_form.h"

#include <gtest/gtest.h>

#include <vector>

#include "launch/launch.h"
#include "text/text.h"

namespace hologram::verify {
namespace {

// c[i] = table[a[i]] for i below n, with i below 2^16.
constexpr char kText[] = R"(
.kernel look_up
.param a u32[] in
.param table u32[] in
.param c u32[] out
.param n u32
  sreg.u32 r5, global.x
  setge.u32 p0, r5, r4
  bra.p0 @end
  ldg.u32 r6, [r1 + r5*4]
  ldg.u32 r7, [r2 + r6*4]
  stg.u32 [r3 + r5*4], r7
end:
  exit
)";

// c[i * n] = i.
constexpr char kStrided[] = R"(
.kernel strided
.param c u32[] out
.param n u32
  sreg.u32 r3, global.x
  mul.u32 r4, r3, r2
  stg.u32 [r1 + r4*4], r3
  exit
)";

isa::Program ProgramOf(const char* text) {
  return text::Assemble(text, "test.hasm").value()[0];
}

launch::LaunchTier TierOf(const VerifiedProgram& program, std::vector<uint64_t> bytes,
                          std::vector<uint64_t> scalars, uint32_t blocks) {
  std::vector<hologram_buffer_ref> buffers;
  for (const uint64_t size : bytes) {
    buffers.push_back({reinterpret_cast<void*>((buffers.size() + 1) << 40), size});
  }
  launch::Launch launch;
  launch.buffers = buffers;
  launch.scalars = scalars;
  launch.shape = {{blocks, 1, 1}, {256, 1, 1}};
  launch.deterministic = false;
  return launch::CheckLaunch(program, launch).value();
}

TEST(CheckedForm, LeavesToTheCodeWhatLengthsProve) {
  const VerifiedProgram proved = Verify(ProgramOf(kText)).value();
  const VerifiedProgram checked = VerifyCheckedForm(ProgramOf(kText)).value();
  ASSERT_EQ(proved.accesses().size(), 3u);
  ASSERT_EQ(checked.accesses().size(), 3u);
  for (size_t k = 0; k < 3; ++k) {
    const bool is_data = k == 1;
    EXPECT_EQ(proved.accesses()[k].tier, is_data ? Tier::kGuarded : Tier::kProved);
    EXPECT_FALSE(IsLeftToCode(proved.accesses()[k]));
    EXPECT_EQ(checked.accesses()[k].tier, Tier::kGuarded);
    EXPECT_EQ(IsLeftToCode(checked.accesses()[k]), !is_data);
    EXPECT_EQ(checked.accesses()[k].pc, proved.accesses()[k].pc);
    EXPECT_EQ(checked.accesses()[k].stride, proved.accesses()[k].stride);
  }
  EXPECT_EQ(TierOf(proved, {4000, 40, 4000}, {1000}, 4), launch::LaunchTier::kProved);
  EXPECT_EQ(TierOf(proved, {4000, 40, 4000}, {1001}, 4), launch::LaunchTier::kGuarded);
  EXPECT_EQ(TierOf(checked, {4000, 40, 4000}, {1001}, 4), launch::LaunchTier::kProved);
  EXPECT_EQ(TierOf(checked, {0, 0, 0}, {1001}, 4), launch::LaunchTier::kProved);
}

TEST(CheckedForm, StillDemandsThatIndicesDoNotWrap) {
  const VerifiedProgram checked = VerifyCheckedForm(ProgramOf(kStrided)).value();
  ASSERT_TRUE(IsLeftToCode(checked.accesses()[0]));
  EXPECT_EQ(TierOf(checked, {0}, {1 << 20}, 16), launch::LaunchTier::kProved);
  EXPECT_EQ(TierOf(checked, {0}, {1 << 20}, 17), launch::LaunchTier::kGuarded);
}

TEST(CheckedForm, KeepsWhatIsProvedForAllLaunches) {
  constexpr char kLocal[] = R"(
.kernel first
.param c u32[] out
.local t u32 4
  mov_imm.u32 r2, 3
  mov_imm.u32 r3, 7
  stl.u32 [l0 + r2*4], r3
  exit
)";
  Result<std::vector<isa::Program>> programs = text::Assemble(kLocal, "test.hasm");
  ASSERT_TRUE(programs.ok()) << ToString(programs.errors()[0]);
  const VerifiedProgram checked = VerifyCheckedForm(programs.value()[0]).value();
  ASSERT_EQ(checked.accesses().size(), 1u);
  EXPECT_EQ(checked.accesses()[0].tier, Tier::kProved);
}

}  // namespace
}  // namespace hologram::verify
