// Descriptors that close themselves, and all bytes of one at once, whatever parts the system takes
// or gives.
#pragma once

#include <cstdint>
#include <span>
#include <utility>

namespace hologram::runtime {

class File {
 public:
  explicit File(int descriptor) : descriptor_(descriptor) {}  // negative: none
  File(File&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File();
  int get() const { return descriptor_; }
  int Release() { return std::exchange(descriptor_, -1); }

 private:
  int descriptor_;
};

// False where the file ends before or the system refuses; errno says why.
bool ReadAll(int file, std::span<uint8_t> bytes);
bool WriteAll(int file, std::span<const uint8_t> bytes);

}  // namespace hologram::runtime
