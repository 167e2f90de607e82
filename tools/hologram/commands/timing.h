// Times of `hologram run --time`: the steps before a launch, the launch, and the same launch
// again on copies of the arrays, compared with how fast this machine moves as many bytes.
#pragma once

#include <chrono>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "commands/bindings.h"
#include "profile/probes.h"
#include "profile/repeat.h"
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

using profile::ProbeBandwidth;
using profile::Repeat;
using profile::Repeated;
using profile::Restore;

// profile::Repeat on copies of what the kernel writes; inout arrays start from `InitialOf` each
// time.
Repeated RepeatLaunch(const runtime::Kernel& kernel, const Bindings& bindings,
                      const runtime::LaunchConfig& config);

// Bytes that a launch moves if each array goes through memory once per direction: in and out arrays
// once, inout arrays twice.
uint64_t BytesMoved(const isa::Program& program, std::span<const hologram_buffer_ref> buffers);

// Lines "hologram: time: ..." on standard error.
void PrintTimes(const StepTimes& steps, const Repeated& repeated, uint64_t bytes,
                const std::string& engine, const std::string& reason, bool is_bundle);

}  // namespace hologram::tool
