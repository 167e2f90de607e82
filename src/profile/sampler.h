// Where a thread is, again and again: a timer interrupts it, and the handler keeps the address of
// the instruction. Needs no privileges. Tested by tests/profile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"

namespace hologram::profile {

// Samples the calling thread while it lives, on Linux. One at a time in a process.
class Sampler {
 public:
  // Errors: kUnsupported on other systems, where the program handles SIGPROF, where a sampler
  // runs already, or where the system gives no timer.
  static Result<Sampler> Start(uint64_t interval_ns);
  Sampler(Sampler&& other) noexcept;
  Sampler(const Sampler&) = delete;
  Sampler& operator=(const Sampler&) = delete;
  ~Sampler();

  // Stops; the addresses so far, in order. At most kMostSamples are kept.
  std::vector<uint64_t> Stop();

  static constexpr size_t kMostSamples = 16384;

 private:
  Sampler() = default;
  bool runs_ = false;
  int timer_ = 0;
};

}  // namespace hologram::profile
