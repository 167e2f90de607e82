// Numbers in a launch of the shape that a program was written for. Tested by tests/verify.
#pragma once

#include <optional>

#include "isa/program.h"
#include "verify/launch_polynomials.h"

namespace hologram::verify {

// The value in a launch of many blocks in x of the program's own size, if nothing but the shape of
// the launch is in it.
std::optional<Wide> AtOwnShape(const Polys& polys, const isa::Program& program, PolyId p);

}  // namespace hologram::verify
