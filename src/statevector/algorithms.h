// Well-known states and the algorithm of Deutsch and Jozsa, made of the gates of StateVector.
// Tested by tests/statevector/algorithms_test.cc.
#pragma once

#include <cstdint>
#include <functional>

#include "base/result.h"
#include "statevector/state_vector.h"

namespace hologram::statevector {

enum class Bell : uint8_t { kPhiPlus, kPhiMinus, kPsiPlus, kPsiMinus };

// (|00> +- |11>) / sqrt 2 and (|01> +- |10>) / sqrt 2, where |qubit 1, qubit 0> and the term with
// qubit 0 = 1 has the +: Psi- is (|01> - |10>) / sqrt 2.
Result<StateVector> BellState(Bell which);
// (|0...0> + |1...1>) / sqrt 2. Errors: fewer than 2 qubits, and those of StateVector::Create.
Result<StateVector> GhzState(uint32_t qubits);
// The sum of the n states with one 1, over sqrt n. Errors: as GhzState.
Result<StateVector> WState(uint32_t qubits);

enum class Promise : uint8_t { kConstant, kBalanced };

// Finds with one query of the oracle whether `function`, of numbers below 2^inputs, is constant or
// true for exactly half of them. Errors (kInvalidArgument): inputs outside 1 to kMaxQubits - 1; a
// function that is neither, with the probability that the circuit answers "constant", which is
// then not 0 or 1.
Result<Promise> DeutschJozsa(uint32_t inputs, const std::function<bool(uint64_t)>& function);

}  // namespace hologram::statevector
