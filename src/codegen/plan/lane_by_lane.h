// Kernels whose lanes run one after another on a processor too. Where lanes leave a loop after
// different numbers of rounds and read elements far apart, a vector goes round as often as its
// longest lane and each access is made lane by lane under a mask anyhow: an ordinary loop for each
// lane takes a fraction of the time. So it does where each lane has a stack or a sorted list, looks
// for a divisor, probes a table, or reads and writes a row of its own; and where one lane does all
// the work, as under `if get_global_id() == 0`.
#pragma once

#include "codegen/plan/plan.h"
#include "codegen/target.h"

namespace hologram::codegen {

// `plan`: of vectors. True if all innermost loops are of that kind, and nothing else would gain by
// vectors; or if loops run in one lane alone.
bool GainsLaneByLane(const Plan& plan, const Target& target);

}  // namespace hologram::codegen
