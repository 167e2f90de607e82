// Lanes of one block that keep apart by numbers, round by round, and near misses. Random programs
// of this kind are in tree_program.cc.
#include <gtest/gtest.h>

#include "kernels.h"

namespace hologram::verify::test {
namespace {

// A tree over 64 elements: lane in r5, the counter in r6, which becomes r6 `step` r7 = 2 until the
// predicate p0 of `leave` holds. `body` is what a lane does in a round.
struct Tree {
  std::string leave = "  mov_imm.u32 r8, 64\n  setge.u32 p0, r6, r8\n";
  std::string guard;
  std::string index = "r5";
  std::string first = "1";
  std::string step = "mul";
  std::string barrier = "  bar.sync 0\n";
};

std::string TextOf(const Tree& tree) {
  return ".kernel k\n.param out f32[] out\n.param n u32\n.block 64\n.shared s f32 128\n"
         "  sreg.u32 r5, lane.x\n  cvt.f32.u32 r20, r5\n  sts.f32 [s0 + r5*4], r20\n"
         "  bar.sync 0\n  mov_imm.u32 r7, 2\n  mov_imm.u32 r6, " +
         tree.first + "\nL1:\n" + tree.leave + "  bra.p0 @L3\n" + tree.guard + "  add.u32 r9, " +
         tree.index + ", r6\n  lds.f32 r21, [s0 + r9*4]\n  lds.f32 r22, [s0 + " + tree.index +
         "*4]\n  add.f32 r22, r21, r22\n  sts.f32 [s0 + " + tree.index + "*4], r22\nL2:\n" +
         tree.barrier + "  " + tree.step +
         ".u32 r6, r6, r7\n  bra @L1\nL3:\n  mov_imm.u32 r8, 0\n  setne.u32 p1, r5, r8\n"
         "  bra.p1 @L4\n  lds.f32 r22, [s0 + r8*4]\n  sreg.u32 r10, block.x\n"
         "  stg.f32 [r1 + r10*4], r22\nL4:\n  exit\n";
}

// "proved", "guarded" or "race".
std::string TierOfBlocks(const Tree& tree, uint32_t size, uint64_t n = 64) {
  const VerifiedProgram program = Verified(TextOf(tree));
  const TestLaunch memory(program, {2}, {n}, {{2, 1, 1}, {size, 1, 1}});
  const std::string tier = TierOf(program, memory.launch());
  return tier.find("error") == std::string::npos ? tier : "race";
}

// `if lane % (2 * step) == 0: s[lane] += s[lane + step]`
std::string Multiple(const std::string& of) {
  return "  " + of +
         "  rem.u32 r9, r5, r9\n  mov_imm.u32 r8, 0\n  setne.u32 p1, r9, r8\n"
         "  bra.p1 @L2\n";
}

TEST(BlockTrace, TreesOfTextbooks) {
  EXPECT_NE(TierOfBlocks({.guard = Multiple("mul.u32 r9, r6, r7\n")}, 64), "race");
  // `k = 2 * step * lane`
  const std::string scaled =
      "  mul.u32 r11, r6, r7\n  mul.u32 r11, r11, r5\n"
      "  add.u32 r9, r11, r6\n  mov_imm.u32 r8, 64\n"
      "  setge.u32 p1, r9, r8\n  bra.p1 @L2\n";
  EXPECT_NE(TierOfBlocks({.guard = scaled, .index = "r11"}, 64), "race");
  // From the largest step down, by lanes below it.
  const Tree down = {.leave = "  mov_imm.u32 r8, 0\n  setle.u32 p0, r6, r8\n",
                     .guard = "  setge.u32 p1, r5, r6\n  bra.p1 @L2\n",
                     .first = "32",
                     .step = "div"};
  EXPECT_NE(TierOfBlocks(down, 64), "race");
}

TEST(BlockTrace, LanesThatMeet) {
  // Every lane that is a multiple of the step, not of twice the step.
  EXPECT_EQ(TierOfBlocks({.guard = Multiple("mov.u32 r9, r6\n")}, 64), "race");
  // All of them.
  EXPECT_EQ(TierOfBlocks({}, 64), "race");
  // In the last round only, where 31 & 32 is 0.
  const Tree last = {.guard =
                         "  mov_imm.u32 r8, 31\n  and.u32 r8, r6, r8\n  mul.u32 r9, r8, r7\n"
                         "  mov_imm.u32 r8, 1\n  max.u32 r9, r9, r8\n  rem.u32 r9, r5, r9\n"
                         "  mov_imm.u32 r8, 0\n  setne.u32 p1, r9, r8\n  bra.p1 @L2\n"};
  EXPECT_EQ(TierOfBlocks(last, 64), "race");
  // No barrier between rounds.
  EXPECT_EQ(TierOfBlocks({.guard = Multiple("mul.u32 r9, r6, r7\n"), .barrier = ""}, 64), "race");
}

// The numbers are those of the size that the kernel says.
TEST(BlockTrace, OtherSizes) {
  const Tree tree = {.guard = Multiple("mul.u32 r9, r6, r7\n")};
  EXPECT_NE(TierOfBlocks(tree, 32), "race");  // fewer lanes
  EXPECT_EQ(TierOfBlocks(tree, 128), "race");
  Tree by_size = tree;
  by_size.leave = "  sreg.u32 r8, block_dim.x\n  setge.u32 p0, r6, r8\n";
  EXPECT_NE(TierOfBlocks(by_size, 64), "race");
  EXPECT_EQ(TierOfBlocks(by_size, 32), "race");
  EXPECT_EQ(TierOfBlocks(by_size, 128), "race");
}

// Whatever the end is, a counter that doubles has 33 numbers; one that grows by 2 has too many.
TEST(BlockTrace, EndsThatAreNotKnown) {
  Tree tree = {.leave = "  setge.u32 p0, r6, r2\n", .guard = Multiple("mul.u32 r9, r6, r7\n")};
  EXPECT_NE(TierOfBlocks(tree, 64), "race");
  tree.step = "add";
  EXPECT_EQ(TierOfBlocks(tree, 64), "race");
}

}  // namespace
}  // namespace hologram::verify::test
