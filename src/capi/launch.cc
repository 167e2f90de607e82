// Launches. There are two ways in: an inline entry that the caller calls itself (the plan), and
// hologram_kernel_launch, which binds arguments without an allocation and leaves the rest to
// runtime::Launchable::Launch. Tested by tests/capi.
#include "hologram/detail/launch.h"

#include <algorithm>
#include <array>
#include <mutex>
#include <optional>
#include <string>

#include "base/launch_path.h"
#include "capi/arguments.h"
#include "capi/error.h"
#include "capi/guard.h"
#include "capi/kernel_handle.h"
#include "capi/launch_config.h"
#include "capi/watch.h"
#include "engines/guarded.h"
#include "launch/fault_text.h"
#include "runtime/kernel.h"
#include "runtime/observed_launch.h"

using hologram::Diagnostics;
using hologram::Error;
using hologram::ErrorCode;
using hologram::Result;
using hologram::Status;
using hologram::capi::DropException;
using hologram::capi::FromException;
using hologram::capi::MakeError;

namespace launch = hologram::launch;
namespace runtime = hologram::runtime;

int32_t hologram::capi::Decline(const hologram_buffer_ref* /*buffers*/, const uint64_t* /*scalars*/,
                                uint64_t /*bytes_limit*/, hologram_launch_state* /*state*/) {
  return HOLOGRAM_LAUNCH_UNPROVED;
}

void hologram_kernel::OpenPlan() const {
  if (code.entry == nullptr) return;
  // Callers do not have all its scalars; hologram_kernel_enter_shaped has the entry.
  if (takes_shapes) return closed.store(false, std::memory_order_relaxed);
  if (hologram::capi::Watched()) return closed.store(true, std::memory_order_relaxed);
  closed.store(false, std::memory_order_relaxed);
  __atomic_store_n(&plan.bytes_limit, code.bytes_limit, __ATOMIC_RELEASE);
  __atomic_store_n(&plan.entry, code.entry, __ATOMIC_RELEASE);
}

void hologram_kernel::ClosePlan() const {
  closed.store(true, std::memory_order_relaxed);
  __atomic_store_n(&plan.entry, &hologram::capi::Decline, __ATOMIC_RELEASE);
}

void hologram_kernel::UpdatePlan() const {
  if (has_code.load(std::memory_order_relaxed) || program() == nullptr) return;
  if (program()->native() == nullptr) return;
  const std::lock_guard lock(mutex);
  code = program()->InlineEntry();
  has_code.store(true, std::memory_order_release);
  if (!noted.load(std::memory_order_relaxed)) OpenPlan();
}

void hologram_kernel::Note(const launch::Way& way) const {
  if (way.form == launch::Form::kEntry) {
    // While launches are watched, the plan stays closed: no lock for it.
    const bool opens = closed.load(std::memory_order_relaxed) && !hologram::capi::Watched();
    if (noted.load(std::memory_order_relaxed) || opens) Forget();
    return;
  }
  const std::lock_guard lock(mutex);
  last_way = way;
  noted.store(true, std::memory_order_relaxed);
  __atomic_store_n(&plan.entry, &hologram::capi::Decline, __ATOMIC_RELEASE);
}

void hologram_kernel::Forget() const {
  const std::lock_guard lock(mutex);
  noted.store(false, std::memory_order_relaxed);
  OpenPlan();
}

void hologram_kernel::ExamineGrid(const launch::RequestedShape& said,
                                  std::span<const hologram_buffer_ref> buffers,
                                  std::span<const uint64_t> scalars) const {
  const std::lock_guard lock(mutex);
  const uint32_t left = grids_left.load(std::memory_order_relaxed);
  if (left == 0 || program() == nullptr) return;
  const auto note = program()->default_launch().MissingLanes(said, buffers, scalars);
  grids_left.store(left - 1, std::memory_order_relaxed);
  if (!note || std::find(grid_notes.begin(), grid_notes.end(), *note) != grid_notes.end()) return;
  grid_notes.push_back(*note);
  grid_note.store(&grid_notes.back(), std::memory_order_release);
}

