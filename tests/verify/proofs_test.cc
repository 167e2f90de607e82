// What is proved of the kernels that people write, under which launches, and what is refused.
#include <gtest/gtest.h>

#include "kernels.h"
#include "launch/fault_text.h"

namespace hologram::verify::test {

using launch::Fault;
namespace {

constexpr hologram_launch_shape k1D{{4, 1, 1}, {256, 1, 1}};

std::string Tiers(const VerifiedProgram& program) {
  std::string tiers;
  for (const AccessFact& access : program.accesses()) {
    tiers += access.tier == Tier::kProved ? 'p' : 'g';
  }
  return tiers;
}

std::string TierFor(const std::string& kernel, std::vector<uint64_t> extents,
                    std::vector<uint64_t> scalars, hologram_launch_shape shape) {
  const VerifiedProgram program = Verified(KernelText(kernel));
  return TierOf(program, TestLaunch(program, extents, scalars, shape).launch());
}

TEST(Proofs, EveryAccessOfTheSliceKernels) {
  for (const std::string& name : KernelNames()) {
    const std::string tiers = Tiers(Verified(KernelText(name)));
    const std::string expected = name == "gather" ? "pgp" : std::string(tiers.size(), 'p');
    EXPECT_EQ(tiers, expected) << name;
  }
}

TEST(Proofs, NoKernelOfTheSliceRaces) {
  for (const std::string& name : KernelNames()) {
    EXPECT_EQ(Verified(KernelText(name)).races().size(), 0u) << name;
  }
}

TEST(Proofs, Strides) {
  const VerifiedProgram stencil = Verified(KernelText("stencil"));
  for (const AccessFact& access : stencil.accesses()) EXPECT_EQ(access.stride, 1);
  const VerifiedProgram transpose = Verified(KernelText("transpose"));
  EXPECT_EQ(transpose.accesses()[0].stride, 1);
  EXPECT_EQ(transpose.accesses()[1].stride, std::nullopt);
  const VerifiedProgram gather = Verified(KernelText("gather"));
  EXPECT_EQ(gather.accesses()[1].stride, std::nullopt);
  const VerifiedProgram sum = Verified(KernelText("block_sum"));
  EXPECT_EQ(sum.accesses().back().stride, 0);
}

TEST(Proofs, LoopsThatEnd) {
  for (const char* name : {"gemm", "mandelbrot", "block_max", "block_sum", "newton_sqrt"}) {
    const VerifiedProgram program = Verified(KernelText(name));
    for (const LoopFact& loop : program.loops()) EXPECT_TRUE(loop.ends) << name;
  }
  const VerifiedProgram endless = Verified(R"(
.kernel k
.param n i32
  mov_imm.i32 r20, 1
  mov_imm.i32 r21, 0
loop:
  setgt.i32 p0, r20, r21
  bra.p0 @body
  bra @end
body:
  mov_imm.i32 r20, 1
  bra @loop
end:
  exit
)");
  ASSERT_EQ(endless.loops().size(), 1u);
  EXPECT_FALSE(endless.loops()[0].ends);
}

// What range(0, n, 256) becomes: the loop is also left where the next value wraps.
bool StridedLoopEnds(const std::string& step, const std::string& leave) {
  const VerifiedProgram program = Verified(
      ".kernel k\n.param n u32\n.param m u32\n"
      "  mov_imm.u32 r20, 0\n"
      "  mov_imm.u32 r21, 256\n"
      "loop:\n"
      "  setge.u32 p0, r20, r1\n"
      "  bra.p0 @end\n" +
      step + leave +
      "  bra.p0 @end\n"
      "  mov.u32 r20, r22\n"
      "  bra @loop\n"
      "end:\n"
      "  exit\n");
  return program.loops().at(0).ends;
}

TEST(Proofs, LoopsThatStopWhereTheyWrap) {
  const std::string add = "  add.u32 r22, r20, r21\n";
  EXPECT_TRUE(StridedLoopEnds(add, "  setlt.u32 p0, r22, r20\n"));
  EXPECT_TRUE(StridedLoopEnds(add, "  setgt.u32 p0, r20, r22\n"));
  EXPECT_TRUE(StridedLoopEnds(add, "  setle.u32 p0, r22, r20\n"));
  EXPECT_FALSE(StridedLoopEnds(add, "  setgt.u32 p0, r22, r2\n")) << "not against itself";
  EXPECT_FALSE(StridedLoopEnds(add, "  seteq.u32 p0, r22, r20\n"));
  // A step that is not known may be 0.
  EXPECT_FALSE(StridedLoopEnds("  add.u32 r22, r20, r2\n", "  setlt.u32 p0, r22, r20\n"));
}

TEST(Proofs, DivisionsByConstantsNeverFault) {
  const auto never = [](const std::string& divisor) {
    const VerifiedProgram program = Verified(".kernel k\n.param n u32\n" + divisor +
                                             "  mov.u32 r22, r21\n"
                                             "  div.u32 r20, r1, r22\n"
                                             "  exit\n");
    return program.NeverFaults(2);
  };
  EXPECT_TRUE(never("  mov_imm.u32 r21, 64\n"));
  EXPECT_FALSE(never("  mov_imm.u32 r21, 0\n"));
  EXPECT_FALSE(never("  mov.u32 r21, r1\n"));
}

TEST(Launch, ProvedExactlyWhenTheBuffersAreLargeEnough) {
  EXPECT_EQ(TierFor("saxpy", {1000, 1000, 1000}, {0, 1000}, k1D), "proved");
  EXPECT_EQ(TierFor("saxpy", {1000, 999, 1000}, {0, 1000}, k1D), "guarded");
  EXPECT_EQ(TierFor("saxpy", {0, 0, 0}, {0, 0}, k1D), "proved");
  // More elements than lanes.
  EXPECT_EQ(TierFor("saxpy", {1024, 1024, 1024}, {0, 5000}, k1D), "proved");
  constexpr hologram_launch_shape k2D{{3, 2, 1}, {16, 16, 1}};
  EXPECT_EQ(TierFor("flip_rows", {627, 627}, {19, 33}, k2D), "proved");
  EXPECT_EQ(TierFor("flip_rows", {627, 626}, {19, 33}, k2D), "guarded");
  EXPECT_EQ(TierFor("stencil", {627, 627}, {33, 19}, k2D), "proved");
  EXPECT_EQ(TierFor("transpose", {627, 627}, {33, 19}, k2D), "proved");
  EXPECT_EQ(TierFor("transpose", {627, 626}, {33, 19}, k2D), "guarded");
  EXPECT_EQ(TierFor("mandelbrot", {627}, {33, 19, 100}, k2D), "proved");
  EXPECT_EQ(TierFor("histogram", {1000, 256}, {1000}, k1D), "proved");
  EXPECT_EQ(TierFor("histogram", {1000, 255}, {1000}, k1D), "guarded");
  EXPECT_EQ(TierFor("gemm", {6, 12, 8}, {2, 4, 3}, k1D), "proved");
  EXPECT_EQ(TierFor("gemm", {6, 11, 8}, {2, 4, 3}, k1D), "guarded");
  EXPECT_EQ(TierFor("gemm_ld", {13, 24, 19}, {2, 4, 3, 10, 10, 15}, k1D), "proved");
  EXPECT_EQ(TierFor("gemm_ld", {12, 24, 19}, {2, 4, 3, 10, 10, 15}, k1D), "guarded");
  EXPECT_EQ(TierFor("count_above", {1000, 1}, {0, 1000}, k1D), "proved");
  EXPECT_EQ(TierFor("count_above", {1000, 0}, {0, 1000}, k1D), "guarded");
  constexpr hologram_launch_shape kBlocks{{4, 1, 1}, {64, 1, 1}};
  EXPECT_EQ(TierFor("block_sum", {200, 4}, {200}, kBlocks), "proved");
  EXPECT_EQ(TierFor("block_sum", {200, 3}, {200}, kBlocks), "guarded");
}

TEST(Launch, RefusesRaces) {
  const std::string two_rows =
      TierFor("saxpy", {1000, 1000, 1000}, {0, 1000}, {{4, 2, 1}, {256, 1, 1}});
  EXPECT_EQ(two_rows,
            "hologram: error: 'c' may be touched by several lanes of this launch at one element: "
            "grid.y*block.y (2) exceeds 1, so the result may depend on order; deterministic=False "
            "(library) "
            "or --nondeterministic (command) allows it\n");
  // Rows of C that overlap.
  EXPECT_NE(TierFor("gemm_ld", {13, 24, 19}, {2, 4, 3, 10, 10, 3}, k1D).find("deterministic"),
            std::string::npos);
}

TEST(Launch, ArgumentErrors) {
  const VerifiedProgram saxpy = Verified(KernelText("saxpy"));
  const TestLaunch good(saxpy, {8, 8, 8}, {0, 8}, k1D);
  Launch launch = good.launch();
  launch.buffers = launch.buffers.subspan(1);
  EXPECT_EQ(TierOf(saxpy, launch), "hologram: error: 'saxpy' expects 3 buffers, found 2\n");
  launch = good.launch();
  launch.shape.block[0] = 2048;
  EXPECT_EQ(TierOf(saxpy, launch), "hologram: error: block.x is 2048, the limit is 1024\n");
  launch = good.launch();
  launch.shape.grid[1] = 0;
  EXPECT_EQ(TierOf(saxpy, launch), "hologram: error: grid.y is 0, expected at least 1\n");
  std::vector<hologram_buffer_ref> buffers(good.launch().buffers.begin(),
                                           good.launch().buffers.end());
  buffers[0].data = static_cast<char*>(buffers[0].data) + 2;
  launch = good.launch();
  launch.buffers = buffers;
  EXPECT_EQ(TierOf(saxpy, launch), "proved");  // any address
  const VerifiedProgram counts = Verified(
      ".kernel k\n.param a f32[] inout\n.param c u32[] inout\n  sreg.u32 r20, global.x\n"
      "  mov_imm.u32 r21, 1\n  atg.add.u32 r31, [r2 + r21*4], r20\n  exit\n");
  EXPECT_FALSE(counts.NeedsAlignment(0));
  EXPECT_TRUE(counts.NeedsAlignment(1));
}

TEST(Launch, Aliases) {
  const VerifiedProgram saxpy = Verified(KernelText("saxpy"));
  const TestLaunch memory(saxpy, {8, 8, 8}, {0, 8}, k1D);
  std::vector<hologram_buffer_ref> buffers(memory.launch().buffers.begin(),
                                           memory.launch().buffers.end());
  Launch launch = memory.launch();
  launch.buffers = buffers;
  buffers[0] = buffers[1];
  EXPECT_EQ(TierOf(saxpy, launch), "proved");  // two inputs
  buffers[2] = buffers[1];
  EXPECT_EQ(TierOf(saxpy, launch), "proved");  // in place, element by element
  buffers[2].bytes -= 4;
  EXPECT_EQ(TierOf(saxpy, launch),
            "hologram: error: buffers 'x' and 'c' overlap in part; they must be the same memory or "
            "apart\nhologram: error: buffers 'y' and 'c' overlap in part; they must be the same "
            "memory or apart\n");
  const VerifiedProgram transpose = Verified(KernelText("transpose"));
  const TestLaunch square(transpose, {9, 9}, {3, 3}, {{1, 1, 1}, {4, 4, 1}});
  std::vector<hologram_buffer_ref> same(2, square.launch().buffers[0]);
  launch = square.launch();
  launch.buffers = same;
  EXPECT_EQ(TierOf(transpose, launch),
            "hologram: error: buffers 'src' and 'dst' share memory, one of them is written and not "
            "every lane keeps to its own element; give them memory of their own\n");
}

// An input that is not read may lie anywhere, an output that is not written may not.
TEST(Launch, WhatIsNotReadMayShareMemory) {
  constexpr const char* kText = R"(
.kernel k
.param a f32[] DIRECTION
.param b f32[] in
.param c f32[] out
  sreg.u32 r20, global.x
  ldg.f32 r22, [r2 + r20*4]
  stg.f32 [r3 + r20*4], r22
  exit
)";
  for (const char* direction : {"in", "inout"}) {
    std::string text = kText;
    text.replace(text.find("DIRECTION"), 9, direction);
    const VerifiedProgram program = Verified(text);
    const TestLaunch memory(program, {8, 8, 8}, {}, {{1, 1, 1}, {8, 1, 1}});
    std::vector<hologram_buffer_ref> buffers(memory.launch().buffers.begin(),
                                             memory.launch().buffers.end());
    Launch launch = memory.launch();
    launch.buffers = buffers;
    buffers[0] = buffers[2];
    const std::string expected =
        direction == std::string("in")
            ? "proved"
            : "hologram: error: buffers 'a' and 'c' share memory, one of them is written and not "
              "every lane keeps to its own element; give them memory of their own\n";
    EXPECT_EQ(TierOf(program, launch), expected);
    buffers[0].bytes -= 4;
    EXPECT_EQ(TierOf(program, launch), expected);
  }
}

// Only a launch that shares memory would need u8(i) to be i.
TEST(Launch, WhatOnlySharingNeeds) {
  const VerifiedProgram program = Verified(R"(
.kernel k
.param a f32[] in
.param c f32[] out
  sreg.u32 r20, global.x
  cvt.u8.u32 r21, r20
  ldg.f32 r22, [r1 + r21*4]
  stg.f32 [r2 + r20*4], r22
  exit
)");
  const TestLaunch memory(program, {256, 300}, {}, {{3, 1, 1}, {100, 1, 1}});
  EXPECT_EQ(TierOf(program, memory.launch()), "guarded");
  Launch launch = memory.launch();
  std::vector<hologram_buffer_ref> same(2, launch.buffers[1]);
  launch.buffers = same;
  EXPECT_EQ(TierOf(program, launch),
            "hologram: error: buffers 'a' and 'c' share memory, one of them is written and not "
            "every lane keeps to its own element; give them memory of their own\n");
}

TEST(Refused, BarrierThatSomeLanesReach) {
  EXPECT_EQ(ErrorsOf(R"(
.kernel k
  sreg.u32 r20, lane.x
  mov_imm.u32 r21, 0
  setne.u32 p0, r20, r21
  bra.p0 @end
  bar.sync 0
end:
  mov_imm.u32 r22, 0
  exit
)"),
            "hologram: error: barrier() is reached by some lanes of a block only: it stands under "
            "a condition that depends on the lane\n");
  // A lane that has returned is not waited for.
  EXPECT_EQ(ErrorsOf(R"(
.kernel k
  sreg.u32 r20, lane.x
  mov_imm.u32 r21, 0
  setne.u32 p0, r20, r21
  bra.p0 @go
  exit
go:
  bar.sync 0
  exit
)"),
            "");
}

// A jump to an exit is a return, also where others come to the same exit later.
TEST(Refused, NoBarrierAfterAJumpToTheExit) {
  const auto text = [](const std::string& first, const std::string& end) {
    return ".kernel k\n  sreg.u32 r20, lane.x\n  mov_imm.u32 r21, 8\n  setge.u32 p0, r20, r21\n" +
           first + "  bar.sync 0\n  bar.sync 1\n" + end;
  };
  EXPECT_EQ(ErrorsOf(text("  bra.p0 @end\n", "end:\n  exit\n")), "");
  EXPECT_EQ(ErrorsOf(text("  bra.p0 @end\n", "end:\n")), "");
  EXPECT_EQ(ErrorsOf(text("  bra.p0 @end\n  mov_imm.u32 r22, 0\n  seteq.u32 p1, r20, r22\n"
                          "  bra.p1 @end\n",
                          "end:\n  exit\n")),
            "");
  // Lanes that wait for the others there have not returned.
  EXPECT_NE(ErrorsOf(text("  bra.p0 @end\n", "end:\n  bar.sync 0\n  exit\n")), "");
  EXPECT_NE(ErrorsOf(text("  bra.p0 @end\n", "end:\n  mov_imm.u32 r22, 0\n  exit\n")), "");
  // The others part before the barrier.
  EXPECT_NE(ErrorsOf(text("  bra.p0 @end\n  mov_imm.u32 r22, 0\n  seteq.u32 p1, r20, r22\n"
                          "  bra.p1 @one\n  bar.sync 0\n  bra @end\none:\n",
                          "end:\n  exit\n")),
            "");
}

// `if a { if b { return } <more> } <more> barrier()`, with the lanes that returned not waited for.
TEST(Refused, BarrierAfterANestedReturn) {
  const auto text = [](const std::string& inner, const std::string& after) {
    return ".kernel k\n  sreg.u32 r20, lane.x\n  mov_imm.u32 r21, 8\n"
           "  setge.u32 p0, r20, r21\n  setge.u32 p1, r20, r20\n  bra.p0 @join\n  and.u32 r22, "
           "r20, r21\n  seteq.u32 p1, r22, r21\n  bra.p1 @stay\n  exit\nstay:\n" +
           inner + "join:\n" + after + "  exit\n";
  };
  const std::string refused =
      "hologram: error: barrier() is reached by some lanes of a block only: it stands under a "
      "condition that depends on the lane\n";
  EXPECT_EQ(ErrorsOf(text("", "  bar.sync 0\n")), "");
  EXPECT_EQ(ErrorsOf(text("", "  bar.sync 0\n  bar.sync 0\n")), "");
  EXPECT_EQ(ErrorsOf(text("  bar.sync 0\n", "  bar.sync 0\n")), refused + refused);
  // In a loop that ends at the same time for all lanes, or not, with a barrier after it.
  const std::string loop = R"(
.kernel k
.param n u32
  sreg.u32 r20, lane.x
  mov_imm.u32 r21, 8
  mov_imm.u32 r22, 0
  mov_imm.u32 r23, 1
  setge.u32 p0, r20, r21
  bra @test
again:
  bra.p0 @join
  setge.u32 p1, r20, r22
  bra.p1 @join
  exit
join:
  bar.sync 0
  add.u32 r22, r22, r23
test:
  setlt.u32 p2, r22, r1
  bra.p2 @again
  bar.sync 1
  exit
)";
  EXPECT_EQ(ErrorsOf(loop), "");
  std::string uneven = loop;
  uneven.replace(uneven.find("r22, r1\n"), 7, "r22, r20");
  EXPECT_EQ(ErrorsOf(uneven), refused + refused);
}

