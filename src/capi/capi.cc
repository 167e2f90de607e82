// hologram.h implemented: handles over runtime::Executor and runtime::Kernel, no logic of its own.
// Tested by tests/capi.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "capi/arguments.h"
#include "capi/error.h"
#include "capi/executor_handle.h"
#include "capi/guard.h"
#include "engines/cpu_features.h"
#include "engines/guarded.h"
#include "hologram/hologram.h"
#include "runtime/kernel.h"
#include "runtime/places.h"

using hologram::Diagnostics;
using hologram::Error;
using hologram::ErrorCode;
using hologram::Result;
using hologram::Status;
using hologram::capi::DropException;
using hologram::capi::FromException;
using hologram::capi::MakeError;

struct hologram_kernel {
  hologram::runtime::FoundKernel found;
  std::vector<hologram_parameter> parameters;
  // `entry` and `bytes_limit` of a kernel that was compiled after it was found change once, at any
  // time: both are read and written atomically, and with one of them old a launch is declined.
  mutable hologram_launch_plan plan;
  mutable std::atomic<bool> has_entry{false};  // or will never have one

  const hologram::runtime::KernelLibrary* library() const { return found.library.get(); }
  // REQUIRES: library() == nullptr
  const hologram::runtime::Kernel& kernel() const { return *found.kernel; }
  // Name and parameters.
  const hologram::isa::Program& signature() const {
    return library() != nullptr ? library()->signature() : kernel().program();
  }
};