namespace {

// Of a launch that native code has stopped.
hologram::Diagnostic DescribeStop(const runtime::Kernel& found, const launch::Launch& launched,
                                  const hologram_launch_state& state) {
  if (state.fault_code == HOLOGRAM_FAULT_CANCELLED) {
    return launch::CancelledError(found.verified());
  }
  return hologram::engines::DescribeNativeFault(found.verified(), launched, state, 0);
}

// As hologram_kernel_enter, with a span. Empty: it did not run, and the full way decides.
[[gnu::cold, gnu::noinline]] std::optional<hologram_error*> EnterWatched(
    const hologram_kernel& kernel, const hologram::capi::BoundArguments& bound,
    const hologram_launch_shape& shape) {
  const runtime::Kernel* found = kernel.program();
  if (found == nullptr || hologram::capi::CurrentCapture() != nullptr) return std::nullopt;
  const runtime::ObservedLaunch observed(found->program(), bound.buffers());
  hologram_launch_state state;  // written on a fault
  const int32_t outcome = found->Enter(bound.buffers(), bound.scalars(), shape, state);
  if (outcome == HOLOGRAM_LAUNCH_UNPROVED) return std::nullopt;
  const launch::Way way;
  kernel.Note(way);
  if (outcome == HOLOGRAM_LAUNCH_DONE) {
    observed.End(way, shape, hologram::Success{});
    return nullptr;
  }
  launch::Launch launched;
  launched.buffers = bound.buffers();
  launched.scalars = bound.scalars();
  launched.shape = shape;
  launched.budget = state.budget;
  launched.class_base = state.class_base;
  const Status stopped = DescribeStop(*found, launched, state);
  observed.End(way, shape, stopped);
  return MakeError(stopped.errors());
}

// The fast path of a kernel with all its scalars, those of shapes too; `shape` may be null. Gives
// what the entry gives.
HOLOGRAM_LAUNCH_PATH
int32_t Enter(const hologram_kernel& kernel, const hologram_buffer_ref* buffers,
              const uint64_t* scalars, const hologram_launch_shape* shape,
              hologram_launch_state* state) {
  const runtime::Kernel* program = kernel.program();
  if (program == nullptr) return HOLOGRAM_LAUNCH_UNPROVED;
  int32_t outcome = HOLOGRAM_LAUNCH_UNPROVED;
  if (shape != nullptr) {
    outcome = program->Enter({buffers, program->num_buffers()}, {scalars, program->num_scalars()},
                             *shape, *state);
  } else if (kernel.has_code.load(std::memory_order_acquire) && kernel.code.entry != nullptr) {
    outcome = kernel.code.entry(buffers, scalars, kernel.code.bytes_limit, state);
  }
  if (outcome != HOLOGRAM_LAUNCH_UNPROVED) kernel.NoteEntry();
  if (outcome == HOLOGRAM_LAUNCH_DONE) hologram::detail::count_launch();
  return outcome;
}

// Shapes of arrays are bound here, not by the caller, who else would call the entry itself. Empty:
// the full way decides.
std::optional<hologram_error*> EnterBound(const hologram_kernel& kernel,
                                          const hologram::capi::BoundArguments& bound,
                                          const runtime::LaunchConfig& config) {
  if (!config.asks_for_shape_alone()) return std::nullopt;
  const bool has_shape = config.shape.grid && config.shape.block;
  if (!has_shape && (config.shape.grid || config.shape.block)) return std::nullopt;
  hologram_launch_shape shape;
  if (has_shape) {
    if (kernel.grids_left.load(std::memory_order_relaxed) != 0) return std::nullopt;  // examined
    std::copy(config.shape.grid->begin(), config.shape.grid->end(), shape.grid);
    std::copy(config.shape.block->begin(), config.shape.block->end(), shape.block);
  }
  if (hologram::capi::Watched()) [[unlikely]] {
    return has_shape ? EnterWatched(kernel, bound, shape) : std::nullopt;
  }
  const hologram_buffer_ref* buffers = bound.buffers().data();
  const uint64_t* scalars = bound.scalars().data();
  hologram_launch_state state;  // written on a fault
  const int32_t outcome = Enter(kernel, buffers, scalars, has_shape ? &shape : nullptr, &state);
  if (outcome == HOLOGRAM_LAUNCH_FAULTED) {
    return hologram_kernel_fault(&kernel, buffers, scalars, has_shape ? &shape : nullptr, &state);
  }
  if (outcome != HOLOGRAM_LAUNCH_DONE) return std::nullopt;
  runtime::CountSizes(kernel.program()->program(), bound.buffers());
  return nullptr;
}

// Whether what a kernel needs is not null.
bool HasArrays(const hologram_kernel& kernel, const hologram_buffer_ref* buffers,
               const uint64_t* scalars) {
  const runtime::Kernel* program = kernel.program();
  return program != nullptr && (buffers != nullptr || program->num_buffers() == 0) &&
         (scalars != nullptr || program->num_scalars() == 0);
}

// Of arrays on a device.
std::optional<hologram::Diagnostic> WhyNotOnDevice(const hologram_kernel& kernel) {
  const std::string name = "kernel '" + kernel.found->signature().name + "'";
  if (kernel.program() == nullptr) {
    return Error(ErrorCode::kUnsupported, name + " is a library, which takes no arrays on devices");
  }
  if (hologram::capi::CurrentCapture() == nullptr) return std::nullopt;
  return Error(ErrorCode::kUnsupported, name + ": a pipeline records no arrays on devices");
}

}  // namespace

