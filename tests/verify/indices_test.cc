// Index forms of the standard kernels (kernels/ of the tree), each cut down to what was hard to
// prove: that every access is in bounds and that no two lanes write one element.
#include <gtest/gtest.h>

#include "kernels.h"

namespace hologram::verify::test {
namespace {

std::string TierOfText(const char* text, std::vector<uint64_t> extents,
                       std::vector<uint64_t> scalars,
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
  EXPECT_EQ(TierOfText(kText, {11, 16}, {5, 7}), "proved");
  EXPECT_EQ(TierOfText(kText, {10, 16}, {5, 7}), "guarded");
  EXPECT_EQ(TierOfText(kText, {0, 16}, {0, 7}), "proved");
}

// The neighbour of an element, or the last one itself: what is not the last is below it.
TEST(Indices, WhatIsNotTheLast) {
  constexpr char kText[] = R"(
.kernel clamped
.param x f32[] in
.param y f32[] out
.param n i32
  sreg.u32 r4, global.x
  mov_imm.u32 r6, 2147483647
  min.u32 r6, r4, r6
  cvt.i32.u32 r5, r6
  setge.i32 p0, r5, r3
  bra.p0 @L1
  mov_imm.i32 r7, 1
  add.i32 r7, r5, r7
  mov_imm.i32 r8, 1
  sub.i32 r8, r3, r8
  seteq.i32 p0, r5, r8
  sel.i32 r6, p0, r5, r7
  ldg.f32 r7, [r1 + r6*4]
  stg.f32 [r2 + r5*4], r7
L1:
  exit
)";
  EXPECT_EQ(TierOfText(kText, {16, 16}, {16}), "proved");
  EXPECT_EQ(TierOfText(kText, {16, 16}, {13}), "proved");
  EXPECT_EQ(TierOfText(kText, {15, 16}, {16}), "guarded");
}

// A row is a block's and a lane's together: a guard knows its end where those of its parts are too
// wide, also for a stride that may be negative.
TEST(Indices, AStrideOfASum) {
  constexpr char kText[] = R"(
.kernel tiled
.param x f32[] in
.param y f32[] out
.param m i32
.param n i32
.param stride i32
  sreg.u32 r6, block.y
  sreg.u32 r7, lane.y
  sreg.u32 r8, block.x
  sreg.u32 r9, lane.x
  mov_imm.u32 r11, 2147483647
  min.u32 r11, r6, r11
  cvt.i32.u32 r11, r11
  mov_imm.i32 r12, 4
  mul.i32 r11, r11, r12
  mov_imm.u32 r12, 2147483647
  min.u32 r12, r7, r12
  cvt.i32.u32 r12, r12
  add.i32 r10, r11, r12
  mov_imm.u32 r12, 2147483647
  min.u32 r12, r8, r12
  cvt.i32.u32 r12, r12
  mov_imm.i32 r13, 8
  mul.i32 r12, r12, r13
  mov_imm.u32 r13, 2147483647
  min.u32 r13, r9, r13
  cvt.i32.u32 r13, r13
  add.i32 r11, r12, r13
  setge.i32 p0, r10, r3
  bra.p0 @L1
  setge.i32 p0, r11, r4
  bra.p0 @L1
  mul.i32 r12, r10, r5
  add.i32 r12, r12, r11
  ldg.f32 r12, [r1 + r12*4]
  mul.i32 r13, r10, r5
  add.i32 r13, r13, r11
  stg.f32 [r2 + r13*4], r12
L1:
  exit
)";
  constexpr hologram_launch_shape kTiles{{2, 2, 1}, {8, 4, 1}};
  EXPECT_EQ(TierOfText(kText, {50, 50}, {5, 10, 10}, kTiles), "proved");
  EXPECT_EQ(TierOfText(kText, {49, 50}, {5, 10, 10}, kTiles), "guarded");
}

