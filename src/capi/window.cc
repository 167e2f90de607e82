// Windows of launches. Tested by tests/stream/cpp_test.cc.
#include "capi/error.h"
#include "capi/guard.h"
#include "capi/kernel_handle.h"
#include "capi/watch.h"
#include "capi/whole_launch.h"
#include "runtime/kernel.h"

using hologram::ErrorCode;
using hologram::Result;
using hologram::Status;
using hologram::capi::FromException;
using hologram::capi::MakeError;

namespace launch = hologram::launch;
namespace runtime = hologram::runtime;

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
  hologram::capi::WholeLaunch whole;
  if (const Status bound =
          hologram::capi::BindWhole(*kernel, arguments, shapes, count, config, extent, whole);
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
  hologram::capi::WholeLaunch whole;
  Status status =
      hologram::capi::BindWhole(*kernel, arguments, shapes, count, config, window->extent, whole);
  if (status.ok()) status = hologram::capi::CheckMemory(*whole.program, whole.memory);
  if (!status.ok()) return MakeError(status.errors());
  const size_t buffers = whole.program->num_buffers();
  launch::Window wanted;
  wanted.first = window->first;
  wanted.last = window->last;
  wanted.base = {window->base, buffers};
  wanted.extent = {window->extent, buffers};
  launch::Way way;
  status =
      whole.program->LaunchWindow(whole.memory, whole.bound.scalars(), whole.config, wanted, way);
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
  hologram::capi::WholeLaunch whole;
  if (const Status bound = hologram::capi::BindWhole(*kernel, arguments, shapes, count, config,
                                                     window->extent, whole);
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
