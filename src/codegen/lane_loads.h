// Loads under a mask, on processors that have no instruction for them.
#pragma once

#include "codegen/llvm_headers.h"

namespace hologram::codegen {

// LLVM makes a branch for each lane of such a load. Here lanes that do not take part load a zero
// that is a constant, so that no branch is left; neighbouring elements are one load where all lanes
// take part. Neighbours at the end of a row stay as they are.
struct LaneLoads : llvm::PassInfoMixin<LaneLoads> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace hologram::codegen
