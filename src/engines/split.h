// One launch of native code on several threads: its units (lanes, rows or blocks) are cut into
// chunks that threads take one after another, so that uneven ones are balanced. What a launch
// computes and the fault that it reports do not depend on the cut: units share nothing that is not
// proved to be independent of order, and of several faults the one of the lowest lane is kept, as
// within a chunk. Tested by tests/runtime/split_launch_test.cc and, on random programs, by
// tests/differential and tests/conformance.
#pragma once

#include <cstdint>
#include <optional>

#include "engines/scratch.h"
#include "engines/workers.h"
#include "hologram/native_abi.h"
#include "launch/launch.h"

namespace hologram::engines {

// How many units a launch has.
uint64_t UnitsOf(uint32_t unit, const hologram_launch_shape& shape);

struct Cut {
  uint64_t units = 0;            // of the launch
  uint64_t units_per_chunk = 0;  // of each chunk but the last
  uint32_t chunks = 0;
};

// Between two looks at what stops a launch there is about so much work, on one thread: in loops
// inside a lane the code looks itself, so what counts is lanes.
inline constexpr double kLongPartNs = 50e6;

// How many units of a launch that takes about `work_ns` take about kLongPartNs.
uint64_t UnitsOfPart(uint32_t unit, const hologram_launch_shape& shape, double work_ns,
                     uint64_t lane_granule);

// Runs `body` on all units on this thread, one part after the other, until the launch is stopped.
void RunInParts(uint64_t units_per_part, uint32_t unit, hologram_kernel_body body,
                const launch::Launch& launch, hologram_launch_state* state);

// How to cut a launch that takes about `work_ns` on one thread; nothing if it is to stay on one.
std::optional<Cut> CutLaunch(uint32_t unit, const hologram_launch_shape& shape, double work_ns,
                             const Parallelism& parallelism);

// Runs `body` on all chunks, until the launch is stopped. `state` is as for the body of the whole
// launch. REQUIRES: the launch has passed its check, with `deterministic`; WorkModel::may_split();
// parallelism.workers is set; `scratch` is of the body's kernel, for parallelism.threads.
void RunCut(const Cut& cut, uint32_t unit, hologram_kernel_body body, const launch::Launch& launch,
            const Parallelism& parallelism, Scratch& scratch, hologram_launch_state* state);

}  // namespace hologram::engines
