// Circuits with reductions -> a program that works on rows: each block of 1,024 lanes has a row of
// `n` elements, row b of array x being x[b n] to x[b n + n - 1], and one number of each array of
// numbers, x[b]. A launch of one block has one row, the whole arrays.
//
// A reduction is a pass over the row in chunks of 1,024 elements. The chunks are combined by
// BLK.RED, and their results by a binary counter, so that the order is the fixed tree over
// elements, whatever runs it (docs/isa.md). Intermediate values stay in
// registers; each pass reads the inputs that it needs. Tested by tests/kernels/circuit_rows.py.
#pragma once

#include <vector>

#include "base/result.h"
#include "frontend/circuit/values.h"

namespace hologram::frontend {

Diagnostic TooManyRegisters();

bool HasReductions(const sigmatics::ValueGraph& graph, const std::vector<sigmatics::NodeId>& roots);

// Unsupported: reductions of a part of the elements, those that keep the rest of an array,
// divisions that may fault, and more reductions than there are registers.
Status CheckRows(const sigmatics::ValueGraph& graph, const std::vector<sigmatics::NodeId>& outputs,
                 const std::vector<sigmatics::NodeId>& faulting);

// Output k goes to parameter parameters[k]. Refuses passes that take more registers, or together
// more instructions, than a program has. REQUIRES: CheckRows() found nothing.
Status LowerRows(const sigmatics::ValueGraph& graph, const CircuitValues::Parameters& values,
                 const std::vector<sigmatics::NodeId>& outputs,
                 const std::vector<size_t>& parameters, isa::Program& program);

}  // namespace hologram::frontend
