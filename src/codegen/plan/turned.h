// Shared arrays of which each lane has a row of its own, `acc[lane, d]`: neighbours would reach a
// row apart. They are kept with rows and columns exchanged, which makes the accesses of neighbours
// contiguous. Only the block itself sees the memory. Tested by tests/cliffs/columns_test.py.
#pragma once

#include "codegen/plan/plan.h"

namespace hologram::codegen {

// By number of the array, the base-2 logarithm of how long its rows are.
std::map<uint32_t, uint32_t> FindTurned(const Plan& plan);

}  // namespace hologram::codegen
