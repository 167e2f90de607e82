// A part of a launch on parts of its arrays: what its lanes touch, and whether that is there.
//
// Lanes have their true ids, so a part computes what it would in the launch of all. The elements
// that it touches are known before it runs, by the bounds of the proofs at the ids of the window
// (verify/reach.h). An access that has no such bound may be anywhere: its whole array must be in
// memory. Tested by python/tests/test_windows.py
// and tests/stream.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/result.h"
#include "launch/launch.h"
#include "verify/reach.h"

namespace hologram::launch {

// The elements of one array that the units of a window touch: those from `low` on, before `high`;
// none if they are equal.
struct BufferReach {
  bool moves = false;   // the range follows the units
  bool bounded = true;  // false: some access may be anywhere; `low` is 0, `high` the whole
  uint64_t low = 0;
  uint64_t high = 0;
  uint64_t written_low = 0;  // the same of what is written
  uint64_t written_high = 0;
  uint32_t low_pc = 0;  // the accesses that reach farthest
  uint32_t high_pc = 0;
};

// One for each buffer. REQUIRES: launch.window, of units that the launch has, one base and one
// extent for each buffer; the counts of buffers and scalars are right.
std::vector<BufferReach> ReachOf(const VerifiedProgram& program, const verify::Reach& reach,
                                 const Launch& launch);

// Whether the window is one of this launch, and all that its units touch is in it. Errors name the
// parameter and the access. kUnsupported: a kernel that cannot run in parts with the same bits.
// REQUIRES: as ReachOf, but for the units.
Status CheckWindow(const VerifiedProgram& program, const verify::Reach& reach,
                   const Launch& launch);

// The same without a look at memory: the units and the kernel alone.
Status CheckUnits(const VerifiedProgram& program, const Launch& launch);

struct LaneSpan {
  uint64_t first = 0;  // linear lanes
  uint64_t last = 0;
};

// The linear lanes of a window, as spans: for units that are rows, in the order of rows.
class WindowLanes {
 public:
  // REQUIRES: the launch has these units. Both must outlive this.
  WindowLanes(const hologram_launch_shape& shape, const Window& window);
  std::optional<LaneSpan> Next();

 private:
  const hologram_launch_shape& shape_;
  const Window& window_;
  uint64_t unit_;
  uint32_t block_ = 0;  // of a row
  bool together_;       // one span
};

}  // namespace hologram::launch
