// What comes before launches as those see it who look at the process from outside: verifying and
// compiling, with their counts (observe/counters.h). Tested by tests/observe.
#pragma once

#include <chrono>

#include "base/result.h"
#include "base/targets.h"
#include "runtime/compiler_plugin.h"
#include "verify/verified_program.h"

namespace hologram::runtime {

// verify::Verify
Result<verify::VerifiedProgram> VerifySeen(isa::Program program);

// Around a call of the compiler plugin.
class ObservedCompile {
 public:
  ObservedCompile(const verify::VerifiedProgram& program, Target target, CompileOutput output);
  void End(bool succeeded) const;

 private:
  std::chrono::steady_clock::time_point start_;
};

}  // namespace hologram::runtime
