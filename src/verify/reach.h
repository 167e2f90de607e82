// The elements that lanes of a part of a launch touch: the range of each access, by the proofs,
// with the ids of a window in place of those of the grid. Tested by python/tests/test_windows.py,
// with guard pages, and tests/stream.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "verify/launch_check.h"
#include "verify/verified_program.h"

namespace hologram::verify {

// One access to a buffer. In launches in which all `conditions` hold (node <= node), every lane of
// the window that gets to it has an index of at least `low` and at most `high`, without regard to
// the length of the buffer; if high < low, no lane gets there.
struct AccessReach {
  uint32_t pc = 0;
  uint32_t slot = 0;  // parameter number
  bool known = false;
  uint32_t low = 0;  // nodes
  uint32_t high = 0;
  bool moves = false;  // a bound follows the window
  std::vector<std::pair<uint32_t, uint32_t>> conditions;
};

struct Reach {
  std::vector<CheckNode> nodes;       // with kIdLow and kIdHigh
  std::vector<AccessReach> accesses;  // in the order of the program; none that is unreachable
};

// Analyses the program again: some milliseconds at most.
Reach FindReach(const VerifiedProgram& program);

}  // namespace hologram::verify
