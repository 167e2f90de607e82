// Kernels in which nothing depends on where an element is in its array: they index with their id
// alone, and compare it with a length alone. A launch of one is as good as launches of its parts,
// each as an array of its own. Tested by tests/stream.
#pragma once

#include <cstdint>
#include <optional>

#include "verify/verified_program.h"

namespace hologram::verify {

// The number, among the scalars, of the length that the kernel compares its id with; nothing: it is
// not such a kernel.
std::optional<uint32_t> LengthOfPointwise(const VerifiedProgram& program);

}  // namespace hologram::verify
