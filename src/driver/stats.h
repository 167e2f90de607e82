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

// Of one program; 0 if it has no native code.
struct NativeSize {
  size_t v3 = 0;
  size_t v4 = 0;
};

// A line for each kernel, and their total. `sizes` is empty if nothing native was made.
std::string StatsText(const Compiled& compiled, const std::vector<NativeSize>& sizes,
                      const CompileTimes& times);

}  // namespace hologram::driver
