// How many threads a launch may use by default: HOLOGRAM_NUM_THREADS if it is set, else
// the processors that this process may run on, but no more than its control group has time for.
// Tested by tests/runtime/thread_count_test.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"

namespace hologram::runtime {

inline constexpr uint32_t kMaxThreads = 1024;

// The processors' worth of time, rounded up, that the control group of this process and those above
// it allow, version 2 or 1; nothing if there is no limit. `root` precedes /proc and /sys, for
// tests.
std::optional<uint32_t> GroupLimit(const std::string& root);

// The processors in the affinity mask of the calling thread.
uint32_t ProcessorsOfThread();

// The number in the text of HOLOGRAM_NUM_THREADS, or `otherwise` if there is none (null or empty).
// Errors: not a number from 1 to kMaxThreads.
Result<uint32_t> ThreadsFrom(const char* text, uint32_t otherwise);

// All of it together. The system is asked once, the variable each time.
Result<uint32_t> DefaultThreads();

}  // namespace hologram::runtime
