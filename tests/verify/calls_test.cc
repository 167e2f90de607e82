// Calls and their copies, counted loops, local arrays and reductions of a block: what is proved and
// what is refused.
#include <gtest/gtest.h>

#include "kernels.h"

namespace hologram::verify::test {
namespace {

std::string ErrorOf(const std::string& text) {
  const auto verified = Verify(Assembled(text));
  return verified.ok() ? "no error" : verified.errors()[0].message;
}

TEST(Calls, AreReplacedByCopies) {
  const VerifiedProgram program = Verified(R"(
.kernel k
  call @f
  call @f
  exit
f:
  mov_imm.u32 r20, 1
  ret
)");
  EXPECT_FALSE(program.recursive());
  EXPECT_EQ(program.source().code.size(), 5u);
  ASSERT_EQ(program.program().code.size(), 7u);
  const uint32_t places[] = {0, 3, 4, 1, 3, 4, 2};
  for (uint32_t pc = 0; pc < 7; ++pc) EXPECT_EQ(program.SourcePc(pc), places[pc]);
  EXPECT_EQ(program.CopyOf(3), 1u);
}

TEST(Calls, RecursiveProgramsKeepThem) {
  const VerifiedProgram program = Verified(R"(
.kernel k
  call @f
  exit
f:
  call @g
  ret
g:
  call @f
  ret
)");
  EXPECT_TRUE(program.recursive());
  EXPECT_EQ(program.program().code, program.source().code);
}

// f calls itself in some lanes.
const std::string kRecursive = R"(
f:
  seteq.u32 p0, r20, r21
  bra.p0 @done
  sub.u32 r20, r20, r22
  call @f
done:
  ret
)";
const std::string kStart = R"(
.kernel k
  sreg.u32 r20, lane.x
  mov_imm.u32 r21, 0
  mov_imm.u32 r22, 1
)";

// In a barrier lanes are in no call, so a return does not part them, whatever else calls f.
TEST(Calls, OfRecursiveFunctionsMayStandBetweenBarriers) {
  const auto error = [](const std::string& body) { return ErrorOf(kStart + body + kRecursive); };
  EXPECT_EQ(error("  call @f\n  bar.sync 0\n  call @f\n  bar.sync 0\n  call @f\n  exit\n"),
            "no error");
  // Some lanes call, all meet.
  EXPECT_EQ(error("  setlt.u32 p1, r20, r22\n  bra.p1 @meet\n  call @f\nmeet:\n  bar.sync 0\n"
                  "  call @f\n  bar.sync 0\n  exit\n"),
            "no error");
  const std::string refused =
      "barrier() is reached by some lanes of a block only: it stands under a condition that "
      "depends "
      "on the lane";
  EXPECT_EQ(error("  setlt.u32 p1, r20, r22\n  bra.p1 @meet\n  call @f\n  bar.sync 0\nmeet:\n"
                  "  call @f\n  bar.sync 0\n  exit\n"),
            refused);
  EXPECT_EQ(error("again:\n  call @f\n  bar.sync 0\n  setlt.u32 p1, r20, r22\n  bra.p1 @again\n"
                  "  bar.sync 0\n"
                  "  exit\n"),
            refused);
  // A lane that ends in a call is not waited for.
  const std::string ends = R"(
f:
  seteq.u32 p0, r20, r21
  bra.p0 @done
  sub.u32 r20, r20, r22
  call @f
  exit
done:
  ret
)";
  EXPECT_EQ(ErrorOf(kStart + "  call @f\n  bar.sync 0\n  call @f\n  bar.sync 0\n  exit\n" + ends),
            "no error");
  // A barrier in a call: which of them a lane is in is not known.
  const std::string waits = R"(
f:
  seteq.u32 p0, r20, r21
  bra.p0 @done
  sub.u32 r20, r20, r22
  bar.sync 0
  call @f
done:
  ret
)";
  EXPECT_EQ(ErrorOf(kStart + "  call @f\n  bar.sync 0\n  call @f\n  exit\n" + waits), refused);
}

TEST(Calls, ARetOutsideOfACallIsRefused) {
  EXPECT_EQ(ErrorOf(".kernel k\n  ret\n"),
            "instruction 0: ret is reached without a call; end the lane with exit");
  // The call never returns, so what follows it is not reached.
  EXPECT_EQ(ErrorOf(".kernel k\n  call @f\n  ret\nf:\n  exit\n"), "no error");
}

std::string Chain(uint32_t depth) {
  std::string text = ".kernel k\n  call @f1\n  exit\n";
  for (uint32_t f = 1; f < depth; ++f) {
    const std::string name = std::to_string(f);
    text.append("f").append(name).append(":\n  call @f").append(std::to_string(f + 1));
    text += "\n  ret\n";
  }
  return text + "f" + std::to_string(depth) + ":\n  ret\n";
}

