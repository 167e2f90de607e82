// What is decided about launches, without any engine. That the generated check is the twin of this
// is tested by tests/codegen/entry_test.cc.
#include "launch/way.h"

#include <gtest/gtest.h>

#include <vector>

#include "assembled.h"

namespace hologram::launch {
namespace {

// c[i] = a[i] + b[i] for i below n.
class WayTest : public testing::Test {
 protected:
  static CodeFacts Compiled() { return {true, true, 0, HOLOGRAM_UNIT_LANE}; }

  // A launch of `blocks` blocks of 256 lanes on `elements` elements.
  Result<Way> Of(uint64_t n, uint32_t blocks, uint64_t elements, const Limits& limits) {
    scalars_ = {n};
    buffers_.clear();
    for (uint64_t k = 0; k < 3; ++k) {
      buffers_.push_back({reinterpret_cast<void*>((k + 1) << 40), 4 * elements});
    }
    launch_.buffers = buffers_;
    launch_.scalars = scalars_;
    launch_.shape = {{blocks, 1, 1}, {256, 1, 1}};
    const Result<Way> way = WayOf(facts_, launch_, limits);
    const bool entry = way.ok() && way.value().form == Form::kEntry;
    EXPECT_EQ(limits.code.exists &&
                  (limits.wanted == Engine::kAuto || limits.wanted == Engine::kCpu) &&
                  !limits.declined && TakesEntry(facts_, launch_, limits),
              entry);
    return way;
  }