namespace {

namespace engines = hologram::engines;
namespace isa = hologram::isa;
namespace launch = hologram::launch;
namespace runtime = hologram::runtime;

static_assert(HOLOGRAM_MAX_PARAMETERS == isa::kMaxParameters);
static_assert(HOLOGRAM_F64 == static_cast<int>(isa::Type::kF64));
static_assert(HOLOGRAM_INOUT == static_cast<int>(isa::Direction::kInOut));

// The entry of kernels whose launches are all decided by hologram_kernel_launch.
int32_t Decline(const hologram_buffer_ref* /*buffers*/, const uint64_t* /*scalars*/,
                uint64_t /*bytes_limit*/, hologram_launch_state* /*state*/) {
  return HOLOGRAM_LAUNCH_UNPROVED;
}

hologram_launch_plan MakePlan(const isa::Program& program) {
  hologram_launch_plan plan{};
  plan.entry = Decline;
  plan.num_parameters = static_cast<uint32_t>(program.NumArguments());
  uint32_t buffer = 0;
  for (size_t k = 0; k < program.NumArguments(); ++k) {
    const isa::Parameter& parameter = program.parameters[k];
    uint32_t code = static_cast<uint32_t>(parameter.type);
    if (parameter.is_buffer) {
      code |= HOLOGRAM_ARGUMENT_BUFFER;
      if (parameter.direction != isa::Direction::kIn) {
        code |= HOLOGRAM_ARGUMENT_WRITABLE;
        plan.written |= uint64_t{1} << buffer;
      }
      ++buffer;
    }
    plan.codes[k] = static_cast<uint8_t>(code);
  }
  return plan;
}

// A kernel with more scalars that count has no such limit: hologram_kernel_is_short decides.
void PlanShort(const runtime::Kernel::ShortWork& limit, hologram_launch_plan* plan) {
  if (limit.scalars.size() > HOLOGRAM_MAX_SHORT_SCALARS) return;
  plan->short_work = limit.most;
  plan->num_short_scalars = static_cast<uint32_t>(limit.scalars.size());
  std::copy(limit.scalars.begin(), limit.scalars.end(), plan->short_scalars);
}

// Takes the inline entry of native code that is there by now.
void UpdatePlan(const hologram_kernel& kernel) {
  if (kernel.library() != nullptr || kernel.has_entry.load(std::memory_order_relaxed)) return;
  if (kernel.kernel().native() == nullptr) return;
  const runtime::Kernel::Inline code = kernel.kernel().InlineEntry();
  if (code.entry != nullptr) {
    __atomic_store_n(&kernel.plan.bytes_limit, code.bytes_limit, __ATOMIC_RELEASE);
    __atomic_store_n(&kernel.plan.entry, code.entry, __ATOMIC_RELEASE);
  }
  kernel.has_entry.store(true, std::memory_order_relaxed);
}

std::vector<hologram_parameter> MakeParameters(const isa::Program& program) {
  std::vector<hologram_parameter> parameters;
  for (size_t k = 0; k < program.NumArguments(); ++k) {
    const isa::Parameter& parameter = program.parameters[k];
    const uint32_t rank = parameter.is_buffer ? std::max<uint32_t>(parameter.rank, 1) : 0;
    parameters.push_back({parameter.name.c_str(), parameter.is_buffer ? 1u : 0u,
                          static_cast<uint32_t>(parameter.type),
                          static_cast<uint32_t>(parameter.direction), rank});
  }
  return parameters;
}

hologram_error* FromStatus(const Status& status) {
  return status.ok() ? nullptr : MakeError(status.errors());
}

runtime::LoadOptions OptionsFor(const char* expect) {
  runtime::LoadOptions options;
  if (expect != nullptr) options.expect = expect;
  return options;
}

using Triple = std::array<uint32_t, 3>;

std::optional<Triple> Requested(const uint32_t (&values)[3]) {
  if (values[0] == 0 && values[1] == 0 && values[2] == 0) return std::nullopt;
  return Triple{values[0], values[1], values[2]};
}

Result<runtime::LaunchConfig> ConfigFrom(const hologram_launch_config* config) {
  runtime::LaunchConfig result;
  if (config == nullptr) return result;
  result.shape.grid = Requested(config->grid);
  result.shape.block = Requested(config->block);
  if (config->budget != 0) result.budget = config->budget;
  result.deterministic = config->nondeterministic == 0;
  result.threads = config->threads;
  result.class_base = config->class_base;
  for (const uint32_t word : config->reserved) {
    if (word == 0) continue;
    return Error(ErrorCode::kInvalidArgument,
                 "reserved words of a launch config: expected 0, found " + std::to_string(word) +
                     "; this library is older than what was asked of it");
  }
  if (config->caller > HOLOGRAM_CALLER_PYTHON) {
    return Error(ErrorCode::kInvalidArgument,
                 "caller: expected 0 or 1, found " + std::to_string(config->caller));
  }
  if (config->caller == HOLOGRAM_CALLER_PYTHON) result.shape.caller = launch::Caller::kPython;
  switch (config->backend) {
    case HOLOGRAM_BACKEND_AUTO:
      break;
    case HOLOGRAM_BACKEND_INTERPRETER:
      result.backend = &engines::Interpreter();
      break;
    case HOLOGRAM_BACKEND_CPU:
      result.backend = &engines::Cpu();
      break;
    case HOLOGRAM_BACKEND_CUDA:
      result.backend = &engines::Cuda();
      break;
    default:
      return Error(ErrorCode::kInvalidArgument,
                   "backend: expected 0 to 3, found " + std::to_string(config->backend));
  }
  return result;
}

// A launch that says no more than a shape, of arguments that need no conversion.
bool IsPlain(const hologram_launch_plan& plan, const hologram_argument* arguments, size_t count,
             const hologram_launch_config* config) {
  if (count != plan.num_parameters) return false;
  uint32_t differs = 0;
  if (config != nullptr) {
    differs |= config->budget != 0 && config->budget != hologram::launch::kDefaultBudget;
    differs |= config->nondeterministic != 0 || config->threads != 0;
    differs |= config->backend != HOLOGRAM_BACKEND_AUTO || config->class_base != 0;
    for (const uint32_t word : config->reserved) differs |= word;
  }
  for (size_t k = 0; k < count; ++k) {
    const uint32_t wanted = plan.codes[k];
    // WRITABLE in the plan is a demand, in the argument a permission.
    differs |= arguments[k].buffer.data == nullptr && arguments[k].buffer.bytes != 0 &&
               (wanted & HOLOGRAM_ARGUMENT_BUFFER) != 0;
    differs |= (wanted & ~arguments[k].code) |
               ((wanted ^ arguments[k].code) & ~uint32_t{HOLOGRAM_ARGUMENT_WRITABLE});
  }
  return differs == 0;
}

// False: nothing was run. REQUIRES: IsPlain
bool LaunchPlain(const hologram_kernel* kernel, const hologram_argument* arguments, size_t count,
                 const hologram_launch_config* config, hologram_error*& error) {
  // What is taken from shapes is no argument: BindArguments has it.
  if (kernel->kernel().num_buffers() + kernel->kernel().num_scalars() != count) return false;
  std::array<hologram_buffer_ref, HOLOGRAM_MAX_PARAMETERS> buffers;
  std::array<uint64_t, HOLOGRAM_MAX_PARAMETERS> scalars;
  size_t num_buffers = 0;
  size_t num_scalars = 0;
  for (size_t k = 0; k < count; ++k) {
    if ((arguments[k].code & HOLOGRAM_ARGUMENT_BUFFER) != 0) {
      buffers[num_buffers++] = arguments[k].buffer;
    } else {
      scalars[num_scalars++] = arguments[k].scalar;
    }
  }
  const launch::RequestedShape requested =
      config == nullptr ? launch::RequestedShape()
                        : launch::RequestedShape{Requested(config->grid), Requested(config->block)};
  hologram_launch_shape shape;
  if (requested.grid && requested.block) {
    std::copy_n(requested.grid->begin(), 3, shape.grid);
    std::copy_n(requested.block->begin(), 3, shape.block);
  } else {
    const Result<hologram_launch_shape> resolved = kernel->kernel().default_launch().Resolve(
        requested, {buffers.data(), num_buffers}, {scalars.data(), num_scalars});
    if (!resolved.ok()) return false;
    shape = resolved.value();
  }
  hologram_launch_state state;
  switch (kernel->kernel().Enter({buffers.data(), num_buffers}, {scalars.data(), num_scalars},
                                 shape, state)) {
    case engines::Entered::kDone:
      return true;
    case engines::Entered::kFaulted:
      error = hologram_kernel_fault(kernel, buffers.data(), scalars.data(), &shape, &state);
      return true;
    case engines::Entered::kDeclined:
      return false;
  }
  return false;
}

}  // namespace

