// How often nests of loops go round: what the launch computes, refuses, and counts.
#include <gtest/gtest.h>

#include <string>

#include "kernels.h"
#include "verify/checked_form.h"

namespace hologram::verify::test {
namespace {

constexpr hologram_launch_shape kOneBlock{{1, 1, 1}, {32, 1, 1}};

// A loop from register 0 to `bound`, which counts in register `counter`.
std::string Loop(const std::string& name, const std::string& type, int counter,
                 const std::string& bound, const std::string& body) {
  const std::string r = "r" + std::to_string(counter);
  std::string text = "  mov_imm." + type + " " + r + ", 0\n" + name + ":\n";
  text += "  setge." + type + " p0, " + r + ", " + bound + " ; k.py:" + std::to_string(counter) +
          ":5\n";
  text += "  bra.p0 @" + name + "_end\n" + body;
  text += "  mov_imm." + type + " r60, 1\n";
  return text + "  add." + type + " " + r + ", " + r + ", r60\n  bra @" + name + "\n" + name +
         "_end:\n";
}

std::string LoopKernel(const std::string& parameters, const std::string& body) {
  return ".kernel k\n.source \"k.py\"\n.param out u32[] out\n" + parameters +
         "  sreg.u32 r20, global.x\n  mov_imm.u32 r30, 7\n" + body +
         "  mov_imm.u32 r61, 32\n  setge.u32 p0, r20, r61\n  bra.p0 @end\n"
         "  stg.u32 [r1 + r20*4], r30\nend:\n  exit\n";
}

std::string Answer(const std::string& text, std::vector<uint64_t> scalars,
                   uint64_t budget = kDefaultBudget) {
  const VerifiedProgram program = Verified(text);
  TestLaunch test(program, {32}, std::move(scalars), kOneBlock);
  Launch launch = test.launch();
  launch.budget = budget;
  std::string answer = TierOf(program, launch);
  if (!answer.empty() && answer.back() == '\n') answer.pop_back();
  return answer;
}

const std::string kMul = "  mul.u32 r30, r30, r30\n";

TEST(Rounds, OneLoopOfAnU32IsNeverTooLong) {
  const std::string text = LoopKernel(".param m u32\n", Loop("a", "u32", 21, "r2", kMul));
  EXPECT_EQ(Answer(text, {UINT32_MAX}), "proved");
  EXPECT_TRUE(Verified(text).launch_check().rounds.empty());
}

// while i < n: y[i] = x[i]; i += step
std::string WhileLoop(const std::string& step) {
  return R"(
.kernel moves
.param x f32[] in
.param y f32[] out
.param n u32
.param m u32
  sreg.u32 r21, global.x
  sreg.u32 r26, grid_dim.x
  sreg.u32 r27, block_dim.x
  mul.u32 r28, r26, r27
loop:
  setge.u32 p0, r21, r3
  bra.p0 @end
  ldg.f32 r30, [r1 + r21*4]
  stg.f32 [r2 + r21*4], r30
  add.u32 r21, r21, )" +
         step + R"(
  bra @loop
end:
  exit
)";
}

TEST(Rounds, AWhileLoopEndsWhereItsSumDoesNotWrap) {
  const std::string text = WhileLoop("r28");
  const LoopFact loop = Verified(text).loops().at(0);
  EXPECT_FALSE(loop.ends);
  EXPECT_TRUE(loop.ends_if_proved);
  EXPECT_FALSE(loop.limited);
  EXPECT_TRUE(loop.bound.empty()) << "no bound holds in all launches";
  EXPECT_FALSE(VerifyCheckedForm(Verified(text).source()).value().loops().at(0).ends_if_proved);
  // A step may be 0.
  EXPECT_FALSE(Verified(WhileLoop("r4")).loops().at(0).ends_if_proved);
}