  const VerifiedProgram program_ = verify::Verify(test::Assembled(test::kAddText)).value();
  const KernelFacts facts_{program_};
  Launch launch_;
  std::vector<hologram_buffer_ref> buffers_;
  std::vector<uint64_t> scalars_;
};

TEST_F(WayTest, FactsOfAKernelWithoutSurprises) {
  EXPECT_TRUE(facts_.order_free && facts_.may_split && facts_.one_dimensional &&
              facts_.writes_array);
  EXPECT_FALSE(facts_.needs_session || facts_.shape_parameters || facts_.has_rank ||
               facts_.has_loops || facts_.counts_rounds);
  EXPECT_EQ(facts_.num_buffers, 3u);
  EXPECT_EQ(facts_.num_scalars, 1u);
  EXPECT_TRUE(facts_.may_enter_default(0));
  EXPECT_FALSE(facts_.may_enter_default(4));
}

TEST_F(WayTest, SmallLaunchesTakeTheEntry) {
  Limits limits;
  limits.code = Compiled();
  const Result<Way> way = Of(1000, 4, 1000, limits);
  ASSERT_TRUE(way.ok());
  EXPECT_EQ(way.value().form, Form::kEntry);
  EXPECT_EQ(way.value().engine, Engine::kCpu);
  EXPECT_EQ(way.value().threads, 1u);
}

TEST_F(WayTest, LargeLaunchesAreSplitOrStreamOrBoth) {
  Limits limits;
  limits.code = Compiled();
  limits.parallelism.threads = 4;
  Result<Way> way = Of(1 << 22, 1 << 14, 1 << 22, limits);
  ASSERT_TRUE(way.ok());
  EXPECT_EQ(way.value().form, Form::kSplit);
  EXPECT_EQ(way.value().threads, 4u);
  EXPECT_FALSE(way.value().streaming);
  limits.streaming_bytes = 1 << 20;
  way = Of(1 << 22, 1 << 14, 1 << 22, limits);
  EXPECT_EQ(way.value().form, Form::kSplit);
  EXPECT_TRUE(way.value().streaming);
  limits.parallelism.threads = 1;
  way = Of(1 << 22, 1 << 14, 1 << 22, limits);
  EXPECT_EQ(way.value().form, Form::kParts);
  EXPECT_TRUE(way.value().streaming);
  EXPECT_GE(way.value().units_per_part, uint64_t{1} << 22);
  limits.streaming_bytes = UINT64_MAX;
  EXPECT_EQ(Of(1 << 22, 1 << 14, 1 << 22, limits).value().form, Form::kEntry);
  // So long that something has to look at what stops it.
  const Result<Way> parts = Of(0xffffff00, 0xffffff, 0xffffff00, limits);
  ASSERT_TRUE(parts.ok());
  EXPECT_EQ(parts.value().form, Form::kParts);
  EXPECT_LT(parts.value().units_per_part, 0xffffff00u);
}

// What has just been read is in the cache: a store beside the cache would take it out first.
TEST_F(WayTest, WhatIsReadIsNotStreamedTo) {
  Limits limits;
  limits.code = Compiled();
  limits.streaming_bytes = 1 << 20;
  ASSERT_TRUE(Of(1 << 22, 1 << 14, 1 << 22, limits).value().streaming);
  for (const size_t input : {size_t{0}, size_t{1}}) {
    const void* const before = buffers_[input].data;
    buffers_[input].data = buffers_[2].data;
    EXPECT_FALSE(WayOf(facts_, launch_, limits).value().streaming);
    buffers_[input].data = const_cast<void*>(before);
  }
  EXPECT_TRUE(WayOf(facts_, launch_, limits).value().streaming);
}

TEST_F(WayTest, WithoutCodeOrOnRequestItIsInterpreted) {
  Limits limits;
  limits.why_no_code = "there is no compiler";
  Result<Way> way = Of(1000, 4, 1000, limits);
  ASSERT_TRUE(way.ok());
  EXPECT_EQ(way.value().form, Form::kInterpreted);
  EXPECT_EQ(way.value().engine, Engine::kInterpreter);
  EXPECT_EQ(way.value().reason, "there is no compiler");
  limits.wanted = Engine::kCpu;
  way = Of(1000, 4, 1000, limits);
  EXPECT_EQ(way.errors()[0].message, "no native code for 'vector_add': there is no compiler");
  limits.code = Compiled();
  EXPECT_EQ(Of(1000, 4, 1000, limits).value().form, Form::kEntry);
  limits.wanted = Engine::kInterpreter;
  way = Of(1000, 4, 1000, limits);
  EXPECT_EQ(way.value().form, Form::kInterpreted);
  EXPECT_EQ(way.value().reason, "the interpreter was asked for");
}

TEST_F(WayTest, WhatNoProofCoversIsGuardedAndSaysWhy) {
  Limits limits;
  limits.code = Compiled();
  limits.declined = true;
  const Result<Way> way = Of(1001, 4, 1000, limits);
  ASSERT_TRUE(way.ok());
  EXPECT_EQ(way.value().form, Form::kGuarded);
  EXPECT_EQ(way.value().engine, Engine::kInterpreter);
  ASSERT_TRUE(way.value().unproved);
  EXPECT_EQ(way.value().unproved->condition, "min(grid.x*block.x, n) (1001) exceeds len(a) (1000)");
  // The same launch on threads: the table decides before anything runs.
  limits.declined = false;
  limits.parallelism.threads = 4;
  limits.parallelism.min_work_ns = 0;
  EXPECT_EQ(Of(1 << 20, 1 << 12, (1 << 20) - 1, limits).value().form, Form::kGuarded);
}

// c[i * n] = i: for n = 0 all lanes meet at one element.
class MeetingLanes : public testing::Test {
 protected:
  static constexpr const char* kText = R"(
.kernel strided
.param c u32[] out
.param n u32
  sreg.u32 r3, global.x
  mul.u32 r4, r3, r2
  stg.u32 [r1 + r4*4], r3
  exit
)";

  Result<Way> Of(uint64_t n, hologram_launch_shape shape, bool deterministic, bool declined,
                 uint32_t threads) {
    const std::vector<hologram_buffer_ref> buffers = {
        {reinterpret_cast<void*>(uint64_t{1} << 40), uint64_t{1} << 30}};
    const std::vector<uint64_t> scalars = {n};
    Launch launch;
    launch.buffers = buffers;
    launch.scalars = scalars;
    launch.shape = shape;
    launch.deterministic = deterministic;
    Limits limits;
    limits.code = {true, false, 0, HOLOGRAM_UNIT_LANE};
    limits.declined = declined;
    limits.parallelism.threads = threads;
    limits.parallelism.min_work_ns = 0;
    return WayOf(facts_, launch, limits);
  }

