// The C header of kernels that are linked as objects: typed functions over the binary interface of
// compiled kernels (include/hologram/native_abi.h). Tested by tests/cli/c_interop_test.py and
// examples/c.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "runtime/compiler_plugin.h"
#include "verify/verified_program.h"

namespace hologram::driver {

// The symbol of a kernel in such an object: "hologram_info_saxpy".
std::string InfoSymbol(const isa::Program& program);

// True for text that MakeCHeader began.
bool IsOurHeader(const std::string& text);

// For each program a function NAME_launch_grid, and NAME_launch if the launch without a grid
// follows from the arguments. Errors: a kernel whose name is not a C name, and kernels that need
// more than their object: the stream of an executor, launches that leave the order of writes open,
// recursion.
Result<std::string> MakeCHeader(const std::vector<verify::VerifiedProgram>& programs,
                                Target target);

}  // namespace hologram::driver
