// Conditions that a program keeps in a variable, selections that are a minimum or a maximum, and
// strides that a block and something known at launch make.
#include <gtest/gtest.h>

#include "kernels.h"

namespace hologram::verify::test {
namespace {

constexpr hologram_launch_shape kTwoBlocks{{2, 1, 1}, {64, 1, 1}};

std::string TierIn(const VerifiedProgram& program, std::vector<uint64_t> extents,
                   std::vector<uint64_t> scalars) {
  return TierOf(program, TestLaunch(program, extents, scalars, kTwoBlocks).launch());
}

// Lane i reads x[i] if r25, which `keeps` sets, is not 0. `then` comes before that. The index is in
// r20, 1 in r21, n in r22, and r23 and r24 are 0 and 1 of u8. z is data.
VerifiedProgram Kept(const std::string& keeps, const std::string& compare = "seteq.u8 p0, r25, r23",
                     const std::string& then = "") {
  return Verified(R"(
.kernel kept
.param x i32[] in
.param y i32[] out
.param z i32[] in
.param n i32
  sreg.u32 r19, global.x
  cvt.i32.u32 r20, r19
  mov_imm.i32 r21, 1
  mov.i32 r22, r4
  mov_imm.u8 r23, 0
  mov_imm.u8 r24, 1
  mov_imm.i32 r26, 0
)" + keeps + R"(
compare:
  )" + compare + R"(
  bra.p0 @end
)" + then + R"(
  ldg.i32 r21, [r1 + r20*4]
  stg.i32 [r2 + r19*4], r21
end:
  exit
)");
}

std::string Proof(const VerifiedProgram& program, uint64_t length = 50, uint64_t n = 50) {
  return TierIn(program, {length, 128, 128}, {n});
}

TEST(Choices, OfASelection) {
  const std::string chosen = "  setlt.i32 p0, r20, r22\n  sel.u8 r25, p0, r24, r23\n";
  EXPECT_EQ(Proof(Kept(chosen)), "proved");
  EXPECT_EQ(Proof(Kept(chosen), 49), "guarded");
  EXPECT_EQ(Proof(Kept(chosen, "setne.u8 p0, r25, r24")), "proved");
  EXPECT_EQ(Proof(Kept(chosen, "setne.u8 p1, r25, r23\n  pnot p0, p1")), "proved");
  // The other way round, and with a constant that neither operand or both are.
  EXPECT_EQ(Proof(Kept(chosen, "setne.u8 p0, r25, r23")), "guarded");
  EXPECT_EQ(Proof(Kept("  setlt.i32 p0, r20, r22\n  sel.u8 r25, p0, r24, r24\n")), "guarded");
  EXPECT_EQ(Proof(Kept("  setge.i32 p0, r20, r22\n  sel.u8 r25, p0, r24, r23\n")), "guarded");
}

TEST(Choices, OfABranch) {
  // r25 = 0; if (i < n) r25 = 1
  EXPECT_EQ(Proof(Kept(R"(
  mov.u8 r25, r23
  setge.i32 p0, r20, r22
  bra.p0 @compare
  mov.u8 r25, r24
)")),
            "proved");
  // There is a second way to a 1.
  EXPECT_EQ(Proof(Kept(R"(
  mov.u8 r25, r23
  setge.i32 p0, r20, r22
  bra.p0 @other
  mov.u8 r25, r24
  bra @compare
other:
  seteq.i32 p0, r20, r26
  bra.p0 @compare
  mov.u8 r25, r24
)")),
            "guarded");
  // Data instead of the 0.
  EXPECT_EQ(Proof(Kept(R"(
  ldg.i32 r27, [r3 + r20*4]
  setlt.i32 p0, r27, r26
  sel.u8 r25, p0, r24, r23
  setge.i32 p0, r20, r22
  bra.p0 @compare
  mov.u8 r25, r24
)")),
            "guarded");
}

// The variable is from some round of a loop: what the ids are holds still, what counts does not.
TEST(Choices, OfAnotherRound) {
  const auto rounds = [](const std::string& left, const std::string& right,
                         const std::string& index) {
    return Kept(R"(
  mov.u8 r25, r23
  mov_imm.i32 r28, 0
loop:
  mov_imm.i32 r29, 8
  setge.i32 p0, r28, r29
  bra.p0 @compare
  ldg.i32 r27, [r3 + r28*4]
  seteq.i32 p0, r27, r26
  bra.p0 @next
  setge.i32 p0, )" + left +
                    ", " + right + R"(
  bra.p0 @next
  mov.u8 r25, r24
next:
  add.i32 r28, r28, r21
  bra @loop
)",
                "seteq.u8 p0, r25, r23", index);
  };
  EXPECT_EQ(Proof(rounds("r20", "r22", "")), "proved");
  // r28 < n in the round that set it, and is 8 behind the loop.
  const std::string counter = "  mov.i32 r20, r28\n";
  EXPECT_EQ(rounds("r20", "r22", "").accesses().at(1).tier, Tier::kProved);
  EXPECT_EQ(rounds("r28", "r22", counter).accesses().at(1).tier, Tier::kGuarded);
}

// Of the same round, all of it holds, in a loop too.
TEST(Choices, OfTheSameRound) {
  const auto each = [](const std::string& from) {
    return Verified(R"(
.kernel each
.param x i32[] in
.param y i32[] out
.param n i32
  sreg.u32 r19, global.x
  mov_imm.i32 r21, 1
  mov_imm.u8 r23, 0
  mov_imm.u8 r24, 1
  mov_imm.i32 r28, 0
  mov_imm.i32 r29, 100
  mov_imm.u8 r25, 0
loop:
  setge.i32 p0, r28, r29
  bra.p0 @end
)" + from + R"(
  setge.i32 p0, r28, r3
  bra.p0 @compare
  mov.u8 r25, r24
compare:
  seteq.u8 p0, r25, r23
  bra.p0 @next
  ldg.i32 r30, [r1 + r28*4]
  stg.i32 [r2 + r19*4], r30
next:
  add.i32 r28, r28, r21
  bra @loop
end:
  exit
)");
  };
  EXPECT_EQ(TierIn(each("  mov.u8 r25, r23\n"), {50, 128}, {50}), "proved");
  // Without the 0 in each round it may have been set in an earlier one.
  EXPECT_EQ(TierIn(each(""), {50, 128}, {50}), "guarded");
  EXPECT_EQ(TierIn(each(""), {100, 128}, {50}), "proved");
}

TEST(Choices, SelectionsThatAreAMaximum) {
  // y[i + (-s if s < 0 else 0)] where s = n - i: behind `i + that < 50`, and at least 0.
  const auto at = [](const std::string& select) {
    return Kept("  mov.u8 r25, r24\n", "seteq.u8 p0, r25, r23", R"(
  sub.i32 r27, r20, r22
  setlt.i32 p1, r27, r26
  neg.i32 r28, r27
)" + select + R"(
  add.i32 r20, r27, r29
  mov_imm.i32 r30, 50
  setge.i32 p1, r20, r30
  bra.p1 @end
)");
  };
  // (i - n) + max(n - i, 0) >= 0
  EXPECT_EQ(Proof(at("  sel.i32 r29, p1, r28, r26\n")), "proved");
  // A minimum: the sum can be -n.
  EXPECT_NE(Proof(at("  sel.i32 r29, p1, r26, r28\n")), "proved");
  EXPECT_NE(
      Proof(at("  mov_imm.i32 r31, 1\n  sub.i32 r28, r28, r31\n  sel.i32 r29, p1, r28, r26\n")),
      "proved");
}

// x = (64 - 2 * h) * block + lane - h, behind branches that keep it inside.
TEST(Choices, StridesOfBlocksThatOverlap) {
  const auto overlap = [](const std::string& low) {
    return Verified(R"(
.kernel overlap
.param x i32[] in
.param y i32[] out
.param h i32
.param n i32
  sreg.u32 r20, block.x
  cvt.i32.u32 r20, r20
  sreg.u32 r21, lane.x
  cvt.i32.u32 r21, r21
  sreg.u32 r19, global.x
  mov_imm.i32 r22, 64
  mov_imm.i32 r23, 2
  mov_imm.i32 r24, )" +
                    low + R"(
  mul.i32 r25, r3, r23
  sub.i32 r25, r22, r25
  mul.i32 r25, r25, r20
  sub.i32 r25, r25, r3
  add.i32 r26, r25, r21
  setlt.i32 p0, r26, r24
  bra.p0 @end
  setge.i32 p0, r26, r4
  bra.p0 @end
  ldg.i32 r27, [r1 + r26*4]
  stg.i32 [r2 + r19*4], r27
end:
  exit
)");
  };
  // Also where the stride is 0 or negative.
  for (const auto& [halo, length] : {std::pair{4u, 100u}, {32u, 32u}, {40u, 24u}}) {
    EXPECT_EQ(TierIn(overlap("0"), {length, 128}, {halo, 100}), "proved") << halo;
    EXPECT_EQ(TierIn(overlap("0"), {length - 1, 128}, {halo, 100}), "guarded") << halo;
    EXPECT_EQ(TierIn(overlap("-1"), {length, 128}, {halo, 100}), "guarded") << halo;
  }
}

}  // namespace
}  // namespace hologram::verify::test