TEST(Refused, Types) {
  EXPECT_EQ(ErrorsOf(".kernel k\n  add.u32 r20, r21, r21\n  exit\n"),
            "hologram: error: instruction 0: r21 is read before it is set\nhologram: error: "
            "instruction 0: r21 is read before it is set\n");
  EXPECT_EQ(ErrorsOf(".kernel k\n.param n u32\n  mov_imm.u32 r1, 3\n  exit\n"),
            "hologram: error: instruction 0: r1 holds parameter 'n' and cannot be written\n");
  EXPECT_EQ(ErrorsOf(".kernel k\n.param n u32\n  neg.i32 r20, r1\n  exit\n"),
            "hologram: error: instruction 0: expected i32 in r1, found u32\n");
  EXPECT_EQ(ErrorsOf(".kernel k\n.param c f32[] out\n.param n u32\n  ldg.f32 r20, [r1 + r2*4]\n"
                     "  exit\n"),
            "hologram: error: instruction 0: 'c' is an output and cannot be read; declare it "
            "inout\n");
}

TEST(Races, WritesAtADataIndex) {
  const VerifiedProgram program = Verified(R"(
.kernel k
.param a f32[] in
.param c f32[] out
.param n u32
  sreg.u32 r20, global.x
  setge.u32 p0, r20, r3
  bra.p0 @end
  ldg.f32 r21, [r1 + r20*4]
  cvt.i32.f32 r22, r21
  stg.f32 [r2 + r22*4], r21
end:
  exit
)");
  ASSERT_EQ(program.races().size(), 1u);
  EXPECT_NE(program.races()[0].message.find("is written at an index that depends on data"),
            std::string::npos);
  EXPECT_EQ(Tiers(program), "pg");
}

