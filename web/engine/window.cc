// Launches in parts (launch/units.h), and the plan of a stream over a kernel.
#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "capi/arguments.h"
#include "engine/json.h"
#include "engine/library.h"
#include "engine/state.h"
#include "engines/engine.h"
#include "launch/units.h"
#include "stream/plan.h"

// web/playground/library.js writes these.
static_assert(offsetof(hologram_window, base) == 16 && sizeof(hologram_window) == 24);
static_assert(sizeof(hologram_web_stream) == 32 && offsetof(hologram_web_stream, moves) == 16);

namespace hologram::web {

Result<launch::Units> Kernel::UnitsOf(std::span<const uint64_t> scalars, const Request& request,
                                      std::span<const uint64_t> extents) const {
  return launch::UnitsOf({program_, default_launch_, request.shape, scalars, extents});
}

const verify::Reach& Kernel::reach() const {
  if (!reach_) reach_ = verify::FindReach(program_);
  return *reach_;
}

Result<std::vector<launch::BufferReach>> Kernel::ReachOf(std::span<const uint64_t> scalars,
                                                         const Request& request,
                                                         std::span<const uint64_t> extents,
                                                         uint64_t first, uint64_t last) const {
  return launch::ReachOf({program_, default_launch_, request.shape, scalars, extents}, reach(),
                         first, last);
}

// runtime::Kernel::LaunchWindow, for one engine on one thread.
Status Kernel::LaunchWindow(std::span<const hologram_buffer_ref> buffers,
                            std::span<const uint64_t> scalars, const Request& request,
                            launch::Window window, Launched& launched) const {
  launched.way.form = launch::Form::kNothing;
  HOLOGRAM_ASSIGN_OR_RETURN(const launch::Units units, UnitsOf(scalars, request, window.extent));
  window.unit = units.unit;
  launch::Launch launch = NewLaunch(buffers, scalars, request);
  launch.shape = launched.shape = units.shape;
  launch.window = &window;
  HOLOGRAM_RETURN_IF_ERROR(launch::CheckWindow(program_, reach(), launch));
  const Result<launch::LaunchTier> tier = launch::CheckLaunch(program_, launch);
  if (!tier.ok()) return tier.errors();
  if (window.first == window.last) {
    launched.way.reason = "the window has no units";
    return Success{};
  }
  return Run(launch, launched);
}

namespace {

// The arguments of a launch on whole arrays, whose memory is nowhere.
struct Whole {
  const Kernel* kernel = nullptr;
  std::vector<hologram_argument> arguments;
  capi::BoundArguments bound;
  std::vector<uint64_t> extents;  // of buffers
  Kernel::Request request;
};

// The answer, or 1 where there is none yet.
int32_t BindWhole(int32_t module, const hologram_argument* arguments,
                  const hologram_array_shape* const* shapes, size_t count,
                  const hologram_launch_config& config, Whole& whole) {
  whole.kernel = FindKernel(module, 0);
  if (whole.kernel == nullptr) return NoKernel();
  alignas(64) static std::array<std::byte, 64> nowhere;
  whole.arguments.assign(arguments, arguments + count);
  for (hologram_argument& argument : whole.arguments) {
    if ((argument.code & HOLOGRAM_ARGUMENT_BUFFER) != 0) argument.buffer.data = nowhere.data();
  }
  const Status status =
      capi::BindArguments(whole.kernel->signature(), whole.arguments, shapes, whole.bound);
  if (!status.ok()) return Fail(status.errors());
  size_t b = 0;
  for (const isa::Parameter& parameter : whole.kernel->signature().parameters) {
    if (!parameter.is_buffer) continue;
    whole.extents.push_back(whole.bound.buffers()[b++].bytes / isa::SizeOf(parameter.type));
  }
  whole.request = RequestOf(config);
  return 1;
}

std::string ListOf(const std::vector<std::string>& items) {
  std::string list;
  for (const std::string& item : items) list += (list.empty() ? "" : ",") + item;
  return "[" + list + "]";
}

std::string UnitsJson(const launch::Units& units) {
  return "[" + std::to_string(units.unit) + "," + std::to_string(units.count) + "]";
}

uint32_t KindOf(const launch::BufferReach& buffer) {
  return !buffer.bounded             ? HOLOGRAM_REACH_ANY
         : buffer.low == buffer.high ? HOLOGRAM_REACH_NONE
         : buffer.moves              ? HOLOGRAM_REACH_MOVES
                                     : HOLOGRAM_REACH_STAYS;
}

std::string ReachJson(const std::vector<launch::BufferReach>& reach) {
  std::vector<std::string> rows;
  for (const launch::BufferReach& buffer : reach) {
    rows.push_back(ListOf({std::to_string(KindOf(buffer)), std::to_string(buffer.low),
                           std::to_string(buffer.high), std::to_string(buffer.written_low),
                           std::to_string(buffer.written_high)}));
  }
  return ListOf(rows);
}

// The arrays of a stream: bit b of the words is of buffer b.
std::vector<stream::Array> ArraysOf(const Whole& whole, const hologram_web_stream& given) {
  std::vector<stream::Array> arrays;
  for (const isa::Parameter& parameter : whole.kernel->signature().parameters) {
    if (!parameter.is_buffer) continue;
    const size_t b = arrays.size();
    stream::Array array;
    array.name = parameter.name;
    array.size = isa::SizeOf(parameter.type);
    array.reads = (given.reads >> b & 1) != 0;
    array.moves = (given.moves >> b & 1) != 0;
    array.writes = array.moves && parameter.direction != isa::Direction::kIn;
    array.extent = whole.extents[b];
    arrays.push_back(std::move(array));
  }
  return arrays;
}

std::string WindowsJson(const stream::WindowPlan& plan, uint64_t depth) {
  const uint64_t used = std::min(depth, std::max<uint64_t>(plan.count, 1));
  return ListOf({std::to_string(plan.units), std::to_string(plan.step), std::to_string(plan.count),
                 std::to_string(plan.slot_bytes * used)});
}

Result<std::string> PlanJson(const Whole& whole, const hologram_web_stream& given) {
  std::vector<stream::Array> arrays = ArraysOf(whole, given);
  const auto scalars = whole.bound.scalars();
  stream::Planner planner({whole.kernel->signature().name,
                           [&](std::span<const uint64_t> extents) {
                             return whole.kernel->UnitsOf(scalars, whole.request, extents);
                           },
                           [&](std::span<const uint64_t> extents, uint64_t first, uint64_t last) {
                             return whole.kernel->ReachOf(scalars, whole.request, extents, first,
                                                          last);
                           }},
                          arrays);
  const uint64_t window = given.window_bytes != 0 ? given.window_bytes : stream::kWindowBytes;
  const uint64_t depth = given.depth != 0 ? given.depth : stream::kDepth;
  HOLOGRAM_ASSIGN_OR_RETURN(const stream::WindowPlan plan, planner.Make(window, depth, 0));
  return WindowsJson(plan, depth);
}

}  // namespace
}  // namespace hologram::web

