#include "engines/devices/device.h"

#include <atomic>
#include <cstdlib>

namespace hologram::engines::devices {
namespace {

std::atomic<bool> ending{false};

std::string Sizes(const uint32_t (&size)[3]) {
  return std::to_string(size[0]) + ", " + std::to_string(size[1]) + ", " + std::to_string(size[2]);
}

bool Fits(const uint32_t (&size)[3], const uint32_t (&most)[3]) {
  return size[0] <= most[0] && size[1] <= most[1] && size[2] <= most[2];
}

}  // namespace

bool IsEnding() {
  // Registered when a library is in use, so it is called before the library ends.
  static const bool registered = std::atexit([] { ending.store(true); }) == 0;
  return !registered || ending.load();
}

Status Device::CheckShape(const hologram_launch_shape& shape) const {
  const uint64_t lanes = uint64_t{shape.block[0]} * shape.block[1] * shape.block[2];
  if (lanes > facts_.max_lanes) {
    return Error(ErrorCode::kUnsupported, "'" + facts_.name + "' takes blocks of up to " +
                                              std::to_string(facts_.max_lanes) + " lanes, found " +
                                              std::to_string(lanes));
  }
  if (!Fits(shape.block, facts_.max_block)) {
    return Error(ErrorCode::kUnsupported, "'" + facts_.name + "' takes blocks of up to " +
                                              Sizes(facts_.max_block) + " lanes, found " +
                                              Sizes(shape.block));
  }
  if (!Fits(shape.grid, facts_.max_grid)) {
    return Error(ErrorCode::kUnsupported, "'" + facts_.name + "' takes grids of up to " +
                                              Sizes(facts_.max_grid) + " blocks, found " +
                                              Sizes(shape.grid));
  }
  return Success{};
}

observe::Track& Device::track() {
  if (!track_) track_.emplace("queue of " + facts_.name);
  return *track_;
}

}  // namespace hologram::engines::devices
