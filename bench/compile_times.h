// What verifying and compiling a kernel costs, measured through the same code that the runtime
// uses.
#pragma once

#include <functional>

#include "report.h"

namespace hologram::bench {

// Verifies and compiles (plugin loaded, level of this machine) every kernel of the bundle beside
// the executable and reports the slowest of each.
void CompileTimes(const char* bundle_file, Report& report);

}  // namespace hologram::bench
