// Running a launch on private copies of what it writes, with every access checked by the
// interpreter. Used where a proof does not cover the arguments of a launch, and to find the values
// of variables for the message of a fault that native code reported.
#pragma once

#include <optional>

#include "base/result.h"
#include "verify/launch.h"

namespace hologram::backends {

// True if the interpreter can repeat a launch that native code has run: nothing that the program
// reads was written by it.
bool CanRepeat(const verify::VerifiedProgram& program, const verify::Launch& launch);

// Runs in the interpreter on copies; `commit` copies the results back if there was no fault.
// Buffers that are the same memory stay the same memory. REQUIRES: CheckLaunch ok.
// Errors: kResourceLimit if there is no memory for the copies.
Result<std::optional<verify::Fault>> RunOnCopies(const verify::VerifiedProgram& program,
                                                 const verify::Launch& launch, bool commit);

// The message of a fault that native code left in `state`, with the values of variables where the
// launch can be repeated. `other`: verify::Fault::other.
Diagnostic DescribeNativeFault(const verify::VerifiedProgram& program, const verify::Launch& launch,
                               const hologram_launch_state& state, uint64_t other);

}  // namespace hologram::backends
