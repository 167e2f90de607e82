// The shapes of arrays that a launch is given, and the parameters that are taken from them. Used by
// everything that binds arguments. Tested by tests/isa.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "isa/program.h"

namespace hologram::launch {

// In elements, outermost dimension first.
struct ArrayShape {
  uint32_t rank = 0;  // 0: not known
  std::array<uint64_t, isa::kMaxRank> extents{};
  std::array<uint64_t, isa::kMaxRank> strides{};

  // Rows one after the other, without gaps. Of no dimension: one element. More than kMaxRank
  // dimensions give a shape that no parameter has.
  static ArrayShape Contiguous(std::span<const uint64_t> extents);
};

// Whether an array parameter of this rank, at least 1, can have the shape.
enum class ShapeFault : uint8_t { kNone, kRank, kGaps, kSpan };
ShapeFault FaultOf(uint32_t rank, const ArrayShape& shape);

// The values of the parameters that are not arguments, in their order. `shapes` are those of the
// buffers, in parameter order, each of rank 1 for a buffer without rank. Errors name the array:
// another rank, a last dimension with gaps, an extent or stride beyond u32.
Result<std::vector<uint64_t>> ShapeScalars(const isa::Program& program,
                                           std::span<const ArrayShape> shapes);

}  // namespace hologram::launch
