// The state of up to 26 qubits as 2^n complex amplitudes: a real simulator of quantum circuits.
//
// Bit q of an amplitude's index is the value of qubit q. Sums run in index order, nothing is
// vectorised across that order and products are not contracted, so the same calls give the same
// bits everywhere. Every error is a value that names the figures, and leaves the state as it was.
// Different objects may be used by different threads at the same time.
// Tested by tests/statevector/state_vector_test.cc.
#pragma once

#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "base/result.h"
#include "statevector/amplitudes.h"

namespace hologram::statevector {

using Amplitude = std::complex<double>;

inline bool IsZero(const Amplitude& a) {
  return a == Amplitude(0);
}

// Row by row.
using Matrix = std::array<Amplitude, 4>;

inline constexpr uint32_t kMaxQubits = 26;

class StateVector {
 public:
  // All qubits 0. Errors: kInvalidArgument for a number of qubits outside 1 to kMaxQubits, found
  // before memory is taken; kResourceLimit where there is no memory (16 bytes for an amplitude).
  static Result<StateVector> Create(uint32_t qubits);
  // The same state in memory of its own. Errors: kResourceLimit.
  Result<StateVector> Copy() const;
  // Takes over the amplitudes of another state. REQUIRES: as many qubits
  void Assign(const StateVector& other);

  uint32_t qubits() const { return qubits_; }
  std::span<const Amplitude> amplitudes() const { return {amplitudes_.get(), size()}; }
  // For what applies gates by itself (engine.h) and leaves a state.
  Amplitude* mutable_amplitudes() { return amplitudes_.get(); }

  // The matrix on `target` where all of `controls` are 1. Errors (kInvalidArgument): a qubit that
  // does not exist, one that is given twice, a matrix that is not unitary (within 1e-9).
  Status Apply(const Matrix& matrix, uint32_t target, std::span<const uint32_t> controls = {});
  // Exchanges two qubits where all of `controls` are 1. Errors: as Apply.
  Status Swap(uint32_t a, uint32_t b, std::span<const uint32_t> controls = {});
  // Exchanges 0 and 1 of `target` where `function`, of the index with the bit of the target
  // cleared, is true: |x>|y> to |x>|y xor f(x)>. Calls the function once for each x. Errors: as
  // Apply.
  Status ApplyOracle(const std::function<bool(uint64_t)>& function, uint32_t target);

  // Errors: a qubit that does not exist.
  Result<double> ProbabilityOfOne(uint32_t qubit) const;
  // Measures: the result is 1 with its probability if `uniform` is uniformly distributed in [0, 1);
  // the state becomes what belongs to the result. Errors: a qubit that does not exist, a number
  // that is not in [0, 1).
  Result<bool> Measure(uint32_t qubit, double uniform);
  // Measures, and makes the qubit 0. Errors: as Measure.
  Status Reset(uint32_t qubit, double uniform);

 private:
  StateVector(uint32_t qubits, Amplitudes<double> amplitudes)
      : qubits_(qubits), amplitudes_(std::move(amplitudes)) {}

  size_t size() const { return size_t{1} << qubits_; }
  // The bits of the operands, or what is wrong with them.
  Result<uint32_t> MaskOf(std::span<const uint32_t> qubits, uint32_t mask) const;
  // Probabilities of 0 and of 1.
  std::array<double, 2> Probabilities(uint32_t qubit) const;

  uint32_t qubits_;
  Amplitudes<double> amplitudes_;
};

}  // namespace hologram::statevector