using namespace hologram::web;  // NOLINT(google-build-using-namespace)

int32_t hologram_web_units(int32_t module, const hologram_argument* arguments,
                           const hologram_array_shape* const* shapes, size_t count,
                           const hologram_launch_config* config) {
  Whole whole;
  const int32_t bound = BindWhole(module, arguments, shapes, count, *config, whole);
  if (bound <= 0) return bound;
  const auto units = whole.kernel->UnitsOf(whole.bound.scalars(), whole.request, whole.extents);
  return units.ok() ? Give(UnitsJson(units.value())) : Fail(units.errors());
}

int32_t hologram_web_reach(int32_t module, const hologram_argument* arguments,
                           const hologram_array_shape* const* shapes, size_t count,
                           const hologram_launch_config* config, const hologram_window* window) {
  Whole whole;
  const int32_t bound = BindWhole(module, arguments, shapes, count, *config, whole);
  if (bound <= 0) return bound;
  const auto reach = whole.kernel->ReachOf(whole.bound.scalars(), whole.request, whole.extents,
                                           window->first, window->last);
  return reach.ok() ? Give(ReachJson(reach.value())) : Fail(reach.errors());
}

int32_t hologram_web_launch_window(int32_t module, const hologram_argument* arguments,
                                   const hologram_array_shape* const* shapes, size_t count,
                                   const hologram_launch_config* config,
                                   const hologram_window* window,
                                   const hologram_buffer_ref* memory) {
  Whole whole;
  const int32_t bound = BindWhole(module, arguments, shapes, count, *config, whole);
  if (bound <= 0) return bound;
  const size_t buffers = whole.extents.size();
  hologram::launch::Window part;
  part.first = window->first;
  part.last = window->last;
  part.base = {window->base, buffers};
  part.extent = whole.extents;
  Kernel::Launched launched;
  const hologram::Status done = whole.kernel->LaunchWindow({memory, buffers}, whole.bound.scalars(),
                                                           whole.request, part, launched);
  return GiveLaunched(done, launched);
}

int32_t hologram_web_plan(int32_t module, const hologram_argument* arguments,
                          const hologram_array_shape* const* shapes, size_t count,
                          const hologram_launch_config* config, const hologram_web_stream* stream) {
  Whole whole;
  const int32_t bound = BindWhole(module, arguments, shapes, count, *config, whole);
  return bound <= 0 ? bound : GiveOrFail(PlanJson(whole, *stream));
}

int32_t hologram_web_plan_apart(const uint64_t* sizes, size_t count, uint64_t length, uint64_t row,
                                const hologram_web_stream* given) {
  std::vector<hologram::stream::Array> arrays(count);
  for (size_t k = 0; k < count; ++k) arrays[k].size = static_cast<uint32_t>(sizes[k]);
  const uint64_t depth = given->depth != 0 ? given->depth : hologram::stream::kDepth;
  const uint64_t window =
      given->window_bytes != 0 ? given->window_bytes : hologram::stream::kWindowBytes;
  return Give(WindowsJson(PlanApart(arrays, length, row, window, depth, 0), depth));
}
