// hologram_math: one canonical function for one value. Tested by tests/capi and tests/simulator.
#include <string>

#include "base/quote.h"
#include "capi/error.h"
#include "capi/guard.h"
#include "hologram/hologram.h"
#include "math/evaluate.h"

using hologram::ErrorCode;
using hologram::capi::FromException;
using hologram::capi::MakeError;

namespace isa = hologram::isa;

hologram_error* hologram_math(const char* name, uint32_t type, uint32_t fast,
                              const uint64_t* operands, size_t count, uint64_t* result) try {
  HOLOGRAM_NOT_NULL(name);
  HOLOGRAM_NOT_NULL(result);
  if (count != 0) HOLOGRAM_NOT_NULL(operands);
  const hologram::math::FunctionInfo* function = hologram::math::FindFunction(name);
  const std::string written = name;
  if (function == nullptr) {
    return MakeError(ErrorCode::kInvalidArgument,
                     "'" + written + "' is no mathematical function of the instruction set");
  }
  if (type >= isa::kNumTypes || !isa::IsFloat(static_cast<isa::Type>(type))) {
    return MakeError(ErrorCode::kInvalidArgument,
                     written + " takes a float type, not " + std::to_string(type));
  }
  const auto expected = static_cast<size_t>(function->num_operands);
  if (count != expected) {
    return MakeError(ErrorCode::kInvalidArgument, written + " takes " +
                                                      hologram::Counted(expected, "operand") +
                                                      ", not " + std::to_string(count));
  }
  const auto element = static_cast<isa::Type>(type);
  const uint32_t bits = isa::BitsOf(element);
  for (size_t i = 0; i < count; ++i) {
    if (bits < 64 && operands[i] >> bits != 0) {
      return MakeError(ErrorCode::kInvalidArgument, "operand " + std::to_string(i) + " of " +
                                                        written + " does not fit in " +
                                                        std::to_string(bits) + " bits");
    }
  }
  *result = hologram::math::Evaluate(*function, element, fast != 0, operands[0],
                                     count > 1 ? operands[1] : operands[0]);
  return nullptr;
} catch (...) {
  return FromException();
}
