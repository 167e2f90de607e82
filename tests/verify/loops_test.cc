// Loops whose counter starts at an id: how it grows from lane to lane, what that demands of a
// launch, and the copies of such loops. Conversions that keep their operand.
#include <gtest/gtest.h>

#include "kernels.h"
#include "verify/loop_copies.h"

namespace hologram::verify::test {
namespace {

constexpr hologram_launch_shape kShape{{1, 1, 1}, {64, 1, 1}};

std::string TierFor(const VerifiedProgram& program, std::vector<uint64_t> extents,
                    std::vector<uint64_t> scalars, hologram_launch_shape shape = kShape) {
  return TierOf(program, TestLaunch(program, extents, scalars, shape).launch());
}

// for c in range(start, n, 64): y[c] = x[c]; `start` leaves it in r21 and the id is in r20.
std::string StrideLoop(const std::string& start, const std::string& body = "") {
  return R"(
.kernel stride
.param x f32[] in
.param y f32[] out
.param n u32
  sreg.u32 r20, global.x
  mov_imm.u32 r28, 64
)" + start +
         R"(
loop:
  setge.u32 p0, r21, r3
  bra.p0 @end
)" + body +
         R"(
  ldg.f32 r30, [r1 + r21*4]
  stg.f32 [r2 + r21*4], r30
next:
  add.u32 r22, r21, r28
  setlt.u32 p1, r22, r21
  bra.p1 @end
  mov.u32 r21, r22
  bra @loop
end:
  exit
)";
}

uint32_t PcOf(const VerifiedProgram& program, isa::Opcode op) {
  const auto& code = program.program().code;
  for (uint32_t pc = 0; pc < code.size(); ++pc) {
    if (code[pc].op == op) return pc;
  }
  ADD_FAILURE() << "no such instruction";
  return 0;
}

TEST(Loops, ACounterGrowsAsItsStart) {
  const VerifiedProgram program = Verified(StrideLoop("  mov.u32 r21, r20\n"));
  ASSERT_EQ(program.accesses().size(), 2u);
  for (const AccessFact& access : program.accesses()) {
    EXPECT_EQ(access.tier, Tier::kProved);
    EXPECT_EQ(access.stride, 1);
  }
  const uint32_t next = PcOf(program, isa::Opcode::kAdd);
  EXPECT_EQ(program.ShapeOf(next), (ValueShape{Shape::kAffine, 1}));
  // Whether it wraps is the same in all lanes.
  EXPECT_EQ(program.ShapeOf(next + 1), (ValueShape{Shape::kUniform, 0}));
}

// if (i < n) while (x[i] < 1) x[i] += 1; `also` comes before the guard.
std::string Grow(const std::string& also) {
  return R"(
.kernel grow
.param x f32[] inout
.param n u32
  sreg.u32 r20, global.x
  mov_imm.f32 r21, 1.0
  setge.u32 p0, r20, r2
)" + also +
         R"(
  bra.p0 @end
loop:
  ldg.f32 r22, [r1 + r20*4]
  setge.f32 p1, r22, r21
  bra.p1 @end
  add.f32 r22, r22, r21
  stg.f32 [r1 + r20*4], r22
  bra @loop
end:
  exit
)";
}

TEST(Loops, AGuardBeforeALoopHoldsInItsFirstBlock) {
  const VerifiedProgram program = Verified(Grow(""));
  ASSERT_EQ(program.accesses().size(), 2u);
  EXPECT_EQ(TierFor(program, {50}, {50}), "proved");
  EXPECT_EQ(TierFor(program, {49}, {50}), "guarded");
  // The loop has another way in, past the guard.
  const VerifiedProgram around = Verified(Grow("  seteq.u32 p2, r20, r2\n  bra.p2 @loop\n"));
  EXPECT_EQ(TierFor(around, {50}, {50}), "guarded");
  EXPECT_EQ(TierFor(around, {64}, {50}), "proved");
}

