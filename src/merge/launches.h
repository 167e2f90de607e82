// Merges launches of a pipeline: one that works element by element on what another one writes, or
// reads, becomes part of that one, and arrays that nothing else reads vanish. The instructions and
// their order for each element are those of the launches one by one, so bits are the same; nothing
// is regrouped. docs/pipelines.md has the conditions. Tested by python/tests/test_merging.py.
#pragma once

#include <vector>

#include "isa/program.h"
#include "plan/plan.h"

namespace hologram::merge {

struct Merged {
  pipeline::Plan plan;
  std::vector<isa::Program> kernels;
  size_t merged = 0;  // launches that are part of others now
};

// The same pipeline with fewer launches, in an order that depends on it alone. Launches that
// cannot be merged stay as they are. REQUIRES: CheckPlan and CheckFlow are ok
Merged MergeLaunches(pipeline::Plan plan, std::vector<isa::Program> kernels);

}  // namespace hologram::merge
