// An error of the system, in words.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"

namespace hologram::stream {

// "out.raw: no space left on device at byte 4096". `byte`: where it happened, from the first
// element of the array on.
Diagnostic SystemError(const std::string& name, uint64_t byte, int error);

}  // namespace hologram::stream
