// Needs of mathematical functions beside arithmetic (llvm_math_ops.h): functions of an object for
// what is rare and long, and tables.
#pragma once

#include "codegen/emit/function.h"

namespace hologram::codegen {

// Of a number, in the function that is passed along.
using LaneBody = std::function<llvm::Value*(FunctionState&, llvm::Value*)>;
// A function of one number, made once per object.
llvm::Function* OneLaneFunction(const Kernel& kernel, const std::string& name, llvm::Type* type,
                                const LaneBody& body);
llvm::Function* EachLaneFunction(const Kernel& kernel, llvm::Function* one_lane,
                                 llvm::Type* vector);
llvm::Value* LoadEntry(FunctionState& f, llvm::ArrayRef<uint64_t> table, llvm::Value* index);
llvm::Value* LookUp16(FunctionState& f, const float (&table)[16], llvm::Value* index);

}  // namespace hologram::codegen