std::string RaceOf(const std::string& text) {
  const VerifiedProgram program = Verified(text);
  return program.races().empty() ? "" : program.races()[0].message;
}

TEST(Races, AtomicsNameTheReason) {
  const std::string suffix =
      ", so the result may depend on order; deterministic=False (library) or --nondeterministic "
      "(command) allows it";
  const auto kernel = [](const std::string& body) {
    return ".kernel k\n.param c i32[] inout\n.shared s i32 4\n  sreg.u32 r20, lane.x\n"
           "  mov_imm.u32 r21, 0\n  mov_imm.i32 r22, 1\n" +
           body + "  exit\n";
  };
  const std::string add = "  atg.add.i32 r23, [r1 + r21*4], r22\n";
  EXPECT_EQ(RaceOf(kernel(add + add)), "");
  EXPECT_EQ(RaceOf(kernel("  atg.exchange.i32 r23, [r1 + r21*4], r22\n")),
            "c is exchanged atomically and keeps what the last lane puts there" + suffix);
  EXPECT_EQ(RaceOf(kernel(add + "  neg.i32 r23, r23\n")),
            "c is updated atomically and its old value is used" + suffix);
  EXPECT_EQ(RaceOf(kernel(add + "  atg.max.i32 r23, [r1 + r21*4], r22\n")),
            "c is updated by different atomic operations" + suffix);
  EXPECT_EQ(RaceOf(kernel(add + "  ldg.i32 r23, [r1 + r20*4]\n")),
            "c is updated atomically and accessed in another way" + suffix);
  EXPECT_EQ(
      RaceOf(kernel("  ldg.i32 r24, [r1 + r20*4]\n  ats.exchange.i32 r23, [s0 + r24*4], r22\n")),
      "s is exchanged atomically and keeps what the last lane puts there" + suffix);
}

