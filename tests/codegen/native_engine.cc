// Native code as engines of the conformance and differential tests, two per level that this machine
// runs: of the program, and of its checked form (verify/checked_form.h). Both go through the
// generated entry: a launch that it does not accept is an error of the test.
#include "native_engine.h"

#include <algorithm>
#include <memory>

#include "codegen/codegen.h"
#include "engines/cpu_features.h"
#include "engines/scratch.h"
#include "engines/split.h"
#include "interpreter/lane_service.h"
#include "launch/facts.h"
#include "runtime/native/elf_loader.h"
#include "runtime/thread_pool.h"
#include "verify/checked_form.h"

namespace hologram::tests {
namespace {

// Chunks as small as they come, so that launches of a few lanes are cut too.
launch::Parallelism SmallChunks() {
  launch::Parallelism parallelism;
  parallelism.threads = Threading().threads;
  parallelism.min_work_ns = 0;
  parallelism.chunk_work_ns = 1;
  parallelism.lane_granule = 1;
  return parallelism;
}

// True if the launch was cut, and has run.
bool RunThreaded(const verify::VerifiedProgram& program, const hologram_kernel_info& info,
                 const launch::Launch& launch, hologram_launch_state* state) {
  if (Threading().threads <= 1 || !launch::KernelFacts(program).may_split) return false;
  if (!launch::UnitsCover(info.unit, launch.shape)) return false;
  launch::Launch checked = launch;
  checked.deterministic = true;
  const auto tier = launch::CheckLaunch(program, checked);
  if (!tier.ok() || tier.value() != launch::LaunchTier::kProved) return false;
  const launch::Parallelism parallelism = SmallChunks();
  const auto cut = launch::CutLaunch(info.unit, launch.shape, 1e9, parallelism);
  if (!cut) return false;
  Result<engines::Scratch> scratch =
      engines::Scratch::Make(info, launch.shape, parallelism.threads);
  if (!scratch.ok()) return false;
  engines::RunCut(*cut, info.unit, info.body, launch, runtime::ThreadPool::Shared(),
                  parallelism.threads, scratch.value(), state);
  ++Threading().cut_launches;
  return true;
}

Result<std::optional<launch::Fault>> RunEntry(const verify::VerifiedProgram& program,
                                              const hologram_kernel_info& info,
                                              const launch::Launch& launch) {
  hologram_launch_state plain = launch::InitialState(launch);
  std::optional<interpreter::LaneService> service;
  if (program.needs_session()) service.emplace(program, launch);
  hologram_launch_state& state = service ? *service->state() : plain;
  HOLOGRAM_ASSIGN_OR_RETURN(engines::Scratch scratch,
                            engines::Scratch::Make(info, launch.shape, 1));
  state.scratch = scratch.Take();
  const bool threaded = RunThreaded(program, info, launch, &state);
  if (!threaded && info.entry(launch.buffers.data(), launch.scalars.data(), &launch.shape,
                              &state) != HOLOGRAM_LAUNCH_DONE) {
    // The entry also refuses shapes that its form of the lane loop does not cover, and lanes that
    // may meet: the body runs those, in the order of its lanes.
    const auto tier = launch::CheckLaunch(program, launch);
    const bool proved = tier.ok() && tier.value() == launch::LaunchTier::kProved;
    if (!launch::UnitsCover(info.unit, launch.shape) || !proved) {
      return Error(ErrorCode::kUnsupported, "the generated check rejects the launch");
    }
    info.body(launch.buffers.data(), launch.scalars.data(), &launch.shape, &state, 0,
              launch::UnitsOf(info.unit, launch.shape));
  }
  if (state.fault_code == HOLOGRAM_FAULT_NONE) {
    if (service) HOLOGRAM_RETURN_IF_ERROR(service->Commit());
    return std::optional<launch::Fault>();
  }
  return std::optional(launch::FaultOf(state, service ? service->fault_other() : 0));
}

Result<std::shared_ptr<runtime::NativeCode>> Compile(const verify::VerifiedProgram& program,
                                                     codegen::Level level) {
  codegen::Options options;
  options.level = level;
  HOLOGRAM_ASSIGN_OR_RETURN(const std::vector<uint8_t> object,
                            codegen::Compile(program, options, codegen::Output::kObject));
  HOLOGRAM_ASSIGN_OR_RETURN(runtime::NativeCode code, runtime::NativeCode::Load(object));
  return std::make_shared<runtime::NativeCode>(std::move(code));
}

Engine MakeEngine(std::string name, codegen::Level level) {
  return {std::move(name), [level](const verify::VerifiedProgram& program) -> Result<RunFunction> {
            HOLOGRAM_ASSIGN_OR_RETURN(const auto code, Compile(program, level));
            return RunFunction([code, &program](const launch::Launch& launch) {
              return RunEntry(program, *code->info(), launch);
            });
          }};
}

Engine MakeCheckedEngine(std::string name, codegen::Level level) {
  const auto prepare = [level](const verify::VerifiedProgram& program) -> Result<RunFunction> {
    HOLOGRAM_ASSIGN_OR_RETURN(verify::VerifiedProgram form,
                              verify::VerifyCheckedForm(program.source()));
    const auto& accesses = form.accesses();
    if (std::none_of(accesses.begin(), accesses.end(), verify::IsLeftToCode)) {
      return Error(ErrorCode::kUnsupported, "the checked form is the kernel itself");
    }
    const auto checked = std::make_shared<verify::VerifiedProgram>(std::move(form));
    HOLOGRAM_ASSIGN_OR_RETURN(const auto code, Compile(*checked, level));
    return RunFunction([checked, code](const launch::Launch& launch) {
      return RunEntry(*checked, *code->info(), launch);
    });
  };
  return {std::move(name), prepare, /*is_checked_form=*/true};
}

}  // namespace

std::vector<Engine> NativeEngines() {
  std::vector<Engine> engines;
  const auto level = engines::CurrentTarget();
  if (!level.ok()) return engines;
  for (const TargetInfo& info : kTargets) {
    if (info.family != kHostFamily || !level.value() || info.target > *level.value()) continue;
    engines.push_back(MakeEngine(info.name, info.target));
    engines.push_back(MakeCheckedEngine(std::string(info.name) + "-checked", info.target));
  }
  return engines;
}

}  // namespace hologram::tests
