// Index forms of the standard kernels (kernels/ of the tree), each cut down to what was hard to
// prove: that every access is in bounds and that no two lanes write one element.
#include <gtest/gtest.h>

#include "kernels.h"

namespace hologram::verify::test {
namespace {

std::string TierFor(const char* text, std::vector<uint64_t> extents, std::vector<uint64_t> scalars,
                    hologram_launch_shape shape = {{2, 1, 1}, {8, 1, 1}}) {
  const VerifiedProgram program = Verified(text);
  for (const AccessFact& access : program.accesses()) {
    if (access.tier != Tier::kProved) return "never proved";
  }
  const std::string tier = TierOf(program, TestLaunch(program, extents, scalars, shape).launch());
  return tier.find("deterministic") == std::string::npos ? tier : "race";
}

// The counter of the inner loop is met first, in an index that is computed inside.
TEST(Indices, SumOfTwoCounters) {
  constexpr char kText[] = R"(
.kernel nested
.param x f32[] in
.param y f32[] out
.param a u32
.param b u32
  mov_imm.u32 r5, 1
  sreg.u32 r6, global.x
  mov_imm.f32 r7, 0x00000000
  mov_imm.u32 r8, 0
L1:
  setge.u32 p0, r8, r3
  bra.p0 @L4
  mov_imm.u32 r9, 0
L2:
  setge.u32 p0, r9, r4
  bra.p0 @L3
  add.u32 r10, r8, r9
  ldg.f32 r10, [r1 + r10*4]
  add.f32 r7, r7, r10
  add.u32 r9, r9, r5
  bra @L2
L3:
  add.u32 r8, r8, r5
  bra @L1
L4:
  stg.f32 [r2 + r6*4], r7
  exit
)";
  EXPECT_EQ(TierFor(kText, {11, 16}, {5, 7}), "proved");
  EXPECT_EQ(TierFor(kText, {10, 16}, {5, 7}), "guarded");
  EXPECT_EQ(TierFor(kText, {0, 16}, {0, 7}), "proved");
}

// i * stride < height bounds i * stride * width.
TEST(Indices, GuardTimesAWidth) {
  constexpr char kText[] = R"(
.kernel strided
.param x f32[] in
.param y f32[] out
.param stride u32
.param width u32
.param height u32
.param n u32
  sreg.u32 r7, global.x
  setge.u32 p0, r7, r6
  bra.p0 @L1
  mul.u32 r8, r7, r3
  setge.u32 p0, r8, r5
  bra.p0 @L1
  mul.u32 r8, r7, r3
  mul.u32 r8, r8, r4
  add.u32 r8, r8, r4
  mov_imm.u32 r9, 1
  sub.u32 r8, r8, r9
  ldg.f32 r8, [r1 + r8*4]
  stg.f32 [r2 + r7*4], r8
L1:
  exit
)";
  // Without the guard the last of 16 lanes would read element 3 * 15 * 10 + 9.
  EXPECT_EQ(TierFor(kText, {200, 16}, {3, 10, 20, 16}), "proved");
  EXPECT_EQ(TierFor(kText, {180, 16}, {3, 10, 20, 16}), "guarded");
}

// Data that is compared with a size is an index below it.
TEST(Indices, DataUnderAGuard) {
  constexpr char kText[] = R"(
.kernel data
.param x f32[] in
.param index u32[] in
.param y f32[] out
.param n u32
.param m u32
  sreg.u32 r6, global.x
  setge.u32 p0, r6, r4
  bra.p0 @L1
  ldg.u32 r7, [r2 + r6*4]
  setge.u32 p0, r7, r5
  bra.p0 @L1
  ldg.f32 r8, [r1 + r7*4]
  stg.f32 [r3 + r6*4], r8
L1:
  exit
)";
  EXPECT_EQ(TierFor(kText, {5, 16, 16}, {16, 5}), "proved");
  EXPECT_EQ(TierFor(kText, {4, 16, 16}, {16, 5}), "guarded");
}

// With a sign it may be negative.
TEST(Indices, SignedDataUnderAGuard) {
  const VerifiedProgram program = Verified(R"(
.kernel data
.param x f32[] in
.param index i32[] in
.param y f32[] out
.param m i32
  sreg.u32 r6, global.x
  ldg.i32 r7, [r2 + r6*4]
  setge.i32 p0, r7, r4
  bra.p0 @L1
  cvt.i64.i32 r7, r7
  ldg.f32 r8, [r1 + r7*4]
  stg.f32 [r3 + r6*4], r8
L1:
  exit
)");
  EXPECT_EQ(program.accesses()[1].tier, Tier::kGuarded);
}