// Casts saturate; a launch in which that happens is none that they were meant for.
TEST(Races, CastsOfIds) {
  const auto kernel = [](const std::string& casts) {
    return ".kernel k\n.param x f32[] in\n.param y f32[] out\n.param n i32\n"
           "  sreg.u32 r20, global.x\n  mov_imm.u32 r21, 2147483647\n  mov_imm.i32 r22, 0\n" +
           casts +
           "  bra.p0 @end\n  ldg.f32 r30, [r1 + r25*4]\n  stg.f32 [r2 + r25*4], r30\nend:\n"
           "  exit\n";
  };
  const std::string signed_id = "  min.u32 r23, r20, r21\n  cvt.i32.u32 r25, r23\n";
  for (const std::string& casts :
       {signed_id + "  setge.i32 p0, r25, r3\n",
        // And back: no negative id.
        signed_id + "  max.i32 r26, r25, r22\n  cvt.u32.i32 r25, r26\n  max.i32 r27, r3, r22\n" +
            "  cvt.u32.i32 r28, r27\n  setge.u32 p0, r25, r28\n"}) {
    const VerifiedProgram program = Verified(kernel(casts));
    EXPECT_TRUE(program.races().empty()) << casts;
    EXPECT_EQ(Tiers(program), "pp") << casts;
    for (const AccessFact& access : program.accesses()) EXPECT_EQ(access.stride, 1);
    EXPECT_EQ(TierOf(program, TestLaunch(program, {1000, 1000}, {1000}, k1D).launch()), "proved");
    EXPECT_EQ(TierOf(program, TestLaunch(program, {1000, 999}, {1000}, k1D).launch()), "guarded");
    // 2^31 lanes and one block of them.
    constexpr hologram_launch_shape kMany{{(1u << 21) + 1, 1, 1}, {1024, 1, 1}};
    const std::string many =
        TierOf(program, TestLaunch(program, {1000, 1000}, {1000}, kMany).launch());
    EXPECT_NE(many, "proved") << casts;
  }
}

