// Launches on whole arrays of which only parts are in memory: the units that they are cut into, and
// the elements that some of these touch (window.h). Tested by python/tests/test_windows.py,
// tests/stream and web/tests/programs.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "launch/default_shape.h"
#include "launch/window.h"

namespace hologram::launch {

// REQUIRES: the counts of scalars and extents are those of the program.
struct WholeLaunch {
  const VerifiedProgram& program;
  const DefaultShape& default_shape;  // of the program
  RequestedShape shape;
  std::span<const uint64_t> scalars;
  std::span<const uint64_t> extents;  // elements of each buffer
};

struct Units {
  uint32_t unit = 0;  // HOLOGRAM_UNIT_*
  uint64_t count = 0;
  hologram_launch_shape shape{};
};

// Errors: a shape that is refused; kUnsupported for kernels that are not launched in parts.
Result<Units> UnitsOf(const WholeLaunch& whole);

// The elements that units [first, last) touch, one for each buffer. Errors: as above, and those of
// CheckUnits and CheckLaunch.
Result<std::vector<BufferReach>> ReachOf(const WholeLaunch& whole, const verify::Reach& reach,
                                         uint64_t first, uint64_t last);

}  // namespace hologram::launch