TEST(Loops, StridesOfCounters) {
  const auto stride = [](const std::string& start, const std::string& body = "") {
    return Verified(StrideLoop(start, body)).accesses().at(0).stride;
  };
  EXPECT_EQ(stride("  mov_imm.u32 r21, 7\n"), 0);
  EXPECT_EQ(stride("  add.u32 r21, r20, r3\n"), 1);
  EXPECT_EQ(stride("  add.u32 r21, r20, r20\n"), 2);
  EXPECT_EQ(stride("  mul.u32 r21, r20, r3\n"), std::nullopt);
  // Where lanes go on with the next round on different ways, it is not the same round.
  EXPECT_EQ(stride("  mov.u32 r21, r20\n  mov_imm.u32 r29, 1\n",
                   "  and.u32 r31, r21, r29\n"
                   "  seteq.u32 p2, r31, r29\n"
                   "  bra.p2 @same\n"
                   "  add.u32 r21, r21, r28\n"
                   "  bra @loop\n"
                   "same:\n"),
            std::nullopt);
  // A way around the access changes nothing.
  EXPECT_EQ(stride("  mov.u32 r21, r20\n  mov_imm.u32 r29, 1\n",
                   "  and.u32 r31, r21, r29\n"
                   "  seteq.u32 p2, r31, r29\n"
                   "  bra.p2 @next\n"),
            1);
}

TEST(Loops, NoStepMayWrap) {
  const VerifiedProgram program = Verified(StrideLoop("  mov.u32 r21, r20\n"));
  EXPECT_EQ(TierFor(program, {1000, 1000}, {1000}), "proved");
  EXPECT_EQ(TierFor(program, {999, 1000}, {1000}), "guarded");
  EXPECT_EQ(TierFor(program, {0, 0}, {0}), "proved");
  bool demanded = false;
  for (const LaunchCondition& condition : program.launch_check().conditions) {
    demanded |= condition.kind == ConditionKind::kNoWrap;
  }
  EXPECT_TRUE(demanded);
}

// A bound that needs no start of the counter does not demand that no step wraps; its stride does.
TEST(Loops, AStrideDemandsThatNoStepWraps) {
  const VerifiedProgram program = Verified(StrideLoop("  mov.u32 r21, r20\n",
                                                      "  mov_imm.u32 r29, 100\n"
                                                      "  setge.u32 p2, r21, r29\n"
                                                      "  bra.p2 @next\n"));
  EXPECT_EQ(program.accesses().at(0).stride, 1);
  EXPECT_EQ(TierFor(program, {100, 100}, {4294967232}), "proved");
  EXPECT_NE(TierFor(program, {100, 100}, {4294967233}), "proved");
}

// A counter has only the values of its steps: 0, 8, 16 and 24 where a branch says below 32.
TEST(Loops, TheLastStepWithinABound) {
  const auto steps = [](const std::string& start, const std::string& leaves,
                        const std::string& body, const std::string& step) {
    return Verified(R"(
.kernel steps
.param x i32[] in
.param y i32[] out
  sreg.u32 r20, lane.x
  cvt.i32.u32 r25, r20
  mov_imm.i32 r29, 32
  mov_imm.i32 r30, 8
  mov_imm.i32 r31, 0
  mov_imm.i32 r33, 7
  mov_imm.i32 r21, )" +
                    start +
                    R"(
loop:
  )" + leaves + R"(
  bra.p0 @end
  )" + body + R"(
  ldg.i32 r23, [r1 + r22*4]
  add.i32 r31, r31, r23
  )" + step + R"(
  bra @loop
end:
  stg.i32 [r2 + r20*4], r31
  exit
)");
  };
  const std::string below = "setge.i32 p0, r21, r29";
  const std::string sum = "add.i32 r22, r21, r25";
  const std::string up = "add.i32 r21, r21, r30";
  const VerifiedProgram rising = steps("0", below, sum, up);
  EXPECT_EQ(TierFor(rising, {88, 64}, {}), "proved");
  EXPECT_EQ(TierFor(rising, {87, 64}, {}), "guarded");
  // 1, 9, 17 and 25.
  const VerifiedProgram odd = steps("1", below, sum, up);
  EXPECT_EQ(TierFor(odd, {89, 64}, {}), "proved");
  EXPECT_EQ(TierFor(odd, {88, 64}, {}), "guarded");
  // 31, 23, 15 and 7.
  const VerifiedProgram falling =
      steps("31", "setlt.i32 p0, r21, r33", "sub.i32 r22, r21, r33", "sub.i32 r21, r21, r30");
  EXPECT_EQ(TierFor(falling, {64, 64}, {}), "proved");
  // Where some rounds make a step of 7, it can be 31.
  const VerifiedProgram mixed = steps("0", below, sum,
                                      "setlt.i32 p1, r23, r31\n"
                                      "  bra.p1 @other\n"
                                      "  add.i32 r21, r21, r30\n"
                                      "  bra @loop\n"
                                      "other:\n"
                                      "  add.i32 r21, r21, r33");
  EXPECT_EQ(TierFor(mixed, {94, 64}, {}), "guarded");
  EXPECT_EQ(TierFor(mixed, {95, 64}, {}), "proved");
}

