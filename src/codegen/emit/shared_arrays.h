// The shared arrays of a block of lanes, one after the other, zero at first.
#pragma once

#include "codegen/emit/function.h"

namespace hologram::codegen {

class SharedArrays {
 public:
  explicit SharedArrays(FunctionState& f) : f_(f) {}

  // On the stack of the function: one block is run at a time.
  void Allocate();
  void Zero();
  // Where the target has memory for them.
  void Use(llvm::Value* base) { base_ = base; }
  llvm::Value* base() const { return base_; }

 private:
  FunctionState& f_;
  llvm::Value* base_ = nullptr;
};

}  // namespace hologram::codegen
