// Counts of one launch by instrumented native code: a form of the kernel that is compiled for this
// and counts the lanes and vectors of each block (codegen/emit/lane_counts.h). It is faster than
// the interpreter, and its vectors are those of native code. Tested by tests/profile:
// native_counts_test.
#pragma once

#include "base/result.h"
#include "launch/launch.h"
#include "profile/line_counts.h"
#include "runtime/launchable.h"
#include "verify/verified_program.h"

namespace hologram::profile {

// Runs the launch, with what it writes, on one thread. Executions, steps, bytes of lines and
// operations are those of CountLaunch. work.bytes is a bound: for each buffer the smaller of its
// size and of the bytes of all accesses. Errors: kUnsupported without a compiler, and for launches
// that native code does not run; those of the launch.
Result<LaunchCounts> CountNative(const verify::VerifiedProgram& program,
                                 const launch::Launch& launch, const runtime::LaunchConfig& config);

}  // namespace hologram::profile