// `at += n` beside a counter: as many steps as that has made.
TEST(Loops, AnIndexThatRuns) {
  const auto runs = [](const std::string& first) {
    return Verified(R"(
.kernel runs
.param x f32[] in
.param y f32[] out
.param n u32
.param w u32
  sreg.u32 r20, global.x
  mov_imm.u32 r28, 1
  setge.u32 p0, r20, r3
  bra.p0 @done
  mov.u32 r21, r20
  mov_imm.u32 r22, 0
  mov_imm.f32 r31, 0x00000000
loop:
  setge.u32 p0, r22, r4
  bra.p0 @end
  ldg.f32 r30, [r1 + r21*4]
  add.f32 r31, r31, r30
)" + first + R"(
  add.u32 r21, r21, r3
next:
  add.u32 r22, r22, r28
  bra @loop
end:
  stg.f32 [r2 + r20*4], r31
done:
  exit
)");
  };
  const VerifiedProgram program = runs("");
  EXPECT_EQ(program.accesses().at(0).tier, Tier::kProved);
  EXPECT_EQ(program.accesses().at(0).stride, 1);
  EXPECT_EQ(TierFor(program, {20, 5}, {5, 4}), "proved");
  EXPECT_EQ(TierFor(program, {19, 5}, {5, 4}), "guarded");
  // Not in each round.
  EXPECT_EQ(runs("  setlt.f32 p1, r30, r31\n  bra.p1 @next\n").accesses().at(0).tier,
            Tier::kGuarded);
}

// range(id, n, grid_dim * block_dim) ends in every launch: the step is not 0, as no launch has 2^32
// lanes in a dimension.
TEST(Loops, StepsOfAllLanes) {
  const auto ends = [](const std::string& grid, const std::string& block) {
    const std::string start = "  mov.u32 r21, r20\n  sreg.u32 r26, " + grid + "\n  sreg.u32 r27, " +
                              block + "\n  mul.u32 r28, r26, r27\n";
    return Verified(StrideLoop(start)).loops().at(0).ends;
  };
  EXPECT_TRUE(ends("grid_dim.x", "block_dim.x"));
  EXPECT_FALSE(ends("grid_dim.x", "grid_dim.y"));
}

// int(get_global_id()) and back to 64 bits.
TEST(Loops, ConversionsThatKeepTheirOperand) {
  const VerifiedProgram program = Verified(R"(
.kernel converted
.param x f32[] in
.param y f32[] out
.param n i32
  sreg.u32 r20, global.x
  mov_imm.u32 r21, 2147483647
  min.u32 r22, r20, r21
  cvt.i32.u32 r23, r22
  setge.i32 p0, r23, r3
  bra.p0 @end
  cvt.i64.i32 r24, r23
  ldg.f32 r30, [r1 + r24*4]
  stg.f32 [r2 + r23*4], r30
end:
  exit
)");
  for (const AccessFact& access : program.accesses()) {
    EXPECT_EQ(access.tier, Tier::kProved);
    EXPECT_EQ(access.stride, 1);
  }
  const uint32_t smaller = PcOf(program, isa::Opcode::kMin);
  EXPECT_EQ(program.SameAs(smaller), 0u);
  EXPECT_EQ(program.SameAs(smaller + 1), 0u);
  EXPECT_EQ(program.SameAs(smaller - 1), std::nullopt);
  EXPECT_EQ(program.ShapeOf(smaller + 1), (ValueShape{Shape::kAffine, 1}));
  EXPECT_EQ(TierFor(program, {100, 100}, {100}), "proved");
  // 2^31 + 64 lanes: the last of them have one number as i32.
  constexpr hologram_launch_shape kMany{{(1u << 25) + 1, 1, 1}, {64, 1, 1}};
  EXPECT_NE(TierFor(program, {100, 100}, {100}, kMany), "proved");
}

