// Pieces of LLVM IR that several parts of the code generator need.
#pragma once

#include "codegen/emit/function.h"

namespace hologram::codegen {

// ---- Types
// Of one lane: f16 and bf16 are their bits (codegen/instructions/half.cc).
llvm::Type* ScalarType(llvm::IRBuilderBase& b, isa::Type type);
// Integers of the same size.
llvm::Type* BitsType(llvm::Type* type);
// As many elements as `value` has: a vector, or the element itself.
llvm::Type* LikeVector(llvm::Type* element, llvm::Value* value);

// ---- Constants
// As a register of the type holds it.
llvm::Constant* FloatConstant(llvm::IRBuilderBase& b, isa::Type type, double value);
// A number, or the largest or smallest of the type for infinities.
llvm::Constant* IdentityConstant(llvm::IRBuilderBase& b, isa::Type type, double value);

// ---- Memory
// Of what no instruction of the function changes.
llvm::Value* LoadInvariant(llvm::IRBuilderBase& b, llvm::Type* type, llvm::Value* base,
                           uint64_t offset);
// The field of a struct of native_abi.h.
llvm::Value* FieldAddress(llvm::IRBuilderBase& b, llvm::Value* base, uint64_t offset);
Values LoadSlots(llvm::IRBuilderBase& b, const Slots& slots);

// ---- Control
void EmitIf(FunctionState& f, llvm::Value* condition, llvm::function_ref<void()> body);
// Calls body(i) in a loop over i = first, first + step, ... below `end`; at least once. What the
// body returns is the step to the next one, null for `step`.
void EmitCountedLoop(FunctionState& f, llvm::Value* first, llvm::Value* step, llvm::Value* end,
                     llvm::function_ref<llvm::Value*(llvm::Value*)> body);

// ---- Floats
// The canonical NaN for any other.
llvm::Value* Canonical(llvm::IRBuilderBase& b, llvm::Value* value);

}  // namespace hologram::codegen
