// The reference engine: obviously right, many lanes at a time. Every access is checked, always.
#pragma once

#include <optional>

#include "base/result.h"
#include "verify/launch.h"

namespace hologram::interpreter {

// Runs all lanes on the calling thread. Returns the fault of the lowest linear lane, or nothing.
// After a fault, only memory of written buffers may have changed.
// REQUIRES: CheckLaunch(program, launch).ok(). Thread-safe for launches on disjoint memory.
// Without a fault, what the launch leaves to its stream is committed, except if R[96] would not fit
// (kFault). Errors: out of memory for the registers of a block (kResourceLimit).
Result<std::optional<verify::Fault>> Run(const verify::VerifiedProgram& program,
                                         const verify::Launch& launch);

}  // namespace hologram::interpreter
