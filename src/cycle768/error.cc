#include "cycle768/error.h"

namespace hologram::cycle768 {

const char* NameOf(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kIndex:
      return "index";
    case ErrorKind::kPosition:
      return "position";
    case ErrorKind::kSum:
      return "sum";
    case ErrorKind::kViolated:
      return "violated";
    case ErrorKind::kCoefficientCount:
      return "coefficient_count";
    case ErrorKind::kRepeated:
      return "repeated";
    case ErrorKind::kTooFew:
      return "too_few";
    case ErrorKind::kNoSolution:
      return "no_solution";
    case ErrorKind::kNotNormalised:
      return "not_normalised";
    case ErrorKind::kUnknownGate:
      return "unknown_gate";
  }
  HOLOGRAM_CHECK(false);
}

Error IndexError(uint64_t index, uint64_t count) {
  return {ErrorKind::kIndex, static_cast<int64_t>(index), static_cast<int64_t>(count),
          "index " + std::to_string(index) + " is out of range, there are " +
              std::to_string(count) + " elements"};
}

Error PositionError(int64_t position) {
  return {ErrorKind::kPosition, position, 767,
          "position " + std::to_string(position) + " must be in 0..767"};
}

Error SumError(int64_t sum) {
  return {ErrorKind::kSum, sum, 767, "the sum " + std::to_string(sum) + " must be in 0..767"};
}

Error ViolatedError(uint32_t actual, uint32_t required) {
  return {ErrorKind::kViolated, actual, required,
          "the positions sum to " + std::to_string(actual) + " mod 768, the constraint requires " +
              std::to_string(required)};
}

Error RepeatedError(uint64_t index) {
  return {ErrorKind::kRepeated, static_cast<int64_t>(index), 0,
          "index " + std::to_string(index) + " is given twice"};
}

Error TooFewError(const std::string& what, uint64_t actual, uint64_t least) {
  return {ErrorKind::kTooFew, static_cast<int64_t>(actual), static_cast<int64_t>(least),
          what + " needs at least " + std::to_string(least) + ", found " + std::to_string(actual)};
}

}  // namespace hologram::cycle768
