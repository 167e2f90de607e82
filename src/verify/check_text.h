// The launch check in words. Tested by tests/verify/proofs_test.cc.
#pragma once

#include <string>

#include "isa/program.h"
#include "verify/launch_check.h"

namespace hologram::verify {

// A node as it would be written: "grid.x*block.x - 1"; `weak`: in a place where a sum needs
// parentheses.
std::string NodeInWords(const isa::Program& program, const LaunchCheck& check, uint32_t node,
                        bool weak = false);

}  // namespace hologram::verify
