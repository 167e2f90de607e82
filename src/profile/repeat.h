// The same launch again and again, for its time. Tested by tests/profile and tests/cli.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/kernel.h"

namespace hologram::profile {

struct Repeated {
  std::vector<double> seconds;  // of each launch, sorted; empty if it was not repeated
  double Median() const;        // REQUIRES: not empty
};

// Contents of an array before each launch; nothing where they do not matter.
struct Restore {
  size_t buffer = 0;
  std::span<const std::byte> before;
};

// Launches for `most_seconds`, measures at most 1001 times, and restores arrays before each
// launch; launches of less than 4 us with nothing to restore are measured some at a time. Stops at
// the first launch that fails (one that goes on from what launches leave in their stream may).
Repeated Repeat(const runtime::Kernel& kernel, std::span<const hologram_buffer_ref> buffers,
                std::span<const uint64_t> scalars, std::span<const Restore> restores,
                const runtime::LaunchConfig& config, double most_seconds = 0.25);

}  // namespace hologram::profile