const char* hologram_version(void) {
  return HOLOGRAM_VERSION;
}

hologram_error* hologram_executor_create(hologram_executor** executor) try {
  HOLOGRAM_NOT_NULL(executor);
  auto made = std::make_unique<hologram_executor>();
  made->executor.AddDefaultPlaces();
  *executor = made.release();
  return nullptr;
} catch (...) {
  return FromException();
}

hologram_error* hologram_executor_create_private(hologram_executor** executor) try {
  HOLOGRAM_NOT_NULL(executor);
  *executor = new hologram_executor;
  return nullptr;
} catch (...) {
  return FromException();
}

void hologram_executor_destroy(hologram_executor* executor) {
  if (executor != nullptr) executor->executor.SetPrintSink({});  // kernels may live on
  delete executor;
}

hologram_error* hologram_executor_load_file(hologram_executor* executor, const char* path,
                                            const char* expect) try {
  HOLOGRAM_NOT_NULL(executor);
  HOLOGRAM_NOT_NULL(path);
  return FromStatus(executor->executor.LoadFile(path, OptionsFor(expect)));
} catch (...) {
  return FromException();
}

hologram_error* hologram_executor_load_beside(hologram_executor* executor, const char* file,
                                              const char* expect) try {
  HOLOGRAM_NOT_NULL(executor);
  HOLOGRAM_NOT_NULL(file);
  const std::string folder = runtime::ExecutableFolder();
  return FromStatus(executor->executor.LoadFile(folder + "/" + file, OptionsFor(expect)));
} catch (...) {
  return FromException();
}

hologram_error* hologram_executor_load_standard(hologram_executor* executor,
                                                const char* expect) try {
  HOLOGRAM_NOT_NULL(executor);
  return FromStatus(executor->executor.LoadStandard(OptionsFor(expect)));
} catch (...) {
  return FromException();
}

hologram_error* hologram_executor_load_memory(hologram_executor* executor, const void* data,
                                              size_t size, const char* expect) try {
  HOLOGRAM_NOT_NULL(executor);
  if (size != 0) HOLOGRAM_NOT_NULL(data);
  const auto* bytes = static_cast<const uint8_t*>(data);
  return FromStatus(executor->executor.LoadBundle({bytes, bytes + size}, OptionsFor(expect)));
} catch (...) {
  return FromException();
}

hologram_error* hologram_executor_load_circuit(hologram_executor* executor, const char* circuit,
                                               const char* name) try {
  HOLOGRAM_NOT_NULL(executor);
  HOLOGRAM_NOT_NULL(circuit);
  HOLOGRAM_NOT_NULL(name);
  return FromStatus(executor->executor.LoadCircuit(circuit, name));
} catch (...) {
  return FromException();
}

hologram_error* hologram_executor_load_static(hologram_executor* executor, const void* data,
                                              size_t size, const char* expect) try {
  HOLOGRAM_NOT_NULL(executor);
  if (size != 0) HOLOGRAM_NOT_NULL(data);
  const auto* bytes = static_cast<const uint8_t*>(data);
  return FromStatus(executor->executor.LoadStatic({bytes, size}, OptionsFor(expect)));
} catch (...) {
  return FromException();
}

