// The table of engines that the conformance and differential tests compare. Every engine gets the
// same verified program and launch.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "launch/fault_text.h"
#include "launch/launch.h"

namespace hologram::tests {

// An engine with a program prepared for it. Returns the fault of the lowest linear lane, or
// nothing.
using RunFunction = std::function<Result<std::optional<launch::Fault>>(const launch::Launch&)>;

struct Engine {
  std::string name;
  // Makes a program ready to run (compiles it, for native engines). The program must outlive the
  // function that comes back.
  std::function<Result<RunFunction>(const verify::VerifiedProgram&)> prepare;
  // It is native code of the checked form of the program, which runs launches too whose arrays are
  // shorter than the proofs of the program want.
  bool is_checked_form = false;
};

// How native engines run from now on. Not thread-safe.
struct EngineThreading {
  // 1: the generated entry. More: its body on that many threads, in chunks of single units however
  // small the launch is, where the runtime would let a large one be cut.
  uint32_t threads = 1;
  uint64_t cut_launches = 0;  // so far
};
EngineThreading& Threading();

// The interpreter, first, and native code for every level of this machine when the compiler is
// built.
const std::vector<Engine>& Engines();
// The same, with native code of checked forms, which doubles the time that a test takes.
const std::vector<Engine>& EnginesAndCheckedForms();

// "out_of_bounds lane 3 pc 4 index 500", or "no fault".
std::string Describe(const std::optional<launch::Fault>& fault);

// "r21.i32 = 00000007, r22.i32 = 00000000"; empty without a fault, or where none decides.
std::string DescribeOperands(const verify::VerifiedProgram& program,
                             const std::optional<launch::Fault>& fault);

}  // namespace hologram::tests
