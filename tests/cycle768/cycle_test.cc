// The cycle model from C++: errors by their kinds, states that stay as they were, the solver. The
// laws over all positions and the vectors are in python/tests/test_cycle768.py.
#include <gtest/gtest.h>

#include "cycle768/linear.h"
#include "cycle768/position.h"
#include "cycle768/state.h"

namespace hologram::cycle768 {
namespace {

State Made(std::vector<int64_t> positions) {
  return State::Create(positions).value();
}

TEST(Cycle, ErrorsHaveKindsAndValuesAndChangeNothing) {
  State state = Made({100, 200, 5});
  const State before = state;
  const std::vector<uint64_t> pair = {0, 1};
  const std::vector<int64_t> ones = {1, 1};
  const auto expect = [&](const Outcome& outcome, ErrorKind kind, int64_t actual,
                          int64_t expected) {
    ASSERT_FALSE(outcome.ok());
    EXPECT_EQ(outcome.error().kind, kind);
    EXPECT_EQ(outcome.error().actual, actual);
    EXPECT_EQ(outcome.error().expected, expected);
    EXPECT_EQ(state, before);
  };
  EXPECT_EQ(state.Position(3).error().message, "index 3 is out of range, there are 3 elements");
  expect(state.Constrain(pair, ones, 768), ErrorKind::kSum, 768, 767);
  expect(state.Constrain(pair, ones, 192), ErrorKind::kViolated, 300, 192);
  expect(state.Constrain(pair, std::vector<int64_t>{1}, 0), ErrorKind::kCoefficientCount, 1, 2);
  expect(state.Not(std::vector<uint64_t>{1}, 1), ErrorKind::kRepeated, 1, 0);
  expect(state.Swap({}, 0, 9), ErrorKind::kIndex, 9, 3);
  expect(state.Set(0, -1), ErrorKind::kPosition, -1, 767);
  expect(state.Impose(std::vector<uint64_t>{0}, std::vector<int64_t>{2}, 1), ErrorKind::kNoSolution,
         0, 0);
  EXPECT_EQ(GhzChain(1).error().kind, ErrorKind::kTooFew);
  EXPECT_EQ(State::Create(std::vector<int64_t>{768}).error().kind, ErrorKind::kPosition);
  EXPECT_EQ(AdvanceOf('Q').error().kind, ErrorKind::kUnknownGate);
  EXPECT_EQ(ReadingThreshold(0.5F, 0.5F).error().kind, ErrorKind::kNotNormalised);
}

TEST(Cycle, ReduceIsExactForAllNumbers) {
  EXPECT_EQ(Reduce(65536), 256U);  // the old model went through 16 bits
  EXPECT_EQ(Reduce(-1), 767U);
  EXPECT_EQ(Reduce(INT64_MIN), static_cast<uint32_t>((768 - (int64_t{1} << 62) % 768 * 2 % 768)));
  for (int64_t k = -2000; k < 2000; ++k) EXPECT_EQ(Reduce(k * 768 + 5), 5U);
}

TEST(Cycle, PairsFollow) {
  for (uint32_t p = 0; p < kPositions; ++p) {
    State state = BellPair(Bell::kPhiPlus);
    ASSERT_TRUE(state.Set(0, p).ok());
    EXPECT_EQ(state.positions()[1], Reduce(192 - int64_t{p}));
  }
}

TEST(Cycle, ReversibleGatesAreInvolutions) {
  State state = WTriple();
  const State before = state;
  const std::vector<uint64_t> control = {0};
  ASSERT_TRUE(state.Not(control, 1).ok());
  EXPECT_NE(state, before);
  ASSERT_TRUE(state.Not(control, 1).ok());
  EXPECT_EQ(state, before);
}

// All pairs of positions, free and held together by p0 + 5 p1.
TEST(Cycle, ReversibleGatesOverAllPairs) {
  const std::vector<uint64_t> pair = {0, 1}, control = {0};
  const std::vector<int64_t> factors = {1, 5};
  for (uint32_t p = 0; p < kPositions; ++p) {
    for (uint32_t q = 0; q < kPositions; ++q) {
      const State free = Made({p, q});
      State state = free;
      ASSERT_TRUE(state.Not(control, 1).ok());
      ASSERT_EQ(state.positions()[0], p);
      ASSERT_EQ(state.positions()[1], p < kHalf ? q : (q + kHalf) % kPositions);
      ASSERT_TRUE(state.Not(control, 1).ok());
      ASSERT_EQ(state, free);
      ASSERT_TRUE(state.Swap({}, 0, 1).ok());
      ASSERT_EQ(state, Made({q, p}));
      if ((p + q) % 16 != 0) continue;
      State held = free;
      ASSERT_TRUE(held.Constrain(pair, factors, (p + 5 * q) % kPositions).ok());
      const State before = held;
      for (int k = 0; k < 2; ++k) {
        ASSERT_TRUE(held.Not(control, 1).ok() && held.Swap({}, 0, 1).ok());
        ASSERT_EQ((held.positions()[0] + 5 * held.positions()[1]) % kPositions,
                  held.constraints()[0].sum);
      }
      ASSERT_TRUE(held.Swap({}, 0, 1).ok() && held.Not(control, 1).ok());
      ASSERT_TRUE(held.Swap({}, 0, 1).ok() && held.Not(control, 1).ok());
      ASSERT_EQ(held, before);
    }
  }
}

TEST(Solver, AllSolutionsOfSmallSystems) {
  // Every 1 x 2 system over some coefficients, against all pairs.
  for (const uint32_t a : {0U, 1U, 2U, 3U, 16U, 48U, 384U}) {
    for (const uint32_t b : {0U, 3U, 6U, 256U}) {
      for (const uint32_t v : {0U, 1U, 6U, 384U}) {
        uint64_t count = 0;
        for (uint32_t x = 0; x < kPositions; ++x) {
          for (uint32_t y = 0; y < kPositions; ++y) count += (a * x + b * y) % kPositions == v;
        }
        const Solved solved = Solve({1, 2, {a, b}, {v}});
        EXPECT_EQ(solved.solutions ? solved.solutions->Count().value() : 0, count);
        EXPECT_EQ(solved.contradiction.has_value(), count == 0);
      }
    }
  }
}

}  // namespace
}  // namespace hologram::cycle768