hologram_error* hologram_executor_kernel(hologram_executor* executor, const char* name,
                                         hologram_kernel** kernel) try {
  HOLOGRAM_NOT_NULL(executor);
  HOLOGRAM_NOT_NULL(name);
  HOLOGRAM_NOT_NULL(kernel);
  Result<runtime::FoundKernel> found = executor->executor.FindAny(name);
  if (!found.ok()) return MakeError(found.errors());
  std::unique_ptr<hologram_kernel> made(
      new hologram_kernel{std::move(found).value(), {}, {}, false});
  made->parameters = MakeParameters(made->signature());
  made->plan = MakePlan(made->signature());
  if (made->library() == nullptr) PlanShort(made->kernel().LimitOfShort(), &made->plan);
  UpdatePlan(*made);
  *kernel = made.release();
  return nullptr;
} catch (...) {
  return FromException();
}

hologram_error* hologram_executor_set_threads(hologram_executor* executor, uint32_t threads) try {
  HOLOGRAM_NOT_NULL(executor);
  return FromStatus(executor->executor.SetThreads(threads));
} catch (...) {
  return FromException();
}

void hologram_executor_set_tiered(hologram_executor* executor, uint32_t tiered) try {
  if (executor == nullptr) return;
  executor->executor.SetTiered(tiered != 0);
} catch (...) {
  DropException();
}

// Atomic operations alone: signal handlers may call these.
void hologram_cancel(hologram_executor* executor) {
  if (executor != nullptr) executor->executor.Cancel();
}

void hologram_resume(hologram_executor* executor) {
  if (executor != nullptr) executor->executor.Resume();
}

void hologram_kernel_cancel(const hologram_kernel* kernel) {
  if (kernel == nullptr || kernel->library() != nullptr) return;
  kernel->kernel().cancel()->Set(runtime::CancelWord::kKernel);
}

void hologram_kernel_resume(const hologram_kernel* kernel) {
  if (kernel == nullptr || kernel->library() != nullptr) return;
  kernel->kernel().cancel()->Clear(runtime::CancelWord::kKernel);
}

int32_t hologram_kernel_is_short(const hologram_kernel* kernel, const uint64_t* scalars,
                                 uint64_t lanes) try {
  if (kernel == nullptr || kernel->library() != nullptr) return 0;
  const size_t count = kernel->kernel().num_scalars();
  if (scalars == nullptr && count != 0) return 0;
  return kernel->kernel().IsShort({scalars, count}, lanes) ? 1 : 0;
} catch (...) {
  DropException();
  return 0;
}

void hologram_kernel_wait(const hologram_kernel* kernel) try {
  if (kernel == nullptr) return;
  if (kernel->library() != nullptr) return;
  kernel->kernel().AwaitCode();
  UpdatePlan(*kernel);
} catch (...) {
  DropException();
}

void hologram_executor_set_print(hologram_executor* executor, hologram_print_function function,
                                 void* context) try {
  if (executor == nullptr) return;
  if (function == nullptr) return executor->executor.SetPrintSink({});
  executor->executor.SetPrintSink([function, context](const runtime::Printed& printed) {
    hologram_print_record record{};
    record.kernel = printed.kernel.c_str();
    record.file = printed.where.file.c_str();
    record.line = printed.where.line;
    record.column = printed.where.column;
    record.is_note = printed.is_note ? 1 : 0;
    record.lane = printed.lane;
    std::copy(printed.block.begin(), printed.block.end(), record.block);
    std::copy(printed.lane_in_block.begin(), printed.lane_in_block.end(), record.lane_in_block);
    record.text = printed.text.c_str();
    record.size = printed.text.size();
    function(context, &record);
  });
} catch (...) {
  DropException();
}

uint32_t hologram_kernel_threads(const hologram_kernel* kernel) try {
  if (kernel == nullptr) return 0;
  return kernel->library() != nullptr ? 1 : kernel->kernel().threads();
} catch (...) {
  DropException();
  return 0;
}

uint32_t hologram_executor_phase(const hologram_executor* executor) try {
  if (executor == nullptr) return 0;
  return executor->executor.phase();
} catch (...) {
  DropException();
  return 0;
}

void hologram_executor_advance_phase(hologram_executor* executor, uint64_t delta) try {
  if (executor == nullptr) return;
  executor->executor.AdvancePhase(delta);
} catch (...) {
  DropException();
}

