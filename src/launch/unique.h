// Arrays whose elements a kernel declares to be all different, `unique(p)`. Tested by
// tests/launch/unique_test.cc.
#pragma once

#include "base/result.h"
#include "launch/launch.h"

namespace hologram::launch {

// Success, or an error that names an array of which two elements are equal, the first element that
// is equal to one before it, that one, and the value. Takes time in proportion to the elements, and
// memory of at most 8 bytes for each that has up to 32 bits, of 16 for others. Errors besides:
// kResourceLimit, and kCancelled, which is looked for after each few million elements. REQUIRES:
// the counts of arguments are right, and the arrays are in the memory of this process or null.
Status CheckUnique(const VerifiedProgram& program, const Launch& launch);

// An error that names the declaration, for launches that are given no whole arrays at once; `how`
// is "a stream". Success for kernels without one.
Status RefuseUnique(const isa::Program& program, std::string_view how);

}  // namespace hologram::launch
