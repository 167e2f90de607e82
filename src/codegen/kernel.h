// The functions of an object for a processor: `lanes` runs a range of units with all arguments in
// registers, `body` unpacks the arguments for it, `entry` (codegen/launch_check/entry.h) checks the
// launch first; hologram_info names them.
#pragma once

#include "codegen/emit/function.h"
#include "codegen/remarks.h"

namespace hologram::codegen {

// Other plans of the same kernel; null where there is none.
struct OtherForms {
  const Kernel* single = nullptr;   // for vectors of one lane, where a log of updates may be full
  const Kernel* pieces = nullptr;   // for pieces of rows (RowFacts::piece)
  const Kernel* columns = nullptr;  // with x and y exchanged (plan/columns.h)
};

// `remarks` may be null.
void MakeKernel(const Kernel& kernel, const OtherForms& others, Remarks* remarks);

}  // namespace hologram::codegen