hologram_error* hologram_executor_resonance(const hologram_executor* executor, uint32_t class_index,
                                            hologram_ratio* ratio) try {
  HOLOGRAM_NOT_NULL(executor);
  HOLOGRAM_NOT_NULL(ratio);
  const Result<launch::Ratio> found = executor->executor.ResonanceOf(class_index);
  if (!found.ok()) return MakeError(found.errors());
  *ratio = {found.value().numerator, found.value().denominator};
  return nullptr;
} catch (...) {
  return FromException();
}

hologram_error* hologram_executor_set_resonance(hologram_executor* executor, uint32_t class_index,
                                                hologram_ratio ratio) try {
  HOLOGRAM_NOT_NULL(executor);
  return FromStatus(
      executor->executor.SetResonance(class_index, {ratio.numerator, ratio.denominator}));
} catch (...) {
  return FromException();
}

hologram_error* hologram_executor_add_resonance(hologram_executor* executor, uint32_t class_index,
                                                hologram_ratio ratio) try {
  HOLOGRAM_NOT_NULL(executor);
  return FromStatus(
      executor->executor.AddResonance(class_index, {ratio.numerator, ratio.denominator}));
} catch (...) {
  return FromException();
}

void hologram_executor_reset_resonance(hologram_executor* executor) try {
  if (executor == nullptr) return;
  executor->executor.ResetResonance();
} catch (...) {
  DropException();
}

hologram_error* hologram_executor_read_class_memory(const hologram_executor* executor,
                                                    uint64_t offset, void* data, size_t size) try {
  HOLOGRAM_NOT_NULL(executor);
  if (size != 0) HOLOGRAM_NOT_NULL(data);
  return FromStatus(executor->executor.ReadClassMemory(offset, data, size));
} catch (...) {
  return FromException();
}

hologram_error* hologram_executor_write_class_memory(hologram_executor* executor, uint64_t offset,
                                                     const void* data, size_t size) try {
  HOLOGRAM_NOT_NULL(executor);
  if (size != 0) HOLOGRAM_NOT_NULL(data);
  return FromStatus(executor->executor.WriteClassMemory(offset, data, size));
} catch (...) {
  return FromException();
}

void hologram_kernel_destroy(hologram_kernel* kernel) {
  delete kernel;
}

const char* hologram_kernel_name(const hologram_kernel* kernel) {
  if (kernel == nullptr) return "";
  return kernel->signature().name.c_str();
}

const char* hologram_kernel_id(const hologram_kernel* kernel) {
  if (kernel == nullptr) return "";
  return (kernel->library() != nullptr ? kernel->library()->id() : kernel->kernel().id()).c_str();
}

const char* hologram_kernel_path(const hologram_kernel* kernel) {
  if (kernel == nullptr) return "";
  return kernel->library() != nullptr ? "library" : kernel->kernel().path().c_str();
}

const char* hologram_kernel_note(const hologram_kernel* kernel) {
  if (kernel == nullptr || kernel->library() != nullptr) return "";
  return kernel->kernel().note().c_str();
}

size_t hologram_kernel_num_parameters(const hologram_kernel* kernel) {
  if (kernel == nullptr) return 0;
  return kernel->parameters.size();
}

const hologram_parameter* hologram_kernel_parameter(const hologram_kernel* kernel, size_t index) {
  if (kernel == nullptr) return nullptr;
  return index < kernel->parameters.size() ? &kernel->parameters[index] : nullptr;
}

hologram_launch_counts hologram_kernel_counts(const hologram_kernel* kernel) {
  if (kernel == nullptr) return {};
  if (kernel->library() != nullptr) return {kernel->library()->launches(), 0, 0};
  const runtime::LaunchCounts counts = kernel->kernel().counts();
  return {counts.native, counts.interpreted, counts.guarded};
}

hologram_error* hologram_kernel_check(const hologram_kernel* kernel, const uint32_t* codes,
                                      size_t count) try {
  HOLOGRAM_NOT_NULL(kernel);
  if (count != 0) HOLOGRAM_NOT_NULL(codes);
  return FromStatus(hologram::capi::CheckCodes(kernel->signature(), {codes, count}));
} catch (...) {
  return FromException();
}

