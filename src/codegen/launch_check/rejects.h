// The block that declines a launch, to which every test of a launch check branches that fails. Each
// test is a compare and a branch that is never taken in a launch that runs: one instruction to the
// machine, and no result to keep.
#pragma once

#include "codegen/emit/function.h"

namespace hologram::codegen {

class Rejects {
 public:
  // Makes the block; the tests go on in the entry of the function.
  explicit Rejects(FunctionState& f);

  void If(llvm::Value* condition);
  // Unless 1 <= v <= count.
  void IfOutside(llvm::Value* v, uint64_t count);

 private:
  FunctionState& f_;
  llvm::BasicBlock* block_;
};

}  // namespace hologram::codegen
