// The 768 positions of the cycle and its gates, which are additions modulo 768. A position is one
// number, not a qubit: docs/cycle768.md lists the identities of quantum gates that hold here and
// those that do not. Tested by tests/cycle768/cycle_test.cc and python/tests/test_cycle768.py.
#pragma once

#include <cstdint>
#include <string_view>

#include "cycle768/error.h"

namespace hologram::cycle768 {

inline constexpr uint32_t kPositions = 768;
inline constexpr uint32_t kHalf = kPositions / 2;

// 256 * modality + byte.
constexpr uint32_t ByteOf(uint32_t position) {
  return position % 256;
}
// 0 neutral, 1 produce, 2 consume.
constexpr uint32_t ModalityOf(uint32_t position) {
  return position / 256;
}
// 1 from the half of the cycle on.
constexpr uint32_t ValueOf(uint32_t position) {
  return position < kHalf ? 0 : 1;
}
// One of 96 equal parts of the cycle.
constexpr uint32_t SectorOf(uint32_t position) {
  return position / 8;
}
// The sigil class of the byte, which ignores the modality: another 96-way division, of uneven
// parts.
uint32_t ClassOf(uint32_t position);

// The shorter way round.
constexpr uint32_t Distance(uint32_t a, uint32_t b) {
  const uint32_t way = a < b ? b - a : a - b;
  return way < kHalf ? way : kPositions - way;
}

// Any number as a position; exact for every int64_t.
constexpr uint32_t Reduce(int64_t number) {
  const int64_t rest = number % int64_t{kPositions};
  return static_cast<uint32_t>(rest < 0 ? rest + int64_t{kPositions} : rest);
}

// How far the gate moves a position: I 0, T 96, S and H 192, X, Y and Z 384.
// Errors: kUnknownGate for any other letter.
Checked<uint32_t> AdvanceOf(char gate);

// The least position that reads 1 if positions are drawn uniformly and 0 is to be read with the
// probability alpha^2: floor(768 * alpha^2), in f32. That is sampling by the inverse of a
// distribution which is put in; it derives nothing. Errors: kNotNormalised where
// |alpha^2 + beta^2 - 1| is not below 0.001.
Checked<uint32_t> ReadingThreshold(float alpha, float beta);

}  // namespace hologram::cycle768