hologram_error* hologram_default_launch_config(uint64_t elements,
                                               hologram_launch_config* config) try {
  HOLOGRAM_NOT_NULL(config);
  const uint64_t block = isa::Program().default_block;
  const uint64_t most = UINT32_MAX * block;
  if (elements == 0 || elements > most) {
    return MakeError(
        ErrorCode::kInvalidArgument,
        "elements: expected 1 to " + std::to_string(most) + ", found " + std::to_string(elements));
  }
  *config = {};
  config->grid[0] = static_cast<uint32_t>((elements + block - 1) / block);
  config->block[0] = static_cast<uint32_t>(block);
  for (const int d : {1, 2}) config->grid[d] = config->block[d] = 1;
  return nullptr;
} catch (...) {
  return FromException();
}

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
  UpdatePlan(*kernel);
  if (kernel->library() == nullptr && IsPlain(kernel->plan, arguments, count, config)) {
    hologram_error* error = nullptr;
    if (LaunchPlain(kernel, arguments, count, config, error)) return error;
  }
  const Result<runtime::LaunchConfig> launch = ConfigFrom(config);
  if (!launch.ok()) return MakeError(launch.errors());
  const Result<hologram::capi::BoundArguments> bound =
      hologram::capi::BindArguments(kernel->signature(), {arguments, count}, shapes);
  if (!bound.ok()) return MakeError(bound.errors());
  if (kernel->library() != nullptr) {
    return FromStatus(
        kernel->library()->Launch(bound.value().buffers, bound.value().scalars, launch.value()));
  }
  const Result<engines::Outcome> outcome =
      kernel->kernel().Launch(bound.value().buffers, bound.value().scalars, launch.value());
  return outcome.ok() ? nullptr : MakeError(outcome.errors());
} catch (...) {
  return FromException();
}

const hologram_launch_plan* hologram_kernel_plan(const hologram_kernel* kernel) try {
  if (kernel == nullptr) return nullptr;
  UpdatePlan(*kernel);
  return &kernel->plan;
} catch (...) {
  DropException();
  return nullptr;
}

int32_t hologram_kernel_enter(const hologram_kernel* kernel, const hologram_buffer_ref* buffers,
                              const uint64_t* scalars, const hologram_launch_shape* shape,
                              hologram_launch_state* state) try {
  if (kernel == nullptr) return HOLOGRAM_LAUNCH_UNPROVED;
  if (shape == nullptr) return HOLOGRAM_LAUNCH_UNPROVED;
  if (state == nullptr) return HOLOGRAM_LAUNCH_UNPROVED;
  if (kernel->library() != nullptr) return HOLOGRAM_LAUNCH_UNPROVED;
  const runtime::Kernel& entered = kernel->kernel();
  if ((buffers == nullptr && entered.num_buffers() != 0) ||
      (scalars == nullptr && entered.num_scalars() != 0)) {
    return HOLOGRAM_LAUNCH_UNPROVED;
  }
  switch (entered.Enter({buffers, entered.num_buffers()}, {scalars, entered.num_scalars()}, *shape,
                        *state)) {
    case engines::Entered::kDone:
      return HOLOGRAM_LAUNCH_DONE;
    case engines::Entered::kFaulted:
      return HOLOGRAM_LAUNCH_FAULTED;
    case engines::Entered::kDeclined:
      return HOLOGRAM_LAUNCH_UNPROVED;
  }
  return HOLOGRAM_LAUNCH_UNPROVED;
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
  if (kernel->library() != nullptr) {
    return MakeError(ErrorCode::kInvalidArgument,
                     "kernel '" + kernel->signature().name + "' is a library, which has no faults");
  }
  if (kernel->kernel().num_buffers() != 0) HOLOGRAM_NOT_NULL(buffers);
  if (kernel->kernel().num_scalars() != 0) HOLOGRAM_NOT_NULL(scalars);
  const hologram::verify::VerifiedProgram& program = kernel->kernel().verified();
  if (state->fault_code == HOLOGRAM_FAULT_CANCELLED) {
    return MakeError({hologram::launch::CancelledError(program)});
  }
  hologram::launch::Launch launch;
  launch.buffers = {buffers, kernel->kernel().num_buffers()};
  launch.scalars = {scalars, kernel->kernel().num_scalars()};
  if (shape != nullptr) {
    launch.shape = *shape;
  } else {
    const Result<hologram_launch_shape> found =
        kernel->kernel().default_launch().Resolve({}, launch.buffers, launch.scalars);
    if (!found.ok()) return MakeError(found.errors());
    launch.shape = found.value();
  }
  launch.budget = state->budget;
  launch.class_base = state->class_base;
  return MakeError({engines::DescribeNativeFault(program, launch, *state, 0)});
} catch (...) {
  return FromException();
}
