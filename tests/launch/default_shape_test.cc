#include "launch/default_shape.h"

#include <gtest/gtest.h>

#include "assembled.h"

namespace hologram::launch {
namespace {

verify::VerifiedProgram Verified(const std::string& text) {
  return verify::Verify(test::Assembled(text)).value();
}

std::string Shape(const verify::VerifiedProgram& program, std::vector<uint64_t> bytes,
                  std::vector<uint64_t> scalars) {
  std::vector<hologram_buffer_ref> buffers;
  for (uint64_t size : bytes) buffers.push_back({nullptr, size});
  const auto shape = DefaultShape(KernelFacts(program)).Resolve({}, buffers, scalars);
  if (!shape.ok()) return ToString(shape.errors()[0]);
  const hologram_launch_shape& found = shape.value();
  std::string text = std::to_string(found.grid[0]) + " x " + std::to_string(found.block[0]);
  if (found.block[1] > 1) {
    text += ", " + std::to_string(found.grid[1]) + " x " + std::to_string(found.block[1]);
  }
  return text;
}

TEST(DefaultShape, CoversTheLargestOutputInWholeBlocks) {
  const verify::VerifiedProgram add = Verified(test::kAddText);
  EXPECT_EQ(Shape(add, {4000, 4000, 4000}, {1000}), "4 x 256");
  EXPECT_EQ(Shape(add, {4, 4, 4}, {1}), "1 x 256");
  EXPECT_EQ(Shape(add, {4, 4, 0}, {0}), "0 x 256");
}

TEST(DefaultShape, RefusesAGuardThatAdmitsMoreLanes) {
  const verify::VerifiedProgram add = Verified(test::kAddText);
  EXPECT_EQ(Shape(add, {12004, 12004, 1024}, {3001}),
            "add.py:5:8: error: the largest output 'c' has 256 elements, so the launch has 256 "
            "lanes, but this condition needs 3001 lanes; pass a grid: grid 12,1,1 "
            "block 256,1,1");
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

TEST(DefaultShape, ConditionsGiveTheGridOfTwoDimensions) {
  const verify::VerifiedProgram flip = Verified(kFlip);
  EXPECT_EQ(Shape(flip, {627, 627}, {19, 33}), "3 x 16, 2 x 16");
  EXPECT_EQ(Shape(flip, {627, 627}, {19, 33}), "3 x 16, 2 x 16");
  EXPECT_EQ(Shape(flip, {627, 627}, {1, 16}), "1 x 16, 1 x 16");
}

// A lane that knows its block may depend on its size, which only the caller knows.
TEST(DefaultShape, SaysTheGridForBlocksOfTwoDimensions) {
  std::string text = kFlip;
  text.replace(text.find("global.y"), 8, "lane.y");
  EXPECT_TRUE(Shape(Verified(text), {627, 627}, {19, 33})
                  .starts_with("hologram: error: kernel 'flip' uses ids of dimension 1; pass a "
                               "grid: "));
}

// A kernel whose condition around `out[i] = ...` or `atomic_add(sum, 0, in[i])` is `condition`,
// with the id in r5, n in r3, m in r4 and the verdict in p0.
verify::VerifiedProgram Guarded(const std::string& condition, bool reduction = true) {
  return Verified(R"(
.kernel guarded
.source "g.py"
.param in i32[] in
.param out i32[] )" +
                  std::string(reduction ? "inout" : "out") + R"(
.param n u32
.param m i32
  sreg.u32 r5, global.x
)" + condition + R"(
  pnot p0, p0
  bra.p0 @end                           ; g.py:4:8
  ldg.i32 r20, [r1 + r5*4]              ; g.py:5:9 in[i] {i=r5}
)" +
                  (reduction ? "  mov_imm.u32 r21, 0\n  atg.add.i32 r22, [r2 + r21*4], r20\n"
                             : "  stg.i32 [r2 + r5*4], r20\n") +
                  "end:\n  exit\n");
}

// The last of the lanes that the message asks for, or "runs".
std::string LastLane(const std::string& condition, uint64_t n, uint64_t m, uint64_t in = 1 << 20) {
  const std::string answer = Shape(Guarded(condition), {in * 4, 4}, {n, m});
  const std::string before = "this condition needs ";
  const size_t at = answer.find(before);
  if (at == std::string::npos) return answer == "1 x 256" ? "runs" : answer;
  return std::to_string(std::stoull(answer.substr(at + before.size())) - 1);
}

TEST(DefaultShape, UnderstandsConditionsOfAnyForm) {
  const char* plus_one = "mov_imm.u32 r6, 1\n add.u32 r7, r5, r6\n setlt.u32 p0, r7, r3";
  EXPECT_EQ(LastLane(plus_one, 256, 0), "runs");
  EXPECT_EQ(LastLane(plus_one, 257, 0), "runs");
  EXPECT_EQ(LastLane(plus_one, 258, 0), "256");
  EXPECT_EQ(LastLane(plus_one, 0, 0), "runs");
  EXPECT_EQ(LastLane(plus_one, 100000, 0), "99998");
  const char* minus_one = "mov_imm.u32 r6, 1\n sub.u32 r7, r3, r6\n setlt.u32 p0, r5, r7";
  EXPECT_EQ(LastLane(minus_one, 257, 0), "runs");
  EXPECT_EQ(LastLane(minus_one, 258, 0), "256");
  const char* mirrored = "setgt.u32 p0, r3, r5";
  EXPECT_EQ(LastLane(mirrored, 256, 0), "runs");
  EXPECT_EQ(LastLane(mirrored, 257, 0), "256");
  const char* inclusive = "setle.u32 p0, r5, r3";
  EXPECT_EQ(LastLane(inclusive, 255, 0), "runs");
  EXPECT_EQ(LastLane(inclusive, 256, 0), "256");
  const char* product = "cvt.u32.i32 r6, r4\n mul.u32 r7, r3, r6\n setlt.u32 p0, r5, r7";
  EXPECT_EQ(LastLane(product, 16, 16), "runs");
  EXPECT_EQ(LastLane(product, 16, 17), "271");
  const char* is_signed = "cvt.i32.u32 r6, r5\n setlt.i32 p0, r6, r4";
  EXPECT_EQ(LastLane(is_signed, 0, 256), "runs");
  EXPECT_EQ(LastLane(is_signed, 0, 300), "299");
  EXPECT_EQ(LastLane(is_signed, 0, 0xffffffff), "runs");  // -1
  const char* between =
      "mov_imm.u32 r6, 900\n setge.u32 p1, r5, r6\n setlt.u32 p2, r5, r3\n pand p0, p1, p2";
  EXPECT_EQ(LastLane(between, 900, 0), "runs");
  EXPECT_EQ(LastLane(between, 1000, 0), "999");
  const char* scaled = "mov_imm.u32 r6, 4\n mul.u32 r7, r5, r6\n setlt.u32 p0, r7, r3";
  EXPECT_EQ(LastLane(scaled, 1024, 0), "runs");
  EXPECT_EQ(LastLane(scaled, 1025, 0), "256");
  const char* literal = "mov_imm.u32 r6, 1000\n setlt.u32 p0, r5, r6";
  EXPECT_EQ(LastLane(literal, 0, 0), "999");
  const char* by_hand =
      "sreg.u32 r6, block.x\n sreg.u32 r7, block_dim.x\n sreg.u32 r8, lane.x\n"
      " mul.u32 r9, r6, r7\n add.u32 r9, r9, r8\n setlt.u32 p0, r9, r3";
  EXPECT_EQ(LastLane(by_hand, 256, 0), "runs");
  EXPECT_EQ(LastLane(by_hand, 3000, 0), "2999");
}

// The wrap of `i + 1` at lane 2^32 - 1 and of `n - 1` at 0 are no sizes.
TEST(DefaultShape, ConditionsThatBoundNoLanesAreNoSizes) {
  EXPECT_EQ(LastLane("mov_imm.u32 r6, 1\n and.u32 r7, r5, r6\n setlt.u32 p0, r7, r6", 0, 0, 256),
            "runs");
  EXPECT_EQ(LastLane("setge.u32 p0, r5, r3", 300, 0, 256), "runs");
  EXPECT_EQ(LastLane("sreg.u32 r6, lane.x\n setlt.u32 p0, r6, r3", 16, 0, 256), "runs");
}

// Without a condition the lengths of the buffers say it.
TEST(DefaultShape, LengthsOfBuffersAreSizes) {
  const char* always = "seteq.u32 p0, r3, r3";
  EXPECT_EQ(Shape(Guarded(always), {1024, 4}, {0, 0}), "1 x 256");
  EXPECT_EQ(Shape(Guarded(always), {4096, 4}, {0, 0}),
            "g.py:5:9: error: the largest output 'out' has 1 element, so the launch has 256 lanes, "
            "but in[i] has elements for 1024 lanes; pass a grid: grid 4,1,1 block "
            "256,1,1");
  EXPECT_EQ(Shape(Guarded(always, false), {4096, 1024}, {0, 0}), "1 x 256");
}

TEST(DefaultShape, NothingToRunIsNotTheSameAsNothingToDo) {
  const char* below = "setlt.u32 p0, r5, r3";
  EXPECT_EQ(Shape(Guarded(below, false), {4000, 0}, {0, 0}), "0 x 256");
  EXPECT_EQ(Shape(Guarded(below, false), {4000, 0}, {500, 0}),
            "g.py:4:8: error: the largest output 'out' has 0 elements, so the launch has 0 lanes, "
            "but this condition needs 500 lanes; pass a grid: grid 2,1,1 block "
            "256,1,1");
  // `out[i] = in[i]` on nothing is done.
  EXPECT_EQ(Shape(Guarded("seteq.u32 p0, r3, r3", false), {4000, 0}, {0, 0}), "0 x 256");
}

// Nothing runs where the conditions admit no lane, but lane 0 of this kernel fails.
TEST(DefaultShape, LanesThatFailAreNotNone) {
  const auto kernel = [](const char* assertion) {
    return Verified(R"(
.kernel fail
.param out f32[] out
.param n u32
  sreg.u32 r5, global.x
  sreg.u32 r6, global.y
  setlt.u32 p0, r5, r2
  setgt.u32 p3, r5, r2
  pnot p1, p0
  bra.p1 @end
  )" + std::string(assertion) +
                    R"(
  mov_imm.f32 r7, 0.0
  stg.f32 [r1 + r6*4], r7
end:
  exit
)");
  };
  const std::string refused =
      "hologram: error: kernel 'fail' uses ids of dimension 1; pass a grid: "
      "grid X,Y,1 block 16,16,1";
  EXPECT_EQ(Shape(kernel("trap"), {1024}, {1}), refused);
  EXPECT_EQ(Shape(kernel("trap"), {1024}, {0}), "0 x 16, 1 x 16");
  EXPECT_EQ(Shape(kernel("trap.p3"), {1024}, {1}), "1 x 16, 16 x 16");
}