// A guard on a quotient bounds what was divided.
TEST(Indices, WhatWasDivided) {
  constexpr char kText[] = R"(
.kernel below
.param x f32[] in
.param y f32[] out
.param n i32
  sreg.u32 r4, global.x
  mov_imm.u32 r6, 2147483647
  min.u32 r6, r4, r6
  cvt.i32.u32 r5, r6
  div.i32 r7, r5, r3
  rem.i32 r8, r5, r3
  mov_imm.i32 r9, 0
  setne.i32 p0, r8, r9
  xor.i32 r10, r8, r3
  setlt.i32 p1, r10, r9
  pand p0, p0, p1
  mov_imm.i32 r8, 1
  sub.i32 r8, r7, r8
  sel.i32 r6, p0, r8, r7
  mov_imm.i32 r7, 1
  sub.i32 r7, r3, r7
  setge.i32 p0, r6, r7
  bra.p0 @L1
  add.i32 r7, r5, r3
  ldg.f32 r7, [r1 + r7*4]
  stg.f32 [r2 + r5*4], r7
L1:
  exit
)";
  EXPECT_EQ(TierOfText(kText, {16, 16}, {4}), "proved");
  EXPECT_EQ(TierOfText(kText, {15, 16}, {4}), "guarded");
  EXPECT_EQ(TierOfText(kText, {12, 12}, {4}), "guarded");
}

// An array that may be read backwards: the ends of the range change places with the sign.
TEST(Indices, StridesOfEitherSign) {
  constexpr char kText[] = R"(
.kernel either
.param x f32[] in
.param y f32[] out
.param n u32
.param first i32
.param stride i32
  sreg.u32 r6, global.x
  setge.u32 p0, r6, r3
  bra.p0 @L1
  cvt.i64.u32 r7, r6
  cvt.i64.i32 r8, r5
  mul.i64 r7, r7, r8
  cvt.i64.i32 r8, r4
  add.i64 r7, r7, r8
  ldg.f32 r9, [r1 + r7*4]
  stg.f32 [r2 + r6*4], r9
L1:
  exit
)";
  const auto tier = [&](uint64_t elements, uint64_t n, int32_t first, int32_t stride) {
    return TierOfText(kText, {elements, 16},
                      {n, static_cast<uint32_t>(first), static_cast<uint32_t>(stride)});
  };
  EXPECT_EQ(tier(31, 16, 0, 2), "proved");
  EXPECT_EQ(tier(30, 16, 0, 2), "guarded");
  EXPECT_EQ(tier(31, 16, 30, -2), "proved");
  EXPECT_EQ(tier(31, 16, 29, -2), "guarded");
  EXPECT_EQ(tier(30, 16, 30, -2), "guarded");
  EXPECT_EQ(tier(1, 16, 0, 0), "proved");
  EXPECT_EQ(tier(1, 16, -1, 0), "guarded");
  EXPECT_EQ(tier(1, 1, 0, INT32_MIN), "proved");
  EXPECT_EQ(tier(0, 0, 0, -1), "proved");  // no lane reads
}

// The digits of a lane in three places; `middle` leaves the second one in r14, `whole` is what the
// first one divides by, in r11.
std::string ThreeDigits(const std::string& whole, const std::string& middle) {
  return R"(
.kernel three
.param y f32[] out
.param b u32
.param c u32
  sreg.u32 r10, global.x
  mov_imm.u32 r5, 1
)" + whole +
         R"(
  div.u32 r12, r10, r11
  mul.u32 r16, r2, r3
  mul.u32 r12, r12, r16
  div.u32 r13, r10, r3
)" + middle +
         R"(
  mul.u32 r14, r14, r3
  rem.u32 r15, r10, r3
  add.u32 r12, r12, r14
  add.u32 r12, r12, r15
  cvt.f32.u32 r7, r10
  stg.f32 [r1 + r12*4], r7
  exit
)";
}

