// Typing and initialisation: every register that an instruction reads holds, on every path, exactly
// one type that the instruction accepts. Tested by tests/verify.
#pragma once

#include "base/result.h"
#include "verify/cfg.h"

namespace hologram::verify {

// The type of each register use, as far as the instruction leaves it open: the type of the element
// index of every access.
struct Types {
  std::vector<isa::Type> index_type;  // by instruction
};

// Appends an error for every rule that is broken. Unreachable code is not checked.
Types CheckTypes(const isa::Program& program, const Cfg& cfg, Diagnostics& errors);

}  // namespace hologram::verify
