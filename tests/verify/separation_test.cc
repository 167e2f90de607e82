// Accesses that are apart for reasons that no single reading of the lane off the element gives, and
// near misses of each. Programs of whole kernels are in python/tests/test_races.py; random ones in
// soundness_test.cc.
#include <gtest/gtest.h>

#include "kernels.h"

namespace hologram::verify::test {
namespace {

constexpr hologram_launch_shape kRow{{2, 1, 1}, {32, 1, 1}};

// A kernel of one i32 array and two scalars: r5 is the id, r4 one of the scalars, n in r2.
std::string WithBody(const std::string& body) {
  return ".kernel k\n.param x i32[] inout\n.param n u32\n.param m u32\n.param d u32\n"
         "  sreg.u32 r5, global.x\n" +
         body + "L1:\n  exit\n";
}

std::string TierOfRow(const std::string& body, uint64_t n, uint64_t m) {
  const VerifiedProgram program = Verified(WithBody(body));
  const TestLaunch memory(program, {256}, {n, m, 0}, kRow);
  const std::string tier = TierOf(program, memory.launch());
  return tier.find("error") == std::string::npos ? tier : "race";
}

constexpr char kGuard[] = "  setge.u32 p0, r5, r2\n  bra.p0 @L1\n";

TEST(Separation, EqualValuesNeedNoProof) {
  const std::string store = std::string(kGuard) + "  rem.u32 r6, r5, r3\n";
  EXPECT_EQ(TierOfRow(store + "  mov_imm.i32 r7, 1\n  stg.i32 [r1 + r6*4], r7\n", 64, 7), "proved");
  // Of a scalar, computed twice.
  EXPECT_EQ(TierOfRow(store + "  add.u32 r7, r3, r3\n  cvt.i32.u32 r7, r7\n"
                              "  stg.i32 [r1 + r6*4], r7\n  add.u32 r8, r3, r3\n"
                              "  cvt.i32.u32 r8, r8\n  stg.i32 [r1 + r6*4], r8\n",
                      64, 7),
            "proved");
  EXPECT_EQ(TierOfRow(store + "  mov_imm.i32 r7, 1\n  stg.i32 [r1 + r6*4], r7\n"
                              "  mov_imm.i32 r8, 2\n  stg.i32 [r1 + r6*4], r8\n",
                      64, 7),
            "race");
  EXPECT_EQ(TierOfRow(store + "  cvt.i32.u32 r7, r5\n  stg.i32 [r1 + r6*4], r7\n", 64, 7), "race");
  EXPECT_EQ(TierOfRow(store + "  mov_imm.i32 r7, 1\n  stg.i32 [r1 + r6*4], r7\n"
                              "  ldg.i32 r8, [r1 + r5*4]\n",
                      64, 7),
            "race");
}

// `if i % 32 == 0: out[i // 32] = ...`: the remainder of the lanes that get there is known.
TEST(Separation, OneLaneOfEachGroup) {
  const auto of_group = [](const std::string& guards, const std::string& store) {
    return TierOfRow(std::string(kGuard) + "  mov_imm.u32 r6, 8\n  rem.u32 r7, r5, r6\n" + guards +
                         "  div.u32 r9, r5, r6\n  cvt.i32.u32 r10, r5\n" + store,
                     64, 3);
  };
  const std::string store = "  stg.i32 [r1 + r9*4], r10\n";
  const auto only = [](const std::string& reg, int lane) {
    return "  mov_imm.u32 r8, " + std::to_string(lane) + "\n  setne.u32 p1, " + reg +
           ", r8\n  bra.p1 @L1\n";
  };
  EXPECT_EQ(of_group(only("r7", 0), store), "proved");
  EXPECT_EQ(of_group(only("r7", 5), store + store), "proved");
  EXPECT_EQ(of_group("  setne.u32 p1, r7, r3\n  bra.p1 @L1\n", store), "proved");
  // Two of a group; the rest by another number; a rest that differs from lane to lane.
  EXPECT_EQ(of_group("  mov_imm.u32 r8, 1\n  setgt.u32 p1, r7, r8\n  bra.p1 @L1\n", store), "race");
  EXPECT_EQ(of_group("  mov_imm.u32 r8, 4\n  rem.u32 r7, r5, r8\n" + only("r7", 0), store), "race");
  EXPECT_EQ(of_group("  shr.u32 r8, r5, r3\n  setne.u32 p1, r7, r8\n  bra.p1 @L1\n", store),
            "race");
  // The branches store different lanes of a group at one place.
  EXPECT_EQ(
      of_group("", "  mov_imm.u32 r8, 1\n  setne.u32 p1, r7, r8\n  bra.p1 @L2\n" + store +
                       "L2:\n  mov_imm.u32 r8, 2\n  setne.u32 p1, r7, r8\n  bra.p1 @L1\n" + store),
      "race");
}

TEST(Separation, PartnersOfAnExclusiveOr) {
  const std::string swap =
      "  bra.p1 @L1\n  setge.u32 p0, r6, r2\n  bra.p0 @L1\n  ldg.i32 r7, [r1 + r5*4]\n"
      "  ldg.i32 r8, [r1 + r6*4]\n  stg.i32 [r1 + r5*4], r8\n  stg.i32 [r1 + r6*4], r7\n";
  const std::string partner = std::string(kGuard) + "  xor.u32 r6, r5, r3\n";
  EXPECT_EQ(TierOfRow(partner + "  setle.u32 p1, r6, r5\n" + swap, 64, 4), "proved");
  EXPECT_EQ(TierOfRow(partner + "  setge.u32 p1, r6, r5\n" + swap, 64, 4), "proved");
  EXPECT_EQ(TierOfRow(partner + "  setne.u32 p1, r6, r6\n" + swap, 64, 4), "race");
  // The mask differs from lane to lane.
  EXPECT_EQ(TierOfRow(std::string(kGuard) +
                          "  shr.u32 r9, r5, r3\n  xor.u32 r6, r5, r9\n"
                          "  setle.u32 p1, r6, r5\n" +
                          swap,
                      64, 1),
            "race");
  // One of the two is reached whatever the order.
  EXPECT_EQ(
      TierOfRow(partner + "  ldg.i32 r9, [r1 + r6*4]\n  setle.u32 p1, r6, r5\n" + swap, 64, 4),
      "race");
}

TEST(Separation, FromBothEnds) {
  const std::string swap =
      "  mov_imm.u32 r9, 1\n  sub.u32 r8, r2, r9\n  sub.u32 r8, r8, r5\n"
      "  ldg.i32 r10, [r1 + r5*4]\n  ldg.i32 r11, [r1 + r8*4]\n  stg.i32 [r1 + r5*4], r11\n"
      "  stg.i32 [r1 + r8*4], r10\n";
  const std::string half = "  mov_imm.u32 r6, 2\n  div.u32 r6, r2, r6\n";
  for (const uint64_t n : {1u, 2u, 7u, 64u, 129u}) {
    EXPECT_EQ(TierOfRow(half + "  setge.u32 p0, r5, r6\n  bra.p0 @L1\n" + swap, n, 0), "proved")
        << n;
  }
  EXPECT_EQ(TierOfRow(half + "  setgt.u32 p0, r5, r6\n  bra.p0 @L1\n" + swap, 64, 0), "race");
}

TEST(Separation, ColoursOfARow) {
  const auto body = [](const char* colours, const char* step) {
    return std::string(kGuard) + "  mov_imm.u32 r6, " + colours +
           "\n  rem.u32 r7, r5, r6\n  setne.u32 p0, r7, r3\n  bra.p0 @L1\n  mov_imm.u32 r8, " +
           step + "\n  add.u32 r8, r5, r8\n  ldg.i32 r9, [r1 + r8*4]\n  stg.i32 [r1 + r5*4], r9\n";
  };
  EXPECT_EQ(TierOfRow(body("2", "1"), 64, 1), "proved");
  EXPECT_EQ(TierOfRow(body("3", "2"), 64, 1), "proved");
  EXPECT_EQ(TierOfRow(body("2", "2"), 64, 1), "race");
  EXPECT_EQ(TierOfRow(body("3", "3"), 64, 1), "race");
}

}  // namespace
}  // namespace hologram::verify::test
