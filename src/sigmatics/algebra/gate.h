// One-qubit gates with exact arithmetic, and a unique normal form of every word over them.
//
// Matrices are over Z[w, 1/sqrt 2] with w = e^(i pi/4): four integers and a power of sqrt 2 for
// each entry, no floats, global phase included. H and S generate 192 of them (the Clifford group
// with the eight phases); a table found by breadth-first search holds for each its shortest word
// over {H, S, X, Z}, the first in that order among equals. With T every word has exactly one form
//
//   (T | nothing) (H T | S H T)* C          C one of the 192
//
// as a product of matrices (K. Matsumoto and K. Amano, "Representation of quantum circuits with
// Clifford and pi/8 gates", arXiv:0806.3834); appending a gate to it takes constant time.
// Tested by tests/sigmatics/gate_test.cc.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hologram::sigmatics {

enum class Gate : uint8_t { kH, kS, kX, kZ, kT, kY, kI };
inline constexpr int kNumGates = 7;

// In the order in which they act, the first first.
using GateWord = std::vector<Gate>;

// (c[0] + c[1] w + c[2] w^2 + c[3] w^3) / sqrt(2)^k of its matrix.
using RingNumber = std::array<int64_t, 4>;

// Entries row by row over one power of sqrt 2, which is the least possible: equal matrices are
// equal member by member.
struct Unitary {
  std::array<RingNumber, 4> entries{};
  uint32_t k = 0;
  bool operator==(const Unitary&) const = default;
  auto operator<=>(const Unitary&) const = default;
};

Unitary IdentityMatrix();
Unitary MatrixOf(Gate gate);
// The matrix product a b: b acts first. REQUIRES: entries below 2^60, as in words with at most 100
// gates T.
Unitary Product(const Unitary& a, const Unitary& b);
Unitary MatrixOf(const GateWord& word);

inline constexpr size_t kNumCliffords = 192;
// The shortest words of the 192, by index; index 0 is the identity, whose word is empty.
const GateWord& CliffordWord(size_t index);

// The unique word with the same matrix: over {H, S, X, Z, T}, empty for the identity.
GateWord NormalForm(const GateWord& word);

}  // namespace hologram::sigmatics
