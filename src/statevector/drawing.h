// Drawings of circuits and histograms: shapes, as SVG or as gray pixels. Tested by
// tests/statevector/drawing_test.cc.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "statevector/circuit.h"
#include "statevector/run.h"

namespace hologram::statevector {

// Columns of gates beyond these are left out; the last one has their number.
inline constexpr uint32_t kMaxColumns = 400;
inline constexpr size_t kMaxBars = 64;

struct Shape {
  enum class Kind : uint8_t { kLine, kBox, kFilledBox, kDot, kRing, kText };
  Kind kind = Kind::kLine;
  int32_t x = 0;  // of a box and a line the first corner, else the middle
  int32_t y = 0;
  int32_t width = 0;  // of a line to the other end; of dots and rings the radius
  int32_t height = 0;
  std::string text;
};

struct Drawing {
  int32_t width = 0;
  int32_t height = 0;
  std::vector<Shape> shapes;
};

// A line for each qubit, gates from the left to the right as early as they can be.
Drawing DrawCircuit(const Circuit& circuit);
// A bar for each outcome, the most frequent ones where there are more than kMaxBars.
Drawing DrawHistogram(const Circuit& circuit, std::span<const Count> counts);

std::string ToSvg(const Drawing& drawing);
// width * height bytes, row by row: 255 white, 0 black.
std::vector<uint8_t> ToPixels(const Drawing& drawing);

}  // namespace hologram::statevector
