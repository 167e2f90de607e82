// Times of `hologram run --time`: the steps before a launch, the launch, and the same launch
// again on copies of the arrays, compared with how fast this machine moves as many bytes.
#pragma once

#include <chrono>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "commands/bindings.h"
#include "runtime/kernel.h"

namespace hologram::tool {

// Milliseconds since it was made or asked the last time.
class StopWatch {
 public:
  double Lap();

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point last_ = Clock::now();
};

// In milliseconds.
struct StepTimes {
  double front_end = 0;  // from the file to a program; of a bundle, reading and verifying it
  double verify = 0;
  double compile = 0;  // making native code, or taking it from the bundle
  double launch = 0;   // the one whose results are kept: cold caches, first touch of pages
};

struct Repeated {
  std::vector<double> seconds;  // of each launch, sorted; empty if it was not repeated
  double Median() const;        // REQUIRES: not empty
};

// Contents of an array before each launch; null where it does not matter.
struct Restore {
  size_t buffer = 0;
  const Bytes* before = nullptr;
};

// Launches for a quarter of a second, measures at most 1001 times, and restores arrays before each
// launch; launches of less than 4 us with nothing to restore are measured some at a time. Stops at
// the first launch that fails (one that goes on from what launches leave in their stream may).
Repeated Repeat(const runtime::Kernel& kernel, std::span<const hologram_buffer_ref> buffers,
                std::span<const uint64_t> scalars, std::span<const Restore> restores,
                const runtime::LaunchConfig& config);

// The same on copies of what the kernel writes; inout arrays start from `InitialOf` each time.
Repeated RepeatLaunch(const runtime::Kernel& kernel, const Bindings& bindings,
                      const runtime::LaunchConfig& config);

// Bytes that a launch moves if each array goes through memory once per direction: in and out arrays
// once, inout arrays twice.
uint64_t BytesMoved(const isa::Program& program, std::span<const hologram_buffer_ref> buffers);

// Bytes a second of c[i] = a[i] + b[i] in f32 with one thread and plain stores, the three arrays
// being `bytes` together (at most 192 MiB are used): median of several runs after a warm one.
double ProbeBandwidth(uint64_t bytes);

// Lines "hologram: time: ..." on standard error.
void PrintTimes(const StepTimes& steps, const Repeated& repeated, uint64_t bytes,
                const std::string& engine, const std::string& reason, bool is_bundle);

}  // namespace hologram::tool