  const VerifiedProgram program_ = verify::Verify(test::Assembled(kText)).value();
  const KernelFacts facts_{program_};
};

TEST_F(MeetingLanes, AreRefusedUnlessOrderMayMatter) {
  const Result<Way> way = Of(0, {{1 << 12, 1, 1}, {256, 1, 1}}, true, true, 1);
  ASSERT_FALSE(way.ok());
  EXPECT_NE(way.errors()[0].message.find("may be touched by several lanes"), std::string::npos);
}

TEST_F(MeetingLanes, RunTheCodeOnOneThreadWhereOrderMayMatter) {
  for (const bool declined : {true, false}) {
    for (const uint32_t threads : {1u, 4u}) {
      if (!declined && threads == 1) continue;  // that is for the generated check
      const Result<Way> way = Of(0, {{1 << 12, 1, 1}, {256, 1, 1}}, false, declined, threads);
      ASSERT_TRUE(way.ok());
      EXPECT_EQ(way.value().form, Form::kParts);
      EXPECT_EQ(way.value().engine, Engine::kCpu);
      EXPECT_EQ(way.value().threads, 1u);
      EXPECT_EQ(way.value().reason, "on one thread, as several lanes may touch one element");
      EXPECT_TRUE(way.value().unproved);
    }
  }
}

TEST_F(MeetingLanes, AreNoneWhereTheProofHolds) {
  const Result<Way> way = Of(4, {{1 << 12, 1, 1}, {256, 1, 1}}, false, false, 4);
  ASSERT_TRUE(way.ok());
  EXPECT_EQ(way.value().form, Form::kSplit);
  EXPECT_EQ(way.value().reason, "");
}

// A body of lanes counts those of one row.
TEST_F(MeetingLanes, OfSeveralRowsAreNotLeftOut) {
  for (const bool declined : {true, false}) {
    const Result<Way> way = Of(0, {{1 << 12, 2, 1}, {256, 1, 1}}, false, declined, 4);
    ASSERT_TRUE(way.ok());
    EXPECT_EQ(way.value().form, Form::kInterpreted);
  }
}

TEST_F(WayTest, RefusesWithTheWordsOfTheCheck) {
  Limits limits;
  limits.code = Compiled();
  EXPECT_EQ(Of(1000, 0, 1000, limits).errors()[0].message, "grid.x is 0, expected at least 1");
  launch_.class_base = 96;
  EXPECT_EQ(Of(1000, 4, 1000, limits).errors()[0].message,
            "class_base: expected 0 to 95, found 96");
}

TEST_F(WayTest, EnginesAreFoundByTheirNames) {
  for (uint32_t k = 0; k < kNumEngines; ++k) {
    const auto engine = static_cast<Engine>(k);
    EXPECT_EQ(FindEngine(NameOf(engine)), engine);
  }
  EXPECT_FALSE(FindEngine("gpu"));
}

TEST_F(WayTest, DevicesGetWhatProofsCoverAndNoOrderOfLanesDecides) {
  Limits limits;
  limits.wanted = Engine::kOpenCl;
  const Result<Way> covered = Of(1000, 4, 1000, limits);
  ASSERT_TRUE(covered.ok());
  EXPECT_EQ(covered.value().engine, Engine::kOpenCl);
  EXPECT_EQ(covered.value().form, Form::kDevice);
  EXPECT_FALSE(covered.value().checked());
  // An array is too short: the interpreter, and it says why.
  const Result<Way> guarded = Of(1000, 4, 999, limits);
  ASSERT_TRUE(guarded.ok());
  EXPECT_EQ(guarded.value().engine, Engine::kInterpreter);
  EXPECT_EQ(guarded.value().form, Form::kGuarded);
  EXPECT_EQ(guarded.value().reason, "the proof of its accesses does not cover these arguments");
}

TEST_F(WayTest, InlineLaunchesAreSmall) {
  Limits limits;
  EXPECT_EQ(InlineBytes(facts_, limits), 0u);
  limits.code = Compiled();
  const uint64_t alone = InlineBytes(facts_, limits);
  EXPECT_GT(alone, uint64_t{1} << 20);
  limits.parallelism.threads = 4;
  const uint64_t several = InlineBytes(facts_, limits);
  EXPECT_LT(several, alone);
  // Below it no launch without a grid is worth threads.
  const auto elements = static_cast<uint32_t>(several / 4 / 256 * 256);
  EXPECT_EQ(Of(elements, elements / 256, elements, limits).value().form, Form::kEntry);
  limits.code.scratch_bytes = 8;
  EXPECT_EQ(InlineBytes(facts_, limits), 0u);
}

}  // namespace
}  // namespace hologram::launch
