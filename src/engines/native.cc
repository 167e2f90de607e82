// Native code as a backend. The check that was generated with the kernel decides first; whatever it
// does not accept goes the way of the interpreter, which repeats the check from its table, finds
// the message, or runs with every access checked. Launches that run in parts, or with streaming
// stores, are checked from the table.
#include <algorithm>
#include <optional>

#include "engines/cpu_features.h"
#include "engines/engine.h"
#include "engines/guarded.h"
#include "engines/scratch.h"
#include "engines/split.h"
#include "interpreter/lane_service.h"

namespace hologram::engines {
namespace {

uint64_t TotalBytes(const launch::Launch& launch) {
  uint64_t total = 0;
  for (const hologram_buffer_ref& buffer : launch.buffers) total += buffer.bytes;
  return total;
}

bool IsLegalShape(const hologram_launch_shape& shape) {
  uint64_t lanes = 1;
  for (int d = 0; d < 3; ++d) {
    if (shape.grid[d] == 0 || shape.block[d] == 0) return false;
    if (shape.block[d] > isa::kMaxLanesPerBlock) return false;
    lanes *= shape.block[d];
  }
  return lanes <= isa::kMaxLanesPerBlock;
}

// True if the generated check, which knows nothing of `deterministic`, may decide this launch.
bool EntryMayDecide(const verify::VerifiedProgram& program, const launch::Launch& launch) {
  size_t buffers = 0;
  for (const isa::Parameter& parameter : program.program().parameters) {
    buffers += parameter.is_buffer ? 1 : 0;
  }
  const bool counts = launch.buffers.size() == buffers &&
                      launch.scalars.size() == program.program().parameters.size() - buffers;
  return counts && IsLegalShape(launch.shape) && launch.class_base < isa::kNumClasses &&
         (!launch.deterministic || program.races().empty());
}

// A launch that has to look at what stops it between its lanes.
bool IsLong(const RunnableKernel& kernel, const launch::Launch& launch) {
  // The generated check knows of no budget.
  if (launch.budget > verify::kMostRounds && !kernel.program->launch_check().rounds.empty()) {
    return true;
  }
  return kernel.work != nullptr && kernel.work->LaunchNs(launch) > kLongPartNs;
}

// Fewer lanes take no such time, but in loops, which look themselves.
bool MayBeLong(const hologram_launch_shape& shape) {
  constexpr double kLanes = 1 << 16;
  double lanes = 1;
  for (int d = 0; d < 3; ++d) lanes *= static_cast<double>(shape.grid[d]) * shape.block[d];
  return lanes >= kLanes;
}

class CpuBackend final : public Backend {
 public:
  std::string_view name() const override { return "cpu"; }

  Status Available() const override {
    HOLOGRAM_ASSIGN_OR_RETURN(const std::optional<Target> target, CurrentTarget());
    if (target) return Success{};
    return Error(ErrorCode::kUnsupported, "native code needs an x86-64-v2 processor or better");
  }

  Status CanRun(const RunnableKernel& kernel) const override {
    if (kernel.native != nullptr) return Success{};
    return Error(ErrorCode::kUnsupported, "no native code for '" + kernel.program->program().name +
                                              "': " + std::string(kernel.why_not_native));
  }

