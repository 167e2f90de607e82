// A second evaluator for differential tests: one lane at a time, one value at a time, every
// register a value with its type. Slow and plain on purpose, and it shares no code with the
// interpreter; of the verified facts it reads only which back edges count on the budget.
#pragma once

#include <optional>
#include <string>

#include "launch/fault_text.h"
#include "launch/launch.h"

namespace hologram::tests {

struct ScalarResult {
  std::optional<launch::Fault> fault;  // of the lowest linear lane
  // Not empty: the program did what a verified program cannot do (read a register that has another
  // type, a barrier that some lanes never reach, ...).
  std::string broken;
  // The state that the launch leaves to the next, without a fault. Empty: a class of the resonance
  // does not fit, so the launch fails.
  std::optional<launch::Stream> stream;
};

// REQUIRES: launch.prints is not null
ScalarResult RunScalar(const verify::VerifiedProgram& program, const launch::Launch& launch);

}  // namespace hologram::tests