TEST(Rounds, AWhileLoopThatNoAccessRestsOnIsCounted) {
  const std::string body = "  add.u32 r21, r21, r61\n";
  const VerifiedProgram program = Verified(LoopKernel(".param m u32\n", R"(
  mov_imm.u32 r21, 0
  mov_imm.u32 r61, 2
loop:
  setge.u32 p0, r21, r2
  bra.p0 @past
)" + kMul + body + "  bra @loop\npast:\n"));
  EXPECT_FALSE(program.loops().at(0).ends_if_proved);
}

TEST(Rounds, AnU64IsChecked) {
  const std::string text = LoopKernel(".param m u64\n", Loop("a", "u64", 21, "r2", kMul));
  EXPECT_EQ(Answer(text, {uint64_t{1} << 32}), "proved");
  EXPECT_EQ(Answer(text, {(uint64_t{1} << 32) + 1}),
            "k.py:21:5: error: this launch may take 4294967297 rounds a lane, more than "
            "4294967296; pass budget= (library) or --budget (command) to allow it");
  EXPECT_NE(Answer(text, {UINT64_MAX}).find("may take 18446744073709551615 rounds"),
            std::string::npos);
  EXPECT_EQ(Answer(text, {UINT64_MAX}, UINT64_MAX), "proved");
  EXPECT_NE(Answer(text, {UINT64_MAX}, UINT64_MAX - 1).find("more than 18446744073709551614;"),
            std::string::npos);
  // A budget below the limit does not lower it.
  EXPECT_EQ(Answer(text, {uint64_t{1} << 32}, 10), "proved");
}

TEST(Rounds, FactorsMultiply) {
  const std::string text =
      LoopKernel(".param m u32\n.param n u32\n",
                 Loop("a", "u32", 21, "r2",
                      Loop("b", "u32", 22, "r3", kMul) + Loop("c", "u32", 23, "r2", kMul)));
  EXPECT_EQ(Answer(text, {65536, 65536}), "proved");
  EXPECT_NE(Answer(text, {65537, 65536}).find("rounds a lane"), std::string::npos);
  EXPECT_EQ(Answer(text, {0, UINT32_MAX}), "proved");
  // The inner ones are not entered, the outer one goes round.
  EXPECT_EQ(Answer(text, {65536, 0}), "proved");
  EXPECT_NE(Answer(text, {UINT32_MAX, 0}).find("18446744065119617025"), std::string::npos);
}

TEST(Rounds, ThreeNestedRangesOverflowNothing) {
  const std::string text = LoopKernel(
      ".param m u32\n",
      Loop("a", "u32", 21, "r2", Loop("b", "u32", 22, "r2", Loop("c", "u32", 23, "r2", kMul))));
  EXPECT_EQ(Answer(text, {1625}), "proved");  // 1625^3 < 2^32 < 1626^3
  EXPECT_EQ(Answer(text, {1626}),
            "k.py:23:5: error: this launch may take 4298942376 rounds a lane, more than "
            "4294967296; pass budget= (library) or --budget (command) to allow it");
  EXPECT_NE(Answer(text, {UINT32_MAX}).find("79228162458924105385300197375 rounds"),
            std::string::npos);
  std::string deep = kMul;
  for (int k = 0; k < 5; ++k) {
    deep = Loop("l" + std::to_string(k), "u64", 25 + k, "r2", deep);
  }
  EXPECT_NE(Answer(LoopKernel(".param m u64\n", deep), {UINT64_MAX}).find("2^120 or more rounds"),
            std::string::npos);
}

TEST(Rounds, ConstantsAreChecked) {
  const auto nest = [](const std::string& last) {
    return LoopKernel("", "  mov_imm.u32 r40, 65536\n  mov_imm.u32 r41, " + last + "\n" +
                              Loop("a", "u32", 21, "r40", Loop("b", "u32", 22, "r41", kMul)));
  };
  EXPECT_EQ(Answer(nest("65536"), {}), "proved");
  EXPECT_TRUE(Verified(nest("65536")).launch_check().rounds.empty());
  EXPECT_NE(Answer(nest("65537"), {}).find("may take 4295032832 rounds"), std::string::npos);
  EXPECT_EQ(Answer(nest("65537"), {}, uint64_t{1} << 33), "proved");
}

TEST(Rounds, ACounterOfLoopCounts) {
  const std::string text =
      LoopKernel(".param m u32\n.param n u32\n",
                 Loop("a", "u32", 21, "r2", "  mov.u32 r22, r3\nb:\n" + kMul + "  loop r22, @b\n"));
  EXPECT_EQ(Answer(text, {65536, 65535}), "proved");
  EXPECT_NE(Answer(text, {65536, 65537}).find("rounds a lane"), std::string::npos);
}

TEST(Rounds, OfDataAreCounted) {
  // The inner count is an element of the buffer.
  const auto nest = [](const std::string& type, bool outer) {
    const std::string load =
        "  ldg." + type + " r40, [r2 + r20*" + (type == "u64" ? "8" : "4") + "]\n";
    const std::string inner = load + Loop("b", type, 22, "r40", kMul);
    return ".kernel k\n.param out u32[] out\n.param x " + type + "[] in\n.param m u32\n" +
           "  sreg.u32 r20, global.x\n  mov_imm.u32 r30, 7\n" +
           (outer ? Loop("a", "u32", 21, "r3", inner) : inner) +
           "  stg.u32 [r1 + r20*4], r30\n  exit\n";
  };
  const auto limited = [](const VerifiedProgram& program) {
    std::string text;
    for (const LoopFact& loop : program.loops()) text += loop.limited ? 'l' : '-';
    return text;
  };
  EXPECT_EQ(limited(Verified(nest("u32", false))), "-");
  EXPECT_EQ(limited(Verified(nest("u64", false))), "l");
  EXPECT_EQ(limited(Verified(nest("u32", true))), "-l");
}

// while power < bound: power *= 2
TEST(Rounds, ACounterThatDoublesEndsBelowHalfOfItsType) {
  const auto ends = [](const std::string& type, const std::string& start, const std::string& bound,
                       const std::string& step) {
    const std::string amount = step == "shl" ? "u32" : type;
    const std::string loop = "  mov_imm." + type + " r22, " + start + "\n  mov_imm." + type +
                             " r23, " + bound + "\n  mov_imm." + amount + " r24, 2\nb:\n  setge." +
                             type + " p0, r22, r23\n  bra.p0 @b_end\n" + kMul + "  " + step + "." +
                             type + " r22, r22, r24\n  bra @b\nb_end:\n";
    const VerifiedProgram program = Verified(LoopKernel("", loop));
    return program.loops().at(0).ends;
  };
  EXPECT_TRUE(ends("i32", "1", "17", "mul"));
  EXPECT_TRUE(ends("i32", "1", "1073741824", "mul"));
  EXPECT_FALSE(ends("i32", "1", "1073741825", "mul"));  // 2^30 goes on, and its double wraps
  EXPECT_TRUE(ends("u32", "3", "2147483648", "mul"));
  EXPECT_FALSE(ends("u32", "3", "2147483649", "mul"));
  EXPECT_FALSE(ends("i32", "0", "17", "mul"));
  EXPECT_FALSE(ends("i32", "-1", "17", "mul"));
  EXPECT_TRUE(ends("i32", "1", "536870912", "shl"));  // by two bits
  EXPECT_FALSE(ends("i32", "1", "536870914", "shl"));
}

TEST(Rounds, LoopsInsideOfOnesThatMayNotEndAreCounted) {
  const std::string text =
      LoopKernel(".param m u32\n", "a:\n" + Loop("b", "u32", 22, "r2", kMul) +
                                       "  setge.u32 p1, r30, r2\n  bra.p1 @a\n");
  const VerifiedProgram program = Verified(text);
  ASSERT_EQ(program.loops().size(), 2u);
  for (const LoopFact& loop : program.loops()) EXPECT_NE(loop.ends, !loop.limited);
  EXPECT_EQ(Answer(text, {UINT32_MAX}), "proved");
}

TEST(Rounds, ShortNestsAreKnownToBeShort) {
  const VerifiedProgram program =
      Verified(LoopKernel("", "  mov_imm.u32 r40, 10\n" +
                                  Loop("a", "u32", 21, "r40", Loop("b", "u32", 22, "r40", kMul))));
  ASSERT_EQ(program.loops().size(), 2u);
  EXPECT_EQ(std::max(program.loops()[0].nest_rounds, program.loops()[1].nest_rounds), 100u);
}

}  // namespace
}  // namespace hologram::verify::test
