// Pipelines in bundles: the programs of the kernels, once each, and a section that is the plan.
// Tested by tests/pipeline.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/result.h"
#include "base/targets.h"
#include "bundle/bundle.h"
#include "pipeline/pipeline.h"
#include "runtime/bundle_file.h"
#include "runtime/loaded_kernel.h"

namespace hologram::pipeline {

// A bundle with native code for these targets, if there are any. Errors: as WithNativeCode.
Result<std::vector<uint8_t>> Save(const Pipeline& pipeline, std::span<const Target> targets);

// The plan of a bundle. Nothing: it has none. Errors: it is damaged, or breaks a rule.
Result<std::optional<Plan>> ReadPlan(const bundle::BundleReader& reader);

// The pipeline of a bundle; its kernels are prepared with these settings. Errors: as ReadKernels
// and Pipeline::Make; the bundle has no pipeline (kNotFound).
Result<std::unique_ptr<const Pipeline>> Load(std::vector<uint8_t> bytes,
                                             const runtime::LoadOptions& options,
                                             const runtime::KernelSettings& settings);
Result<std::unique_ptr<const Pipeline>> LoadFile(const std::string& path,
                                                 const runtime::LoadOptions& options,
                                                 const runtime::KernelSettings& settings);

}  // namespace hologram::pipeline
