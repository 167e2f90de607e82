// Counts of one launch by line of the source. The launch runs in the interpreter, which sees every
// instruction with its lanes, or in instrumented native code (profile/native_counts.h). Executions
// and bytes of lines are exact, and the same in both and on every machine. Tested by tests/profile.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "launch/launch.h"
#include "verify/verified_program.h"

namespace hologram::profile {

// The size of the vectors that the interpreter counts lanes in, neighbours by their linear number:
// as in native code for x86-64-v4 and f32.
inline constexpr uint32_t kVectorLanes = 16;

// Of one instruction, or of a block of them.
struct Count {
  uint64_t lanes = 0;
  uint64_t vectors = 0;  // with such a lane
};

struct LineCount {
  Location where;           // its first instruction; line 0: instructions without a place
  uint64_t executions = 0;  // by lanes, of its most frequent instruction
  uint64_t steps = 0;       // instructions, each counted for each lane that ran it
  uint64_t vectors = 0;     // instructions, each counted for each vector with such a lane
  uint64_t loaded = 0;      // bytes from buffers
  uint64_t stored = 0;      // bytes to buffers

  // The lanes that ran in a vector on average.
  double lanes() const {
    return vectors == 0 ? 0 : static_cast<double>(steps) / static_cast<double>(vectors);
  }
};

// The work of a launch as a whole. Operations on floats: each instruction that computes one counts
// once for each lane, MAD and FMA twice; the functions of the instruction set count as one, too.
struct LaunchWork {
  uint64_t operations32 = 0;  // in f32, or narrower
  uint64_t operations64 = 0;
  uint64_t bytes = 0;  // of elements of buffers that are read, and that are written: each once
  bool bytes_at_most = false;  // it is not known which: those of all accesses, or of whole buffers
};

struct LaunchCounts {
  std::vector<LineCount> lines;      // in the order of the source
  std::vector<uint64_t> executions;  // of each instruction of the program, by lanes
  LaunchWork work;
  uint32_t width = kVectorLanes;  // lanes of a vector
  std::string counted_by;         // "x86-64-v3"; empty: the interpreter
};

// Lines and operations from the counts of all instructions of the program; work.bytes stays 0.
LaunchCounts CountsOf(const verify::VerifiedProgram& program, std::span<const Count> counts);

// Runs the launch, with what it writes. Errors: a fault, which names its line; those of the
// interpreter. REQUIRES: CheckLaunch(program, launch).ok()
Result<LaunchCounts> CountLaunch(const verify::VerifiedProgram& program,
                                 const launch::Launch& launch);

}  // namespace hologram::profile
