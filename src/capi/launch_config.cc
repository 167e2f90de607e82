#include "capi/launch_config.h"

#include <array>
#include <optional>
#include <string>

namespace hologram::capi {
namespace {

using Triple = std::array<uint32_t, 3>;

std::optional<Triple> Requested(const uint32_t (&values)[3]) {
  if (values[0] == 0 && values[1] == 0 && values[2] == 0) return std::nullopt;
  return Triple{values[0], values[1], values[2]};
}

}  // namespace

Status ReadConfig(const hologram_launch_config* config, runtime::LaunchConfig& result) {
  if (config == nullptr) return Success{};
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
  if (!launch::IsEngine(config->backend)) {
    return Error(ErrorCode::kInvalidArgument, "backend: expected 0 to " +
                                                  std::to_string(launch::kNumEngines - 1) +
                                                  " or the number of a registered engine, found " +
                                                  std::to_string(config->backend));
  }
  result.engine = static_cast<launch::Engine>(config->backend);
  return Success{};
}

}  // namespace hologram::capi
