// hologram run --stream: a kernel over files that need not fit memory. Tested by
// tests/stream/command_test.py.
#pragma once

#include <memory>

#include "commands/options.h"
#include "runtime/kernel.h"

namespace hologram::tool {

// Throws UsageError or Failure.
void RunStream(const std::shared_ptr<const runtime::Kernel>& kernel, const Options& options,
               const runtime::LaunchConfig& config, bool timed);

}  // namespace hologram::tool
