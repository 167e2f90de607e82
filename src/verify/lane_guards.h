// Which comparisons decide whether a lane touches a buffer at all: a launch without a grid must
// have every lane that they admit (DESIGN 4.9). The runtime needs them for its messages, the code
// generator for the entry of default launches. Tested by tests/runtime/default_launch_test.cc.
#pragma once

#include <cstdint>
#include <vector>

#include "isa/type.h"
#include "verify/verified_program.h"

namespace hologram::verify {

// `if id[dimension] < scalar` (or <=) around everything that touches a buffer.
struct LaneGuard {
  int dimension = 0;
  uint32_t parameter = 0;  // number of the scalar among all parameters
  uint32_t scalar = 0;     // and among the scalars
  isa::Type type = isa::Type::kU32;
  bool inclusive = false;
  uint32_t pc = 0;
  bool operator==(const LaneGuard&) const = default;
};

// The guards of a program, found in its branches.
std::vector<LaneGuard> FindLaneGuards(const VerifiedProgram& program);

}  // namespace hologram::verify