// Lanes that jump over an assignment, straight to where the others go on, have another value there.
TEST(Barriers, UnderAValueThatSomeLanesChanged) {
  const std::string text = R"(.kernel k
.param n u32
  sreg.u32 r10, lane.x
  mov_imm.u32 r11, 2
  mov.u32 r12, r1
  setle.u32 p0, r10, r11
  bra.p0 @L1
  mov.u32 r12, r11
L1:
  setlt.u32 p1, r12, r1
  bra.p1 @L2
  bar.sync 0
L2:
  bar.sync 1
  exit
)";
  EXPECT_NE(ErrorsOf(text).find("is reached by some lanes of a block only"), std::string::npos)
      << ErrorsOf(text);
  std::string uniform = text;
  uniform.replace(uniform.find("lane.x"), 6, "block.x");
  EXPECT_EQ(ErrorsOf(uniform), "");
}

TEST(Races, SharedMemoryWithoutABarrier) {
  std::string text = KernelText("block_sum");
  const size_t barrier = text.rfind("bar.sync 0");
  text.erase(barrier, 10);
  EXPECT_GT(Verified(text).races().size(), 0u);
}

TEST(Faults, AreDescribed) {
  isa::Program source = Assembled(KernelText("saxpy"));
  source.source_file = "blur.py";
  source.debug.resize(source.code.size());
  source.debug[4] = {12, 18, "x[i + 2]", {}};
  source.debug[7] = {13, 5, "c[i]", {}};
  const VerifiedProgram program = Verify(source).value();
  const TestLaunch memory(program, {500, 500, 500}, {0, 498}, k1D);
  Fault fault{HOLOGRAM_FAULT_OUT_OF_BOUNDS, 4, 498, 500, "i = 498"};
  EXPECT_EQ(ToString(DescribeFault(program, memory.launch(), fault)),
            "blur.py:12:18: error: x[i + 2] reads element 500 of 500 (i = 498)");
  fault = {HOLOGRAM_FAULT_OUT_OF_BOUNDS, 7, 0, -1, ""};
  EXPECT_EQ(DescribeFault(program, memory.launch(), fault).message,
            "c[i] writes element -1 of 500");
  fault = {HOLOGRAM_FAULT_DIVISION_BY_ZERO, 4, 0, 0, ""};
  EXPECT_EQ(DescribeFault(program, memory.launch(), fault).message, "division by zero: x[i + 2]");
  EXPECT_EQ(DescribeFault(program, memory.launch(), fault).fault->code, fault.code);
  Launch launch = memory.launch();
  launch.budget = 100000;
  fault = {HOLOGRAM_FAULT_BUDGET, 4, 0, 0, ""};
  EXPECT_EQ(DescribeFault(program, launch, fault).message,
            "the loop ran past its budget of 100000 rounds: x[i + 2]; budget= (library) or "
            "--budget (command) allows more");
}