TEST(DefaultShape, AChoiceIsNoSize) {
  const verify::VerifiedProgram choose = Verified(R"(
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
)");
  EXPECT_EQ(Shape(choose, {4000, 1024}, {1000}), "1 x 256");
  EXPECT_TRUE(KernelFacts(choose).bounds.has_value());
}

constexpr char kStrided[] = R"(
.kernel total
.param in i32[] in
.param out i32[] inout
.param n u32
.param stride u32
  sreg.u32 r5, global.x
  mov_imm.i32 r6, 0
loop:
  setge.u32 p0, r5, r3
  bra.p0 @done
  ldg.i32 r7, [r1 + r5*4]
  add.i32 r6, r6, r7
  add.u32 r5, r5, r4
  bra @loop
done:
  mov_imm.u32 r8, 0
  atg.add.i32 r9, [r2 + r8*4], r6
  exit
)";

TEST(DefaultShape, ALoopThatStridesOverTheLaunchNeedsNoMoreLanes) {
  const verify::VerifiedProgram total = Verified(kStrided);
  EXPECT_EQ(Shape(total, {4000, 4}, {1000, 256}), "1 x 256");
  EXPECT_EQ(Shape(total, {4000, 4}, {1000, 512}), "1 x 256");
}

// What a grid of the caller leaves out, or "".
std::string Missing(const verify::VerifiedProgram& program, const RequestedShape& said,
                    const std::vector<size_t>& bytes, const std::vector<uint64_t>& scalars) {
  std::vector<hologram_buffer_ref> buffers;
  buffers.reserve(bytes.size());
  for (const size_t size : bytes) buffers.push_back({nullptr, size});
  const KernelFacts facts(program);
  return DefaultShape(facts).MissingLanes(said, buffers, scalars).value_or("");
}

