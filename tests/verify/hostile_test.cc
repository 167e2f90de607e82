// Programs that are made to cost the verifier as much as possible: each ends quickly, with a proof,
// without one, or with an error that says what took too long. The limit is far above what is
// needed, so that it holds under sanitizers on a busy machine; quadratic work would break it.
#include <gtest/gtest.h>

#include <ctime>
#include <functional>

#include "kernels.h"

namespace hologram::verify::test {
namespace {

constexpr uint32_t kSize = isa::kMaxInstructions - 64;
constexpr const char* kHead = ".kernel k\n.param a f32[] inout\n.param n u32\n.shared s f32 64\n";

std::string Repeat(uint32_t count, const std::function<std::string(uint32_t)>& line) {
  std::string text;
  for (uint32_t i = 0; i < count; ++i) text += line(i);
  return text;
}

std::string Lane() {
  return "  sreg.u32 r20, lane.x\n  mov_imm.u32 r21, 3\n  setlt.u32 p0, r20, r21\n";
}

void EndsSoon(const std::string& body) {
  const isa::Program program = Assembled(kHead + body);
  // Of the processor: a busy machine is no slow verifier.
  const std::clock_t start = std::clock();
  const auto verified = Verify(program);
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  if (!verified.ok()) {
    EXPECT_NE(verified.errors()[0].message.find("'k' is too complex to verify: "),
              std::string::npos)
        << verified.errors()[0].message;
  }
  std::printf("%.3f s%s\n", seconds, verified.ok() ? "" : ", refused");
  EXPECT_LT(seconds, 20.0);
}

TEST(Hostile, BranchesToOneEnd) {
  EndsSoon(Lane() + Repeat(kSize, [](uint32_t) { return "  bra.p0 @end\n"; }) + "end:\n  exit\n");
}

TEST(Hostile, BranchesOverABarrier) {
  EndsSoon(Lane() + Repeat(kSize / 2, [](uint32_t) { return "  bra.p0 @end\n"; }) +
           "end:\n  bar.sync 0\n  exit\n");
}

TEST(Hostile, NestedLoops) {
  const uint32_t depth = kSize / 2;
  EndsSoon(
      Lane() +
      Repeat(depth,
             [](uint32_t i) {
               return "l" + std::to_string(i) + ":\n  bra @m" + std::to_string(i) + "\nm" +
                      std::to_string(i) + ":\n";
             }) +
      Repeat(depth / 2,
             [&](uint32_t i) { return "  bra.p0 @l" + std::to_string(depth - 1 - i) + "\n"; }) +
      "  exit\n");
}

// A value moves one register on with each round of a loop of many blocks.
TEST(Hostile, SlowLiveness) {
  EndsSoon(
      Lane() + "  mov_imm.u32 r22, 0\n" +
      Repeat(200,
             [](uint32_t i) {
               return "  mov.u32 r" + std::to_string(i + 23) + ", r" + std::to_string(i + 22) +
                      "\n";
             }) +
      Repeat(8000,
             [](uint32_t i) {
               return "j" + std::to_string(i) + ":\n  bra.p0 @j" + std::to_string(i) +
                      "\n  mov.u32 r" + std::to_string(23 + i % 199) + ", r" +
                      std::to_string(24 + i % 199) + "\n";
             }) +
      Repeat(8000, [](uint32_t i) { return "  bra.p0 @j" + std::to_string(7999 - i) + "\n"; }) +
      "  exit\n");
}

TEST(Hostile, JumpsIntoLoops) {
  EndsSoon(Lane() +
           Repeat(kSize / 3,
                  [](uint32_t i) {
                    return "j" + std::to_string(i) + ":\n  bra.p0 @j" +
                           std::to_string((i * 7919 + 13) % (kSize / 3)) + "\n  mov.u32 r22, r20\n";
                  }) +
           "  exit\n");
}

TEST(Hostile, ManySharedAccesses) {
  EndsSoon(Lane() + "  mov_imm.f32 r22, 0.0\n" +
           Repeat(kSize / 2, [](uint32_t) { return "  sts.f32 [s0 + r20*4], r22\n"; }) +
           "  exit\n");
}

TEST(Hostile, ManySharedAccessesBetweenBarriers) {
  EndsSoon(Lane() + "  mov_imm.f32 r22, 0.0\n" +
           Repeat(kSize / 4,
                  [](uint32_t) {
                    return "  and.u32 r23, r20, r21\n  sts.f32 [s0 + r23*4], r22\n  bar.sync 0\n";
                  }) +
           "  exit\n");
}

TEST(Hostile, LongChainOfIndices) {
  EndsSoon(
      Lane() +
      Repeat(kSize / 2,
             [](uint32_t) { return "  add.u32 r20, r20, r2\n  ldg.f32 r22, [r1 + r20*4]\n"; }) +
      "  exit\n");
}

TEST(Hostile, ManyQuotients) {
  EndsSoon(Lane() +
           Repeat(kSize / 3,
                  [](uint32_t i) {
                    return "  mov_imm.u32 r23, " + std::to_string(i + 2) +
                           "\n  div.u32 r24, r20, r23\n  ldg.f32 r22, [r1 + r24*4]\n";
                  }) +
           "  exit\n");
}

TEST(Hostile, ManyMinima) {
  EndsSoon(Lane() + "  mov.u32 r24, r2\n" +
           Repeat(kSize / 4,
                  [](uint32_t i) {
                    return "  mov_imm.u32 r23, " + std::to_string(i * 37 % 9973) +
                           "\n  add.u32 r25, r24, r20\n  min.u32 r24, r25, r23\n  ldg.f32 r22, [r1 "
                           "+ r24*4]\n";
                  }) +
           "  exit\n");
}

TEST(Hostile, ManyGuards) {
  EndsSoon(Lane() +
           Repeat(kSize / 4,
                  [](uint32_t i) {
                    return "  add.u32 r22, r20, r2\n  setge.u32 p1, r22, r" +
                           std::to_string(i % 2 + 20) +
                           "\n  bra.p1 @end\n  ldg.f32 r23, [r1 + r20*4]\n";
                  }) +
           "end:\n  exit\n");
}

}  // namespace
}  // namespace hologram::verify::test
