#include "statevector/algorithms.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "dense.h"

namespace hologram::statevector {
namespace {

const double kRoot = std::sqrt(0.5);

TEST(States, Bell) {
  const auto distance = [](Bell which, const dense::State& expected) {
    const StateVector state = BellState(which).value();
    return dense::Distance(state.amplitudes(), expected);
  };
  EXPECT_LT(distance(Bell::kPhiPlus, {kRoot, 0, 0, kRoot}), 1e-15);
  EXPECT_LT(distance(Bell::kPhiMinus, {kRoot, 0, 0, -kRoot}), 1e-15);
  EXPECT_LT(distance(Bell::kPsiPlus, {0, kRoot, kRoot, 0}), 1e-15);
  EXPECT_LT(distance(Bell::kPsiMinus, {0, kRoot, -kRoot, 0}), 1e-15);
}

TEST(States, GhzAndW) {
  for (uint32_t n = 2; n <= 12; ++n) {
    const StateVector ghz = GhzState(n).value();
    const StateVector w = WState(n).value();
    const size_t size = size_t{1} << n;
    dense::State expected_ghz(size);
    dense::State expected_w(size);
    expected_ghz[0] = expected_ghz[size - 1] = kRoot;
    for (uint32_t q = 0; q < n; ++q) expected_w[size_t{1} << q] = 1 / std::sqrt(double{1} * n);
    EXPECT_LT(dense::Distance(ghz.amplitudes(), expected_ghz), 1e-15);
    EXPECT_LT(dense::Distance(w.amplitudes(), expected_w), 1e-15);
  }
  EXPECT_EQ(GhzState(1).errors()[0].message, "an entangled state has at least 2 qubits, not 1");
  EXPECT_EQ(WState(0).errors()[0].message, "an entangled state has at least 2 qubits, not 0");
  EXPECT_EQ(GhzState(30).errors()[0].message, "a state vector has 1 to 26 qubits, not 30");
}

// What no assignment of values in advance can reach: |CHSH| is at most 2 then.
TEST(States, BellStatesBreakTheChshBound) {
  const auto correlation = [](double a, double b) {
    StateVector state = BellState(Bell::kPhiPlus).value();
    const auto turn = [&](uint32_t qubit, double angle) {
      const double c = std::cos(angle / 2);
      const double s = std::sin(angle / 2);
      EXPECT_TRUE(state.Apply({c, s, -s, c}, qubit).ok());
    };
    turn(0, a);
    turn(1, b);
    const auto p = [&](size_t i) { return std::norm(state.amplitudes()[i]); };
    return p(0) + p(3) - p(1) - p(2);
  };
  const double eighth = std::acos(-1.0) / 4;
  const double chsh = correlation(0, eighth) + correlation(0, -eighth) +
                      correlation(2 * eighth, eighth) - correlation(2 * eighth, -eighth);
  EXPECT_NEAR(chsh, 2 * std::sqrt(2.0), 1e-14);
}

TEST(DeutschJozsa, FindsWhatTheFunctionIs) {
  size_t balanced = 0;
  // All functions of one, two and three inputs.
  for (uint32_t inputs = 1; inputs <= 3; ++inputs) {
    const uint32_t size = 1U << inputs;
    for (uint64_t table = 0; table < uint64_t{1} << size; ++table) {
      const auto answer = DeutschJozsa(inputs, [&](uint64_t x) { return (table >> x & 1) != 0; });
      const auto ones = static_cast<uint32_t>(std::popcount(table));
      if (ones == 0 || ones == size) {
        ASSERT_EQ(answer.value(), Promise::kConstant);
      } else if (2 * ones == size) {
        ASSERT_EQ(answer.value(), Promise::kBalanced);
        ++balanced;
      } else {
        ASSERT_FALSE(answer.ok());
      }
    }
  }
  EXPECT_EQ(balanced, 2U + 6 + 70);
}

TEST(DeutschJozsa, QueriesEachInputOnceAndSeesTheSmallestDifferences) {
  constexpr uint32_t kInputs = 20;
  uint64_t queries = 0;
  const auto parity = [&](uint64_t x) {
    ++queries;
    return std::popcount(x) % 2 == 1;
  };
  EXPECT_EQ(DeutschJozsa(kInputs, parity).value(), Promise::kBalanced);
  EXPECT_EQ(queries, uint64_t{1} << kInputs);  // one query of a state that has all of them
  EXPECT_EQ(DeutschJozsa(kInputs, [](uint64_t) { return true; }).value(), Promise::kConstant);
  EXPECT_FALSE(DeutschJozsa(kInputs, [](uint64_t x) { return x == 12345; }).ok());
  EXPECT_FALSE(DeutschJozsa(kInputs, [](uint64_t x) { return x <= 1 << 19; }).ok());
  EXPECT_EQ(DeutschJozsa(2, [](uint64_t x) { return x == 0; }).errors()[0].message.substr(0, 80),
            "the function is neither constant nor balanced: the answer is 'constant' with the");
  EXPECT_EQ(DeutschJozsa(0, parity).errors()[0].message, "Deutsch-Jozsa has 1 to 25 inputs, not 0");
  EXPECT_EQ(DeutschJozsa(26, parity).errors()[0].message,
            "Deutsch-Jozsa has 1 to 25 inputs, not 26");
}

}  // namespace
}  // namespace hologram::statevector
