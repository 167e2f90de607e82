// WebAssembly: a vector x <= y ? x : y that stays one. LLVM 19 takes it for x < y ? x : y, which is
// one instruction (f32x4.pmin) but gives the other operand where both are equal: of -0 and +0 the
// wrong one. Such choices become bitwise ones. Tested by the conformance files of MIN and MAX.
#pragma once

#include "codegen/llvm_headers.h"

namespace hologram::codegen {

struct ExactTies : llvm::PassInfoMixin<ExactTies> {
  static llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&);
};

}  // namespace hologram::codegen