TEST(Indices, LanesInThreeDigits) {
  const std::string whole = "  mul.u32 r11, r2, r3";
  const std::string middle = "  rem.u32 r14, r13, r2";
  EXPECT_EQ(TierOfText(ThreeDigits(whole, middle).c_str(), {24}, {3, 4}), "proved");
  EXPECT_EQ(TierOfText(ThreeDigits(whole, middle).c_str(), {23}, {3, 4}), "guarded");
  const std::string twice = "  mul.u32 r11, r3, r2";
  EXPECT_EQ(TierOfText(ThreeDigits(twice, middle).c_str(), {24}, {3, 4}), "proved");
  // Another divisor above, another one below, another dividend: lanes meet.
  const std::string other = "  mul.u32 r11, r2, r2";
  EXPECT_EQ(TierOfText(ThreeDigits(other, middle).c_str(), {240}, {3, 4}), "race");
  const std::string smaller = "  rem.u32 r14, r13, r3\n  min.u32 r14, r14, r5";
  EXPECT_EQ(TierOfText(ThreeDigits(whole, smaller).c_str(), {240}, {3, 4}), "race");
  const std::string wide = "  rem.u32 r14, r13, r3";
  EXPECT_EQ(TierOfText(ThreeDigits(whole, wide).c_str(), {240}, {3, 4}), "race");
  const std::string moved = "  add.u32 r13, r13, r5\n  rem.u32 r14, r13, r2";
  EXPECT_EQ(TierOfText(ThreeDigits(whole, moved).c_str(), {240}, {3, 4}), "race");
  const std::string again = "  rem.u32 r14, r10, r2";
  EXPECT_EQ(TierOfText(ThreeDigits(whole, again).c_str(), {240}, {3, 4}), "race");
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
  EXPECT_EQ(TierOfText(kText, {200, 16}, {3, 10, 20, 16}), "proved");
  EXPECT_EQ(TierOfText(kText, {180, 16}, {3, 10, 20, 16}), "guarded");
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
  EXPECT_EQ(TierOfText(kText, {5, 16, 16}, {16, 5}), "proved");
  EXPECT_EQ(TierOfText(kText, {4, 16, 16}, {16, 5}), "guarded");
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
  EXPECT_EQ(TierOfText(kText, {60}, {5, 12, 12}, kShape), "proved");
  EXPECT_EQ(TierOfText(kText, {59}, {5, 12, 12}, kShape), "guarded");
  EXPECT_EQ(TierOfText(kText, {60}, {5, 12, 11}, kShape), "race");  // rows overlap
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
  EXPECT_EQ(TierOfText(kText, {990}, {33, 30}, kTiles), "proved");
  constexpr hologram_launch_shape kWide{{2, 3, 1}, {16, 17, 1}};
  EXPECT_EQ(TierOfText(kText, {990}, {33, 30}, kWide), "race");
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
  EXPECT_EQ(TierOfText(kText, {200}, {17}, {{2, 1, 1}, {16, 2, 1}}), "race");
  EXPECT_EQ(TierOfText(kText, {200}, {32}, {{2, 1, 1}, {16, 2, 1}}), "proved");
}

// for j in range(scale * lane + first, n, step): a[times * block + factor * j] = ...
std::string StridedText(int scale, int first, int step, int factor) {
  return R"(
.kernel strided
.param a u32[] out
.param times u32
.param n u32
  sreg.u32 r4, lane.x
  mov_imm.u32 r5, )" +
         std::to_string(scale) + R"(
  mul.u32 r4, r4, r5
  mov_imm.u32 r5, )" +
         std::to_string(first) + R"(
  add.u32 r4, r4, r5
  sreg.u32 r6, block.x
  mul.u32 r6, r6, r2
  mov_imm.u32 r7, )" +
         std::to_string(step) + R"(
  mov_imm.u32 r8, )" +
         std::to_string(factor) + R"(
L1:
  setge.u32 p0, r4, r3
  bra.p0 @L2
  mul.u32 r9, r8, r4
  add.u32 r9, r6, r9
  stg.u32 [r1 + r9*4], r9
  add.u32 r4, r4, r7
  bra @L1
L2:
  exit
)";
}

