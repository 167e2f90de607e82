// Arrays of a launch directly beside untouchable pages: an access outside of them ends
// the process instead of going unnoticed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "../support/guarded_pages.h"
#include "isa/program.h"
#include "launch/launch.h"

namespace hologram::tests {

enum class Placement : uint8_t {
  kBeforeGuard,  // each array ends where an untouchable page begins
  kAfterGuard,   // each array begins where an untouchable page ends
};

// Copies of the buffers of a launch in such memory. Buffers that overlap share one copy and keep
// their distance; an empty one is on the edge of an untouchable page. Not thread-safe.
class GuardedMemory {
 public:
  // REQUIRES: the buffers of the launch are those of `program`; `launch` outlives this object.
  GuardedMemory(const isa::Program& program, const launch::Launch& launch, Placement placement);
  GuardedMemory(const GuardedMemory&) = delete;
  GuardedMemory& operator=(const GuardedMemory&) = delete;

  // The launch, on the copies.
  const launch::Launch& launch() const { return guarded_; }
  // Writes the contents of the copies to the buffers they were made from.
  void CopyBack() const;

 private:
  // Buffers that overlap or touch: [begin, end) of the originals.
  struct Group {
    uintptr_t begin = 0;
    uintptr_t end = 0;
    size_t alignment = 1;
    std::byte* copy = nullptr;
  };

  void AddToGroup(const hologram_buffer_ref& buffer, size_t alignment);
  void Place(Group& group, Placement placement);

  std::vector<Group> groups_;
  std::vector<GuardedPages> pages_;
  std::vector<hologram_buffer_ref> originals_;
  std::vector<hologram_buffer_ref> buffers_;
  launch::Launch guarded_;
};

}  // namespace hologram::tests
