// Loops over ranges of 32 bits: `k = k + step` until `k >= end`, or until the sum wraps. The test
// for the sum that wraps is a second way out, and with two ways out drivers do not unroll the loop:
// each load of a lane is waited for before the next one begins. A sum that would wrap is at or
// behind the end, so the loop goes round as often as start, end and step say, and has one way out.
#pragma once

#include <cstddef>
#include <cstdint>

#include "verify/ssa.h"

namespace hologram::device {

struct Facts;

struct CountedLoop {
  uint32_t header = 0;          // block
  verify::ValueId counter = 0;  // a phi of the header
  uint32_t test = 0;            // instruction of the header: counter against end
  uint32_t add = 0;             // instruction: counter + step
  size_t step = 0;              // which operand of it
  bool down = false;            // a negative step, until `k <= end`
};

// Finds them, and takes the second ways out from the flow of `facts`. REQUIRES: all other facts are
// there.
void FindCountedLoops(Facts& facts);

}  // namespace hologram::device
