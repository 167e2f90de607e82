#include "pipeline/recorder.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/quote.h"
#include "pipeline/merging.h"

namespace hologram::pipeline {
namespace {

Diagnostic Wrong(std::string message) {
  return Error(ErrorCode::kInvalidArgument, "capture: " + std::move(message));
}

std::string KernelText(const isa::Program& program) {
  return "kernel " + Shown(program.name);
}

// Why a launch of this kind is not recorded; empty: it may be.
std::string Unrecorded(const runtime::Kernel* kernel, const runtime::LaunchConfig& config) {
  if (kernel == nullptr) return "is a library, which no file can hold";
  if (kernel->verified().uses_print()) return "prints";
  if (kernel->verified().uses_stream()) return "uses the state of its executor";
  if (!config.deterministic) return "is launched with deterministic=False";
  if (config.budget != launch::kDefaultBudget || config.class_base != 0) {
    return "is launched with a budget or a class";
  }
  const bool usual =
      config.engine == launch::Engine::kAuto || config.engine == launch::Engine::kCpu;
  return usual ? "" : "is launched on " + std::string(launch::NameOf(config.engine));
}

}  // namespace

Status Recorder::Fail(Diagnostic error) {
  if (failed_.empty()) failed_.push_back(std::move(error));
  return failed_;
}

Status Recorder::CheckName(const NamedArray& array, uint64_t& bytes) const {
  if (array.name.empty() || !IsPlain(array.name)) {
    return Wrong("expected a name without control characters, found " + Shown(array.name));
  }
  const auto has_name = [&](const Named& named) { return named.array.name == array.name; };
  if (std::any_of(inputs_.begin(), inputs_.end(), has_name) ||
      std::any_of(outputs_.begin(), outputs_.end(), has_name)) {
    return Wrong("two arrays are called " + Shown(array.name));
  }
  if (array.extents.size() > isa::kMaxRank) {
    return Wrong(Shown(array.name) + " has " + std::to_string(array.extents.size()) +
                 " dimensions, the most are " + std::to_string(isa::kMaxRank));
  }
  bytes = BytesOf(array.type, array.extents).value_or(0);
  if (bytes == 0) return Wrong(Shown(array.name) + " has no elements, or too many");
  return Success{};
}

Status Recorder::AddInput(const NamedArray& array) {
  if (!failed_.empty()) return failed_;
  uint64_t bytes = 0;
  if (Status status = CheckName(array, bytes); !status.ok()) return Fail(status.errors()[0]);
  const Range range = RangeOf(array.data, bytes);
  const std::string wrong = memory_.AddInput(range);
  if (!wrong.empty()) return Fail(Wrong("input " + Shown(array.name) + " " + wrong));
  inputs_.push_back({array, memory_.Find(range), range});
  return Success{};
}

Status Recorder::AddOutput(const NamedArray& array) {
  if (!failed_.empty()) return failed_;
  uint64_t bytes = 0;
  if (Status status = CheckName(array, bytes); !status.ok()) return Fail(status.errors()[0]);
  const std::string who = "output " + Shown(array.name) + " ";
  const Range range = RangeOf(array.data, bytes);
  Region* region = memory_.Find(range);
  if (region == nullptr || region->role != Role::kTemporary || !region->is_written) {
    return Fail(Wrong(who + "was not written by a launch of the capture"));
  }
  if (!memory_.IsUnchanged(*region, range)) {
    return Fail(Wrong(who + "was changed by something else than a launch"));
  }
  if (!memory_.results_stay() && !region->is_kept) {
    return Fail(Wrong(
        who + "does not belong to the capture; its .empty(shape, dtype) makes arrays that do"));
  }
  if (region->range != range) {
    return Fail(Wrong(who + "is a part of an array; take all of it, or copy the part"));
  }
  for (const Named& other : outputs_) {
    if (other.region != region) continue;
    return Fail(Wrong(who + "is " + Shown(other.array.name) + " already"));
  }
  region->is_kept = true;
  outputs_.push_back({array, region, range});
  return Success{};
}

Status Recorder::Keep(const void* data, uint64_t bytes) {
  if (!failed_.empty()) return failed_;
  if (bytes == 0) return Success{};
  const std::string wrong = memory_.Keep(RangeOf(data, bytes));
  return wrong.empty() ? Status(Success{}) : Fail(Wrong("an array " + wrong));
}

uint32_t Recorder::NumberOf(const std::shared_ptr<const runtime::Launchable>& launchable) {
  for (size_t k = 0; k < kernels_.size(); ++k) {
    if (kernels_[k].get() == launchable->program_kernel()) return static_cast<uint32_t>(k);
  }
  kernels_.emplace_back(launchable, launchable->program_kernel());
  return static_cast<uint32_t>(kernels_.size() - 1);
}

// What is read first: a launch may write where it reads.
Status Recorder::RecordOperands(const isa::Program& program,
                                std::span<const hologram_buffer_ref> buffers, RecordedStep& step) {
  step.operands.resize(buffers.size());
  for (const bool writes : {false, true}) {
    size_t k = 0;
    for (const isa::Parameter& parameter : program.parameters) {
      if (!parameter.is_buffer) continue;
      const hologram_buffer_ref& buffer = buffers[k];
      RecordedOperand& operand = step.operands[k++];
      if (buffer.bytes == 0 || (parameter.direction != isa::Direction::kIn) != writes) continue;
      operand.range = RangeOf(buffer.data, buffer.bytes);
      std::string error;
      operand.region = writes ? memory_.Write(operand.range,
                                              parameter.direction == isa::Direction::kInOut, error)
                              : memory_.Read(operand.range, error);
      if (operand.region == nullptr) {
        return Wrong("'" + parameter.name + "' of " + KernelText(program) + " " + error);
      }
      if (writes) step.written.push_back(operand.range);
    }
  }
  // Where a constant was written over, it was one that this launch reads.
  for (const RecordedOperand& operand : step.operands) {
    if (operand.region == nullptr || operand.region->role != Role::kConstant) continue;
    for (const Range& written : step.written) {
      if (written.begin < operand.range.end && operand.range.begin < written.end) {
        return Wrong(KernelText(program) +
                     " writes over an array that it reads, and that no launch has made; a "
                     "pipeline keeps nothing from one run to the next");
      }
    }
  }
  return Success{};
}

Result<std::optional<Recorder::RecordedStep>> Recorder::Record(
    const std::shared_ptr<const runtime::Launchable>& launchable,
    std::span<const hologram_buffer_ref> buffers, std::span<const uint64_t> scalars,
    const runtime::LaunchConfig& config) {
  const runtime::Kernel* kernel = launchable->program_kernel();
  const isa::Program& program = launchable->signature();
  const std::string reason = Unrecorded(kernel, config);
  if (!reason.empty()) return Wrong(KernelText(program) + " " + reason);
  if (steps_.size() == kMostSteps) return Wrong("more than 16384 launches");
  if (buffers.size() != kernel->num_buffers() || scalars.size() != kernel->num_scalars()) {
    return std::optional<RecordedStep>();  // the launch says what is wrong
  }
  RecordedStep step;
  if (config.shape.grid && config.shape.block) {
    std::copy_n(config.shape.grid->begin(), 3, step.shape.grid);
    std::copy_n(config.shape.block->begin(), 3, step.shape.block);
  } else {
    HOLOGRAM_ASSIGN_OR_RETURN(step.shape,
                              kernel->default_launch().Resolve(config.shape, buffers, scalars));
    if (step.shape.grid[0] == 0) return std::optional<RecordedStep>();  // nothing runs
  }
  step.scalars.assign(scalars.begin(), scalars.end());
  HOLOGRAM_RETURN_IF_ERROR(RecordOperands(program, buffers, step));
  step.kernel = NumberOf(launchable);
  return std::optional(std::move(step));
}

Status Recorder::Before(std::shared_ptr<const runtime::Launchable> kernel,
                        std::span<const hologram_buffer_ref> buffers,
                        std::span<const uint64_t> scalars, const runtime::LaunchConfig& config) {
  open_.reset();
  if (!failed_.empty()) return failed_;
  Result<std::optional<RecordedStep>> recorded = Record(kernel, buffers, scalars, config);
  if (!recorded.ok()) return Fail(recorded.errors()[0]);
  open_ = std::move(recorded).value();
  return Success{};
}

// Whether `now` does what `before` did, in the same memory or where that was given back since, and
// reads nothing that either writes: an operation that had to look for a kernel on its way begins
// again.
bool Recorder::IsRestart(const RecordedStep& before, const RecordedStep& now) const {
  if (before.kernel != now.kernel || before.scalars != now.scalars ||
      !std::equal(before.shape.grid, before.shape.grid + 3, now.shape.grid) ||
      !std::equal(before.shape.block, before.shape.block + 3, now.shape.block)) {
    return false;
  }
  std::vector<const Region*> reads;
  std::vector<const Region*> writes;
  size_t k = 0;
  for (const isa::Parameter& parameter : kernels_[now.kernel]->program().parameters) {
    if (!parameter.is_buffer) continue;
    const RecordedOperand& old = before.operands[k];
    const RecordedOperand& own = now.operands[k++];
    const bool writes_it = parameter.direction != isa::Direction::kIn;
    if (parameter.direction != isa::Direction::kOut) reads.push_back(own.region);
    if (writes_it && own.region != nullptr) writes.push_back(own.region);
    const bool is_same = old.region == own.region && old.range == own.range;
    const bool is_elsewhere = writes_it && old.region != nullptr && !memory_.Has(*old.region) &&
                              old.range.bytes() == own.range.bytes();
    if (!is_same && !is_elsewhere) return false;
  }
  return std::none_of(writes.begin(), writes.end(), [&](const Region* region) {
    return std::find(reads.begin(), reads.end(), region) != reads.end();
  });
}

void Recorder::After() {
  if (!open_) return;
  for (const Range& range : open_->written) memory_.Written(range);
  if (!steps_.empty() && IsRestart(steps_.back(), *open_)) steps_.pop_back();
  steps_.push_back(std::move(*open_));
  open_.reset();
}

// Inputs, outputs, and then what launches use of the rest.
Status Recorder::AddArrays(Plan& plan, std::map<const Region*, uint32_t>& numbers) const {
  const auto add_named = [&](const Named& named, Role role) {
    Array array;
    array.role = role;
    array.name = named.array.name;
    array.type = named.array.type;
    array.extents = named.array.extents;
    array.bytes = named.range.bytes();
    numbers[Memory::Last(named.region)] = static_cast<uint32_t>(plan.arrays.size());
    plan.arrays.push_back(std::move(array));
  };
  for (const Named& named : inputs_) add_named(named, Role::kInput);
  for (const Named& named : outputs_) {
    if (Memory::Last(named.region)->range != named.range) {
      return Wrong("output " + Shown(named.array.name) +
                   " is a part of an array that a later "
                   "launch has written");
    }
    add_named(named, Role::kOutput);
  }
  for (const RecordedStep& step : steps_) {
    for (const RecordedOperand& operand : step.operands) {
      if (operand.region == nullptr) continue;
      const Region* region = Memory::Last(operand.region);
      if (!numbers.emplace(region, static_cast<uint32_t>(plan.arrays.size())).second) continue;
      Array array;
      array.role = region->role;
      array.bytes = region->range.bytes();
      if (region->role == Role::kConstant) array.data = region->bytes;
      plan.arrays.push_back(std::move(array));
    }
  }
  return Success{};
}

Result<std::unique_ptr<const Pipeline>> Recorder::Finish(std::string name) {
  if (!failed_.empty()) return failed_;
  if (steps_.empty()) return Wrong("nothing was launched");
  if (outputs_.empty()) return Wrong("there is no output");
  for (const Named& named : outputs_) {
    if (!memory_.IsUnchanged(*Memory::Last(named.region), named.range)) {
      return Wrong("output " + Shown(named.array.name) +
                   " was changed by something else than a launch");
    }
  }
  Plan plan;
  plan.name = std::move(name);
  plan.num_kernels = static_cast<uint32_t>(kernels_.size());
  std::map<const Region*, uint32_t> numbers;
  HOLOGRAM_RETURN_IF_ERROR(AddArrays(plan, numbers));
  for (RecordedStep& recorded : steps_) {
    Step& step = plan.steps.emplace_back();
    step.kernel = recorded.kernel;
    step.scalars = std::move(recorded.scalars);
    step.shape = recorded.shape;
    for (const RecordedOperand& operand : recorded.operands) {
      if (operand.region == nullptr) {
        step.operands.emplace_back();
        continue;
      }
      const Region* region = Memory::Last(operand.region);
      step.operands.push_back(
          {numbers.at(region), operand.range.begin - region->range.begin, operand.range.bytes()});
    }
  }
  HOLOGRAM_ASSIGN_OR_RETURN(std::unique_ptr<const Pipeline> made,
                            Checked(std::move(plan), kernels_));
  if (!merges_) return made;
  HOLOGRAM_ASSIGN_OR_RETURN(std::optional<PlanWithKernels> merged, Merge(*made));
  if (!merged) return made;
  made.reset();
  return Checked(std::move(merged->plan), std::move(merged->kernels));
}

// The pipeline, which does what was recorded.
Result<std::unique_ptr<const Pipeline>> Recorder::Checked(Plan plan,
                                                          Pipeline::Kernels kernels) const {
  HOLOGRAM_RETURN_IF_ERROR(Repeat(plan, kernels));
  return Pipeline::Make(std::move(plan), std::move(kernels));
}

// Runs the pipeline on the inputs of the capture, which must give its outputs.
Status Recorder::Repeat(const Plan& plan, const Pipeline::Kernels& kernels) const {
  HOLOGRAM_ASSIGN_OR_RETURN(const std::unique_ptr<const Pipeline> made,
                            Pipeline::Make(plan, kernels, Sharing::kApart));
  std::vector<AlignedBytes> memory;
  std::vector<hologram_buffer_ref> arguments;
  for (const Named& named : inputs_) memory.push_back(Memory::Last(named.region)->bytes);
  for (const Named& named : outputs_) memory.emplace_back(named.range.bytes());
  for (AlignedBytes& bytes : memory) arguments.push_back({bytes.data(), bytes.size()});
  HOLOGRAM_RETURN_IF_ERROR(made->Run(arguments));
  for (size_t k = 0; k < outputs_.size(); ++k) {
    if (memory[inputs_.size() + k] == Memory::Last(outputs_[k].region)->bytes) continue;
    return Wrong("a run gives other values of output " + Shown(outputs_[k].array.name) +
                 " than the capture; a kernel has left parts of an array as they were, or "
                 "something else than launches has written");
  }
  return Success{};
}

}  // namespace hologram::pipeline
