// Errors of the cycle model as data: a kind, the value that was found and the one that was
// expected, and a message with both. Nothing here ends the process.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "base/result.h"

namespace hologram::cycle768 {

enum class ErrorKind : uint8_t {
  kIndex,             // actual: the index; expected: how many elements there are
  kPosition,          // actual: the position, which must be below 768
  kSum,               // actual: the sum of a constraint, which must be below 768
  kViolated,          // actual: the sum of the positions; expected: that of the constraint
  kCoefficientCount,  // actual: coefficients; expected: indices
  kRepeated,          // actual: an index that is given twice
  kTooFew,            // actual: how many; expected: at least that many
  kNoSolution,        // no positions satisfy the constraints
  kNotNormalised,     // alpha^2 + beta^2 is not 1
  kUnknownGate,       // no gate has this letter
};

struct Error {
  ErrorKind kind = ErrorKind::kIndex;
  int64_t actual = 0;
  int64_t expected = 0;
  std::string message;
};

template <class T>
using Checked = hologram::Checked<T, Error>;

struct Done {};
using Outcome = Checked<Done>;

// The name of a kind, as the Python module has it: "index", "position", ...
const char* NameOf(ErrorKind kind);

Error IndexError(uint64_t index, uint64_t count);
Error PositionError(int64_t position);
Error SumError(int64_t sum);
Error ViolatedError(uint32_t actual, uint32_t required);
Error RepeatedError(uint64_t index);
Error TooFewError(const std::string& what, uint64_t actual, uint64_t least);

}  // namespace hologram::cycle768
