// A launch of code that another process runs (emulator.h), as an engine of the tests has it. Where
// a kernel has a streaming body, that must give the same bits.
#pragma once

#include <optional>

#include "emulator.h"
#include "launch/fault_text.h"
#include "verify/verified_program.h"

namespace hologram::tests {

Result<std::optional<launch::Fault>> RunImage(cross::Emulator& emulator,
                                              const verify::VerifiedProgram& program,
                                              const cross::Image& image,
                                              const launch::Launch& launch);

}  // namespace hologram::tests