TEST(Faults, HaveTheOperandsThatDecide) {
  const VerifiedProgram program = Verified(R"(.kernel k
.param a i16[] inout
.param n i16
  sreg.u32 r5, global.x
  cvt.i16.u32 r6, r5
  ldg.i16 r7, [r1 + r5*2 - 6]
  div.i16 r8, r7, r6
  stg.i16 [r1 + r5*2], r8
  exit
)");
  const TestLaunch memory(program, {500}, {7}, {{3, 2, 1}, {4, 2, 1}});
  const auto record = [&](Fault fault) {
    return DescribeFault(program, memory.launch(), fault).fault;
  };
  // Lane 29 is lane 5 of block 3, which is block 0,1.
  const auto outside = record({HOLOGRAM_FAULT_OUT_OF_BOUNDS, 2, 29, -2, {}});
  EXPECT_EQ(outside->block, (std::array<uint32_t, 3>{0, 1, 0}));
  EXPECT_EQ(outside->lane_in_block, (std::array<uint32_t, 3>{1, 1, 0}));
  EXPECT_EQ(outside->index, -2);
  EXPECT_EQ(outside->extent, 500u);
  ASSERT_EQ(outside->operands.size(), 1u);
  EXPECT_EQ(outside->operands[0].reg, 5u);
  EXPECT_EQ(outside->operands[0].value, "1");
  const auto divided = record({HOLOGRAM_FAULT_DIVISION_BY_ZERO, 3, 0, -9, {}});
  ASSERT_EQ(divided->operands.size(), 2u);
  EXPECT_EQ(divided->operands[0].reg, 7u);
  EXPECT_EQ(divided->operands[0].type, "i16");
  EXPECT_EQ(divided->operands[0].bits, 0xfff7u);
  EXPECT_EQ(divided->operands[0].value, "-9");
  EXPECT_EQ(divided->operands[1].reg, 6u);
  EXPECT_EQ(divided->operands[1].value, "0");
  EXPECT_TRUE(record({HOLOGRAM_FAULT_BUDGET, 3, 0, 0, {}})->operands.empty());
}

TEST(Explanations, NameTheRange) {
  const VerifiedProgram saxpy = Verified(KernelText("saxpy"));
  EXPECT_EQ(Explain(saxpy)[0],
            "saxpy: instruction 4: proved  x  index 0 .. min(grid.x*block.x, n) - 1 of x");
  const VerifiedProgram gather = Verified(KernelText("gather"));
  EXPECT_EQ(Explain(gather)[1],
            "gather: instruction 4: guarded  src  no bounds of the index are known before it is "
            "computed");
}

}  // namespace
}  // namespace hologram::verify::test
