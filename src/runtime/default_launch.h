// The launch of a kernel that is called without a grid (DESIGN 4.9): whole blocks over the largest
// output. Kernels for which that is not what was meant are refused with the grid to write: those
// that use ids of dimension 1 or 2, and those whose guard (`if i < n`) admits lanes that such a
// launch does not have. Tested by tests/runtime/default_launch_test.cc and tests/cli.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/result.h"
#include "hologram/native_abi.h"
#include "verify/verified_program.h"

namespace hologram::runtime {

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
std::vector<LaneGuard> FindLaneGuards(const verify::VerifiedProgram& program);

// How many lanes a guard admits in its dimension for these scalars.
uint64_t AdmittedLanes(const LaneGuard& guard, std::span<const uint64_t> scalars);

// What the caller may say about a launch; the rest follows from the buffers.
struct RequestedShape {
  std::optional<std::array<uint32_t, 3>> grid;
  std::optional<std::array<uint32_t, 3>> block;
};

// The full shape of a launch. grid[0] is 0 when the largest output is empty: nothing runs.
// REQUIRES: counts of buffers and scalars fit the program.
Result<hologram_launch_shape> ResolveShape(const verify::VerifiedProgram& program,
                                           const std::vector<LaneGuard>& guards,
                                           const RequestedShape& requested,
                                           std::span<const hologram_buffer_ref> buffers,
                                           std::span<const uint64_t> scalars);

}  // namespace hologram::runtime
