// A circuit with a header -> one Program: a lane for each element, everything it computes in
// registers, each input loaded at most once and each output stored once. Equal canonical circuits
// give equal programs. Tested by tests/frontend/circuit_test.cc and tests/cli.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "frontend/frontend.h"
#include "isa/program.h"
#include "sigmatics/canonical.h"

namespace hologram::frontend {

// Parameters: the inputs of the header in its order, then the outputs that are not inputs, then the
// size as u32. They have the names of the text (`c07`, `alpha`, `n`). Errors carry the line and
// column in `source_file`. With reductions: lower_rows.h. Pages and what CheckRows() names are not
// lowered (kUnsupported).
Result<isa::Program> CompileCircuit(std::string_view text, const std::string& source_file,
                                    const std::string& name);
// The same, with the canonical circuit.
Result<CompiledKernel> CompileCircuitFile(std::string_view text, const std::string& source_file,
                                          const std::string& name);

// On the class memory of an executor's stream instead of buffers: the classes are those of the
// text, element i of class c is at byte 12288 c + size i, parameters are the scalars and the size.
// More elements than a class holds are a fault. Temporaries are in registers, and no class.
// Reductions are not lowered (kUnsupported).
Result<isa::Program> CompileCircuitInClassMemory(std::string_view text,
                                                 const std::string& source_file,
                                                 const std::string& name);

// The program of a canonical circuit in memory mode, without name and source file. Parameter k of
// the circuit is called names[k] and becomes parameter order[k] of the program. Errors have no
// place. `checks_lanes`: where lanes have rows, a block of another number of them is a fault; a
// kernel that was written in Python does not check it. REQUIRES: a header; `order` is a
// permutation.
Result<isa::Program> LowerCanonical(const sigmatics::Canonical& canonical,
                                    const std::vector<size_t>& order,
                                    const std::vector<std::string>& names, bool checks_lanes);

// The outputs, by number, that hold one element for each row and not one for each of its elements:
// reductions, columns, and what is computed of those alone. REQUIRES: as LowerCanonical().
Result<std::vector<size_t>> NumbersAmongOutputs(const sigmatics::Canonical& canonical);

}  // namespace hologram::frontend
