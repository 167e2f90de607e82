// The structure that library.cc writes beside the bundle and call.cc reads. It is read-only memory
// of the library; each entry passes its address on.
#pragma once

#include <cstdint>

namespace hologram::tvmffi {

struct Programs {
  uint64_t bundle;  // offset of its first byte from this structure
  uint64_t bundle_bytes;
  uint64_t names;  // offset of the names of the kernels, each with a zero at its end
  uint64_t num_kernels;
  char hash[72];  // by which the bundle is trusted: 64 hex digits, and zeros
};

inline const char* At(const Programs& programs, uint64_t offset) {
  return reinterpret_cast<const char*>(&programs) + offset;
}

}  // namespace hologram::tvmffi
