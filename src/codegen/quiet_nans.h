// Removes redundant NaN quieting (AVX-512 VRANGE).
#pragma once

#include <cstdint>

#include "codegen/llvm_headers.h"

namespace hologram::codegen {

enum class RangeOf : uint32_t { kMin = 4, kMax = 5 };  // with the sign of the chosen operand

// VRANGE of vectors of f32 or f64 with 16 elements.
llvm::Value* CreateRange(llvm::IRBuilderBase& b, llvm::Value* x, llvm::Value* y, RangeOf which);

// VRANGE(v, v): a signalling NaN becomes quiet, all else stays.
llvm::Value* Quieted(llvm::IRBuilderBase& b, llvm::Value* v);

// The loaded value holds no signalling NaN: stores quieten it.
void MarkQuiet(llvm::LoadInst& load);

// Takes VRANGE of a value with itself away where the value cannot be a signalling NaN. Where only a
// value that enters a loop could be one, that value is made quiet before the loop.
struct QuietNans : llvm::PassInfoMixin<QuietNans> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace hologram::codegen
