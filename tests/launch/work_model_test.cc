#include "launch/work_model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "assembled.h"
#include "launch/facts.h"

namespace hologram::launch {
namespace {

verify::VerifiedProgram VerifiedLoop(const std::string& text) {
  auto verified = verify::Verify(test::Assembled(text));
  EXPECT_TRUE(verified.ok()) << ToString(verified.errors()[0]);
  return std::move(verified).value();
}

// out[i] = the sum of `bound` equal terms. What stands at @N says how often the loop goes round.
std::string LoopUntil(const std::string& limit, const std::string& type) {
  return ".kernel rounds\n.param out f32[] out\n.param n " + type + R"(
  sreg.u32 r10, global.x
  mov_imm.f32 r11, 0
)" + limit +
         R"(
  mov_imm.)" +
         type + R"( r13, 0
again:
  setge.)" +
         type + R"( p0, r13, r12
  bra.p0 @end
  add.f32 r11, r11, r11
  exp.f32 r11, r11
  mov_imm.)" +
         type + R"( r14, 1
  add.)" +
         type + R"( r13, r13, r14
  bra @again
end:
  stg.f32 [r1 + r10*4], r11
  exit
)";
}

bool MaySplit(const std::string& text) {
  const VerifiedProgram program = VerifiedLoop(text);
  return KernelFacts(program).may_split;
}

TEST(WorkModel, AddsUpWhatALaneDoes) {
  const VerifiedProgram program = VerifiedLoop(test::kAddText);
  const WorkModel add(program);
  EXPECT_TRUE(KernelFacts(program).may_split);
  const double ns = add.LaneNs(std::vector<uint64_t>{1000});
  EXPECT_GT(ns, 0.03);
  EXPECT_LT(ns, 0.3);
  Launch launch;
  launch.shape = {{100, 2, 1}, {64, 1, 4}};
  EXPECT_DOUBLE_EQ(add.LaunchNs(launch), 100 * 2 * 64 * 4 * ns);
}

TEST(WorkModel, LoopsCountAsOftenAsTheyGoRound) {
  const WorkModel constant(VerifiedLoop(LoopUntil("  mov_imm.u32 r12, 100", "u32")));
  const WorkModel scalar(VerifiedLoop(LoopUntil("  mov.u32 r12, r2", "u32")));
  const WorkModel negative(VerifiedLoop(LoopUntil("  mov.i32 r12, r2", "i32")));
  const double once = scalar.LaneNs(std::vector<uint64_t>{1});
  const auto rounds = [&](const WorkModel& model, uint64_t n) {
    return model.LaneNs(std::vector<uint64_t>{n}) / once;
  };
  EXPECT_NEAR(rounds(scalar, 100), rounds(constant, 1), 1e-9);
  EXPECT_GT(rounds(scalar, 100), 50);
  EXPECT_GT(rounds(scalar, 1000), 500);
  EXPECT_NEAR(rounds(constant, 5), rounds(constant, 7), 1e-9);
  EXPECT_NEAR(rounds(negative, 0xffffffff), rounds(negative, 1), 1e-9);  // -1
  EXPECT_NEAR(scalar.LaneNs(100.0), scalar.LaneNs(std::vector<uint64_t>{100}), 1e-9);
}

// What is short by the product of scalars is so by the sum, and only data have no such limit.
TEST(WorkModel, TheProductIsALimit) {
  const std::string nested = R"(
.kernel nested
.param out f32[] out
.param n u32
.param m u32
  sreg.u32 r10, global.x
  mov_imm.f32 r11, 0
  mov_imm.u32 r14, 1
  mov_imm.u32 r13, 0
outer:
  setge.u32 p0, r13, r2
  bra.p0 @end
  mov_imm.u32 r15, 0
inner:
  setge.u32 p1, r15, r3
  bra.p1 @next
  exp.f32 r11, r11
  add.u32 r15, r15, r14
  bra @inner
next:
  add.u32 r13, r13, r14
  bra @outer
end:
  stg.f32 [r1 + r10*4], r11
  exit
)";
  const WorkModel two(VerifiedLoop(nested));
  const WorkModel one(VerifiedLoop(LoopUntil("  mov.u32 r12, r2", "u32")));
  const WorkModel none(VerifiedLoop(test::kAddText));
  EXPECT_TRUE(none.limit_of_lane()->scalars.empty());
  EXPECT_EQ(one.limit_of_lane()->scalars, std::vector<uint32_t>{0});
  EXPECT_EQ(two.limit_of_lane()->scalars, (std::vector<uint32_t>{0, 1}));
  for (const WorkModel* model : {&two, &one, &none}) {
    const WorkModel::Product limit = *model->limit_of_lane();
    for (const uint64_t n : {0u, 1u, 7u, 1000u}) {
      for (const uint64_t m : {0u, 1u, 300u}) {
        const std::vector<uint64_t> scalars = {n, m};
        double most = limit.ns;
        for (const uint32_t scalar : limit.scalars) {
          most *= static_cast<double>(std::max<uint64_t>(scalars[scalar], 1));
        }
        EXPECT_LE(model->LaneNs(scalars), most * (1 + 1e-12)) << n << ", " << m;
        Launch launch;
        launch.shape = {{2, 1, 1}, {8, 1, 1}};
        launch.scalars = scalars;
        EXPECT_TRUE(model->IsSurelyBelow(launch, 17 * most));
        EXPECT_FALSE(model->IsSurelyBelow(launch, model->LaunchNs(launch) * (1 - 1e-12)));
      }
    }
  }
}

