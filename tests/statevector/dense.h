// Another way to the same states, for tests: every gate as a matrix of all qubits, applied entry by
// entry, with the textbook's formulas.
#pragma once

#include <cmath>
#include <complex>
#include <span>
#include <vector>

namespace hologram::statevector::dense {

using Number = std::complex<double>;
using State = std::vector<Number>;

// `gate` has 2^k x 2^k entries, row by row; bit 0 of its index is qubits[0].
inline State Applied(const State& state, const std::vector<Number>& gate,
                     const std::vector<uint32_t>& qubits) {
  const size_t side = size_t{1} << qubits.size();
  State result(state.size());
  for (size_t row = 0; row < state.size(); ++row) {
    size_t gate_row = 0;
    size_t rest = row;
    for (size_t k = 0; k < qubits.size(); ++k) {
      gate_row |= (row >> qubits[k] & 1) << k;
      rest &= ~(size_t{1} << qubits[k]);
    }
    for (size_t gate_column = 0; gate_column < side; ++gate_column) {
      size_t column = rest;
      for (size_t k = 0; k < qubits.size(); ++k) column |= (gate_column >> k & 1) << qubits[k];
      result[row] += gate[gate_row * side + gate_column] * state[column];
    }
  }
  return result;
}

// The matrix with a control as its lowest qubit.
inline std::vector<Number> Controlled(const std::vector<Number>& gate) {
  const auto side = static_cast<size_t>(std::lround(std::sqrt(static_cast<double>(gate.size()))));
  std::vector<Number> result(4 * side * side);
  for (size_t i = 0; i < side; ++i) {
    result[(2 * i) * 2 * side + 2 * i] = 1;
    for (size_t k = 0; k < side; ++k)
      result[(2 * i + 1) * 2 * side + 2 * k + 1] = gate[i * side + k];
  }
  return result;
}

inline double Distance(std::span<const Number> a, std::span<const Number> b) {
  double distance = a.size() == b.size() ? 0 : 1e300;
  for (size_t i = 0; i < a.size() && i < b.size(); ++i) {
    distance = std::max(distance, std::abs(a[i] - b[i]));
  }
  return distance;
}

}  // namespace hologram::statevector::dense
