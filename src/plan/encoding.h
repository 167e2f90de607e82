// The bytes of a plan: a section of a bundle (docs/format.md). One plan has exactly one encoding.
// Tested by tests/pipeline and fuzz/pipeline_fuzzer.cc.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "plan/plan.h"

namespace hologram::pipeline {

// REQUIRES: CheckPlan(plan).ok()
std::vector<uint8_t> Encode(const Plan& plan);

// A plan that CheckPlan accepts; its kernels are the programs of the bundle, by their numbers.
// Errors: kInvalidBundle.
Result<Plan> Decode(std::span<const uint8_t> bytes, size_t num_programs);

}  // namespace hologram::pipeline
