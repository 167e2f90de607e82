// What atomic instructions leave to the order of lanes, and which float additions are sums over the
// launch.
#include <gtest/gtest.h>

#include "text/text.h"
#include "verify/verified_program.h"

namespace hologram::verify {
namespace {

Result<VerifiedProgram> CheckedAtomics(const std::string& body) {
  auto programs = text::Assemble(
      ".kernel k\n.param a f32[] inout\n.param c u32[] inout\n.param n u32\n.shared s f32 4\n" +
          std::string("  sreg.u32 r20, global.x\n  mov_imm.u32 r21, 1\n  mov_imm.f32 r30, 2.0\n") +
          body + "  exit\n",
      "k.hasm");
  if (!programs.ok()) return programs.errors();
  return Verify(std::move(programs).value()[0]);
}

// The places of the sums, those of updates in the order of lanes, then why order matters elsewhere.
std::string SumsOf(const std::string& body) {
  const Result<VerifiedProgram> program = CheckedAtomics(body);
  if (!program.ok()) return program.errors()[0].message;
  std::string text;
  for (const uint32_t pc : program.value().launch_sums()) text += std::to_string(pc) + " ";
  for (const uint32_t pc : program.value().ordered_updates()) text += std::to_string(pc) + "<";
  for (const RaceFact& race : program.value().races()) {
    text += race.message.substr(0, race.message.find(", so the result"));
  }
  return text;
}

TEST(LaunchSums, AreAtOneIndexAndOnceForALane) {
  EXPECT_EQ(SumsOf("  atgf.add.f32 r31, [r1 + r21*4], r30\n"), "3 ");
  EXPECT_EQ(SumsOf("  atgf.add.f32 r31, [r1 + r3*4 + 8], r30\n"), "3 ");
  EXPECT_EQ(SumsOf("  add.u32 r22, r3, r254\n  atgf.add.f32 r31, [r1 + r22*4], r30\n"), "4 ");
  EXPECT_EQ(SumsOf("  setlt.u32 p0, r20, r3\n  bra.p0 @end\n"
                   "  atgf.add.f32 r31, [r1 + r21*4], r30\n  end:\n"),
            "5 ");
  EXPECT_EQ(SumsOf("  atgf.add.f32 r31, [r1 + r21*4], r30\n"
                   "  atgf.add.f32 r31, [r1 + r3*4], r30\n"),
            "3 4 ");
}

TEST(LaunchSums, AreNothingElse) {
  EXPECT_EQ(SumsOf("  atgf.add.f32 r31, [r1 + r20*4], r30\n"), "3<");
  EXPECT_EQ(SumsOf("  ldg.u32 r22, [r2 + r21*4]\n  atgf.add.f32 r31, [r1 + r22*4], r30\n"), "4<");
  EXPECT_EQ(SumsOf("  again:\n  atgf.add.f32 r31, [r1 + r21*4], r30\n  loop r21, @again\n"), "3<");
  EXPECT_EQ(SumsOf("  atgf.max.f32 r31, [r1 + r21*4], r30\n"), "3<");
  EXPECT_EQ(SumsOf("  atgf.exchange.f32 r31, [r1 + r21*4], r30\n"), "3<");
  EXPECT_EQ(
      SumsOf("  atgf.add.f32 r31, [r1 + r21*4], r30\n  atgf.max.f32 r31, [r1 + r21*4], r30\n"),
      "3<4<");
  EXPECT_EQ(SumsOf("  atgf.add.f32 r31, [r1 + r21*4], r30\n  mov.f32 r32, r31\n"),
            "a is updated atomically and its old value is used");
  EXPECT_EQ(SumsOf("  atgf.add.f32 r31, [r1 + r21*4], r30\n  ldg.f32 r32, [r1 + r20*4]\n"),
            "a is a float that is also accessed in another way");
  EXPECT_EQ(SumsOf("  atgf.exchange.f32 r31, [r1 + r21*4], r30\n  mov.f32 r32, r31\n"),
            "a is updated atomically and its old value is used");
}

TEST(SharedUpdates, HaveTheOrderOfLanesBetweenBarriers) {
  const std::string update = "  ldg.u32 r22, [r2 + r20*4]\n  atsf.add.f32 r31, [s0 + r22*4], r30\n";
  EXPECT_EQ(SumsOf(update), "4<");
  EXPECT_EQ(SumsOf(update + "  bar.sync 0\n  lds.f32 r32, [s0 + r22*4]\n"), "4<");
  EXPECT_EQ(SumsOf(update + "  lds.f32 r32, [s0 + r21*4]\n"),
            "s may be the element of s that another lane of the block writes before the next "
            "barrier()s is a float that is also accessed in another way");
  // Behind the barrier all lanes update what they read before it, and then they read it again.
  EXPECT_EQ(
      SumsOf(update + "  bar.sync 0\n" + update + "  bar.sync 0\n  lds.f32 r32, [s0 + r21*4]\n"),
      "4<7<");
}

// Updates of elements that belong to one lane wait for nobody: the lane may read them at once.
TEST(SharedUpdates, OfOneLaneEachHaveNoOrder) {
  EXPECT_EQ(SumsOf("  atsf.add.f32 r31, [s0 + r252*4], r30\n  lds.f32 r32, [s0 + r252*4]\n"), "");
}

TEST(CompareAndSwap, DependsOnOrder) {
  const std::string first =
      " is compared and swapped, where the first lane decides what others find";
  EXPECT_EQ(SumsOf("  atg.cas.u32 r31, [r2 + r21*4], r20, r21\n"), "c" + first);
  EXPECT_EQ(SumsOf("  atg.cas.u32 r31, [r2 + r20*4], r20, r21\n"), "c" + first);
}

TEST(CompareAndSwap, ReadsItsLastRegister) {
  const Result<VerifiedProgram> program =
      CheckedAtomics("  atg.cas.u32 r31, [r2 + r21*4], r20, r40\n");
  ASSERT_FALSE(program.ok());
  EXPECT_EQ(program.errors()[0].message, "instruction 3: r40 is read before it is set");
}

TEST(FloatAtomics, HaveNoBits) {
  EXPECT_EQ(SumsOf("  atgf.or.f32 r31, [r1 + r21*4], r30\n"),
            "instruction 3: or has no form for floats");
}

TEST(Scans, AreRefusedUnderAConditionOfTheLane) {
  EXPECT_EQ(SumsOf("  setlt.u32 p0, r20, r21\n  bra.p0 @skip\n  blk.scan.add.u32 r22, r20\n"
                   "  skip:\n  mov.u32 r23, r20\n"),
            "a scan of the block is reached by some lanes of a block only: it stands under a "
            "condition that depends on the lane");
}

TEST(Scans, Vary) {
  const Result<VerifiedProgram> program = CheckedAtomics("  blk.scan.add.u32 r22, r3\n");
  ASSERT_TRUE(program.ok());
  EXPECT_EQ(program.value().ShapeOf(3).shape, Shape::kVarying);
}

}  // namespace
}  // namespace hologram::verify
