// Runs a circuit many times and counts what its classical bits are at the end.
//
// Shot s draws its random numbers from PhiloxUniform(seed, k, s), k = 0, 1, 2, ... (base/philox.h).
// If all measurements can come last - nothing acts on a qubit once it was measured, no condition,
// and no reset of a qubit that was used before - the state is computed once and number 0 of each
// shot chooses a basis state: the first whose probability, with those of all lower indices, exceeds
// it. Otherwise each shot runs what is behind the first measurement, reset or condition again,
// and takes a number for each measurement and each reset, in the order of the circuit.
// So counts are the same everywhere for one circuit, seed and number of shots.
// Gates run in the engine (engine.h), fused, as far as they come before the first measurement,
// reset or condition, or where the state is computed once. Tested by tests/statevector/run_test.cc.
#pragma once

#include <array>
#include <complex>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "statevector/circuit.h"
#include "statevector/engine.h"
#include "statevector/plan.h"

namespace hologram::statevector {

inline constexpr uint64_t kMaxShots = 1'000'000;
// Amplitudes that a run may visit: operations times 2^qubits, times the shots where each runs them.
inline constexpr uint64_t kMaxVisits = uint64_t{1} << 42;

// Classical bits, bit i of the circuit in word i / 64.
using Outcome = std::array<uint64_t, kMaxClassicalBits / 64>;

struct Count {
  Outcome outcome{};
  uint64_t shots = 0;
};

// Whether the state is computed once for all shots.
bool MeasuresLast(const Circuit& circuit);

// Outcomes, in the order of TextOf(). Errors: kInvalidArgument for a circuit that measures
// nothing or shots outside 1 to kMaxShots; kResourceLimit for more than kMaxVisits or no memory.
Result<std::vector<Count>> CountShots(const Circuit& circuit, uint64_t shots, uint64_t seed,
                                      const EngineOptions& options = {});
// The same in single precision, half the memory. Errors: also kUnsupported for circuits that are
// not computed once for all shots.
Result<std::vector<Count>> CountShotsSingle(const Circuit& circuit, uint64_t shots, uint64_t seed,
                                            const EngineOptions& options = {});

// Outcomes of a state that was computed elsewhere, of 2^qubits amplitudes.
// Errors: as CountShotsSingle, and kInvalidArgument for a state of another size.
template <class Real>
Result<std::vector<Count>> CountState(const Circuit& circuit,
                                      std::span<const std::complex<Real>> state, uint64_t shots,
                                      uint64_t seed);

// The registers as numbers in binary, their highest bit first; the register that was declared last
// is first, a space between them: "c1[1]c1[0] c0[2]c0[1]c0[0]".
std::string TextOf(const Circuit& circuit, const Outcome& outcome);

// The state before any measurement: all that acts unconditionally on qubits, measurements left out.
// Errors: kInvalidArgument for a circuit with conditions or with resets of used qubits;
// kResourceLimit as CountShots.
Result<StateVector> FinalState(const Circuit& circuit, const EngineOptions& options = {});
// The same in single precision.
Result<Amplitudes<float>> FinalStateSingle(const Circuit& circuit,
                                           const EngineOptions& options = {});
// The passes of FinalState, for an engine elsewhere. Errors: as FinalState.
Result<std::vector<Pass>> FinalPasses(const Circuit& circuit, const PlanOptions& options);

}  // namespace hologram::statevector
