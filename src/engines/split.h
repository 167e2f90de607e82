// One launch of native code on several threads: its units (lanes, rows or blocks) are cut into
// chunks that threads take one after another, so that uneven ones are balanced. What a launch
// computes and the fault that it reports do not depend on the cut: units share nothing that is not
// proved to be independent of order, and of several faults the one of the lowest lane is kept, as
// within a chunk. Tested by tests/runtime/split_launch_test.cc and, on random programs, by
// tests/differential and tests/conformance.
#pragma once

#include <cstdint>

#include "engines/scratch.h"
#include "engines/workers.h"
#include "hologram/native_abi.h"
#include "launch/cut.h"
#include "launch/launch.h"
#include "launch/way.h"

namespace hologram::engines {

// Runs `body` on the units of a way of the form kParts on this thread, one part after the other,
// until the launch is stopped.
void RunInParts(const launch::Way& way, uint32_t unit, hologram_kernel_body body,
                const launch::Launch& launch, hologram_launch_state* state);

// Runs `body` on all chunks, on at most `threads` threads, until the launch is stopped. `state` is
// as for the body of the whole launch. REQUIRES: the launch has passed its check, with
// `deterministic`; KernelFacts::may_split; `scratch` is of the body's kernel, for `threads`.
void RunCut(const launch::Cut& cut, uint32_t unit, hologram_kernel_body body,
            const launch::Launch& launch, Workers& workers, uint32_t threads, Scratch& scratch,
            hologram_launch_state* state);

}  // namespace hologram::engines
