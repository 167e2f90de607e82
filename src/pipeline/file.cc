#include "pipeline/file.h"

#include <map>
#include <set>
#include <string>
#include <utility>

#include "plan/encoding.h"
#include "runtime/native_bundle.h"

namespace hologram::pipeline {
namespace {

// A bundle has one program of a name, and one is enough for kernels that are the same program.
struct Programs {
  std::vector<isa::Program> list;
  std::vector<uint32_t> number_of;  // of each kernel
};

Programs ProgramsOf(const Pipeline& pipeline) {
  Programs programs;
  std::map<std::string, uint32_t> by_id;
  std::set<std::string> names;
  for (const auto& kernel : pipeline.kernels()) {
    const auto number = static_cast<uint32_t>(programs.list.size());
    const auto [at, is_new] = by_id.emplace(kernel->id(), number);
    programs.number_of.push_back(at->second);
    if (!is_new) continue;
    isa::Program program = kernel->verified().source();
    const std::string name = program.name;
    for (int k = 2; !names.insert(program.name).second; ++k) {
      program.name = name + "_" + std::to_string(k);
    }
    programs.list.push_back(std::move(program));
  }
  return programs;
}

}  // namespace

Result<std::vector<uint8_t>> Save(const Pipeline& pipeline, std::span<const Target> targets) {
  const Programs programs = ProgramsOf(pipeline);
  Plan plan = pipeline.plan();
  plan.num_kernels = static_cast<uint32_t>(programs.list.size());
  for (Step& step : plan.steps) step.kernel = programs.number_of[step.kernel];
  bundle::BundleWriter writer;
  for (const isa::Program& program : programs.list) writer.AddProgram(program);
  writer.SetPipeline(Encode(plan));
  HOLOGRAM_ASSIGN_OR_RETURN(std::vector<uint8_t> bytes, writer.Finish());
  if (targets.empty()) return bytes;
  return runtime::WithNativeCode(bytes, targets);
}

Result<std::optional<Plan>> ReadPlan(const bundle::BundleReader& reader) {
  HOLOGRAM_ASSIGN_OR_RETURN(const std::vector<uint8_t> bytes, reader.ReadPipeline());
  if (bytes.empty()) return std::optional<Plan>();
  HOLOGRAM_ASSIGN_OR_RETURN(Plan plan, Decode(bytes, reader.size()));
  return std::optional(std::move(plan));
}

Result<std::unique_ptr<const Pipeline>> Load(std::vector<uint8_t> bytes,
                                             const runtime::LoadOptions& options,
                                             const runtime::KernelSettings& settings) {
  std::vector<std::string> names;
  std::optional<Plan> plan;
  {
    HOLOGRAM_ASSIGN_OR_RETURN(const bundle::BundleReader reader, bundle::BundleReader::Open(bytes));
    HOLOGRAM_ASSIGN_OR_RETURN(plan, ReadPlan(reader));
    for (size_t k = 0; k < reader.size(); ++k) names.push_back(reader.NameOf(k));
  }
  if (!plan) return Error(ErrorCode::kNotFound, "the bundle has no pipeline");
  HOLOGRAM_ASSIGN_OR_RETURN(const runtime::LoadedKernels loaded,
                            runtime::ReadKernels(std::move(bytes), options));
  Pipeline::Kernels kernels;
  for (const std::string& name : names) {
    HOLOGRAM_ASSIGN_OR_RETURN(const std::shared_ptr<const runtime::Launchable> kernel,
                              loaded.at(name)->Make(settings));
    kernels.emplace_back(kernel, kernel->program_kernel());
  }
  return Pipeline::Make(std::move(*plan), std::move(kernels));
}

Result<std::unique_ptr<const Pipeline>> LoadFile(const std::string& path,
                                                 const runtime::LoadOptions& options,
                                                 const runtime::KernelSettings& settings) {
  HOLOGRAM_ASSIGN_OR_RETURN(const runtime::FileBytes file, runtime::ReadWholeFile(path));
  const std::span<const uint8_t> span = file.span();
  Result<std::unique_ptr<const Pipeline>> loaded =
      Load(std::vector<uint8_t>(span.begin(), span.end()), options, settings);
  if (!loaded.ok()) return runtime::WithPath(loaded.errors(), path);
  return loaded;
}

}  // namespace hologram::pipeline
