// The functions of an object for a processor: `lanes` runs a range of units with all arguments in
// registers, `body` unpacks the arguments for it, `entry` (codegen/launch_check/entry.h) checks the
// launch first; hologram_info names them.
#pragma once

#include "codegen/emit/function.h"
#include "codegen/remarks.h"

namespace hologram::codegen {

// `single`: the same kernel for vectors of one lane, where a log of updates may be full; else null.
// `remarks` may be null.
void MakeKernel(const Kernel& kernel, const Kernel* single, Remarks* remarks);

}  // namespace hologram::codegen
