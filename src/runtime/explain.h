// The verifier's words about each access of a kernel, and the code generator's about what it made
// of them: `hologram verify --explain`, hologram_kernel_emit. Tested by tests/cli and
// tests/codegen.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "base/targets.h"
#include "verify/verified_program.h"

namespace hologram::runtime {

struct Explanation {
  std::string text;   // a line for each access, and with a target for the kernel, loops, reductions
  Diagnostics notes;  // why there is no native code
};

Result<Explanation> Explain(const verify::VerifiedProgram& verified, std::optional<Target> target);

}  // namespace hologram::runtime
