// Gate mode against the state vector, which knows nothing of it: random circuits of several wires
// in random order of their gates, before and after `circuit canon --mode gate`. The form keeps the
// global phase, so amplitudes are equal as they are; and under a control, where phases are seen.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "sigmatics/algebra/gate.h"
#include "sigmatics/canonical.h"
#include "statevector/gates.h"

namespace hologram::sigmatics {
namespace {

using statevector::ApplyGate;
using statevector::StateVector;

struct GateName {
  Gate gate;
  std::string_view text;  // as a circuit
  std::string_view name;  // of the state vector
};

constexpr GateName kNames[] = {
    {Gate::kH, "copy@c05->c06 . mark@c21", "h"},
    {Gate::kS, "mark@c07", "s"},
    {Gate::kX, "mark@c21", "x"},
    {Gate::kZ, "mark@c42", "z"},
    {Gate::kT, "mark@c03", "t"},
    {Gate::kY, "mark@c63", "y"},
    {Gate::kI, "mark@c00", "id"},
};

// The gates of a circuit of marks and copies, wire by wire, read from its text alone.
std::vector<std::vector<std::string_view>> WiresOf(const std::string& text) {
  std::vector<std::vector<std::string_view>> wires(1);
  for (size_t at = 0; at < text.size();) {
    const std::string_view rest = std::string_view(text).substr(at);
    if (rest.starts_with(" || ") || rest.starts_with(" . ")) {
      if (rest[1] == '|') wires.emplace_back();
      at += rest[1] == '|' ? 4 : 3;
      continue;
    }
    const auto* found = std::find_if(std::begin(kNames), std::end(kNames),
                                     [&](const auto& name) { return rest.starts_with(name.text); });
    EXPECT_NE(found, std::end(kNames)) << text;
    if (found == std::end(kNames)) return {};
    wires.back().push_back(found->name);
    at += found->text.size();
  }
  return wires;
}

std::string TextOf(const std::vector<GateWord>& wires) {
  std::string text;
  for (const GateWord& wire : wires) {
    if (&wire != &wires.front()) text += " || ";
    for (size_t i = 0; i < wire.size(); ++i) {
      text += i == 0 ? "" : " . ";
      text += kNames[static_cast<size_t>(wire[i])].text;
    }
  }
  return text;
}

// Entangled, so that no wire is alone.
StateVector StartState(uint32_t qubits, uint32_t seed) {
  StateVector state = StateVector::Create(qubits).value();
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> angle(-3, 3);
  for (uint32_t round = 0; round < 2; ++round) {
    for (uint32_t q = 0; q < qubits; ++q) {
      const double angles[3] = {angle(random), angle(random), angle(random)};
      EXPECT_TRUE(ApplyGate(state, "u3", angles, std::array{q}).ok());
      EXPECT_TRUE(ApplyGate(state, "cx", {}, std::array{q, (q + 1) % qubits}).ok());
    }
  }
  return state;
}

// Gate i of a wire acts on its qubit; the wires take turns at random. With `control` each gate is
// controlled by the qubit above all wires.
void ApplyWires(const std::vector<std::vector<std::string_view>>& wires, bool control,
                uint32_t seed, StateVector& state) {
  std::mt19937 random(seed);
  std::vector<size_t> next(wires.size(), 0);
  size_t left = 0;
  for (const auto& wire : wires) left += wire.size();
  const std::array<uint32_t, 1> above = {state.qubits() - 1};
  while (left > 0) {
    const size_t wire = random() % wires.size();
    if (next[wire] == wires[wire].size()) continue;
    --left;
    const auto matrix =
        statevector::MatrixOf(*statevector::FindGate(wires[wire][next[wire]++]), {}).value();
    const std::span<const uint32_t> controls =
        control ? std::span<const uint32_t>(above) : std::span<const uint32_t>();
    ASSERT_TRUE(state.Apply(matrix, static_cast<uint32_t>(wire), controls).ok());
  }
}

double Distance(const StateVector& a, const StateVector& b) {
  double distance = 0;
  for (size_t i = 0; i < a.amplitudes().size(); ++i) {
    distance = std::max(distance, std::abs(a.amplitudes()[i] - b.amplitudes()[i]));
  }
  return distance;
}

// Rounding of about 60 gates; two different products of these gates with a global phase differ by
// much more in words of this length.
constexpr double kTolerance = 1e-12;

TEST(GateState, RandomCircuitsKeepTheirAmplitudes) {
  std::mt19937 random(7);
  size_t shorter = 0;
  constexpr uint32_t kCircuits = 2000;
  for (uint32_t n = 0; n < kCircuits; ++n) {
    std::vector<GateWord> words(1 + random() % 5);
    const uint32_t gates = n % 2 == 0 ? kNumGates : 4;  // every second one over H, S, X, Z alone
    for (GateWord& word : words) {
      word.resize(1 + random() % 60);
      for (Gate& gate : word) gate = static_cast<Gate>(random() % gates);
    }
    const std::string text = TextOf(words);
    const Checked<Canonical> form = CanonicalForm(Parse(text).value(), Mode::kGate);
    ASSERT_TRUE(form.ok()) << text;
    const std::string canonical = Print(form.value().circuit);
    const auto before = WiresOf(text);
    const auto after = WiresOf(canonical);
    ASSERT_EQ(after.size(), words.size()) << text;
    // The wires, and one qubit more for controls.
    const auto qubits = static_cast<uint32_t>(words.size() + 1);
    for (const bool control : {false, true}) {
      StateVector state = StartState(qubits, n);
      StateVector expected = state.Copy().value();
      ApplyWires(after, control, n, state);
      ApplyWires(before, control, n + 1, expected);
      ASSERT_LT(Distance(state, expected), kTolerance) << text << "\n" << canonical;
    }
    shorter += form.value().canonical_operations < form.value().original_operations ? 1 : 0;
  }
  EXPECT_GT(shorter, kCircuits / 2);
}

// The ring's matrices are those of the state vector, and equal forms are equal states: a word that
// differs from another by a phase alone has another form.
TEST(GateState, FormsTellPhasesApart) {
  for (const GateName& name : kNames) {
    const Unitary exact = MatrixOf(name.gate);
    const auto matrix = statevector::MatrixOf(*statevector::FindGate(name.name), {}).value();
    for (size_t i = 0; i < 4; ++i) {
      std::complex<double> value;
      for (size_t power = 0; power < 4; ++power) {
        value += static_cast<double>(exact.entries[i][power]) *
                 std::polar(1.0, std::acos(-1.0) / 4 * static_cast<double>(power));
      }
      EXPECT_LT(std::abs(value / std::pow(std::sqrt(2.0), exact.k) - matrix[i]), 1e-15);
    }
  }
  std::mt19937 random(8);
  size_t phases = 0;
  for (int n = 0; n < 300; ++n) {
    GateWord word(1 + random() % 12);
    for (Gate& gate : word) gate = static_cast<Gate>(random() % kNumGates);
    // (H S)^3 k times is a phase of k eighths of a turn.
    GateWord turned = word;
    const uint32_t eighths = random() % 8;
    for (uint32_t k = 0; k < 3 * eighths; ++k) {
      turned.push_back(Gate::kH);
      turned.push_back(Gate::kS);
    }
    StateVector state = StartState(2, 1);
    StateVector other = state.Copy().value();
    ApplyWires(WiresOf(TextOf({word})), false, 1, state);
    ApplyWires(WiresOf(TextOf({turned})), false, 1, other);
    const bool is_same = Distance(state, other) < kTolerance;
    EXPECT_EQ(is_same, eighths == 0);
    EXPECT_EQ(NormalForm(word) == NormalForm(turned), is_same);
    phases += is_same ? 0 : 1;
    // Up to that phase they are the same.
    const std::complex<double> phase = std::polar(1.0, std::acos(-1.0) / 4 * eighths);
    for (size_t i = 0; i < 4; ++i) {
      EXPECT_LT(std::abs(state.amplitudes()[i] * phase - other.amplitudes()[i]), kTolerance);
    }
  }
  EXPECT_GT(phases, 200U);
}

}  // namespace
}  // namespace hologram::sigmatics
