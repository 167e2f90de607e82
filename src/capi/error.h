// hologram_error, and how the Diagnostics of the library become one.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "hologram/hologram.h"

struct hologram_error {
  int32_t code = 0;
  std::string message;
  std::string text;
  std::string file;
  uint32_t line = 0;
  uint32_t column = 0;
  // `fault` points into `record` and `operands`; null where there is no record.
  std::shared_ptr<const hologram::FaultRecord> record;
  std::vector<hologram_fault_operand> operands;
  hologram_fault fault{};
  // Not null: this is one of the errors that always exist, and these are its message and text.
  const char* fixed_message = nullptr;
  const char* fixed_text = nullptr;
};

namespace hologram::capi {

// REQUIRES: errors is not empty. The first one gives code, message and place.
hologram_error* MakeError(const Diagnostics& errors);
hologram_error* MakeError(ErrorCode code, std::string message);
// nullptr: there is none.
inline hologram_error* FromStatus(const Status& status) {
  return status.ok() ? nullptr : MakeError(status.errors());
}

}  // namespace hologram::capi
