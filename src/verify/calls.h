// Calls. Where no function can call itself, every call is replaced by a copy of what it runs, so
// that no later stage and no engine meets one; an instruction of the copy knows where it is in
// the program as it was given. Recursive programs keep their calls. Tested by tests/verify and
// tests/conformance/control_cases.py.
#pragma once

#include <optional>

#include "base/result.h"
#include "isa/program.h"

namespace hologram::verify {

bool HasCalls(const isa::Program& program);

struct Expansion {
  isa::Program program;
  std::vector<uint32_t> source;  // by instruction: its number in the given program
  bool recursive = false;        // program is the one that was given, source is empty
};

// REQUIRES: the program is well formed. Errors: a RET that is reached outside of any call, calls
// nested too deeply, too many instructions. Time linear in the larger of what is given and what
// comes back.
Result<Expansion> ExpandCalls(const isa::Program& program);

// The ways of a recursive program outside of what it calls: a call goes on behind itself, or may
// end the lane if anything that is called can. Only jumps and barriers mean something in it.
// Nothing if a barrier can be met inside a call, or the call may neither return nor end.
std::optional<isa::Program> WaysOutsideOfCalls(const isa::Program& program);

}  // namespace hologram::verify
