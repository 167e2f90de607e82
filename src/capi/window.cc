// Windows of launches. Tested by tests/capi/window_test.cc.
#include <algorithm>
#include <vector>

#include "capi/arguments.h"
#include "capi/error.h"
#include "capi/guard.h"
#include "capi/kernel_handle.h"
#include "capi/launch_config.h"
#include "capi/watch.h"
#include "runtime/kernel.h"

using hologram::Diagnostics;
using hologram::Error;
using hologram::ErrorCode;
using hologram::Result;
using hologram::Status;
using hologram::capi::FromException;
using hologram::capi::MakeError;

namespace isa = hologram::isa;
namespace launch = hologram::launch;
namespace runtime = hologram::runtime;

namespace {

constexpr uint64_t kMostBytes = uint64_t{1} << 62;

// The arguments of a launch on whole arrays, of which only a part is in memory.
struct WholeLaunch {
  const runtime::Kernel* program = nullptr;
  runtime::LaunchConfig config;
  std::vector<hologram_argument> arguments;
  hologram::capi::BoundArguments bound;  // its buffers have no memory
  std::vector<hologram_buffer_ref> memory;
};

Status CheckKind(const hologram_kernel& kernel) {
  if (kernel.program() != nullptr) return hologram::Success{};
  return Error(ErrorCode::kUnsupported, "kernel '" + kernel.found->signature().name +
                                            "' is a library, which does not run in windows");
}

// Lengths are those of the whole, whatever bytes the arguments have.
Status Bind(const hologram_kernel& kernel, const hologram_argument* arguments,
            const hologram_array_shape* const* shapes, size_t count,
            const hologram_launch_config* config, const uint64_t* extent, WholeLaunch& whole) {
  HOLOGRAM_RETURN_IF_ERROR(CheckKind(kernel));
  HOLOGRAM_RETURN_IF_ERROR(hologram::capi::ReadConfig(config, whole.config));
  whole.program = kernel.program();
  whole.arguments.assign(arguments, arguments + count);
  static std::byte nowhere[HOLOGRAM_SCRATCH_ALIGNMENT];
  size_t buffer = 0;
  for (hologram_argument& argument : whole.arguments) {
    const uint32_t type = argument.code & 0xf;
    if ((argument.code & HOLOGRAM_ARGUMENT_BUFFER) == 0 || type >= isa::kNumTypes) continue;
    const uint64_t size = isa::SizeOf(static_cast<isa::Type>(type));
    whole.memory.push_back(argument.buffer);
    if (buffer == whole.program->num_buffers()) continue;  // the count is wrong; Bind says it
    const uint64_t elements = extent[buffer++];
    if (elements > kMostBytes / size) {
      return Error(ErrorCode::kInvalidArgument, "extent " + std::to_string(buffer - 1) + " is " +
                                                    std::to_string(elements) +
                                                    " elements, which is too many");
    }
    argument.buffer = {nowhere, elements * size};
  }
  return hologram::capi::BindArguments(kernel.found->signature(), whole.arguments, shapes,
                                       whole.bound);
}

// Of arguments whose memory counts.
Status CheckMemory(const isa::Program& program, std::span<const hologram_buffer_ref> memory) {
  size_t k = 0;
  for (const isa::Parameter& parameter : program.parameters) {
    if (!parameter.is_buffer) continue;
    const hologram_buffer_ref& buffer = memory[k++];
    if (buffer.data != nullptr || buffer.bytes == 0) continue;
    return Error(ErrorCode::kInvalidArgument, "kernel '" + program.name + "': '" + parameter.name +
                                                  "' has " + std::to_string(buffer.bytes) +
                                                  " bytes at NULL");
  }
  return hologram::Success{};
}

}  // namespace

