// Threads that help with a launch, as engines see them. runtime/thread_pool.h is the one there is;
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

}  // namespace hologram::engines
