#include "engines/engine.h"

#include <chrono>
#include <optional>
#include <utility>
#include <vector>

#include "engines/cpu_features.h"
#include "engines/device_code.h"
#include "engines/devices/devices.h"
#include "engines/devices/resident.h"
#include "engines/guarded.h"
#include "launch/unique.h"

namespace hologram::engines {
namespace {

using Clock = std::chrono::steady_clock;

Result<Ran> RunForm(const Task& task, const launch::Limits& limits, launch::Way& way) {
  switch (way.form) {
    case launch::Form::kEntry:
    case launch::Form::kParts:
    case launch::Form::kSplit:
      return RunNative(task, way);
    case launch::Form::kInterpreted:
      return RunInterpreted(task, way);
    case launch::Form::kGuarded:
      return RunGuarded(task, way);
    case launch::Form::kChecked:
      return RunChecked(task, limits, way);
    case launch::Form::kDevice:
      return RunOnDevice(task, way);
    case launch::Form::kNothing:
    case launch::Form::kCall:
      break;
  }
  return Ran::kDone;
}

// What is not a device's runs on copies of arrays that are on one.
Result<Ran> RunWhereArraysAre(const Task& task, const launch::Limits& limits, launch::Way& way) {
  if (task.place == nullptr || way.form == launch::Form::kDevice) {
    return RunForm(task, limits, way);
  }
  HOLOGRAM_ASSIGN_OR_RETURN(const devices::HostCopies copies,
                            devices::HostCopies::Of(task.launch.buffers));
  const launch::Launch on_host = copies.On(task.launch);
  HOLOGRAM_ASSIGN_OR_RETURN(const Ran ran, RunForm({task.facts, on_host}, limits, way));
  HOLOGRAM_RETURN_IF_ERROR(copies.CopyBack(task.facts.program.program()));
  return ran;
}

Status CheckUnique(const Task& task) {
  if (!task.facts.declares_unique) return Success{};
  const verify::VerifiedProgram& program = task.facts.program;
  if (task.place == nullptr) return launch::CheckUnique(program, task.launch);
  // Only what is looked at is copied.
  std::vector<hologram_buffer_ref> looked_at;
  for (const isa::Parameter& parameter : program.program().parameters) {
    if (!parameter.is_buffer) continue;
    const hologram_buffer_ref& buffer = task.launch.buffers[looked_at.size()];
    looked_at.push_back(parameter.unique ? buffer : hologram_buffer_ref{});
  }
  HOLOGRAM_ASSIGN_OR_RETURN(const devices::HostCopies copies, devices::HostCopies::Of(looked_at));
  return launch::CheckUnique(program, copies.On(task.launch));
}

}  // namespace

Status CheckAvailable(launch::Engine engine) {
  if (launch::IsOfDevices(engine)) {
    const Result<devices::Device*> device = devices::UsedDevice(engine);
    if (!device.ok()) return device.errors();
  }
  if (engine != launch::Engine::kCpu) return Success{};
  HOLOGRAM_ASSIGN_OR_RETURN(const std::optional<Target> target, CurrentTarget());
  if (target) return Success{};
  return Error(ErrorCode::kUnsupported, std::string("native code needs ") + kNativeProcessors);
}

launch::CodeFacts FactsOf(const hologram_kernel_info* info) {
  if (info == nullptr) return {};
  return {true, info->streaming_body != nullptr, info->scratch_bytes, info->unit};
}

Status Run(const Task& task, launch::Limits limits, launch::Way& way) {
  limits.checked = task.checked != nullptr;
  bool checked_unique = false;
  for (;;) {
    Result<launch::Way> decided = launch::WayOf(task.facts, task.launch, limits);
    // Code that was asked before has declined, and ran nothing.
    if (!decided.ok()) way.form = launch::Form::kNothing;
    if (!decided.ok() && decided.errors()[0].code != ErrorCode::kInvalidArgument) {
      return decided.errors();
    }
    // Before any other refusal, which may rest on elements that are equal: the same on each engine.
    if (!std::exchange(checked_unique, true)) HOLOGRAM_RETURN_IF_ERROR(CheckUnique(task));
    if (!decided.ok()) {
      return RefusalOf(task.facts.program, task.launch, std::move(decided).errors());
    }
    way = std::move(decided).value();
    // Estimates know no rounds of loops that follow data; what a launch took counts as well.
    const bool waits = way.form == launch::Form::kGuarded && task.checked != nullptr &&
                       limits.wanted != launch::Engine::kInterpreter &&
                       !launch::IsOfDevices(limits.wanted);
    const auto start = waits ? Clock::now() : Clock::time_point{};
    HOLOGRAM_ASSIGN_OR_RETURN(const Ran ran, RunWhereArraysAre(task, limits, way));
    if (waits) {
      const std::chrono::duration<double, std::nano> took = Clock::now() - start;
      task.checked->Interpreted(took.count());
    }
    if (ran == Ran::kDone) return Success{};
    if (way.form == launch::Form::kChecked) limits.checked = false;
    limits.declined = true;
  }
}

}  // namespace hologram::engines
