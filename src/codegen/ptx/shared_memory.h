// Memory of each thread block, with undefined contents at first.
#pragma once

#include "codegen/emit/function.h"

namespace hologram::codegen::ptx {

llvm::GlobalVariable* AddSharedMemory(const Kernel& kernel, llvm::Type* type, const char* name);
// All threads of the block wait for each other.
void EmitBarrier(FunctionState& f);

}  // namespace hologram::codegen::ptx
