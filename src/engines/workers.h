// Threads that help with a launch, as backends see them. runtime/thread_pool.h is the one there is;
// another scheduler, such as that of a host program, would implement the same function.
#pragma once

#include <cstdint>

namespace hologram::engines {

class Workers {
 public:
  using Chunk = void (*)(void* context, uint32_t chunk);

  virtual ~Workers() = default;
  // Calls chunk(context, i) once for each i below `chunks`, in any order, on at most `threads`
  // threads of which the calling one is the first, and returns when all calls have returned. What
  // they wrote is then seen by the caller. Never fails: where there are no threads to be had, the
  // caller makes all calls. Thread-safe.
  virtual void Run(uint32_t chunks, uint32_t threads, Chunk chunk, void* context) = 0;
};

// How a launch may be spread over threads. Results never depend on it.
struct Parallelism {
  Workers* workers = nullptr;  // null: the calling thread only
  uint32_t threads = 1;        // the calling one included
  // Work that takes less than this in all is not worth waking anybody for.
  double min_work_ns = 20e3;
  // Chunks are made to take about this long: little enough that the last one is not waited for
  // long.
  double chunk_work_ns = 10e3;
  // Chunks of lanes start at multiples of this, so that vectors are whole and threads do not write
  // to the same cache lines.
  uint64_t lane_granule = 1024;
};

}  // namespace hologram::engines
