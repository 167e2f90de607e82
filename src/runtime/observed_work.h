// Verifying and compiling as they are seen from outside the process, with their counts
// (observe/counters.h) and spans (observe/span.h). Tested by tests/observe.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "base/targets.h"
#include "observe/span.h"
#include "runtime/compiler_plugin.h"
#include "verify/verified_program.h"

namespace hologram::runtime {

// verify::Verify
Result<verify::VerifiedProgram> VerifySeen(isa::Program program);
// Errors: those of all programs.
Result<std::vector<verify::VerifiedProgram>> VerifyAll(std::vector<isa::Program> programs);

// Around a call of the compiler plugin.
class ObservedCompile {
 public:
  ObservedCompile(const verify::VerifiedProgram& program, std::span<const Target> targets,
                  CompileOutput output);
  void End(bool succeeded);

 private:
  observe::Span span_;
  const uint64_t targets_;
  uint64_t start_;
};

}  // namespace hologram::runtime
