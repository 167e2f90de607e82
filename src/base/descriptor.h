// Descriptors that close themselves, and all bytes of one at once, whatever parts the system takes
// or gives.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <span>
#include <utility>

namespace hologram {

// Rights that make a file or folder one that other users can have written.
inline constexpr mode_t kWritableByOthers = S_IWGRP | S_IWOTH;

class Descriptor {
 public:
  explicit Descriptor(int descriptor) : descriptor_(descriptor) {}  // negative: none
  Descriptor(Descriptor&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor();
  int get() const { return descriptor_; }
  int Release() { return std::exchange(descriptor_, -1); }

 private:
  int descriptor_;
};

// False where the file ends before or the system refuses; errno gives the reason.
bool ReadAll(int file, std::span<uint8_t> bytes);
bool WriteAll(int file, std::span<const uint8_t> bytes);

}  // namespace hologram
