// A function that runs a range of units of the launch, with all arguments in registers.
#pragma once

#include "codegen/emit/function.h"
#include "codegen/plan/regions.h"
#include "codegen/remarks.h"

namespace hologram::codegen {

enum class LanesForm { kPlain, kStreaming, kOneByOne, kPieces, kColumns };

// Functions of the same type that one of them calls; null where it calls none.
struct Callees {
  // The plain function, for the form that stores past the caches; the one that runs lane by lane,
  // for a plain one with a log of updates that may be full.
  llvm::Function* other = nullptr;
  llvm::Function* pieces = nullptr;   // for a plain one: where pieces of rows are long enough
  llvm::Function* columns = nullptr;  // for a plain one: where many rows are run
};

// `remarks` may be null.
llvm::Function* MakeLanes(const Kernel& kernel, const Regions& regions, LanesForm form,
                          const Callees& callees, Remarks* remarks);

}  // namespace hologram::codegen
