// The use, by every fuzzer, of a program that its reader accepted.
#pragma once

#include <span>

#include "isa/program.h"

namespace hologram::fuzz {

// Writes the program as bytes and as text and reads both back, verifies it, and launches what
// passes in the interpreter: few lanes, small arrays of exactly the size that is said, so that a
// sanitizer sees every access outside. A program that was used before is not used again.
// Promises: what is read back is the same program; a refusal has a reason; in a launch that passes
// the launch check no proved access faults, and every fault can be described.
void UseProgram(const isa::Program& program);

// BundleReader::Open and all that is behind it, then UseProgram with each program.
// Promises: what CheckAll accepts can be read, and written again.
void UseBundle(std::span<const uint8_t> file);

}  // namespace hologram::fuzz
