#include "pipeline/merging.h"

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bundle/bundle.h"
#include "pipeline/file.h"
#include "runtime/compiler_plugin.h"
#include "runtime/loaded_kernel.h"

namespace hologram::pipeline {
namespace {

bool HasOneKind(const Pipeline::Kernels& kernels) {
  const runtime::Kernel& first = *kernels[0];
  return std::all_of(kernels.begin(), kernels.end(), [&](const auto& kernel) {
    return kernel->native() != nullptr && kernel->threads() == first.threads() &&
           kernel->has_default_threads() == first.has_default_threads();
  });
}

// A kernel of a program that the plugin has made; null: it is not native.
Result<std::shared_ptr<const runtime::Kernel>> NewKernel(const bundle::BundleReader& reader,
                                                         size_t number,
                                                         const runtime::KernelSettings& settings) {
  HOLOGRAM_ASSIGN_OR_RETURN(isa::Program program, reader.ReadProgram(number));
  HOLOGRAM_ASSIGN_OR_RETURN(verify::VerifiedProgram verified, verify::Verify(std::move(program)));
  runtime::LoadedKernel loaded(std::move(verified), reader.IdentityOf(number), true);
  HOLOGRAM_ASSIGN_OR_RETURN(const std::shared_ptr<const runtime::Launchable> made,
                            loaded.Make(settings));
  const runtime::Kernel* kernel = made->program_kernel();
  return std::shared_ptr<const runtime::Kernel>(made,
                                                kernel->native() == nullptr ? nullptr : kernel);
}

}  // namespace

Result<std::optional<PlanWithKernels>> Merge(const Pipeline& pipeline) {
  const Pipeline::Kernels& kernels = pipeline.kernels();
  const std::optional<PlanWithKernels> none;
  if (pipeline.plan().steps.size() < 2 || !HasOneKind(kernels) || !runtime::HasCompiler()) {
    return none;
  }
  HOLOGRAM_ASSIGN_OR_RETURN(std::vector<uint8_t> bytes, Save(pipeline, {}));
  HOLOGRAM_ASSIGN_OR_RETURN(bytes, runtime::MergeLaunches(bytes));
  if (bytes.empty()) return none;
  HOLOGRAM_ASSIGN_OR_RETURN(const bundle::BundleReader reader, bundle::BundleReader::Open(bytes));
  HOLOGRAM_ASSIGN_OR_RETURN(std::optional<Plan> plan, ReadPlan(reader));
  if (!plan) return Error(ErrorCode::kInternal, "the compiler plugin gave no pipeline");
  std::map<std::string, std::shared_ptr<const runtime::Kernel>> by_id;
  for (const auto& kernel : kernels) by_id.emplace(kernel->id(), kernel);
  runtime::KernelSettings settings;
  settings.cancel = kernels[0]->cancel();
  settings.threads = kernels[0]->has_default_threads() ? 0 : kernels[0]->threads();
  PlanWithKernels made{std::move(*plan), {}};
  for (size_t k = 0; k < reader.size(); ++k) {
    std::shared_ptr<const runtime::Kernel>& kernel = by_id[ToHex(reader.IdentityOf(k))];
    if (kernel == nullptr) {
      HOLOGRAM_ASSIGN_OR_RETURN(kernel, NewKernel(reader, k, settings));
    }
    if (kernel == nullptr) return none;
    made.kernels.push_back(kernel);
  }
  return std::optional(std::move(made));
}

}  // namespace hologram::pipeline
