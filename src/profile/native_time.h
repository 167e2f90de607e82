// Native code of a launch: the time of one, and by sampling the share of each line.
// Tested by tests/profile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "launch/launch.h"
#include "runtime/launchable.h"
#include "verify/verified_program.h"

namespace hologram::profile {

// A line of a source file.
using Line = std::pair<std::string, uint32_t>;

struct NativeTime {
  double seconds = 0;  // of one launch on one thread: the median
  size_t launches = 0;
  std::string target;                // "x86-64-v4"
  uint64_t samples = 0;              // in the kernel's code
  std::map<Line, uint64_t> by_line;  // of them; those without a line are not here
  std::string why_no_samples;        // empty: there are some
};

// `before`: what each buffer of the kernel held before the launch, where it matters, else nothing.
// Works on copies of what the kernel writes, and prints nothing. Errors: kUnsupported without
// native code; kResourceLimit without memory for the copies; those of the launch.
Result<NativeTime> TimeNative(const verify::VerifiedProgram& program, const launch::Launch& launch,
                              const runtime::LaunchConfig& config,
                              std::span<const std::vector<std::byte>> before);

}  // namespace hologram::profile
