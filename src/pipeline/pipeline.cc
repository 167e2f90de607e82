#include "pipeline/pipeline.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "base/quote.h"
#include "engines/guarded.h"
#include "launch/fault_text.h"
#include "observe/span.h"

namespace hologram::pipeline {
namespace {

std::string Named(const Plan& plan) {
  return "pipeline " + Shown(plan.name);
}

// With what the launch is in front of the first message.
Diagnostics At(const Plan& plan, size_t step, Diagnostics errors) {
  errors[0].message = Named(plan) + ", launch " + std::to_string(step) + ": " + errors[0].message;
  return errors;
}

double LanesOf(const hologram_launch_shape& shape) {
  double lanes = 1;
  for (int d = 0; d < 3; ++d) lanes *= static_cast<double>(shape.grid[d]) * shape.block[d];
  return lanes;
}

bool Overlap(const hologram_buffer_ref& a, const hologram_buffer_ref& b) {
  const auto first = reinterpret_cast<uintptr_t>(a.data);
  const auto second = reinterpret_cast<uintptr_t>(b.data);
  return first < second ? second - first < a.bytes : first - second < b.bytes;
}

}  // namespace

Pipeline::Pipeline(Plan plan, Kernels kernels, Layout layout)
    : plan_(std::move(plan)), kernels_(std::move(kernels)), layout_(std::move(layout)) {}

Result<std::unique_ptr<const Pipeline>> Pipeline::Make(Plan plan, Kernels kernels,
                                                       Sharing sharing) {
  HOLOGRAM_RETURN_IF_ERROR(CheckPlan(plan));
  std::vector<const isa::Program*> programs;
  for (const auto& kernel : kernels) programs.push_back(&kernel->program());
  HOLOGRAM_RETURN_IF_ERROR(CheckFlow(plan, programs));
  HOLOGRAM_ASSIGN_OR_RETURN(Layout layout, PlanMemory(plan, sharing));
  std::unique_ptr<Pipeline> made(
      new Pipeline(std::move(plan), std::move(kernels), std::move(layout)));
  HOLOGRAM_RETURN_IF_ERROR(made->CheckKernels());
  HOLOGRAM_RETURN_IF_ERROR(made->Bind(sharing));
  return std::unique_ptr<const Pipeline>(std::move(made));
}

Status Pipeline::CheckKernels() const {
  for (const auto& kernel : kernels_) {
    const verify::VerifiedProgram& program = kernel->verified();
    if (!program.uses_stream() && !program.uses_print()) continue;
    return Error(ErrorCode::kInvalidBundle,
                 Named(plan_) + ": kernel " + Shown(kernel->name()) +
                     (program.uses_print() ? " prints" : " uses the state of its executor") +
                     ", which no pipeline does");
  }
  return Success{};
}

// Arguments of the caller are somewhere, apart from each other and aligned, until they are known.
Status Pipeline::Bind(Sharing sharing) {
  // Zeros, which large memory has without being touched: a file may ask for much.
  memory_.reset(std::calloc(layout_.bytes + kAlignment, 1));
  if (memory_ == nullptr) throw std::bad_alloc();
  const auto first = reinterpret_cast<uintptr_t>(memory_.get());
  char* const arena = static_cast<char*>(memory_.get()) + (kAlignment - first % kAlignment);
  if (sharing == Sharing::kApart) std::memset(arena, 0xa5, layout_.bytes);
  bytes_ = layout_.bytes;
  std::vector<char*> places(plan_.arrays.size());
  uintptr_t unknown = uintptr_t{1} << 46;
  for (size_t k = 0; k < plan_.arrays.size(); ++k) {
    Array& array = plan_.arrays[k];
    if (array.role != Role::kTemporary) bytes_ += array.bytes;
    if (array.is_public()) {
      places[k] = reinterpret_cast<char*>(unknown);  // NOLINT(performance-no-int-to-ptr)
      unknown += (array.bytes / kAlignment + 2) * kAlignment;
    } else if (array.role == Role::kConstant) {
      places[k] = reinterpret_cast<char*>(array.data.data());
    } else {
      places[k] = arena + layout_.offsets[k];
    }
  }
  size_t count = 0;
  for (const Step& step : plan_.steps) count += step.operands.size();
  refs_.reserve(count);
  for (size_t k = 0; k < plan_.steps.size(); ++k) {
    HOLOGRAM_RETURN_IF_ERROR(BindStep(k, places));
    // All launches are short together if each were, as often as there are launches.
    const Step& step = plan_.steps[k];
    const double lanes = LanesOf(step.shape) * static_cast<double>(plan_.steps.size());
    is_short_ = is_short_ && lanes < 1e15 &&
                kernels_[step.kernel]->IsShort(step.scalars, static_cast<uint64_t>(lanes));
  }
  return Success{};
}

Status Pipeline::BindStep(size_t number, std::span<char* const> places) {
  const Step& step = plan_.steps[number];
  const size_t begin = refs_.size();
  for (const Operand& operand : step.operands) {
    if (operand.array == kNoArray) {
      refs_.push_back({nullptr, 0});
      continue;
    }
    if (plan_.arrays[operand.array].is_public()) {
      patches_.push_back({static_cast<uint32_t>(refs_.size()), operand.array, operand.first});
    }
    refs_.push_back({places[operand.array] + operand.first, operand.bytes});
  }
  const runtime::Kernel& kernel = *kernels_[step.kernel];
  launch::Launch launch;
  launch.buffers = {refs_.data() + begin, step.operands.size()};
  launch.scalars = step.scalars;
  launch.shape = step.shape;
  const Result<launch::LaunchTier> tier = launch::CheckLaunch(kernel.verified(), launch);
  if (!tier.ok()) return At(plan_, number, tier.errors());
  Bound bound;
  bound.entry = kernel.RepeatedEntry(launch);
  bound.kernel = &kernel;
  bound.cancel = kernel.cancel() == nullptr ? nullptr : kernel.cancel()->word();
  bound.buffers = launch.buffers.data();
  bound.scalars = step.scalars.data();
  bound.shape = step.shape;
  num_direct_ += bound.entry == nullptr ? 0 : 1;
  steps_.push_back(bound);
  return Success{};
}

Status Pipeline::CheckArguments(std::span<const hologram_buffer_ref> arguments) const {
  const std::span<const Array> wanted = this->arguments();
  if (arguments.size() != wanted.size()) {
    return Error(ErrorCode::kInvalidArgument, Named(plan_) + " expects " +
                                                  Counted(wanted.size(), "array") + ", found " +
                                                  std::to_string(arguments.size()));
  }
  for (size_t k = 0; k < wanted.size(); ++k) {
    const std::string_view wrong =
        arguments[k].data == nullptr ? " is NULL"
        : reinterpret_cast<uintptr_t>(arguments[k].data) % isa::SizeOf(wanted[k].type) != 0
            ? " is not aligned to its elements"
            : "";
    if (!wrong.empty()) {
      return Error(ErrorCode::kInvalidArgument,
                   Named(plan_) + ": '" + wanted[k].name + "'" + std::string(wrong));
    }
    if (arguments[k].bytes == wanted[k].bytes) continue;
    return Error(ErrorCode::kInvalidArgument,
                 Named(plan_) + ": '" + wanted[k].name + "' has " +
                     std::to_string(arguments[k].bytes) + " bytes, expected " +
                     std::to_string(wanted[k].bytes) + ", those of " +
                     std::string(isa::NameOf(wanted[k].type)) + " " + ShapeText(wanted[k].extents));
  }
  return CheckOverlap(arguments);
}

// Inputs may be one memory. Launches before the last one that reads an input may write an output.
Status Pipeline::CheckOverlap(std::span<const hologram_buffer_ref> arguments) const {
  const std::span<const Array> wanted = this->arguments();
  for (size_t k = arguments.size(); k-- > 0 && wanted[k].role == Role::kOutput;) {
    for (size_t j = 0; j < k; ++j) {
      if (!Overlap(arguments[j], arguments[k])) continue;
      return Error(ErrorCode::kInvalidArgument,
                   Named(plan_) + ": '" + wanted[k].name + "' overlaps '" + wanted[j].name + "'");
    }
  }
  return Success{};
}

Status Pipeline::RunSlowly(size_t number, int32_t outcome,
                           const hologram_launch_state& state) const {
  const Bound& step = steps_[number];
  const Step& planned = plan_.steps[number];
  launch::Launch launch;
  launch.buffers = {step.buffers, planned.operands.size()};
  launch.scalars = planned.scalars;
  launch.shape = step.shape;
  if (outcome != HOLOGRAM_LAUNCH_UNPROVED) {
    const bool cancelled = state.fault_code == HOLOGRAM_FAULT_CANCELLED;
    return cancelled ? launch::CancelledError(step.kernel->verified())
                     : engines::DescribeNativeFault(step.kernel->verified(), launch, state, 0);
  }
  runtime::LaunchConfig config;
  config.shape.grid = std::array{step.shape.grid[0], step.shape.grid[1], step.shape.grid[2]};
  config.shape.block = std::array{step.shape.block[0], step.shape.block[1], step.shape.block[2]};
  launch::Way way;
  return step.kernel->Launch(launch.buffers, launch.scalars, config, way);
}

Status Pipeline::RunSteps() const {
  const bool is_seen = observe::Tracing();
  hologram_launch_state state = launch::InitialState(launch::Launch{});
  for (size_t k = 0; k < steps_.size(); ++k) {
    const Bound& step = steps_[k];
    if (step.cancel != nullptr && step.cancel->load(std::memory_order_relaxed) != 0) [[unlikely]] {
      return launch::CancelledError(step.kernel->verified());
    }
    int32_t outcome = HOLOGRAM_LAUNCH_UNPROVED;
    if (step.entry != nullptr && !is_seen) [[likely]] {
      outcome = step.entry(step.buffers, step.scalars, &step.shape, &state);
      if (outcome == HOLOGRAM_LAUNCH_DONE && state.fault_code == HOLOGRAM_FAULT_NONE) [[likely]] {
        continue;
      }
    }
    HOLOGRAM_RETURN_IF_ERROR(RunSlowly(k, outcome, state));
  }
  return Success{};
}

Status Pipeline::Run(std::span<const hologram_buffer_ref> arguments) const {
  HOLOGRAM_RETURN_IF_ERROR(CheckArguments(arguments));
  const observe::Span span("pipeline", plan_.name);
  const std::lock_guard lock(mutex_);
  for (const Patch& patch : patches_) {
    refs_[patch.place].data = static_cast<char*>(arguments[patch.argument].data) + patch.first;
  }
  return RunSteps();
}

std::string Pipeline::Text() const {
  return TextOf(plan_, layout_,
                [&](uint32_t kernel) { return std::string_view(kernels_[kernel]->name()); });
}

}  // namespace hologram::pipeline
