// hologram_error, and how the Diagnostics of the library become one.
#pragma once

#include <string>

#include "base/result.h"
#include "hologram/hologram.h"

struct hologram_error {
  int32_t code = 0;
  std::string message;
  std::string text;
  std::string file;
  uint32_t line = 0;
  uint32_t column = 0;
};

namespace hologram::capi {

// REQUIRES: errors is not empty. The first one gives code, message and place.
hologram_error* MakeError(const Diagnostics& errors);
hologram_error* MakeError(ErrorCode code, std::string message);

}  // namespace hologram::capi
