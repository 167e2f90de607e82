// Pieces of rows: what lanes share and count where a row is cut at the multiples of a divisor.
#include <gtest/gtest.h>

#include "kernels.h"

namespace hologram::verify::test {
namespace {

// Of t = global.x: by n, by n * m, and what is divided again. The load demands that n * m does not
// wrap.
constexpr char kDivides[] = R"(
.kernel divides
.param y u32[] out
.param x u32[] in
.param n u32
.param m u32
  sreg.u32 r10, global.x
  mul.u32 r11, r3, r4
  div.u32 r12, r10, r3
  rem.u32 r13, r10, r3
  div.u32 r14, r10, r11
  rem.u32 r15, r10, r11
  div.u32 r16, r15, r3
  rem.u32 r17, r12, r4
  rem.u32 r18, r12, r10
  ldg.u32 r19, [r2 + r14*4]
  setge.u32 p0, r10, r4
  bra.p0 @end
  stg.u32 [r1 + r10*4], r19
end:
  exit
)";

std::vector<uint32_t> PcsOf(const VerifiedProgram& program, isa::Opcode op) {
  std::vector<uint32_t> found;
  const auto& code = program.program().code;
  for (uint32_t pc = 0; pc < code.size(); ++pc) {
    if (code[pc].op == op) found.push_back(pc);
  }
  return found;
}

TEST(Pieces, LanesShareQuotientsAndCountRemainders) {
  constexpr ValueShape kShared{Shape::kUniform, 0};
  constexpr ValueShape kCounts{Shape::kAffine, 1};
  constexpr ValueShape kVaries{};
  const VerifiedProgram whole = Verified(kDivides);
  ASSERT_TRUE(whole.PieceDivision().has_value());
  const VerifiedProgram pieces = whole.InPieces();
  for (const uint32_t pc : PcsOf(whole, isa::Opcode::kDiv)) {
    EXPECT_EQ(whole.ShapeOf(pc), kVaries) << pc;
    EXPECT_EQ(pieces.ShapeOf(pc), kShared) << pc;
  }
  const std::vector<uint32_t> remainders = PcsOf(whole, isa::Opcode::kRem);
  ASSERT_EQ(remainders.size(), 4u);
  EXPECT_EQ(pieces.ShapeOf(remainders[0]), kCounts);  // t % n
  EXPECT_EQ(pieces.ShapeOf(remainders[1]), kCounts);  // t % (n * m)
  EXPECT_EQ(pieces.ShapeOf(remainders[2]), kShared);  // t // n % m
  EXPECT_EQ(pieces.ShapeOf(remainders[3]), kVaries);  // t // n % t
}

TEST(Pieces, OfWhatLanesCountAlone) {
  std::string text = kDivides;
  constexpr std::string_view kPlace = "global.x";
  text.replace(text.find(kPlace), kPlace.size(), "block.x");
  EXPECT_FALSE(Verified(text).PieceDivision().has_value());
}

}  // namespace
}  // namespace hologram::verify::test
