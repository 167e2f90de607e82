// How many threads a launch may use by default: HOLOGRAM_NUM_THREADS if it is set, else
// OMP_NUM_THREADS, which Dask, Ray and job schedulers set for their workers, else the processors
// that this process may run on, but no more than its control group has time for. A program may set
// another number for the process or a limit for a thread of it.
// Tested by tests/runtime/thread_count_test.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/launch_path.h"
#include "base/result.h"
#include "hologram/hologram.h"

namespace hologram::runtime {

inline constexpr uint32_t kMaxThreads = HOLOGRAM_MAX_THREADS;
// Errors: "threads: expected 0 to 1024, found 2000".
Status CheckThreads(uint32_t threads);

// The processors' worth of time, rounded up, that the control group of this process and those above
// it allow, version 2 or 1; nothing if there is no limit. `root` precedes /proc and /sys, for
// tests.
std::optional<uint32_t> GroupLimit(const std::string& root);

// The processors in the affinity mask of the calling thread.
uint32_t ProcessorsOfThread();

// The number in the text of HOLOGRAM_NUM_THREADS, or `otherwise` if there is none (null or empty).
// Errors: not a number from 1 to kMaxThreads.
Result<uint32_t> ThreadsFrom(const char* text, uint32_t otherwise);

// The first number in the text of OMP_NUM_THREADS, "4,2", which is another library's to check:
// nothing for a text that has none from 1 on.
std::optional<uint32_t> ThreadsOfOpenMp(const char* text);

// All of it together. The system is asked once, the variables each time.
Result<uint32_t> DefaultThreads();

// Sets the number for launches of this process without one of their own; 0, as at first, is
// DefaultThreads(). REQUIRES: at most kMaxThreads
void SetThreadsOfProcess(uint32_t threads);
// The most that launches from the calling thread use that have no number of their own; 0, as at
// first: no limit. Gives the limit before.
uint32_t SetThreadLimit(uint32_t threads);
// How many a launch from the calling thread may use, where a kernel would use `otherwise`.
HOLOGRAM_LAUNCH_PATH uint32_t ThreadsOfLaunch(uint32_t otherwise);

}  // namespace hologram::runtime