  Result<Outcome> Launch(const RunnableKernel& kernel, const launch::Launch& launch,
                         const Parallelism& parallelism) const override {
    const verify::VerifiedProgram& program = *kernel.program;
    if (!EntryMayDecide(program, launch)) return Interpreter().Launch(kernel, launch, parallelism);
    Outcome outcome;
    outcome.native = true;
    hologram_launch_state plain = launch::InitialState(launch);
    std::optional<interpreter::LaneService> service;
    if (program.needs_session()) service.emplace(program, launch);
    hologram_launch_state& state = service ? *service->state() : plain;
    const std::optional<KeptInputs> kept = KeptInputs::Of(program, launch);
    outcome.streaming =
        kernel.native->streaming_body != nullptr && TotalBytes(launch) >= StreamingThreshold();
    const std::optional<Cut> cut = CutFor(kernel, launch, parallelism);
    const bool is_long = !cut && IsLong(kernel, launch);
    HOLOGRAM_ASSIGN_OR_RETURN(Scratch scratch, Scratch::Make(*kernel.native, launch.shape,
                                                             cut ? parallelism.threads : 1));
    if (outcome.streaming || cut || is_long) {
      launch::Launch checked = launch;
      // Parts of a launch that are free of races only if told so may not run at once.
      checked.deterministic = checked.deterministic || cut;
      const Result<launch::LaunchTier> tier = launch::CheckLaunch(program, checked);
      if (!tier.ok() || tier.value() == launch::LaunchTier::kGuarded) {
        return Interpreter().Launch(kernel, launch, parallelism);
      }
      state.alone = cut ? 0 : 1;
      RunParts(kernel, launch, parallelism, outcome.streaming, cut, scratch, &state);
      outcome.threads = cut ? std::min(parallelism.threads, cut->chunks) : 1;
    } else {
      state.scratch = scratch.Take();
      if (kernel.native->entry(launch.buffers.data(), launch.scalars.data(), &launch.shape,
                               &state) == HOLOGRAM_LAUNCH_UNPROVED) {
        return Interpreter().Launch(kernel, launch, parallelism);
      }
    }
    if (service && service->has_failed()) {
      return Error(ErrorCode::kResourceLimit, "out of memory");
    }
    if (state.fault_code != HOLOGRAM_FAULT_NONE) {
      return DescribeNativeFault(program, launch, state, service ? service->fault_other() : 0,
                                 kept ? &*kept : nullptr);
    }
    if (service) HOLOGRAM_RETURN_IF_ERROR(service->Commit());
    return outcome;
  }

 private:
  static std::optional<Cut> CutFor(const RunnableKernel& kernel, const launch::Launch& launch,
                                   const Parallelism& parallelism) {
    if (parallelism.threads <= 1 || kernel.work == nullptr || !kernel.work->may_split()) {
      return std::nullopt;
    }
    const double work_ns = kernel.work->LaunchNs(launch);
    if (work_ns < parallelism.min_work_ns ||
        kernel.work->SplitNs(launch, parallelism.threads) > work_ns) {
      return std::nullopt;
    }
    return CutLaunch(kernel.native->unit, launch.shape, work_ns, parallelism);
  }

  static void RunParts(const RunnableKernel& kernel, const launch::Launch& launch,
                       const Parallelism& parallelism, bool streaming,
                       const std::optional<Cut>& cut, Scratch& scratch,
                       hologram_launch_state* state) {
    const hologram_kernel_info& native = *kernel.native;
    const hologram_kernel_body body = streaming ? native.streaming_body : native.body;
    if (cut) return RunCut(*cut, native.unit, body, launch, parallelism, scratch, state);
    state->scratch = scratch.Take();
    const uint64_t units = UnitsOf(native.unit, launch.shape);
    const uint64_t part = kernel.work == nullptr ? units
                                                 : UnitsOfPart(native.unit, launch.shape,
                                                               kernel.work->LaunchNs(launch),
                                                               parallelism.lane_granule);
    RunInParts(part, native.unit, body, launch, state);
  }
};

}  // namespace

bool MayEnter(const RunnableKernel& kernel) {
  return kernel.native != nullptr && kernel.native->scratch_bytes == 0 && kernel.work != nullptr &&
         !kernel.program->needs_session() && kernel.program->races().empty();
}

Entered Enter(const RunnableKernel& kernel, const launch::Launch& launch, uint32_t threads,
              hologram_launch_state& state) {
  if (!IsLegalShape(launch.shape)) return Entered::kDeclined;
  if (kernel.native->streaming_body != nullptr && TotalBytes(launch) >= StreamingThreshold()) {
    return Entered::kDeclined;
  }
  constexpr double kWorthThreads = Parallelism().min_work_ns;
  if (threads > 1 && kernel.work->may_split() &&
      !kernel.work->IsSurelyBelow(launch, kWorthThreads) &&
      kernel.work->LaunchNs(launch) >= kWorthThreads) {
    return Entered::kDeclined;
  }
  if (MayBeLong(launch.shape) && IsLong(kernel, launch)) return Entered::kDeclined;
  state = launch::InitialState(launch);
  if (kernel.native->entry(launch.buffers.data(), launch.scalars.data(), &launch.shape, &state) ==
      HOLOGRAM_LAUNCH_UNPROVED) {
    return Entered::kDeclined;
  }
  return state.fault_code == HOLOGRAM_FAULT_NONE ? Entered::kDone : Entered::kFaulted;
}

const Backend& Cpu() {
  static const CpuBackend backend;
  return backend;
}

}  // namespace hologram::engines
