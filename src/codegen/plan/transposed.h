// Shared arrays whose neighbouring lanes mostly reach elements a row apart: `acc[lane, d]`, of
// which each lane has a row of its own, or `tile[k - lane, lane]` along a diagonal. They are kept
// with rows and columns exchanged, for rows as long as the lanes are apart, which makes these
// accesses contiguous, backwards too. Only the block itself sees the memory. Tested by
// tests/cliffs/columns_test.py.
#pragma once

#include "codegen/plan/plan.h"

namespace hologram::codegen {

// By number of the array.
std::map<uint32_t, Transposed> FindTransposed(const Plan& plan);

// Where a shared array begins in the memory of a block; of the number behind the last, how much
// that is. Transposed arrays may be longer than the program declares.
uint32_t OffsetOfShared(const Plan& plan, size_t array);

}  // namespace hologram::codegen
