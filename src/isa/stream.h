// What launches of one stream leave to each other. Engines change it only when a launch has
// succeeded, except for the class memory, which is memory like that of buffers.
#pragma once

#include <cstdint>
#include <vector>

#include "isa/atlas.h"
#include "isa/resonance.h"

namespace hologram::isa {

// Of a lane, all its pools that are not freed together.
inline constexpr uint64_t kMaxPoolBytes = 256 * 1024;
// Of a lane in a launch, those that it has freed included.
inline constexpr uint32_t kMaxPools = 4096;

struct Stream {
  uint32_t phase = 0;  // < kNumPhases
  Resonance resonance{};
  std::vector<uint8_t> class_memory;  // empty until a launch touches it: all zeros

  uint8_t* ClassMemory() {
    if (class_memory.empty()) class_memory.resize(kClassMemoryBytes, 0);
    return class_memory.data();
  }
};

}  // namespace hologram::isa