// The limit holds for every launch: what is compared with a scalar but does not end by it is no
// limit.
TEST(WorkModel, TheLimitIsNoGuess) {
  const auto of = [](const std::string& loop, const std::string& last) {
    return WorkModel(VerifiedLoop(R"(
.kernel rounds
.param out u32[] out
.param n u32
.param m u32
  sreg.u32 r10, global.x
  mov_imm.u32 r11, 0
  mov_imm.u32 r14, 1
)" + loop + R"(
again:
  setle.u32 p0, )" + last + R"(
  bra.p0 @end
  mul.u32 r11, r11, r14
)" +
                                  (loop.find("r13, r2") == std::string::npos
                                       ? "  add.u32 r13, r13, r14\n"
                                       : "  sub.u32 r13, r13, r14\n") +
                                  R"(
  bra @again
end:
  stg.u32 [r1 + r10*4], r11
  exit
)"));
  };
  const auto ns = [](const WorkModel& model, uint64_t n, uint64_t m) {
    return model.MostLaneNs(std::vector<uint64_t>{n, m});
  };
  const WorkModel down = of("  mov.u32 r13, r2", "r13, r3");  // from n down to m
  EXPECT_GT(ns(down, 1u << 30, 1), 1e6);
  ASSERT_TRUE(down.limit_of_lane());
  EXPECT_EQ(down.limit_of_lane()->scalars, std::vector<uint32_t>{0});
  // Up from 0, all lanes alike: no less for that.
  const WorkModel up = of("  mov_imm.u32 r13, 0", "r2, r13");
  EXPECT_GT(ns(up, 1u << 30, 0), 1e6);
  EXPECT_LT(ns(up, 1, 0), 1);
  // It goes past m, or not: counted on the budget.
  const WorkModel past(VerifiedLoop(R"(
.kernel past
.param out u32[] out
.param m u32
  sreg.u32 r10, global.x
  mov_imm.u32 r13, 0
  mov_imm.u32 r14, 2
again:
  seteq.u32 p0, r13, r2
  bra.p0 @end
  add.u32 r13, r13, r14
  bra @again
end:
  stg.u32 [r1 + r10*4], r13
  exit
)"));
  EXPECT_FALSE(past.limit_of_lane());
  EXPECT_GT(past.MostLaneNs(std::vector<uint64_t>{4}), 1e18);
}

// Threads that update the same elements get in each other's way.
TEST(WorkModel, ContentionIsNotWorthIt) {
  const auto counts = [](const std::string& work) {
    return WorkModel(VerifiedLoop(R"(
.kernel counts
.param in u32[] in
.param out u32[] inout
  sreg.u32 r3, global.x
  ldg.u32 r4, [r1 + r3*4]
  mov_imm.u32 r5, 1
)" + work + R"(
  atg.add.u32 r6, [r2 + r4*4], r5
  exit
)"));
  };
  Launch launch;
  launch.shape = {{1000, 1, 1}, {256, 1, 1}};
  const WorkModel histogram = counts("");
  EXPECT_GT(histogram.SplitNs(launch, 16), histogram.LaunchNs(launch));
  std::string long_work = "  cvt.f32.u32 r7, r4\n";
  for (int k = 0; k < 150; ++k) long_work += "  exp.f32 r7, r7\n";
  const WorkModel busy = counts(long_work);
  EXPECT_LT(busy.SplitNs(launch, 16), busy.LaunchNs(launch));
  const WorkModel add(VerifiedLoop(test::kAddText));
  launch.scalars = {};
  EXPECT_DOUBLE_EQ(add.SplitNs(launch, 2), add.LaunchNs(launch) / 2);
}

TEST(WorkModel, WhatMayNotRunAtOnce) {
  EXPECT_FALSE(MaySplit(R"(
.kernel scatter
.param out u32[] out
.param at u32[] in
  sreg.u32 r3, global.x
  ldg.u32 r4, [r2 + r3*4]
  stg.u32 [r1 + r4*4], r3
  exit
)"));
  EXPECT_FALSE(MaySplit(R"(
.kernel stream
.param out u32[] out
  sreg.u32 r2, global.x
  phase.get.u32 r3
  stg.u32 [r1 + r2*4], r3
  exit
)"));
  EXPECT_TRUE(MaySplit(R"(
.kernel counts
.param out u32[] inout
  sreg.u32 r2, global.x
  mov_imm.u32 r3, 0
  atg.add.u32 r4, [r1 + r3*4], r2
  exit
)"));
}

}  // namespace
}  // namespace hologram::launch