hologram_error* hologram_kernel_launch(const hologram_kernel* kernel,
                                       const hologram_argument* arguments, size_t count,
                                       const hologram_launch_config* config) try {
  return hologram_kernel_launch_shaped(kernel, arguments, nullptr, count, config);
} catch (...) {
  return FromException();
}

hologram_error* hologram_kernel_launch_shaped(const hologram_kernel* kernel,
                                              const hologram_argument* arguments,
                                              const hologram_array_shape* const* shapes,
                                              size_t count,
                                              const hologram_launch_config* config) try {
  HOLOGRAM_NOT_NULL(kernel);
  if (count != 0) HOLOGRAM_NOT_NULL(arguments);
  kernel->UpdatePlan();
  runtime::LaunchConfig wanted;
  if (const Status read = hologram::capi::ReadConfig(config, wanted); !read.ok())
    return MakeError(read.errors());
  hologram::capi::BoundArguments bound;
  const bool usual = hologram::capi::BindUsual(kernel->plan, {arguments, count}, bound);
  const bool filled = usual && kernel->takes_shapes && bound.Fill(kernel->shapes, shapes);
  if (filled) {
    if (const auto entered = EnterBound(*kernel, bound, wanted)) return *entered;
  } else if (!usual || kernel->takes_shapes) {
    bound.Clear();
    const hologram::isa::Program& signature = kernel->found->signature();
    const Status status = hologram::capi::BindArguments(signature, {arguments, count}, shapes,
                                                        bound, hologram::capi::Memory::kAny);
    if (!status.ok()) return MakeError(status.errors());
    if (bound.on_device()) {
      if (auto refused = WhyNotOnDevice(*kernel)) return MakeError({*refused});
    }
  }
  launch::Way way;
  way.form = launch::Form::kNothing;
  hologram::capi::OpenCapture* const capture = hologram::capi::CurrentCapture();
  if (capture != nullptr) [[unlikely]] {
    const Status recorded =
        capture->recorder.Before(kernel->found, bound.buffers(), bound.scalars(), wanted);
    if (!recorded.ok()) return MakeError(recorded.errors());
  }
  const Status done = kernel->found->Launch(bound.buffers(), bound.scalars(), wanted, way);
  if (capture != nullptr && done.ok()) [[unlikely]] {
    capture->recorder.After();
  }
  if (!done.ok() && way.form == launch::Form::kNothing) way.reason = done.errors()[0].message;
  kernel->Note(way);
  if (wanted.shape.grid && kernel->grids_left.load(std::memory_order_relaxed) != 0 && done.ok()) {
    kernel->ExamineGrid(wanted.shape, bound.buffers(), bound.scalars());
  }
  return done.ok() ? nullptr : MakeError(done.errors());
} catch (...) {
  return FromException();
}

const hologram_launch_plan* hologram_kernel_plan(const hologram_kernel* kernel) try {
  if (kernel == nullptr) return nullptr;
  kernel->UpdatePlan();
  return &kernel->plan;
} catch (...) {
  DropException();
  return nullptr;
}

int32_t hologram_kernel_enter(const hologram_kernel* kernel, const hologram_buffer_ref* buffers,
                              const uint64_t* scalars, const hologram_launch_shape* shape,
                              hologram_launch_state* state) try {
  if (hologram::capi::Watched()) return HOLOGRAM_LAUNCH_UNPROVED;
  if (kernel == nullptr || kernel->takes_shapes) return HOLOGRAM_LAUNCH_UNPROVED;
  if (shape == nullptr) return HOLOGRAM_LAUNCH_UNPROVED;
  if (state == nullptr) return HOLOGRAM_LAUNCH_UNPROVED;
  if (!HasArrays(*kernel, buffers, scalars)) return HOLOGRAM_LAUNCH_UNPROVED;
  return Enter(*kernel, buffers, scalars, shape, state);
} catch (...) {
  DropException();
  return HOLOGRAM_LAUNCH_UNPROVED;
}