// A lane writes rows 2 y and 2 y + 1 of a matrix.
TEST(Indices, RowsOfALane) {
  constexpr char kText[] = R"(
.kernel rows
.param y f32[] out
.param m u32
.param n u32
.param stride u32
  sreg.u32 r5, global.x
  sreg.u32 r6, global.y
  mov_imm.u32 r8, 2
  mul.u32 r7, r6, r8
  setge.u32 p0, r5, r3
  bra.p0 @L1
  setge.u32 p0, r7, r2
  bra.p0 @L1
  mov_imm.f32 r8, 0x3f800000
  mul.u32 r9, r7, r4
  add.u32 r9, r9, r5
  stg.f32 [r1 + r9*4], r8
  mov_imm.u32 r8, 1
  add.u32 r8, r7, r8
  setge.u32 p0, r8, r2
  bra.p0 @L1
  mov_imm.f32 r8, 0x40000000
  mov_imm.u32 r9, 1
  add.u32 r9, r7, r9
  mul.u32 r9, r9, r4
  add.u32 r9, r9, r5
  stg.f32 [r1 + r9*4], r8
L1:
  exit
)";
  constexpr hologram_launch_shape kShape{{2, 3, 1}, {8, 1, 1}};
  EXPECT_EQ(TierFor(kText, {60}, {5, 12, 12}, kShape), "proved");
  EXPECT_EQ(TierFor(kText, {59}, {5, 12, 12}, kShape), "guarded");
  EXPECT_EQ(TierFor(kText, {60}, {5, 12, 11}, kShape), "race");  // rows overlap
}

// Lanes of a tile change places: the two ids that a row is made of are bounded together only.
TEST(Indices, TilesThatAreTurned) {
  constexpr char kText[] = R"(
.kernel tiles
.param y f32[] out
.param m u32
.param n u32
  sreg.u32 r4, block.x
  sreg.u32 r5, lane.y
  sreg.u32 r6, block.y
  sreg.u32 r7, lane.x
  mov_imm.u32 r9, 16
  mul.u32 r9, r4, r9
  add.u32 r8, r9, r5
  mov_imm.u32 r10, 16
  mul.u32 r10, r6, r10
  add.u32 r9, r10, r7
  setge.u32 p0, r9, r2
  bra.p0 @L1
  setge.u32 p0, r8, r3
  bra.p0 @L1
  mov_imm.f32 r10, 0x3f800000
  mul.u32 r11, r9, r3
  add.u32 r11, r11, r8
  stg.f32 [r1 + r11*4], r10
L1:
  exit
)";
  constexpr hologram_launch_shape kTiles{{2, 3, 1}, {16, 16, 1}};
  EXPECT_EQ(TierFor(kText, {990}, {33, 30}, kTiles), "proved");
  constexpr hologram_launch_shape kWide{{2, 3, 1}, {16, 17, 1}};
  EXPECT_EQ(TierFor(kText, {990}, {33, 30}, kWide), "race");
}

// A guard on x + 16 y says nothing about x - 16 y: with w = 17 two blocks meet at element 65.
TEST(Indices, GuardsOfSumsDoNotBoundDifferences) {
  constexpr char kText[] = R"(
.kernel turned
.param a u32[] out
.param w u32
  sreg.u32 r3, lane.x
  sreg.u32 r4, lane.y
  sreg.u32 r5, block.x
  mov_imm.u32 r6, 16
  mul.u32 r6, r6, r4
  add.u32 r7, r3, r6
  setge.u32 p0, r7, r2
  bra.p0 @L1
  mul.u32 r7, r2, r5
  mov_imm.u32 r8, 64
  add.u32 r7, r8, r7
  add.u32 r7, r7, r3
  sub.u32 r7, r7, r6
  stg.u32 [r1 + r7*4], r3
L1:
  exit
)";
  EXPECT_EQ(TierFor(kText, {200}, {17}, {{2, 1, 1}, {16, 2, 1}}), "race");
  EXPECT_EQ(TierFor(kText, {200}, {32}, {{2, 1, 1}, {16, 2, 1}}), "proved");
}

}  // namespace
}  // namespace hologram::verify::test
