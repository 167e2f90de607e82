// Kernels that count rows of an array along x: `a[x, y]`. Their lanes run along y where that makes
// most accesses contiguous (verify/transposed.h).
#pragma once

#include "codegen/plan/plan.h"
#include "codegen/target.h"

namespace hologram::codegen {

// Whether lanes may run in any order, and some of a row reach far apart.
bool MayGainByColumns(const Plan& plan);
// `columns`: the plan of the program with x and y exchanged.
bool GainsByColumns(const Plan& plan, const Plan& columns, const Target& target);

}  // namespace hologram::codegen
