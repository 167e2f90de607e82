// PTX: the same instructions with one lane per thread. Every web is a scalar, branches are
// branches, and a lane that faults returns. The kernel takes, per parameter, a pointer and its
// extent in elements, or the scalar; then the launch state.
#pragma once

#include "codegen/emit/function.h"
#include "codegen/remarks.h"

namespace hologram::codegen::ptx {

// `remarks` may be null.
Status MakeKernel(const Kernel& kernel, Remarks* remarks);

}  // namespace hologram::codegen::ptx
