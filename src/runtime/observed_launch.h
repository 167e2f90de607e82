// A launch as those see it who look at the process from outside: its counts (observe/counters.h).
// Tested by tests/observe.
#pragma once

#include <cstdint>
#include <span>

#include "base/result.h"
#include "hologram/native_abi.h"
#include "isa/program.h"
#include "launch/way.h"

namespace hologram::runtime {

// After a launch of the arguments `buffers`, or one that was refused; `way` is what was done.
void CountLaunch(const isa::Program& signature, std::span<const hologram_buffer_ref> buffers,
                 const launch::Way& way, const Status& status);

// After a launch that the library has not seen, and that faulted or was stopped.
void CountInlineFault(bool cancelled);

}  // namespace hologram::runtime
