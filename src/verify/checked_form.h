// The checked form of a kernel: its program, verified without the proofs for which an array must be
// as long as a launch demands. Such an access is guarded. All else that the launch check demands
// stays: that indices do not wrap, so that their strides are known, and that lanes keep apart. So
// this form runs, with the same results, launches in which an array is shorter than the proofs of
// the kernel want it. Tested by tests/verify/checked_form_test.cc and python/tests/test_checked.py.
#pragma once

#include "verify/verified_program.h"

namespace hologram::verify {

// Numbers of instructions are those of Verify(program).
Result<VerifiedProgram> VerifyCheckedForm(isa::Program program);

// Whether an access is guarded for that reason alone: its index is what it seems, in all launches
// that pass the launch check.
bool IsLeftToCode(const AccessFact& access);
// Whether any is. Otherwise the checked form equals the kernel, whose accesses are proved for all
// launches, or guarded in the kernel itself.
bool LeavesAccesses(const VerifiedProgram& checked);

}  // namespace hologram::verify