TEST(Calls, AreNestedAtMost256Deep) {
  EXPECT_EQ(ErrorOf(Chain(256)), "no error");
  EXPECT_EQ(ErrorOf(Chain(257)),
            "instruction 514: calls are nested 257 deep here, the limit is 256");
}

TEST(Calls, CopiesHaveALimit) {
  std::string text = ".kernel k\n  call @f1\n  exit\n";
  for (uint32_t f = 1; f < 20; ++f) {
    const std::string next = std::to_string(f + 1);
    text.append("f").append(std::to_string(f)).append(":\n  call @f").append(next);
    text.append("\n  call @f").append(next).append("\n  ret\n");
  }
  EXPECT_EQ(ErrorOf(text + "f20:\n  ret\n"),
            "calls expand the program to more than 65536 instructions");
}

TEST(Calls, ErrorsNameTheInstructionOnce) {
  const auto verified = Verify(Assembled(R"(
.kernel k
  call @f
  call @f
  exit
f:
  mov.u32 r20, r21
  ret
)"));
  ASSERT_FALSE(verified.ok());
  ASSERT_EQ(verified.errors().size(), 1u);
  EXPECT_EQ(verified.errors()[0].message, "instruction 3: r21 is read before it is set");
}

TEST(Calls, ProofsGoThroughThem) {
  const VerifiedProgram program = Verified(R"(
.kernel k
.param a f32[] in
.param c f32[] out
.param n u32
  sreg.u32 r20, global.x
  setge.u32 p0, r20, r3
  bra.p0 @end
  call @work
end:
  exit
work:
  ldg.f32 r21, [r1 + r20*4]
  stg.f32 [r2 + r20*4], r21
  ret
)");
  for (const AccessFact& access : program.accesses()) {
    EXPECT_EQ(access.tier, Tier::kProved);
    EXPECT_EQ(access.stride, 1);
  }
  EXPECT_TRUE(program.races().empty());
}

TEST(Counters, LoopsEndAndBoundWhatTheyIndex) {
  const VerifiedProgram program = Verified(R"(
.kernel k
.local own f32 8
  mov_imm.u32 r20, 7
  mov_imm.f32 r21, 0
body:
  stl.f32 [l0 + r20*4], r21
  loop r20, @body
)");
  ASSERT_EQ(program.loops().size(), 1u);
  EXPECT_TRUE(program.loops()[0].ends);
  ASSERT_EQ(program.accesses().size(), 1u);
  EXPECT_TRUE(program.accesses()[0].local);
  EXPECT_EQ(program.accesses()[0].tier, Tier::kProved);
  EXPECT_EQ(Explain(program)[0], "k: instruction 2: proved  own  index 0 .. 7 of own");
}

TEST(Counters, ACounterThatIsWrittenInTheLoopProvesNothing) {
  const VerifiedProgram program = Verified(R"(
.kernel k
  mov_imm.u32 r20, 7
body:
  mov_imm.u32 r20, 3
  loop r20, @body
)");
  EXPECT_FALSE(program.loops()[0].ends);
}

TEST(BlockReductions, AreRefusedUnderAConditionOfTheLane) {
  EXPECT_EQ(ErrorOf(R"(
.kernel k
  sreg.u32 r20, lane.x
  mov_imm.u32 r21, 3
  setlt.u32 p0, r20, r21
  bra.p0 @skip
  blk.red.add.u32 r22, r20
skip:
  mov.u32 r23, r20
)"),
            "a reduction of the block is reached by some lanes of a block only: it stands under a "
            "condition that depends on the lane");
}

TEST(BlockReductions, AreUniform) {
  const VerifiedProgram program = Verified(R"(
.kernel k
.param c u32[] out
  sreg.u32 r20, lane.x
  blk.red.max.u32 r21, r20
  stg.u32 [r1 + r20*4], r21
)");
  EXPECT_EQ(program.ShapeOf(1).shape, Shape::kUniform);
  EXPECT_TRUE(program.uses_barrier());
}

TEST(Reductions, HaveALimitOfRegisters) {
  std::string text = ".kernel k\n";
  for (int r = 10; r < 250; ++r) text += "  mov_imm.u32 r" + std::to_string(r) + ", 1\n";
  for (int i = 0; i < 1100; ++i) text += "  reduce.add.u32 r5, r10, 240\n";
  EXPECT_EQ(ErrorOf(text),
            "reductions of registers read 264000 registers together, the limit is 262144");
}

}  // namespace
}  // namespace hologram::verify::test
