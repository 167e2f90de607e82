// Launches of windows (launch/window.h). Tested by tests/stream.
#include "engines/cpu_features.h"
#include "engines/devices/devices.h"
#include "engines/devices/resident.h"
#include "engines/engine.h"
#include "launch/fault_text.h"
#include "launch/units.h"
#include "runtime/kernel.h"
#include "runtime/observed_launch.h"
#include "runtime/thread_pool.h"

namespace hologram::runtime {
Result<Kernel::Units> Kernel::UnitsOf(std::span<const uint64_t> scalars, const LaunchConfig& config,
                                      std::span<const uint64_t> extents) const {
  HOLOGRAM_RETURN_IF_ERROR(CheckCounts(extents.size(), scalars.size(), config.threads));
  return launch::UnitsOf({program_, default_launch_, config.shape, scalars, extents});
}

Result<std::vector<launch::BufferReach>> Kernel::ReachOf(std::span<const uint64_t> scalars,
                                                         const LaunchConfig& config,
                                                         const launch::Window& window) const {
  HOLOGRAM_RETURN_IF_ERROR(CheckCounts(window.extent.size(), scalars.size(), config.threads));
  return launch::ReachOf({program_, default_launch_, config.shape, scalars, window.extent},
                         reach_.Of(program_), window.first, window.last);
}

Status Kernel::LaunchWindow(std::span<const hologram_buffer_ref> buffers,
                            std::span<const uint64_t> scalars, const LaunchConfig& config,
                            launch::Window window, launch::Way& way) const {
  way.form = launch::Form::kNothing;  // until something runs
  HOLOGRAM_RETURN_IF_ERROR(CheckCounts(buffers.size(), scalars.size(), config.threads));
  const bool is_auto = config.engine == launch::Engine::kAuto;
  if (launch::IsOfDevices(config.engine)) {
    return Error(ErrorCode::kUnsupported, "windows run on the processor; use --backend cpu");
  }
  if (!is_auto) HOLOGRAM_RETURN_IF_ERROR(engines::CheckAvailable(config.engine));
  if (is_auto || config.engine == launch::Engine::kCpu) AwaitCode();
  HOLOGRAM_ASSIGN_OR_RETURN(const Units units, UnitsOf(scalars, config, window.extent));
  window.unit = units.unit;
  launch::Launch launch = NewLaunch(buffers, scalars, config);
  launch.shape = units.shape;
  launch.window = &window;
  if (launch.cancelled()) return launch::CancelledError(program_);
  HOLOGRAM_RETURN_IF_ERROR(launch::CheckWindow(program_, reach_.Of(program_), launch));
  const Result<launch::LaunchTier> tier = launch::CheckLaunch(program_, launch);
  if (!tier.ok()) return tier.errors();
  if (window.first == window.last) {
    way.reason = "the window has no units";
    return Success{};
  }
  const ObservedLaunch observed(program(), buffers);
  const Code& code = this->code();
  launch::Limits limits = LimitsOf(code, config.threads != 0 ? config.threads : ThreadsNow());
  limits.wanted = config.engine;
  const Status status = RunOnEngine(launch, code, limits, config, {}, way);
  observed.End(way, launch.shape, status);
  return status;
}

}  // namespace hologram::runtime
