// Statistics of compiled kernels (--stats); the build prints it too.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "driver/compile.h"

namespace hologram::driver {

struct CompileTimes {
  double frontend_ms = 0;
  double verify_us = 0;
};

struct NativeSize {
  Target target;
  size_t bytes;
};
// Of one program; empty if it has no native code.
using NativeSizes = std::vector<NativeSize>;

// A line for each kernel, and their total. `sizes` is empty if nothing native was made.
std::string StatsText(const Compiled& compiled, const std::vector<NativeSizes>& sizes,
                      const CompileTimes& times);

}  // namespace hologram::driver
