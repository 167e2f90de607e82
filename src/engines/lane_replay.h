// Whether one lane can be run again after its launch has faulted, although the launch has changed
// memory that it reads: then the values of variables at the fault can be reported on every engine,
// without a copy of anything before the launch.
#pragma once

#include <cstdint>

#include "launch/launch.h"

namespace hologram::engines {

// True if a lane that faulted at `pc` (of source()) finds all that it has read as it was: no other
// lane writes what it reads, as the launch is free of races, and it has written nothing that it
// reads itself on any way there. REQUIRES: CheckLaunch ok; the launch has run lanes as native code
// does, each exactly up to its fault.
bool CanRepeatLane(const verify::VerifiedProgram& program, const launch::Launch& launch,
                   uint32_t pc);

// Whether two buffers are the same elements. CheckLaunch refuses those that overlap in part if one
// of them is written, but for empty ones: they may begin or end anywhere, also where another buffer
// begins, and have no element in common with it.
inline bool IsSameMemory(const hologram_buffer_ref& a, const hologram_buffer_ref& b) {
  return a.data == b.data && a.bytes == b.bytes && a.bytes != 0;
}

}  // namespace hologram::engines
