// The entry of launches without a grid: derives the lanes from the largest output, compares them
// with what the kernel has work for (launch::DecidingBounds), and goes on in the check of the
// arguments (entry.h). Kernels whose lanes are not decided by comparisons have no such entry;
// their launches are resolved by the runtime. Tested by tests/codegen/entry_test.cc.
#pragma once

#include "codegen/emit/function.h"

namespace hologram::codegen {

// Kernels for which a launch without a grid is defined and deterministic.
bool HasDefaultLaunch(const Plan& plan, uint32_t scratch_bytes);
// `row`: what checks a launch of one row; null if `entry` has to.
llvm::Function* MakeDefaultEntry(const Kernel& kernel, llvm::Function* row, llvm::Function* entry);

}  // namespace hologram::codegen
