// The engine of native code. A launch that takes the entry is checked by the code itself; parts and
// chunks run its body, which checks nothing: the table has.
#include <array>
#include <optional>

#include "engines/engine.h"
#include "engines/guarded.h"
#include "engines/scratch.h"
#include "engines/split.h"
#include "interpreter/lane_service.h"

namespace hologram::engines {
namespace {

// The arrays that a window is a part of, as the code sees them: `data` is where their first element
// would be. Lanes of the window touch nothing but the window (launch::CheckWindow). The address may
// wrap; code computes addresses modulo 2^64.
class WholeArrays {
 public:
  WholeArrays(const isa::Program& program, const launch::Launch& launch) {
    size_t k = 0;
    for (const isa::Parameter& parameter : program.parameters) {
      if (!parameter.is_buffer) continue;
      const uint64_t size = isa::SizeOf(parameter.type);
      const auto address = reinterpret_cast<uintptr_t>(launch.buffers[k].data);
      buffers_[k] = {reinterpret_cast<void*>(address - launch.window->base[k] * size),
                     launch.window->extent[k] * size};
      ++k;
    }
    count_ = k;
  }
  std::span<const hologram_buffer_ref> buffers() const { return {buffers_.data(), count_}; }

 private:
  std::array<hologram_buffer_ref, isa::kMaxParameters> buffers_;
  size_t count_ = 0;
};

bool RunForm(const Task& task, const launch::Way& way, Scratch& scratch,
             hologram_launch_state* state);

bool RunWindow(const Task& task, const launch::Way& way, Scratch& scratch,
               hologram_launch_state* state) {
  const WholeArrays arrays(task.facts.program.program(), task.launch);
  launch::Launch launch = task.launch;
  launch.buffers = arrays.buffers();
  launch.window = nullptr;
  const Task whole{task.facts, launch, task.code, task.workers, task.checked, task.device};
  return RunForm(whole, way, scratch, state);
}

// Returns false if the code declined.
bool RunForm(const Task& task, const launch::Way& way, Scratch& scratch,
             hologram_launch_state* state) {
  if (task.launch.window != nullptr) return RunWindow(task, way, scratch, state);
  const auto& native = *static_cast<const hologram_kernel_info*>(task.code);
  const launch::Launch& launch = task.launch;
  const hologram_kernel_body body = way.streaming ? native.streaming_body : native.body;
  if (way.form == launch::Form::kSplit) {
    state->alone = 0;
    RunCut(way.cut, native.unit, body, launch, *task.workers, way.threads, scratch, state);
    return true;
  }
  state->scratch = scratch.Take();
  if (way.form == launch::Form::kParts) {
    state->alone = 1;
    RunInParts(way, native.unit, body, launch, state);
    return true;
  }
  return native.entry(launch.buffers.data(), launch.scalars.data(), &launch.shape, state) !=
         HOLOGRAM_LAUNCH_UNPROVED;
}

// `describes`: the fault of the launch is an error; else kFaulted.
Result<Ran> RunLaunch(const Task& task, const launch::Way& way, bool describes) {
  const verify::VerifiedProgram& program = task.facts.program;
  hologram_launch_state plain = launch::InitialState(task.launch);
  std::optional<interpreter::LaneService> service;
  if (task.facts.needs_session) service.emplace(program, task.launch);
  hologram_launch_state& state = service ? *service->state() : plain;
  const std::optional<KeptInputs> kept =
      describes ? KeptInputs::Of(program, task.launch) : std::nullopt;
  HOLOGRAM_ASSIGN_OR_RETURN(Scratch scratch,
                            Scratch::Make(*static_cast<const hologram_kernel_info*>(task.code),
                                          task.launch.shape, way.threads));
  if (!RunForm(task, way, scratch, &state)) return Ran::kDeclined;
  if (service && service->has_failed()) {
    return Error(ErrorCode::kResourceLimit, "out of memory");
  }
  if (state.fault_code != HOLOGRAM_FAULT_NONE) {
    if (!describes && state.fault_code != HOLOGRAM_FAULT_CANCELLED) return Ran::kFaulted;
    return DescribeNativeFault(program, task.launch, state, service ? service->fault_other() : 0,
                               kept ? &*kept : nullptr);
  }
  if (service) HOLOGRAM_RETURN_IF_ERROR(service->Commit());
  return Ran::kDone;
}

}  // namespace

Result<Ran> RunNative(const Task& task, const launch::Way& way) {
  return RunLaunch(task, way, /*describes=*/true);
}

Result<Ran> RunNativeForm(const Task& task, const launch::Way& way) {
  return RunLaunch(task, way, /*describes=*/false);
}

}  // namespace hologram::engines
