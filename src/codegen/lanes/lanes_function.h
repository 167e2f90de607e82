// A function that runs a range of units of the launch, with all arguments in registers.
#pragma once

#include "codegen/emit/function.h"
#include "codegen/plan/regions.h"
#include "codegen/remarks.h"

namespace hologram::codegen {

enum class LanesForm { kPlain, kStreaming, kOneByOne };

// `other`: the plain function, for the form that stores past the caches; the one that runs lane by
// lane, for a plain one with a log of updates that may be full; else null. `remarks` may be null.
llvm::Function* MakeLanes(const Kernel& kernel, const Regions& regions, LanesForm form,
                          llvm::Function* other, Remarks* remarks);

}  // namespace hologram::codegen
