// State shared by the launches of one stream. Engines change it only when a launch has
// succeeded, except for the class memory, which is memory like that of buffers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <new>

#include "isa/atlas.h"
#include "launch/resonance.h"

namespace hologram::launch {

// The memory of the classes: all zeros at first, and made only on request. From then
// on it stays in place, also when it is assigned to, because buffers point into it.
class ClassMemory {
 public:
  static constexpr size_t kAlignment = 64;  // of each class, too

  ClassMemory() = default;
  ClassMemory(const ClassMemory& other) { *this = other; }
  ClassMemory& operator=(const ClassMemory& other) {
    if (other.bytes_ != nullptr) {
      std::copy_n(other.bytes_.get(), isa::kClassMemoryBytes, data());
    } else if (bytes_ != nullptr) {
      std::fill_n(bytes_.get(), isa::kClassMemoryBytes, uint8_t{0});
    }
    return *this;
  }

  uint8_t* data() {
    if (bytes_ == nullptr) {
      bytes_.reset(new (std::align_val_t{kAlignment}) uint8_t[isa::kClassMemoryBytes]());
    }
    return bytes_.get();
  }
  // Null: not requested yet.
  const uint8_t* existing() const { return bytes_.get(); }

 private:
  struct Free {
    void operator()(uint8_t* bytes) const {
      ::operator delete[](bytes, std::align_val_t{kAlignment});
    }
  };
  std::unique_ptr<uint8_t[], Free> bytes_;
};
static_assert(isa::kBytesPerClass % ClassMemory::kAlignment == 0);

struct Stream {
  uint32_t phase = 0;  // below isa::kNumPhases
  Resonance resonance{};
  ClassMemory class_memory;
};

}  // namespace hologram::launch
