// Small random kernels that compute indices in the ways that the verifier claims to understand,
// rightly and wrongly guarded.
#pragma once

#include <random>

#include "isa/program.h"

namespace hologram::verify::test {

isa::Program IndexProgram(uint32_t seed);
// Programs whose lanes keep apart, or nearly do.
isa::Program RaceProgram(uint32_t seed);
// Programs whose lanes meet at barriers in loops.
isa::Program TreeProgram(uint32_t seed);

}  // namespace hologram::verify::test