int32_t hologram_kernel_takes_shapes(const hologram_kernel* kernel) try {
  return kernel != nullptr && kernel->takes_shapes ? 1 : 0;
} catch (...) {
  DropException();
  return 0;
}

int32_t hologram_kernel_shape_scalars(const hologram_kernel* kernel,
                                      const hologram_buffer_ref* buffers,
                                      const hologram_array_shape* const* shapes,
                                      uint64_t* scalars) try {
  if (kernel == nullptr || !kernel->takes_shapes) return 0;
  if (!HasArrays(*kernel, buffers, scalars)) return 0;
  return kernel->shapes.Fill(buffers, shapes, scalars) ? 1 : 0;
} catch (...) {
  DropException();
  return 0;
}

int32_t hologram_kernel_enter_shaped(const hologram_kernel* kernel,
                                     const hologram_buffer_ref* buffers, const uint64_t* scalars,
                                     const hologram_launch_shape* shape,
                                     hologram_launch_state* state) try {
  if (hologram::capi::Watched()) return HOLOGRAM_LAUNCH_UNPROVED;
  if (kernel == nullptr || !kernel->takes_shapes) return HOLOGRAM_LAUNCH_UNPROVED;
  if (state == nullptr) return HOLOGRAM_LAUNCH_UNPROVED;
  if (!HasArrays(*kernel, buffers, scalars)) return HOLOGRAM_LAUNCH_UNPROVED;
  return Enter(*kernel, buffers, scalars, shape, state);
} catch (...) {
  DropException();
  return HOLOGRAM_LAUNCH_UNPROVED;
}

hologram_error* hologram_kernel_fault(const hologram_kernel* kernel,
                                      const hologram_buffer_ref* buffers, const uint64_t* scalars,
                                      const hologram_launch_shape* shape,
                                      const hologram_launch_state* state) try {
  HOLOGRAM_NOT_NULL(kernel);
  HOLOGRAM_NOT_NULL(state);
  const runtime::Kernel* found = kernel->program();
  if (found == nullptr) {
    return MakeError(ErrorCode::kInvalidArgument, "kernel '" + kernel->found->signature().name +
                                                      "' is a library, which has no faults");
  }
  if (found->num_buffers() != 0) HOLOGRAM_NOT_NULL(buffers);
  if (found->num_scalars() != 0) HOLOGRAM_NOT_NULL(scalars);
  const bool cancelled = state->fault_code == HOLOGRAM_FAULT_CANCELLED;
  runtime::CountInlineFault(cancelled);
  launch::Launch launched;
  launched.buffers = {buffers, found->num_buffers()};
  launched.scalars = {scalars, found->num_scalars()};
  if (shape != nullptr) {
    launched.shape = *shape;
  } else if (!cancelled) {
    const Result<hologram_launch_shape> resolved =
        found->default_launch().Resolve({}, launched.buffers, launched.scalars);
    if (!resolved.ok()) return MakeError(resolved.errors());
    launched.shape = resolved.value();
  }
  launched.budget = state->budget;
  launched.class_base = state->class_base;
  return MakeError({DescribeStop(*found, launched, *state)});
} catch (...) {
  return FromException();
}

hologram_error* hologram_kernel_last_launch(const hologram_kernel* kernel,
                                            hologram_last_launch* last) try {
  HOLOGRAM_NOT_NULL(kernel);
  HOLOGRAM_NOT_NULL(last);
  static thread_local launch::Way way;
  way = launch::Way{};
  *last = {"", "", "", 1, 0};
  if (kernel->noted.load(std::memory_order_relaxed)) {
    const std::lock_guard lock(kernel->mutex);
    way = kernel->last_way;
  } else if (kernel->program() == nullptr || kernel->program()->native() == nullptr) {
    last->reason = "there was no launch";
    return nullptr;
  }
  last->engine = way.form == launch::Form::kCall      ? "library"
                 : way.form == launch::Form::kNothing ? ""
                                                      : launch::NameOf(way.engine).data();
  last->reason = way.reason.c_str();
  if (way.unproved) last->condition = way.unproved->condition.c_str();
  last->threads = way.threads;
  last->checked = way.checked() ? 1 : 0;
  return nullptr;
} catch (...) {
  return FromException();
}