TEST(DefaultShape, AGridThatLeavesLanesOutIsNoted) {
  const verify::VerifiedProgram add = Verified(test::kAddText);
  const std::string all =
      "the conditions of kernel 'vector_add' admit lanes that this launch does not have; all of "
      "them: ";
  RequestedShape said;
  EXPECT_EQ(Missing(add, said, {4000, 4000, 4000}, {1000}), "");
  said.grid = {3, 1, 1};
  EXPECT_EQ(Missing(add, said, {4000, 4000, 4000}, {1000}), all + "grid 4,1,1 block 256,1,1");
  said.block = {512, 1, 1};
  EXPECT_EQ(Missing(add, said, {4000, 4000, 4000}, {1000}), "");
  said.caller = Caller::kPython;
  said.block = {8, 1, 1};
  EXPECT_EQ(Missing(add, said, {400, 400, 400}, {100}), all + "vector_add[(13,1,1), (8,1,1)](...)");
}

TEST(DefaultShape, AGridOfTwoDimensionsThatLeavesLanesOutIsNoted) {
  const verify::VerifiedProgram flip = Verified(kFlip);
  RequestedShape said;
  said.block = {16, 16, 1};
  said.grid = {3, 1, 1};
  EXPECT_NE(Missing(flip, said, {627, 627}, {19, 33}).find("grid 3,2,1 block 16,16,1"),
            std::string::npos);
  said.grid = {3, 2, 1};
  EXPECT_EQ(Missing(flip, said, {627, 627}, {19, 33}), "");
}

