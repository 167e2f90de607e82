// Output of hologram verify --explain for a kernel.
#pragma once

#include <optional>

#include "commands/options.h"
#include "runtime/compiler_plugin.h"
#include "verify/verified_program.h"

namespace hologram::tool {

// The code that --level asks about: the host's without it. Nothing for --level none, and, with a
// note, where no native code is made here.
std::optional<Target> ExplainedTarget(const Options& options);

// A line for each access, and with a target for the kernel, its loops and its reductions. A kernel
// without native code gets a note with the reason.
void ExplainProgram(const verify::VerifiedProgram& verified, std::optional<Target> target);

}  // namespace hologram::tool
