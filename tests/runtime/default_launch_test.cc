#include "runtime/default_launch.h"

#include <gtest/gtest.h>

#include "native_objects.h"

namespace hologram::runtime {
namespace {

verify::VerifiedProgram Verified(const std::string& text) {
  return verify::Verify(test::Assembled(text)).value();
}

std::string Shape(const verify::VerifiedProgram& program, std::vector<uint64_t> bytes,
                  std::vector<uint64_t> scalars) {
  std::vector<hologram_buffer_ref> buffers;
  for (uint64_t size : bytes) buffers.push_back({nullptr, size});
  const auto shape = ResolveShape(program, FindLaneGuards(program), {}, buffers, scalars);
  if (!shape.ok()) return ToString(shape.errors()[0]);
  return std::to_string(shape.value().grid[0]) + " x " + std::to_string(shape.value().block[0]);
}

TEST(DefaultLaunch, CoversTheLargestOutputInWholeBlocks) {
  const verify::VerifiedProgram add = Verified(test::kAddText);
  EXPECT_EQ(Shape(add, {4000, 4000, 4000}, {1000}), "4 x 256");
  EXPECT_EQ(Shape(add, {4, 4, 4}, {1}), "1 x 256");
  EXPECT_EQ(Shape(add, {4, 4, 0}, {0}), "0 x 256");
}

TEST(DefaultLaunch, RefusesAGuardThatAdmitsMoreLanes) {
  const verify::VerifiedProgram add = Verified(test::kAddText);
  EXPECT_EQ(Shape(add, {12004, 12004, 1024}, {3001}),
            "add.py:5:8: error: the largest output 'c' has 256 elements, so the launch has 256 "
            "lanes, but n = 3001 admits more; say the grid: --grid 12,1,1 --block 256,1,1");
}

constexpr char kFlip[] = R"(
.kernel flip
.param src u8[] in
.param dst u8[] out
.param rows u32
.param cols u32
  sreg.u32 r5, global.x
  sreg.u32 r6, global.y
  setlt.u32 p0, r6, r3
  setgt.u32 p1, r4, r5
  pand p2, p0, p1
  pnot p2, p2
  bra.p2 @end
  mul.u32 r7, r6, r4
  add.u32 r7, r7, r5
  ldg.u8 r8, [r1 + r7*1]
  stg.u8 [r2 + r7*1], r8
end:
  exit
)";

TEST(DefaultLaunch, SaysTheGridForTwoDimensions) {
  EXPECT_EQ(Shape(Verified(kFlip), {627, 627}, {19, 33}),
            "hologram: error: kernel 'flip' uses ids of dimension 1; say the grid: --grid 3,2,1 "
            "--block 16,16,1");
}

TEST(LaneGuards, AreFoundThroughPredicatesAndMirroredComparisons) {
  const std::vector<LaneGuard> guards = FindLaneGuards(Verified(kFlip));
  ASSERT_EQ(guards.size(), 2u);
  EXPECT_EQ(guards[0].dimension, 1);
  EXPECT_EQ(guards[0].parameter, 2u);
  EXPECT_EQ(guards[1].dimension, 0);
  EXPECT_EQ(guards[1].parameter, 3u);
  EXPECT_FALSE(guards[1].inclusive);
}

// `c[i] = a[i] if i < n else 0.0`: every lane works, n is no guard.
TEST(LaneGuards, AChoiceIsNoGuard) {
  EXPECT_TRUE(FindLaneGuards(Verified(R"(
.kernel choose
.param a f32[] in
.param c f32[] out
.param n u32
  sreg.u32 r5, global.x
  setge.u32 p0, r5, r3
  mov_imm.f32 r6, 0.0
  bra.p0 @store
  ldg.f32 r6, [r1 + r5*4]
store:
  stg.f32 [r2 + r5*4], r6
  exit
)"))
                  .empty());
}

TEST(LaneGuards, CountLanesByTheTypeOfTheScalar) {
  LaneGuard guard;
  guard.type = isa::Type::kI32;
  const uint64_t minus_one = 0xffffffff;
  EXPECT_EQ(AdmittedLanes(guard, {&minus_one, 1}), 0u);
  guard.type = isa::Type::kU32;
  EXPECT_EQ(AdmittedLanes(guard, {&minus_one, 1}), 0xffffffffu);
  guard.inclusive = true;
  EXPECT_EQ(AdmittedLanes(guard, {&minus_one, 1}), 0x100000000u);
}

}  // namespace
}  // namespace hologram::runtime
