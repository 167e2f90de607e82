// hologram.h implemented: handles over runtime::Executor and runtime::Launchable. Launches are in
// src/capi/launch.cc.
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
#include "capi/kernel_handle.h"
#include "hologram/hologram.h"
#include "runtime/install_paths.h"
#include "runtime/kernel.h"

using hologram::Diagnostics;
using hologram::Error;
using hologram::ErrorCode;
using hologram::Result;
using hologram::Status;
using hologram::capi::DropException;
using hologram::capi::FromException;
using hologram::capi::FromStatus;
using hologram::capi::MakeError;

namespace {

namespace isa = hologram::isa;
namespace launch = hologram::launch;
namespace runtime = hologram::runtime;

static_assert(HOLOGRAM_MAX_PARAMETERS == isa::kMaxParameters);
static_assert(HOLOGRAM_F64 == static_cast<int>(isa::Type::kF64));
static_assert(HOLOGRAM_INOUT == static_cast<int>(isa::Direction::kInOut));

hologram_launch_plan MakePlan(const isa::Program& program) {
  hologram_launch_plan plan{};
  plan.entry = hologram::capi::Decline;
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

runtime::LoadOptions OptionsFor(const char* expect) {
  runtime::LoadOptions options;
  if (expect != nullptr) options.expect = expect;
  return options;
}

}  // namespace

const char* hologram_version(void) {
  return HOLOGRAM_VERSION;
}

hologram_error* hologram_executor_create(hologram_executor** executor) try {
  HOLOGRAM_NOT_NULL(executor);
  if (hologram_error* error = FromStatus(hologram::capi::StartTraceOfEnvironment())) return error;
  auto made = std::make_unique<hologram_executor>();
  made->executor.AddDefaultPlaces();
  *executor = made.release();
  return nullptr;
} catch (...) {
  return FromException();
}

hologram_error* hologram_executor_create_private(hologram_executor** executor) try {
  HOLOGRAM_NOT_NULL(executor);
  if (hologram_error* error = FromStatus(hologram::capi::StartTraceOfEnvironment())) return error;
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
  Result<std::shared_ptr<const runtime::Launchable>> found = executor->executor.FindAny(name);
  if (!found.ok()) return MakeError(found.errors());
  auto made = std::make_unique<hologram_kernel>(std::move(found).value());
  made->parameters = MakeParameters(made->found->signature());
  made->plan = MakePlan(made->found->signature());
  made->takes_shapes = hologram::capi::TakesShapes(made->found->signature());
  made->shapes = hologram::capi::ShapeTable(made->found->signature());
  if (const runtime::Kernel* program = made->program()) {
    PlanShort(program->LimitOfShort(), &made->plan);
  }
  made->UpdatePlan();
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
  if (kernel == nullptr || kernel->program() == nullptr) return;
  kernel->program()->cancel()->Set(runtime::CancelWord::kKernel);
}

void hologram_kernel_resume(const hologram_kernel* kernel) {
  if (kernel == nullptr || kernel->program() == nullptr) return;
  kernel->program()->cancel()->Clear(runtime::CancelWord::kKernel);
}

int32_t hologram_kernel_is_short(const hologram_kernel* kernel, const uint64_t* scalars,
                                 uint64_t lanes) try {
  if (kernel == nullptr || kernel->program() == nullptr) return 0;
  const size_t count = kernel->program()->num_scalars();
  if (scalars == nullptr && count != 0) return 0;
  return kernel->program()->IsShort({scalars, count}, lanes) ? 1 : 0;
} catch (...) {
  DropException();
  return 0;
}

void hologram_kernel_wait(const hologram_kernel* kernel) try {
  if (kernel == nullptr) return;
  if (kernel->program() == nullptr) return;
  kernel->program()->AwaitCode();
  kernel->UpdatePlan();
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
  return kernel->found->threads();
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
  return kernel->found->signature().name.c_str();
}

const char* hologram_kernel_id(const hologram_kernel* kernel) {
  if (kernel == nullptr) return "";
  return kernel->found->id().c_str();
}

const char* hologram_kernel_arguments(const hologram_kernel* kernel) {
  if (kernel == nullptr || kernel->program() == nullptr) return "";
  return kernel->program()->arguments().c_str();
}

const char* hologram_kernel_path(const hologram_kernel* kernel) {
  if (kernel == nullptr) return "";
  return kernel->found->path().c_str();
}

const char* hologram_kernel_note(const hologram_kernel* kernel) {
  if (kernel == nullptr) return "";
  const std::string* const grid_note = kernel->grid_note.load(std::memory_order_acquire);
  if (grid_note != nullptr) return grid_note->c_str();
  return kernel->found->note().c_str();
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
  const runtime::LaunchCounts counts = kernel->found->counts();
  return {counts.native, counts.interpreted, counts.guarded};
}

hologram_error* hologram_kernel_check(const hologram_kernel* kernel, const uint32_t* codes,
                                      size_t count) try {
  HOLOGRAM_NOT_NULL(kernel);
  if (count != 0) HOLOGRAM_NOT_NULL(codes);
  return FromStatus(hologram::capi::CheckCodes(kernel->found->signature(), {codes, count}));
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
