// A program with x and y exchanged: what its lanes along x do are what those of the given program
// do along y. Some programs count rows of an array along x, and elements of a row along y: then
// neighbours in y read side by side what neighbours in x read far apart. Tested by
// tests/cliffs/columns_test.py and tests/codegen/forms_test.py.
#pragma once

#include <optional>

#include "verify/verified_program.h"

namespace hologram::verify {

// Its facts hold in launches that pass the launch check of the given program, whose shape it has
// with x and y exchanged; instructions keep their numbers. Nothing if that is not known.
// REQUIRES: the program is not recursive, and reads no id of a lane but global ones.
std::optional<VerifiedProgram> Transposed(const VerifiedProgram& program);

}  // namespace hologram::verify