// In place: no lane of it stays inside of the array but for the condition.
constexpr char kStridedInPlace[] = R"(
.kernel twice
.param x i32[] inout
.param n u32
  sreg.u32 r5, global.x
  sreg.u32 r6, grid_dim.x
  sreg.u32 r7, block_dim.x
  mul.u32 r6, r6, r7
loop:
  setge.u32 p0, r5, r2
  bra.p0 @done
  ldg.i32 r8, [r1 + r5*4]
  add.i32 r8, r8, r8
  stg.i32 [r1 + r5*4], r8
  add.u32 r5, r5, r6
  bra @loop
done:
  exit
)";

TEST(DefaultShape, AGridThatALoopStridesOverIsNotNoted) {
  RequestedShape said;
  said.grid = {1, 1, 1};
  EXPECT_EQ(Missing(Verified(kStridedInPlace), said, {4000}, {1000}), "");
}

// Thousands of branches on strided values, each of which is opened by a run of its own.
TEST(DefaultShape, LongProgramsAreGivenUp) {
  std::string text = R"(
.kernel long
.param in i32[] in
.param out i32[] inout
.param n u32
  sreg.u32 r5, global.x
  mov_imm.u32 r6, 512
loop:
)";
  for (int i = 0; i < 2000; ++i) {
    const std::string label = "L" + std::to_string(i);
    text +=
        "  setge.u32 p0, r5, r3\n  bra.p0 @" + label + "\n  add.u32 r5, r5, r6\n" + label + ":\n";
  }
  text += R"(
  setlt.u32 p0, r5, r3
  bra.p0 @loop
  ldg.i32 r7, [r1 + r5*4]
  atg.add.i32 r9, [r2 + r5*4], r7
  exit
)";
  EXPECT_EQ(Shape(Verified(text), {4000, 4}, {1000}), "1 x 256");
}

TEST(DefaultShape, BoundsDecideWhereIdsMeetScalars) {
  const verify::VerifiedProgram add = Verified(test::kAddText);
  EXPECT_EQ(KernelFacts(add).bounds, (std::vector<SizeBound>{{0, false}}));
  const auto bounds = [](const char* condition) {
    const verify::VerifiedProgram program = Guarded(condition);
    return KernelFacts(program).bounds.value_or(std::vector<SizeBound>{{99, false}});
  };
  EXPECT_EQ(bounds("mov_imm.u32 r6, 1\n add.u32 r7, r5, r6\n setlt.u32 p0, r7, r3"),
            (std::vector<SizeBound>{{0, false}}));
  EXPECT_EQ(bounds("mov_imm.u32 r6, 1\n sub.u32 r7, r3, r6\n setge.u32 p0, r7, r5"),
            (std::vector<SizeBound>{{0, true}}));
  EXPECT_EQ(bounds("cvt.u32.i32 r6, r4\n mul.u32 r7, r3, r6\n setlt.u32 p0, r5, r7"),
            (std::vector<SizeBound>{{99, false}}));
}

}  // namespace
}  // namespace hologram::launch
