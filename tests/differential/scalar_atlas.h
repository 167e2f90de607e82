// Classes, neighbours and phases once more, from what adjacency means instead of from steps.
#pragma once

#include <cstdint>
#include <optional>

#include "scalar_value.h"

namespace hologram::tests {

// The result of an instruction that takes a class. `operands` are a, b, c; the fault's code and
// index come back if there is one.
struct AtlasResult {
  Value value;
  uint32_t fault = 0;
  int64_t index = 0;
};
AtlasResult OfClass(const isa::Instruction& in, const uint64_t (&operands)[3]);

}  // namespace hologram::tests
