// a * b + c rounded once, on processors with and without an instruction for it.
#pragma once

#include "codegen/emit/function.h"

namespace hologram::codegen {

llvm::Value* FusedMultiplyAdd(FunctionState& f, llvm::Value* a, llvm::Value* b, llvm::Value* c);

}  // namespace hologram::codegen
