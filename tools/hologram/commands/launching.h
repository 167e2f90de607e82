// Shared by `run` and `bench`: the options of a launch, and a kernel ready for it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "commands/options.h"
#include "commands/timing.h"
#include "driver/source/source.h"
#include "runtime/kernel.h"

namespace hologram::tool {

// The number that --threads gives. Throws UsageError or Failure.
uint32_t ThreadsFrom(const std::string& text);
// --grid, --block, --budget, --threads, --class-base, --backend, --nondeterministic. Throws the
// same.
runtime::LaunchConfig ConfigFrom(const Options& options);

// Loads the file, chooses the kernel and makes it ready, with native code if `allow_native`.
// `expect` is the trust hash of a bundle, or empty; `constants` are the values of --set-const.
// Throws Failure or AlreadyReported.
std::shared_ptr<const runtime::Kernel> Prepare(const std::string& path, const std::string& entry,
                                               const std::optional<std::string>& expect,
                                               bool allow_native, driver::Constants constants,
                                               StepTimes& times);

// A program that was loaded already.
std::shared_ptr<const runtime::Kernel> PrepareProgram(isa::Program program, bool allow_native);

}  // namespace hologram::tool
