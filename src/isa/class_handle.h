// Pool handles that name one class as a pool of its 12,288 bytes: the 96 highest numbers. (Pool 0
// is the memory of all classes.)
#pragma once

#include <cstdint>
#include <optional>

#include "isa/atlas.h"

namespace hologram::isa {

// REQUIRES: class_index < kNumClasses.
constexpr uint64_t ClassHandle(uint32_t class_index) {
  return ~uint64_t{0} - (kNumClasses - 1) + class_index;
}

constexpr std::optional<uint32_t> ClassOfHandle(uint64_t handle) {
  if (handle < ClassHandle(0)) return std::nullopt;
  return static_cast<uint32_t>(handle - ClassHandle(0));
}

}  // namespace hologram::isa
