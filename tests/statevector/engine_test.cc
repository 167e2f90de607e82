// The engine against the simple state vector: random circuits of all kinds of gates, in tiles of
// all sizes, fused or not, at each level of the processor, by several threads.
#include "statevector/engine.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <random>

#include "statevector/gates.h"
#include "statevector/plan.h"
#include "statevector/state_vector.h"

namespace hologram::statevector {
namespace {

struct Gates {
  std::vector<Operation> operations;
  std::vector<Matrix> matrices;
};

Gates RandomGates(uint32_t qubits, size_t count, std::mt19937& random) {
  const auto draw = [&](uint32_t below) { return static_cast<uint8_t>(random() % below); };
  Gates made;
  while (made.operations.size() < count) {
    const GateInfo& gate = AllGates()[random() % AllGates().size()];
    if (OperandsOf(gate) > qubits) continue;
    std::vector<double> parameters;
    for (int k = 0; k < gate.parameters; ++k)
      parameters.push_back(static_cast<double>(random() % 1000) * 0.01 - 5);
    Operation operation;
    uint32_t used = 0;
    const auto fresh = [&] {
      uint8_t qubit = draw(qubits);
      while ((used >> qubit & 1) != 0) qubit = draw(qubits);
      used |= uint32_t{1} << qubit;
      return qubit;
    };
    operation.target = fresh();
    if (gate.base == GateBase::kSwap) {
      operation.kind = Operation::Kind::kSwap;
      operation.other = fresh();
    }
    for (int k = 0; k < gate.controls; ++k) operation.controls |= uint32_t{1} << fresh();
    operation.matrix = static_cast<uint32_t>(made.matrices.size());
    made.matrices.push_back(MatrixOf(gate, parameters).value());
    made.operations.push_back(operation);
  }
  return made;
}

StateVector Simple(uint32_t qubits, const Gates& gates) {
  StateVector state = StateVector::Create(qubits).value();
  for (const Operation& operation : gates.operations) {
    std::vector<uint32_t> controls;
    for (uint32_t q = 0; q < qubits; ++q) {
      if ((operation.controls >> q & 1) != 0) controls.push_back(q);
    }
    const Status status =
        operation.kind == Operation::Kind::kSwap
            ? state.Swap(operation.target, operation.other, controls)
            : state.Apply(gates.matrices[operation.matrix], operation.target, controls);
    EXPECT_TRUE(status.ok());
  }
  return state;
}

template <class Real>
std::vector<std::complex<Real>> RunEngine(uint32_t qubits, const Gates& gates,
                                          const EngineOptions& options) {
  std::vector<std::complex<Real>> state(size_t{1} << qubits);
  state[0] = 1;
  ApplyOperations<Real>(state.data(), qubits, gates.operations, gates.matrices, options);
  return state;
}

template <class Real>
double Distance(std::span<const std::complex<Real>> a, std::span<const Amplitude> b) {
  double most = 0;
  for (size_t i = 0; i < b.size(); ++i) most = std::max(most, std::abs(Amplitude(a[i]) - b[i]));
  return most;
}

TEST(Engine, RandomCircuits) {
  std::mt19937 random(1);
  for (uint32_t qubits = 1; qubits <= 9; ++qubits) {
    for (int round = 0; round < 6; ++round) {
      const Gates gates = RandomGates(qubits, 60, random);
      const StateVector expected = Simple(qubits, gates);
      for (const uint32_t tile : {0U, 1U, 3U, 5U, 7U}) {
        if (tile == 1 && qubits > 1) continue;  // an exchange of two qubits needs both
        for (const bool fuse : {false, true}) {
          const auto state = RunEngine<double>(qubits, gates, {fuse, 1, 4, tile});
          EXPECT_LT(Distance<double>(state, expected.amplitudes()), 1e-13);
          const auto single = RunEngine<float>(qubits, gates, {fuse, 1, 4, tile});
          EXPECT_LT(Distance<float>(single, expected.amplitudes()), 1e-5);
        }
      }
    }
  }
}

template <class Real>
void ExpectSameBits(uint32_t qubits, const Gates& gates) {
  const auto expected = RunEngine<Real>(qubits, gates, {true, 1, 2, 0});
  for (const int level : {3, 4}) {
    for (const uint32_t threads : {1U, 2U, 5U}) {
      const auto state = RunEngine<Real>(qubits, gates, {true, threads, level, 0});
      EXPECT_EQ(0, std::memcmp(state.data(), expected.data(), sizeof(state[0]) * state.size()));
    }
  }
}

TEST(Engine, BitsDoNotDependOnLevelOrThreads) {
  std::mt19937 random(2);
  for (const uint32_t qubits : {1U, 2U, 3U, 4U, 6U, 11U, 16U}) {
    const Gates gates = RandomGates(qubits, 120, random);
    ExpectSameBits<double>(qubits, gates);
    ExpectSameBits<float>(qubits, gates);
  }
}

TEST(Engine, LargeStates) {
  std::mt19937 random(3);
  const Gates gates = RandomGates(17, 200, random);
  const StateVector expected = Simple(17, gates);
  EXPECT_LT(Distance<double>(RunEngine<double>(17, gates, {}), expected.amplitudes()), 1e-13);
}

TEST(Plan, MatricesOnOneQubitBecomeOne) {
  const Gates gates = [] {
    Gates made;
    made.matrices = {{0, 1, 1, 0}, {1, 0, 0, -1}};
    for (int k = 0; k < 6; ++k) {
      made.operations.push_back({.target = 0, .matrix = static_cast<uint32_t>(k % 2)});
    }
    made.operations.push_back({.target = 1, .matrix = 0});
    made.operations.push_back({.target = 1, .matrix = 0});
    return made;
  }();
  const auto count = [&](bool fuse) {
    size_t sum = 0;
    for (const Pass& pass : PlanPasses(2, gates.operations, gates.matrices, {fuse, 0})) {
      sum += pass.gates.size();
    }
    return sum;
  };
  EXPECT_EQ(count(false), 8U);
  EXPECT_EQ(count(true), 1U);  // XX on qubit 1 is nothing
}

TEST(Plan, ManyGatesInOnePass) {
  // A layer on all of 20 qubits and controlled gates between neighbours: two passes or three, not
  // 39, since controls and diagonal gates need not lie in the tile.
  Gates made;
  made.matrices = {{0.6, 0.8, 0.8, -0.6}, {1, 0, 0, -1}};
  for (uint8_t q = 0; q < 20; ++q) made.operations.push_back({.target = q});
  for (uint8_t q = 0; q < 19; ++q) {
    made.operations.push_back({.target = q, .controls = uint32_t{1} << (q + 1), .matrix = 1});
  }
  EXPECT_LE(PlanPasses(20, made.operations, made.matrices).size(), 3U);
}

}  // namespace
}  // namespace hologram::statevector
