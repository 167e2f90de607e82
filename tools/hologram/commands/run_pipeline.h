// hologram run of a bundle with a pipeline. Tested by tests/pipeline/command_test.py.
#pragma once

#include <string>

#include "commands/options.h"

namespace hologram::tool {

// Whether the bundle has a pipeline. Throws Failure.
bool HasPipeline(const std::string& path);

// Runs it on the arrays that the options name. Throws UsageError or Failure.
void RunPipeline(const std::string& path, const Options& options);

}  // namespace hologram::tool
