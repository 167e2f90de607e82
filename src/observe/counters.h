// Counts of what this process has done: launches by engine, compiles, looks into the cache. Each
// thread counts in memory of its own, without a lock or an atomic operation that others wait for;
// who reads adds them up, those of threads that have ended included. A forked child goes on from
// the counts of its parent. Tested by tests/observe.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hologram/observe.h"

namespace hologram::observe {

enum class Counter : uint8_t {
  // ---- Launches that ran, those that faulted or were stopped included
  kCpu,         // native code, on one thread
  kCpuThreads,  // on several
  kCpuChecked,  // with every access checked, as no proof covered the arguments
  kInterpreter,
  kInterpreterChecked,
  kLibrary,  // of functions that were written by hand
  kOpenCl,
  kCuda,
  kRegistered,  // engines of devices that the program has added
  kEmpty,       // without a lane
  // ---- Their ends
  kRefused,  // nothing ran
  kFaults,
  kCancelled,
  // ---- Their sizes
  kElements,  // of the largest array of each that the library has seen
  kBytes,     // of all arrays
  kChunks,    // that threads have run
  // ---- Streams that ended, those that failed included
  kStreams,
  kWindows,        // that they have computed
  kStreamedBytes,  // read and written
  kPools,          // that were made, by callers and by streams
  kPoolBytes,      // of them
  // ---- Everything before
  kBundlesLoaded,
  kProgramsVerified,
  kCompiles,
  kCompileErrors,
  kCompileNanoseconds,
  kCacheHits,
  kCacheMisses,
};
inline constexpr size_t kNumCounters = static_cast<size_t>(Counter::kCacheMisses) + 1;

void Count(Counter counter, uint64_t amount = 1);
// Why a launch went another way than usual. At most kMostReasons different ones are kept apart.
inline constexpr size_t kMostReasons = 32;
void CountReason(std::string_view engine, std::string_view reason);

// Launches that callers make past the library: `counts` is the memory of this thread for them,
// which lives as long as it. Adds it up from now on.
void Join(hologram_inline_counts* counts);

struct Reason {
  std::string engine;
  std::string text;
  uint64_t launches = 0;
};

struct Totals {
  std::array<uint64_t, kNumCounters> counts{};  // kCpu with what callers launch themselves
  std::vector<Reason> reasons;

  uint64_t of(Counter counter) const { return counts[static_cast<size_t>(counter)]; }
};
Totals ReadTotals();

}  // namespace hologram::observe