hologram_error* hologram_kernel_units(const hologram_kernel* kernel,
                                      const hologram_argument* arguments,
                                      const hologram_array_shape* const* shapes, size_t count,
                                      const hologram_launch_config* config, const uint64_t* extent,
                                      uint32_t* unit, uint64_t* units) try {
  HOLOGRAM_NOT_NULL(kernel);
  if (count != 0) HOLOGRAM_NOT_NULL(arguments);
  if (count != 0) HOLOGRAM_NOT_NULL(extent);
  HOLOGRAM_NOT_NULL(unit);
  HOLOGRAM_NOT_NULL(units);
  WholeLaunch whole;
  if (const Status bound = Bind(*kernel, arguments, shapes, count, config, extent, whole);
      !bound.ok()) {
    return MakeError(bound.errors());
  }
  const Result<runtime::Kernel::Units> found = whole.program->UnitsOf(
      whole.bound.scalars(), whole.config, {extent, whole.program->num_buffers()});
  if (!found.ok()) return MakeError(found.errors());
  *unit = found.value().unit;
  *units = found.value().count;
  return nullptr;
} catch (...) {
  return FromException();
}

hologram_error* hologram_kernel_launch_window(const hologram_kernel* kernel,
                                              const hologram_argument* arguments,
                                              const hologram_array_shape* const* shapes,
                                              size_t count, const hologram_launch_config* config,
                                              const hologram_window* window) try {
  HOLOGRAM_NOT_NULL(kernel);
  if (count != 0) HOLOGRAM_NOT_NULL(arguments);
  HOLOGRAM_NOT_NULL(window);
  if (count != 0) HOLOGRAM_NOT_NULL(window->base);
  if (count != 0) HOLOGRAM_NOT_NULL(window->extent);
  if (hologram::capi::CurrentCapture() != nullptr) {
    return MakeError(ErrorCode::kUnsupported, "a capture does not record windows of launches");
  }
  WholeLaunch whole;
  Status status = Bind(*kernel, arguments, shapes, count, config, window->extent, whole);
  if (status.ok()) status = CheckMemory(kernel->found->signature(), whole.memory);
  if (!status.ok()) return MakeError(status.errors());
  const size_t buffers = whole.program->num_buffers();
  launch::Window wanted;
  wanted.first = window->first;
  wanted.last = window->last;
  wanted.base = {window->base, buffers};
  wanted.extent = {window->extent, buffers};
  launch::Way way;
  status = whole.program->LaunchWindow(whole.memory, whole.bound.scalars(), whole.config, wanted,
                                       way);
  if (!status.ok() && way.form == launch::Form::kNothing) {
    way.reason = status.errors()[0].message;
  }
  kernel->Note(way);
  return status.ok() ? nullptr : MakeError(status.errors());
} catch (...) {
  return FromException();
}

hologram_error* hologram_kernel_reach(const hologram_kernel* kernel,
                                      const hologram_argument* arguments,
                                      const hologram_array_shape* const* shapes, size_t count,
                                      const hologram_launch_config* config,
                                      const hologram_window* window,
                                      hologram_reach* of_buffers) try {
  HOLOGRAM_NOT_NULL(kernel);
  if (count != 0) HOLOGRAM_NOT_NULL(arguments);
  HOLOGRAM_NOT_NULL(window);
  if (count != 0) HOLOGRAM_NOT_NULL(window->extent);
  if (count != 0) HOLOGRAM_NOT_NULL(of_buffers);
  WholeLaunch whole;
  if (const Status bound = Bind(*kernel, arguments, shapes, count, config, window->extent, whole);
      !bound.ok()) {
    return MakeError(bound.errors());
  }
  launch::Window wanted;
  wanted.first = window->first;
  wanted.last = window->last;
  wanted.extent = {window->extent, whole.program->num_buffers()};
  const auto reach = whole.program->ReachOf(whole.bound.scalars(), whole.config, wanted);
  if (!reach.ok()) return MakeError(reach.errors());
  for (const launch::BufferReach& buffer : reach.value()) {
    const uint32_t kind = !buffer.bounded             ? HOLOGRAM_REACH_ANY
                          : buffer.low == buffer.high ? HOLOGRAM_REACH_NONE
                          : buffer.moves              ? HOLOGRAM_REACH_MOVES
                                                      : HOLOGRAM_REACH_STAYS;
    *of_buffers++ = {kind, 0, buffer.low, buffer.high, buffer.written_low, buffer.written_high};
  }
  return nullptr;
} catch (...) {
  return FromException();
}