TEST(Loops, AMinimumThatIsReachedKeepsNoOperand) {
  const VerifiedProgram program = Verified(R"(
.kernel smaller
.param x f32[] in
.param y f32[] out
  sreg.u32 r20, global.x
  mov_imm.u32 r21, 9
  min.u32 r22, r20, r21
  ldg.f32 r30, [r1 + r22*4]
  stg.f32 [r2 + r20*4], r30
  exit
)");
  EXPECT_EQ(program.SameAs(PcOf(program, isa::Opcode::kMin)), std::nullopt);
  EXPECT_EQ(program.accesses().at(0).stride, std::nullopt);
}

std::vector<std::string> EdgesOf(const VerifiedProgram& program) {
  std::vector<std::string> edges;
  for (const BasicBlock& block : program.blocks()) {
    std::string text;
    for (const uint32_t to : block.successors) {
      text += (text.empty() ? "" : " ") + (to == kExitBlock ? "exit" : std::to_string(to));
    }
    edges.push_back(text);
  }
  return edges;
}

// Blocks: 0 before, 1 head, 2 body with the step, 3 back, 4 end.
TEST(Loops, Copies) {
  const VerifiedProgram program = Verified(StrideLoop("  mov.u32 r21, r20\n"));
  ASSERT_EQ(EdgesOf(program), (std::vector<std::string>{"1", "4 2", "4 3", "1", "exit"}));
  ASSERT_EQ(program.loops().size(), 1u);
  const std::vector<uint32_t> blocks = BlocksOf(program, program.loops()[0]);
  ASSERT_EQ(blocks, (std::vector<uint32_t>{1, 2, 3}));
  const CopiedLoops copies = CopyLoops(program, {{blocks, {1}}});
  // 1 to 3 are the first copy, 4 parts the lanes, 5 to 7 the second. That no lane wraps is the
  // same for all: it leaves the first copy at once.
  EXPECT_EQ(EdgesOf(copies.program),
            (std::vector<std::string>{"1", "4 2", "8 3", "1", "8 6", "8 6", "8 7", "5", "exit"}));
  constexpr uint32_t kNo = CopiedLoops::kNoBlock;
  EXPECT_EQ(copies.second, (std::vector<uint32_t>{kNo, 5, 6, 7, kNo, kNo, kNo, kNo, kNo}));
  EXPECT_EQ(copies.parts,
            (std::vector<bool>{false, true, false, false, false, false, false, false, false}));
  EXPECT_EQ(copies.program.accesses().size(), 4u);
  ASSERT_EQ(copies.program.loops().size(), 2u);
  EXPECT_EQ(copies.program.loops()[0].header, 1u);
  EXPECT_EQ(copies.program.loops()[1].header, 5u);
  EXPECT_EQ(copies.program.loops()[1].back_edges, (std::vector<uint32_t>{7}));
  // The branch again, with the predicate that it reads live.
  const BasicBlock& parting = copies.program.blocks()[4];
  EXPECT_EQ(parting.end - parting.begin, 1u);
  const auto& live = copies.program.live_in()[4];
  EXPECT_NE(std::find(live.begin(), live.end(), isa::kNumRegisters), live.end());
  for (uint32_t pc = 0; pc < copies.program.program().code.size(); ++pc) {
    EXPECT_EQ(copies.program.SourcePc(pc), copies.original[pc]);
  }
}

TEST(Loops, BlocksThatDoNotFollowEachOther) {
  const VerifiedProgram program = Verified(R"(
.kernel apart
.param n u32
  mov_imm.u32 r20, 0
  mov_imm.u32 r21, 1
loop:
  add.u32 r20, r20, r21
  setge.u32 p0, r20, r1
  bra.p0 @end
  bra @rest
end:
  exit
rest:
  bra @loop
)");
  ASSERT_EQ(program.loops().size(), 1u);
  EXPECT_TRUE(BlocksOf(program, program.loops()[0]).empty());
}

}  // namespace
}  // namespace hologram::verify::test
