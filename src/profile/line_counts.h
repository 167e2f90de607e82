// Counts of one launch by line of the source: the launch runs in the interpreter, which sees every
// instruction with its lanes. Exact, and the same on every machine. Tested by tests/profile.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "launch/launch.h"
#include "verify/verified_program.h"

namespace hologram::profile {

// Lanes are counted in vectors of so many, neighbours by their linear number: as in native code for
// x86-64-v4 and f32.
inline constexpr uint32_t kVectorLanes = 16;

struct LineCount {
  Location where;           // its first instruction; line 0: instructions without a place
  uint64_t executions = 0;  // by lanes, of its most frequent instruction
  uint64_t steps = 0;       // instructions, each counted for each lane that ran it
  uint64_t vectors = 0;     // instructions, each counted for each vector with such a lane
  uint64_t loaded = 0;      // bytes from buffers
  uint64_t stored = 0;      // bytes to buffers

  // Of kVectorLanes, the lanes that ran in a vector on average.
  double lanes() const {
    return vectors == 0 ? 0 : static_cast<double>(steps) / static_cast<double>(vectors);
  }
};

// In the order of the source. Runs the launch, with what it writes. Errors: a fault, which names
// its line; those of the interpreter. REQUIRES: CheckLaunch(program, launch) is kProved.
Result<std::vector<LineCount>> CountLines(const verify::VerifiedProgram& program,
                                          const launch::Launch& launch);

}  // namespace hologram::profile
