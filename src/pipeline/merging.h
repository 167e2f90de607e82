// Fewer launches for a pipeline that was recorded, by the compiler plugin. Tested by
// python/tests/test_merging.py.
#pragma once

#include <optional>

#include "base/result.h"
#include "pipeline/pipeline.h"
#include "plan/plan.h"

namespace hologram::pipeline {

struct PlanWithKernels {
  Plan plan;
  Pipeline::Kernels kernels;
};

// The plan of the pipeline in fewer launches, and its kernels, which are compiled: kernels that
// stay are those of the pipeline. Nothing: no launches can be merged, there is no plugin, a kernel
// is interpreted, or kernels have other threads than others.
Result<std::optional<PlanWithKernels>> Merge(const Pipeline& pipeline);

}  // namespace hologram::pipeline
