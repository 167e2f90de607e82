// Gates on chosen qubits against dense matrices, errors that change nothing, measurement.
#include "statevector/state_vector.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "dense.h"
#include "statevector/gates.h"

namespace hologram::statevector {
namespace {

StateVector RandomState(uint32_t qubits, uint32_t seed) {
  StateVector state = StateVector::Create(qubits).value();
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> angle(-3, 3);
  for (int round = 0; round < 3; ++round) {
    for (uint32_t q = 0; q < qubits; ++q) {
      const double angles[3] = {angle(random), angle(random), angle(random)};
      EXPECT_TRUE(ApplyGate(state, "u3", angles, std::array{q}).ok());
      if (qubits > 1) {
        EXPECT_TRUE(ApplyGate(state, "cx", {}, std::array{q, (q + 1) % qubits}).ok());
      }
    }
  }
  return state;
}

dense::State AmplitudesOf(const StateVector& state) {
  return {state.amplitudes().begin(), state.amplitudes().end()};
}

std::string MessageOf(const Diagnostics& errors) {
  return errors.empty() ? "" : errors[0].message;
}

TEST(StateVector, StartsAtZero) {
  const StateVector state = StateVector::Create(3).value();
  ASSERT_EQ(state.amplitudes().size(), 8U);
  EXPECT_EQ(AmplitudesOf(state), (dense::State{1, 0, 0, 0, 0, 0, 0, 0}));
}

TEST(StateVector, RefusesSizesBeforeItTakesMemory) {
  EXPECT_EQ(MessageOf(StateVector::Create(0).errors()), "a state vector has 1 to 26 qubits, not 0");
  EXPECT_EQ(MessageOf(StateVector::Create(27).errors()),
            "a state vector has 1 to 26 qubits, not 27");
  EXPECT_EQ(MessageOf(StateVector::Create(UINT32_MAX).errors()),
            "a state vector has 1 to 26 qubits, not 4294967295");
}

// Every gate of the table, on every choice of qubits of a random state.
TEST(StateVector, GatesAreTheirDenseMatrices) {
  constexpr uint32_t kQubits = 5;
  std::mt19937 random(2);
  std::uniform_real_distribution<double> angle(-7, 7);
  size_t compared = 0;
  for (const GateInfo& gate : AllGates()) {
    for (int n = 0; n < 12; ++n) {
      std::vector<uint32_t> qubits = {0, 1, 2, 3, 4};
      std::shuffle(qubits.begin(), qubits.end(), random);
      qubits.resize(OperandsOf(gate));
      std::vector<double> parameters(gate.parameters);
      for (double& parameter : parameters) parameter = angle(random);
      StateVector state = RandomState(kQubits, static_cast<uint32_t>(n));
      std::vector<dense::Number> matrix = {1, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 1};
      if (gate.base != GateBase::kSwap) {
        const Matrix one = MatrixOf(gate, parameters).value();
        matrix.assign(one.begin(), one.end());
      }
      for (int c = 0; c < gate.controls; ++c) matrix = dense::Controlled(matrix);
      const dense::State expected = dense::Applied(AmplitudesOf(state), matrix, qubits);
      ASSERT_TRUE(ApplyGate(state, gate.name, parameters, qubits).ok());
      EXPECT_LT(dense::Distance(state.amplitudes(), expected), 1e-14) << gate.name;
      ++compared;
    }
  }
  EXPECT_EQ(compared, 40U * 12);
}

// A matrix that is not one of the shapes that have a faster way, and those that have.
TEST(StateVector, Matrices) {
  const double r = std::sqrt(0.5);
  for (const Matrix& m :
       {Matrix{r, r, -r, r}, Matrix{1, 0, 0, Amplitude(0, 1)}, Matrix{Amplitude(0, 1), 0, 0, 1},
        Matrix{0, 1, 1, 0}, Matrix{0, 1, -1, 0}, Matrix{-1, 0, 0, 1}, Matrix{1, 0, 0, 1}}) {
    for (uint32_t target = 0; target < 4; ++target) {
      StateVector state = RandomState(4, target);
      const dense::State expected =
          dense::Applied(AmplitudesOf(state), {m.begin(), m.end()}, {target});
      ASSERT_TRUE(state.Apply(m, target).ok());
      EXPECT_LT(dense::Distance(state.amplitudes(), expected), 1e-15);
    }
  }
}

TEST(StateVector, ErrorsNameTheFiguresAndChangeNothing) {
  StateVector state = RandomState(3, 9);
  const dense::State before = AmplitudesOf(state);
  const Matrix x{0, 1, 1, 0};
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const uint32_t none = 3;
  const uint32_t one = 1;
  const std::vector<std::pair<std::string, std::string>> messages = {
      {MessageOf(state.Apply(x, 3).errors()), "qubit 3 does not exist: there are 3, from 0"},
      {MessageOf(state.Apply(x, 4000000000).errors()),
       "qubit 4000000000 does not exist: there are 3, from 0"},
      {MessageOf(state.Apply(x, 0, {&none, 1}).errors()),
       "qubit 3 does not exist: there are 3, from 0"},
      {MessageOf(state.Apply(x, 1, {&one, 1}).errors()),
       "a gate needs different qubits, qubit 1 is given twice"},
      {MessageOf(state.Apply(x, 0, std::array<uint32_t, 2>{2, 2}).errors()),
       "a gate needs different qubits, qubit 2 is given twice"},
      {MessageOf(state.Apply({1, 0, 0, 0.5}, 0).errors()),
       "the matrix (1.0 + 0.0i, 0.0 + 0.0i, 0.0 + 0.0i, 0.5 + 0.0i) is not unitary"},
      {MessageOf(state.Apply({nan, 0, 0, 1}, 0).errors()),
       "the matrix (nan + 0.0i, 0.0 + 0.0i, 0.0 + 0.0i, 1.0 + 0.0i) is not unitary"},
      {MessageOf(state.Swap(2, 2).errors()),
       "a gate needs different qubits, qubit 2 is given twice"},
      {MessageOf(state.Swap(0, 3).errors()), "qubit 3 does not exist: there are 3, from 0"},
      {MessageOf(state.Swap(0, 1, {&one, 1}).errors()),
       "a gate needs different qubits, qubit 1 is given twice"},
      {MessageOf(state.ApplyOracle([](uint64_t) { return true; }, 7).errors()),
       "qubit 7 does not exist: there are 3, from 0"},
      {MessageOf(state.ProbabilityOfOne(3).errors()),
       "qubit 3 does not exist: there are 3, from 0"},
      {MessageOf(state.Measure(3, 0.5).errors()), "qubit 3 does not exist: there are 3, from 0"},
      {MessageOf(state.Measure(0, 1).errors()), "a random number in [0, 1) is needed, found 1.0"},
      {MessageOf(state.Measure(0, nan).errors()), "a random number in [0, 1) is needed, found nan"},
      {MessageOf(state.Reset(0, -0.5).errors()), "a random number in [0, 1) is needed, found -0.5"},
      {MessageOf(state.Reset(5, 0.5).errors()), "qubit 5 does not exist: there are 3, from 0"},
      {MessageOf(ApplyGate(state, "frob", {}, {}).errors()), "there is no gate 'frob'"},
      {MessageOf(ApplyGate(state, "cx", {}, {&one, 1}).errors()), "cx acts on 2 qubits, not 1"},
      {MessageOf(ApplyGate(state, "rx", {}, {&one, 1}).errors()), "rx has 1 parameter, not 0"},
      {MessageOf(ApplyGate(state, "cx", {}, std::array<uint32_t, 2>{1, 1}).errors()),
       "a gate needs different qubits, qubit 1 is given twice"},
      {MessageOf(ApplyGate(state, "rx", {&nan, 1}, {&one, 1}).errors()),
       "rx: parameter 1 is nan, expected a number from -1e15 to 1e15"},
  };
  for (const auto& [found, expected] : messages) EXPECT_EQ(found, expected);
  EXPECT_EQ(AmplitudesOf(state), before);
}

TEST(StateVector, MeasuresWithTheirProbabilities) {
  for (uint32_t qubit = 0; qubit < 4; ++qubit) {
    const StateVector start = RandomState(4, 20 + qubit);
    double one = 0;
    for (size_t i = 0; i < 16; ++i) {
      if ((i >> qubit & 1) != 0) one += std::norm(start.amplitudes()[i]);
    }
    EXPECT_NEAR(start.ProbabilityOfOne(qubit).value(), one, 1e-14);
    for (const bool result : {false, true}) {
      StateVector state = start.Copy().value();
      // On both sides of the bound.
      EXPECT_EQ(state.Measure(qubit, result ? one - 1e-9 : one + 1e-9).value(), result);
      dense::State expected = AmplitudesOf(start);
      for (size_t i = 0; i < 16; ++i) {
        const bool belongs = ((i >> qubit & 1) != 0) == result;
        expected[i] = belongs ? expected[i] / std::sqrt(result ? one : 1 - one) : 0;
      }
      EXPECT_LT(dense::Distance(state.amplitudes(), expected), 1e-14);
      // Again, whatever is drawn.
      EXPECT_EQ(state.Measure(qubit, result ? 1 - 0x1p-53 : 0).value(), result);
      ASSERT_TRUE(state.Reset(qubit, 0.5).ok());
      EXPECT_EQ(state.ProbabilityOfOne(qubit).value(), 0);
    }
  }
}

}  // namespace
}  // namespace hologram::statevector
