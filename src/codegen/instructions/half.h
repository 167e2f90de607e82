// f16 and bf16, whose registers hold bits: every operation widens, computes in f32 and rounds once.
#pragma once

#include "codegen/emit/function.h"

namespace hologram::codegen {

llvm::Value* Widen(FunctionState& f, isa::Type half, llvm::Value* bits);    // to f32
llvm::Value* Narrow(FunctionState& f, isa::Type half, llvm::Value* value);  // from f32, rounded
// The f32 whose rounding to 16 bits is the rounding of the value.
llvm::Value* NarrowBeforeRounding(FunctionState& f, isa::Type from, llvm::Value* value);
// An integer of 64 bits that f64 holds exactly and that rounds to f32 like `value`.
llvm::Value* KeepInF64(FunctionState& f, llvm::Value* value, bool is_signed);
// f64 to f32.
llvm::Value* RoundToOdd(FunctionState& f, llvm::Value* value);
// a * b + c of f32 values in f64, rounded to odd.
llvm::Value* FusedToOdd(FunctionState& f, llvm::Value* a, llvm::Value* b, llvm::Value* c);

}  // namespace hologram::codegen
