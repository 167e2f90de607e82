// A circuit with a header -> one Program: a lane for each element, everything it computes in
// registers, each input loaded at most once and each output stored once. Equal canonical circuits
// give equal programs. Tested by tests/frontend/circuit_test.cc and tests/cli.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "isa/program.h"

namespace hologram::frontend {

// Parameters: the inputs of the header in its order, then the outputs that are no inputs, then the
// size as u32. They have the names of the text (`c07`, `alpha`, `n`). Errors carry the line and
// column in `source_file`. Reductions, softmax and pages are not lowered (kUnsupported).
Result<isa::Program> CompileCircuit(std::string_view text, const std::string& source_file,
                                    const std::string& name);

}  // namespace hologram::frontend
