// All bytes of a descriptor at once, whatever parts the system takes or gives.
#pragma once

#include <cstdint>
#include <span>

namespace hologram::runtime {

// False where the file ends before or the system refuses; errno says why.
bool ReadAll(int file, std::span<uint8_t> bytes);
bool WriteAll(int file, std::span<const uint8_t> bytes);

}  // namespace hologram::runtime
