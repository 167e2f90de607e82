// A function that runs a range of units of the launch, with all arguments in registers.
#pragma once

#include "codegen/emit/function.h"
#include "codegen/plan/regions.h"
#include "codegen/remarks.h"

namespace hologram::codegen {

// `plain`: for the form that stores past the caches, the other one; else null. `remarks` may be
// null.
llvm::Function* MakeLanes(const Kernel& kernel, const Regions& regions, llvm::Function* plain,
                          Remarks* remarks);

}  // namespace hologram::codegen
