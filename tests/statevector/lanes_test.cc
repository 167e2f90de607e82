// Launches of gate_pass and gate_join, carried out by plain loops, against the engine.
#include "statevector/lanes.h"

#include <gtest/gtest.h>

#include <random>

#include "statevector/gates.h"
#include "statevector/qasm.h"
#include "statevector/run.h"

namespace hologram::statevector {
namespace {

using Amplitudes = std::vector<Amplitude>;

// What gate_pass does to the tile of one lane.
void ApplyGates(const GateLaunch& launch, uint32_t lane, Amplitudes& tile) {
  for (size_t g = 0; 4 * g < launch.gates.size(); ++g) {
    const uint32_t* word = &launch.gates[4 * g];
    const double* m = &launch.matrices[8 * g];
    const auto at = [&](int k) { return Amplitude(m[2 * k], m[2 * k + 1]); };
    if ((lane & word[3]) != word[3]) continue;
    const uint32_t bit = uint32_t{1} << word[1];
    for (uint32_t k = 0; k < tile.size(); ++k) {
      if ((k & word[2]) != word[2]) continue;
      if (word[0] == 3) {
        tile[k] *= (lane & bit) != 0 ? at(3) : at(0);
      } else if (word[0] == 2) {
        tile[k] *= (k & bit) != 0 ? at(3) : at(0);
      } else if ((k & bit) == 0) {
        const Amplitude u = tile[k];
        const Amplitude v = tile[k | bit];
        const bool exchanges = word[0] == 4;
        tile[k] = exchanges ? v : at(0) * u + at(1) * v;
        tile[k | bit] = exchanges ? u : at(2) * u + at(3) * v;
      }
    }
  }
}

Amplitudes Carried(const LanePlan& plan, uint32_t qubits) {
  Amplitudes state(size_t{1} << qubits);
  state[0] = 1;
  for (const GateLaunch& launch : plan.launches) {
    Amplitudes next(state.size());
    EXPECT_EQ(launch.offsets.size() * launch.lanes, state.size());
    for (uint32_t lane = 0; lane < launch.lanes; ++lane) {
      uint32_t start = 0;
      for (size_t b = 0; b < launch.spread.size(); ++b) {
        if ((lane >> b & 1) != 0) start += launch.spread[b];
      }
      Amplitudes tile;
      for (const uint32_t offset : launch.offsets) tile.push_back(state.at(start + offset));
      ApplyGates(launch, lane, tile);
      for (size_t k = 0; k < tile.size(); ++k) next[k * launch.lanes + lane] = tile[k];
    }
    state = std::move(next);
  }
  Amplitudes joined;
  for (const uint32_t high : plan.high) {
    for (const uint32_t low : plan.low) joined.push_back(state.at(high + low));
  }
  return joined;
}

std::string RandomText(uint32_t qubits, int count, unsigned seed) {
  std::mt19937 random(seed);
  std::string text =
      "OPENQASM 2.0; include \"qelib1.inc\"; qreg q[" + std::to_string(qubits) + "];";
  const auto gates = AllGates();
  for (int made = 0; made < count;) {
    const GateInfo& gate = gates[random() % gates.size()];
    if (OperandsOf(gate) > qubits) continue;
    std::vector<uint32_t> places(qubits);
    for (uint32_t k = 0; k < qubits; ++k) places[k] = k;
    std::shuffle(places.begin(), places.end(), random);
    text += std::string(gate.name);
    for (int k = 0; k < gate.parameters; ++k) {
      text +=
          (k == 0 ? "(" : ",") + std::to_string(static_cast<int>(random() % 600) - 300) + "/100";
    }
    text += gate.parameters > 0 ? ")" : "";
    for (uint32_t k = 0; k < OperandsOf(gate); ++k) {
      text += (k == 0 ? " q[" : ",q[") + std::to_string(places[k]) + "]";
    }
    text += ";";
    ++made;
  }
  return text;
}

TEST(Lanes, RandomCircuitsAsTheEngine) {
  for (const uint32_t qubits : {1U, 2U, 3U, 5U, 6U, 9U, 12U}) {
    for (const bool fuse : {true, false}) {
      auto circuit = ParseQasm(RandomText(qubits, 150, qubits), "random");
      ASSERT_TRUE(circuit.ok()) << circuit.errors()[0].message;
      const auto expected = FinalState(circuit.value());
      const auto plan = PlanLanes(circuit.value(), fuse);
      ASSERT_TRUE(expected.ok() && plan.ok());
      const Amplitudes found = Carried(plan.value(), qubits);
      ASSERT_EQ(found.size(), expected.value().amplitudes().size());
      for (size_t k = 0; k < found.size(); ++k) {
        ASSERT_LT(std::abs(found[k] - expected.value().amplitudes()[k]), 1e-12);
      }
    }
  }
}

TEST(Lanes, OneFinalStateIsNeeded) {
  auto circuit = ParseQasm(
      "OPENQASM 2.0; include \"qelib1.inc\"; qreg q[1]; creg c[1]; h q[0]; reset q[0];", "reset");
  ASSERT_TRUE(circuit.ok());
  EXPECT_FALSE(PlanLanes(circuit.value()).ok());
  const std::vector<Amplitude> state(2);
  EXPECT_FALSE(CountState<double>(circuit.value(), state, 10, 1).ok());
}

}  // namespace
}  // namespace hologram::statevector
