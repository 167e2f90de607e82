// A case as a conformance file (tests/conformance/case.h), so that a failure can become a test.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "launch/fault_text.h"
#include "launch/launch.h"
#include "random_program.h"

namespace hologram::tests {

// With the result that is expected. `after` is empty where the launch must fail at its end: a file
// cannot say that, so it then has no result.
std::string VectorText(const TestProgram& test, const std::vector<std::vector<uint8_t>>& buffers,
                       const std::optional<launch::Fault>& fault,
                       const std::optional<launch::Stream>& after);

}  // namespace hologram::tests
