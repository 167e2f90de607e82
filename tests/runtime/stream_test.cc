// What launches leave to each other, through an executor. (Native engines, which call back for it,
// run the cases of tests/conformance/atlas_cases.py.)
#include "runtime/stream.h"

#include <gtest/gtest.h>

#include <cstring>

#include "native_objects.h"
#include "runtime/executor.h"

namespace hologram::runtime {
namespace {

constexpr const char* kPhaseStep = R"(
.kernel step
.param d u32[] out
  sreg.u32 r10, global.x
  phase.get.u32 r11
  phase.adv 700
  stg.u32 [r1 + r10*4], r11
  exit
)";

// Lane i adds v to class c, and fails if x is not 0.
constexpr const char* kAdd = R"(
.kernel add
.param v i64
.param c u8
.param x u32
.param d u32[] out
  sreg.u32 r10, global.x
  res.accum.i64 r2, r1
  phase.adv 1
  mov_imm.u32 r11, 1
  mov_imm.u32 r12, 1
  sub.u32 r12, r12, r3
  div.u32 r11, r11, r12
  stg.u32 [r4 + r10*4], r11
  exit
)";

constexpr const char* kKeep = R"(
.kernel keep
.param d u32[] inout
  sreg.u32 r10, global.x
  ldg.u32 r11, [r1 + r10*4]
  ldg.u32 r12, [phi(3, 4, 8)]
  stg.u32 [phi(3, 4, 8)], r11
  stg.u32 [r1 + r10*4], r12
  exit
)";

class StreamTest : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* text : {kPhaseStep, kAdd, kKeep}) {
      ASSERT_TRUE(executor_.Add(test::Assembled(text), false).ok());
    }
  }

  std::string Launch(const std::string& name, std::vector<uint64_t> scalars,
                     std::vector<uint32_t>* d) {
    const auto kernel = executor_.Find(name);
    if (!kernel.ok()) return ToString(kernel.errors()[0]);
    const hologram_buffer_ref buffer{d->data(), d->size() * 4};
    LaunchConfig config;
    config.shape.grid = {1, 1, 1};
    config.shape.block = {static_cast<uint32_t>(d->size()), 1, 1};
    config.deterministic = name != "keep";
    const auto outcome = kernel.value()->Launch({&buffer, 1}, scalars, config);
    return outcome.ok() ? "" : outcome.errors()[0].message;
  }

  Executor executor_;
};

TEST_F(StreamTest, LaunchesAdvanceThePhase) {
  std::vector<uint32_t> d(4);
  EXPECT_EQ(executor_.phase(), 0u);
  EXPECT_EQ(Launch("step", {}, &d), "");
  EXPECT_EQ(d, std::vector<uint32_t>(4, 0));
  EXPECT_EQ(executor_.phase(), 700u);
  EXPECT_EQ(Launch("step", {}, &d), "");
  EXPECT_EQ(d, std::vector<uint32_t>(4, 700));
  EXPECT_EQ(executor_.phase(), (700u + 700u) % 768u);
  executor_.AdvancePhase(768 * 5 + 1);
  EXPECT_EQ(executor_.phase(), (700u + 700u + 1u) % 768u);
}

TEST_F(StreamTest, LaunchesAddToTheResonance) {
  std::vector<uint32_t> d(10);
  ASSERT_TRUE(executor_.SetResonance(5, {1, 3}).ok());
  EXPECT_EQ(Launch("add", {7, 5, 0}, &d), "");
  EXPECT_EQ(executor_.ResonanceOf(5).value(), (launch::Ratio{211, 3}));
  EXPECT_EQ(executor_.phase(), 1u);
}

TEST_F(StreamTest, AFaultLeavesTheStreamAlone) {
  std::vector<uint32_t> d(10);
  EXPECT_NE(Launch("add", {7, 5, 1}, &d), "");
  EXPECT_EQ(executor_.ResonanceOf(5).value(), launch::Ratio());
  EXPECT_EQ(executor_.phase(), 0u);
  EXPECT_EQ(Launch("add", {7, 96, 0}, &d), "expected a class below 96, found 96: instruction 1");
}