// True if two lanes of 3 blocks of `lanes` lanes meet.
bool Meet(int scale, int first, int step, int factor, int times, int n, int lanes) {
  std::vector<int> owner(4096, -1);
  for (int block = 0; block < 3; ++block) {
    for (int lane = 0; lane < lanes; ++lane) {
      for (int j = scale * lane + first; j < n; j += step) {
        int& seen = owner[static_cast<size_t>(times * block + factor * j)];
        const int me = block * lanes + lane;
        if (seen >= 0 && seen != me) return true;
        seen = me;
      }
    }
  }
  return false;
}

TEST(Indices, LoopsThatStartAtTheLaneAndGoOnInSteps) {
  int proved = 0;
  int meet = 0;
  for (const int scale : {1, 2, 3}) {
    for (const int step : {1, 2, 5, 7, 8, 16, 21}) {
      for (const int factor : {1, 3}) {
        const VerifiedProgram program = Verified(StridedText(scale, 2, step, factor));
        for (const int lanes : {1, 2, 5, 7, 8}) {
          for (const int times : {0, 20, 30, 31, 90, 100}) {
            const TestLaunch launch(program, {4096}, {static_cast<uint64_t>(times), 31},
                                    {{3, 1, 1}, {static_cast<uint32_t>(lanes), 1, 1}});
            const bool is_proved = TierOf(program, launch.launch()) == "proved";
            const bool meets = Meet(scale, 2, step, factor, times, 31, lanes);
            EXPECT_FALSE(is_proved && meets)
                << scale << " " << step << " " << factor << " " << lanes << " " << times;
            proved += is_proved ? 1 : 0;
            meet += meets ? 1 : 0;
            // The common form is never refused.
            if (scale == 1 && factor == 1 && step >= lanes && step > 1 && times >= 31) {
              EXPECT_TRUE(is_proved) << step << " " << lanes << " " << times;
            }
          }
        }
      }
    }
  }
  EXPECT_GT(proved, 200);
  EXPECT_GT(meet, 200);
}

// while i < n: b[i] = a[i]; i += grid * block
TEST(Indices, LoopsThatGoOnByTheSizeOfTheLaunch) {
  constexpr char kText[] = R"(
.kernel whole
.param a f32[] in
.param b f32[] out
.param n u32
  sreg.u32 r4, global.x
  sreg.u32 r5, grid_dim.x
  sreg.u32 r6, block_dim.x
  mul.u32 r5, r5, r6
L1:
  setge.u32 p0, r4, r3
  bra.p0 @L2
  ldg.f32 r7, [r1 + r4*4]
  stg.f32 [r2 + r4*4], r7
  add.u32 r4, r4, r5
  bra @L1
L2:
  exit
)";
  for (const uint32_t block : {1U, 7U, 256U}) {
    EXPECT_EQ(TierOfText(kText, {1000, 1000}, {1000}, {{3, 1, 1}, {block, 1, 1}}), "proved");
  }
  EXPECT_EQ(TierOfText(kText, {1000, 1000}, {1000}, {{3, 2, 1}, {8, 1, 1}}), "race");
}

// Downwards: for j in range(n - 1 - lane, -1, -8): a[j] = ...
TEST(Indices, LoopsThatGoDownInSteps) {
  constexpr char kText[] = R"(
.kernel down
.param a i32[] out
.param n i32
  sreg.u32 r3, lane.x
  cvt.i32.u32 r3, r3
  mov_imm.i32 r4, 1
  sub.i32 r5, r2, r4
  sub.i32 r5, r5, r3
  mov_imm.i32 r6, 8
  mov_imm.i32 r7, 0
L1:
  setlt.i32 p0, r5, r7
  bra.p0 @L2
  stg.i32 [r1 + r5*4], r5
  sub.i32 r5, r5, r6
  bra @L1
L2:
  exit
)";
  EXPECT_EQ(TierOfText(kText, {100}, {100}, {{1, 1, 1}, {8, 1, 1}}), "proved");
  EXPECT_EQ(TierOfText(kText, {100}, {100}, {{1, 1, 1}, {9, 1, 1}}), "race");
}

}  // namespace
}  // namespace hologram::verify::test
