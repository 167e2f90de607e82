#include "base/descriptor.h"

#include <unistd.h>

#include <cerrno>

namespace hologram {

Descriptor::~Descriptor() {
  if (descriptor_ >= 0) close(descriptor_);
}

bool ReadAll(int file, std::span<uint8_t> bytes) {
  while (!bytes.empty()) {
    const ssize_t count = read(file, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    bytes = bytes.subspan(static_cast<size_t>(count));
  }
  return true;
}

bool WriteAll(int file, std::span<const uint8_t> bytes) {
  while (!bytes.empty()) {
    const ssize_t count = write(file, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    bytes = bytes.subspan(static_cast<size_t>(count));
  }
  return true;
}

}  // namespace hologram