TEST_F(StreamTest, ASumThatDoesNotFitLeavesTheStreamAlone) {
  std::vector<uint32_t> d(3);
  const auto large = static_cast<uint64_t>(INT64_MAX);
  EXPECT_EQ(Launch("add", {large, 9, 0}, &d),
            "the resonance of class 9 is no fraction of 64-bit numbers after this launch; it stays "
            "as it was");
  EXPECT_EQ(executor_.ResonanceOf(9).value(), launch::Ratio());
  EXPECT_EQ(executor_.phase(), 0u);
  // What does not fit on the way does not matter.
  ASSERT_TRUE(executor_.SetResonance(9, {INT64_MIN, 1}).ok());
  std::vector<uint32_t> one(2);
  EXPECT_EQ(Launch("add", {uint64_t{1} << 62, 9, 0}, &one), "");
  EXPECT_EQ(executor_.ResonanceOf(9).value(), launch::Ratio());
}

TEST_F(StreamTest, TheCallerReadsAndWritesTheResonance) {
  EXPECT_TRUE(executor_.AddResonance(0, {1, 2}).ok());
  EXPECT_TRUE(executor_.AddResonance(0, {1, 3}).ok());
  EXPECT_TRUE(executor_.AddResonance(0, {1, 6}).ok());
  EXPECT_EQ(executor_.ResonanceOf(0).value(), (launch::Ratio{1, 1}));
  const auto message = [](const Status& status) {
    return status.ok() ? "" : status.errors()[0].message;
  };
  EXPECT_EQ(message(executor_.AddResonance(0, {2, 4})), "2/4 is not reduced; write 1/2");
  EXPECT_EQ(message(executor_.SetResonance(0, {1, 0})), "1/0 has a denominator of zero");
  EXPECT_EQ(message(executor_.AddResonance(0, {INT64_MAX, 1})),
            "the resonance of class 0 would be no fraction of 64-bit numbers; it stays as it was");
  EXPECT_EQ(executor_.ResonanceOf(0).value(), (launch::Ratio{1, 1}));
  EXPECT_EQ(message(executor_.SetResonance(96, {1, 1})), "expected a class below 96, found 96");
  executor_.ResetResonance();
  EXPECT_EQ(executor_.ResonanceOf(0).value(), launch::Ratio());
}

TEST_F(StreamTest, ClassMemoryStaysFromLaunchToLaunch) {
  std::vector<uint32_t> d = {7};
  EXPECT_EQ(Launch("keep", {}, &d), "");
  EXPECT_EQ(d[0], 0u);
  d[0] = 8;
  EXPECT_EQ(Launch("keep", {}, &d), "");
  EXPECT_EQ(d[0], 7u);
  uint32_t found = 0;
  const uint64_t at = isa::PhiAddress(3, 4, 8);
  EXPECT_TRUE(executor_.ReadClassMemory(at, &found, 4).ok());
  EXPECT_EQ(found, 8u);
  found = 9;
  EXPECT_TRUE(executor_.WriteClassMemory(at, &found, 4).ok());
  EXPECT_EQ(Launch("keep", {}, &d), "");
  EXPECT_EQ(d[0], 9u);
  EXPECT_FALSE(executor_.ReadClassMemory(12286, &found, 4).ok());
  EXPECT_FALSE(executor_.WriteClassMemory(isa::kClassMemoryBytes, &found, 1).ok());
}

TEST_F(StreamTest, ClassMemoryIsSharedByLanes) {
  std::vector<uint32_t> d = {7};
  const auto kernel = executor_.Find("keep");
  const hologram_buffer_ref buffer{d.data(), 4};
  LaunchConfig config;
  config.shape.grid = {1, 1, 1};
  config.shape.block = {1, 1, 1};
  const auto outcome = kernel.value()->Launch({&buffer, 1}, {}, config);
  ASSERT_FALSE(outcome.ok());
  EXPECT_EQ(outcome.errors()[0].message,
            "instruction 3 may write class memory that another lane uses, so the result may depend "
            "on order; a launch with deterministic=False allows it");
}

}  // namespace
}  // namespace hologram::runtime
