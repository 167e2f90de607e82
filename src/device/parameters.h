// The parameters of a kernel on a device.
#pragma once

#include <vector>

#include "device/facts.h"
#include "device/lower.h"

namespace hologram::device {

// At the start of the kernel, so that they can be used everywhere.
struct Parameters {
  std::vector<Value> buffers;  // by parameter
  std::vector<Value> extents;  // of those that some access compares with
  std::vector<Value> scalars;
  Value budget = 0;
  Value rounds = 0;
  Value class_base = 0;
  Value blocks = 0;    // of the launch, along x
  Value together = 0;  // of them, in a block of the device
  Value fault = 0;
};

// Those that the program needs; `arguments` becomes what a launch passes for each. `coarsens`: a
// lane of the device runs several of the program.
Parameters MakeParameters(Builder& builder, const Facts& facts, bool coarsens,
                          std::vector<Argument>& arguments);

}  // namespace hologram::device
