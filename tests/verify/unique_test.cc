// Lanes that are apart because the elements of an array are declared to be all different, and near
// misses. Launches that break the promise are in tests/launch/unique_test.cc.
#include <gtest/gtest.h>

#include "kernels.h"

namespace hologram::verify::test {
namespace {

constexpr hologram_launch_shape kTwoBlocks{{2, 1, 1}, {32, 1, 1}};
constexpr char kInside[] = "  setge.u32 p0, r5, r4\n  bra.p0 @L1\n";

// r1 is the output, r2 and r3 the tables, r4 n, r5 the id.
std::string WithTables(const std::string& body, const std::string& first = "u32[] in unique",
                       const std::string& second = "u32[] in unique") {
  return ".kernel k\n.param x u32[] inout\n.param p " + first + "\n.param q " + second +
         "\n.param n u32\n  sreg.u32 r5, global.x\n" + kInside + body + "L1:\n  exit\n";
}

std::string TierOfText(const std::string& text) {
  const VerifiedProgram program = Verified(text);
  const TestLaunch memory(program, {256, 256, 256}, {64}, kTwoBlocks);
  const std::string tier = TierOf(program, memory.launch());
  return tier.find("error") == std::string::npos ? tier : "race";
}

std::string TierOfBody(const std::string& body) {
  return TierOfText(WithTables(body));
}

constexpr char kIndex[] = "  ldg.u32 r6, [r2 + r5*4]\n";
constexpr char kPut[] = "  stg.u32 [r1 + r6*4], r5\n";

TEST(Unique, ElementsNameTheLane) {
  EXPECT_EQ(TierOfBody(std::string(kIndex) + kPut), "proved");
  // Read, changed and written, with a load of its own for each.
  EXPECT_EQ(TierOfBody(std::string(kIndex) + "  ldg.u32 r7, [r1 + r6*4]\n" +
                       "  ldg.u32 r6, [r2 + r5*4]\n  stg.u32 [r1 + r6*4], r7\n"),
            "proved");
  // An element that is another lane's, and each lane's own: 2 i + 1.
  EXPECT_EQ(TierOfBody("  add.u32 r6, r5, r5\n  ldg.u32 r6, [r2 + r6*4 + 4]\n" + std::string(kPut)),
            "proved");
  // One in the other.
  EXPECT_EQ(TierOfBody(std::string(kIndex) + "  ldg.u32 r6, [r3 + r6*4]\n" + kPut), "proved");
  const VerifiedProgram program = Verified(WithTables(std::string(kIndex) + kPut));
  const std::vector<UniqueWrite>& writes = program.launch_check().unique_writes;
  ASSERT_EQ(writes.size(), 1U);
  EXPECT_EQ(writes[0].parameter, 1U);
}

TEST(Unique, WithoutTheDeclaration) {
  const std::string text = WithTables(std::string(kIndex) + kPut, "u32[] in");
  EXPECT_EQ(TierOfText(text), "race");
  const VerifiedProgram program = Verified(text);
  ASSERT_EQ(program.races().size(), 1U);
  EXPECT_NE(program.races()[0].message.find(", unless unique(p) declares"), std::string::npos);
}

TEST(Unique, NearMisses) {
  // p[i // 2], p[i % 4], p[0]: elements that lanes share.
  EXPECT_EQ(TierOfBody("  mov_imm.u32 r7, 2\n  div.u32 r6, r5, r7\n  ldg.u32 r6, [r2 + r6*4]\n" +
                       std::string(kPut)),
            "race");
  EXPECT_EQ(TierOfBody("  mov_imm.u32 r7, 4\n  rem.u32 r6, r5, r7\n  ldg.u32 r6, [r2 + r6*4]\n" +
                       std::string(kPut)),
            "race");
  EXPECT_EQ(TierOfBody("  mov_imm.u32 r6, 0\n  ldg.u32 r6, [r2 + r6*4]\n" + std::string(kPut)),
            "race");
  // p[i] // 2, p[i] + q[i], p[i] and also q[i], p[i] and also i.
  EXPECT_EQ(TierOfBody(std::string(kIndex) + "  mov_imm.u32 r7, 2\n  div.u32 r6, r6, r7\n" + kPut),
            "race");
  EXPECT_EQ(
      TierOfBody(std::string(kIndex) + "  ldg.u32 r7, [r3 + r5*4]\n  add.u32 r6, r6, r7\n" + kPut),
      "race");
  EXPECT_EQ(TierOfBody(std::string(kIndex) + kPut + "  ldg.u32 r6, [r3 + r5*4]\n" + kPut), "race");
  EXPECT_EQ(TierOfBody(std::string(kIndex) + kPut + "  ldg.u32 r7, [r1 + r5*4]\n"), "race");
  // p[i] and p[i + 1]; p[i] and p[i] + 1.
  EXPECT_EQ(TierOfBody(std::string(kIndex) + kPut + "  ldg.u32 r6, [r2 + r5*4 + 4]\n" + kPut),
            "race");
  EXPECT_EQ(
      TierOfBody(std::string(kIndex) + kPut + "  mov_imm.u32 r7, 1\n  add.u32 r6, r6, r7\n" + kPut),
      "race");
}

// Products of data may wrap: the values are of 8 bits.
TEST(Unique, OneDigitBesideOthers) {
  const auto rows = [](const std::string& columns) {
    return WithTables(
        "  ldg.u8 r6, [r2 + r5*1]\n  cvt.u32.u8 r6, r6\n  mov_imm.u32 r7, 4\n"
        "  mul.u32 r6, r6, r7\n  mov_imm.u32 r8, 0\nL2:\n  add.u32 r9, r6, r8\n"
        "  stg.u32 [r1 + r9*4], r5\n  mov_imm.u32 r10, 1\n  add.u32 r8, r8, r10\n"
        "  mov_imm.u32 r10, " +
            columns + "\n  setlt.u32 p1, r8, r10\n  bra.p1 @L2\n",
        "u8[] in unique");
  };
  EXPECT_EQ(TierOfText(rows("4")), "proved");
  EXPECT_EQ(TierOfText(rows("5")), "race");
}

}  // namespace
}  // namespace hologram::verify::test
