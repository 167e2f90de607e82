// Launches that are stopped from outside. The code reads a word at the header of each loop inside a
// lane that may go round often, and once the word is not 0, the function records that and returns:
// nothing but the outputs of the launch has been written, whatever mask or region it was in. Loops
// over blocks and over lanes of one row read nothing: the runtime runs long launches in parts.
// Where lanes have several rows, a part is a row at least, so very long ones read the word as well.
#pragma once

#include "codegen/emit/alias_scopes.h"
#include "codegen/emit/function.h"

namespace hologram::codegen {

// The target of hologram_kernel_info::cancel; null if no function has needed it.
llvm::GlobalVariable* FindCancelAddress(llvm::Module& module);

class Polls {
 public:
  Polls(FunctionState& f, const AliasScopes& scopes, llvm::Value* state)
      : f_(f), b_(f.builder()), scopes_(scopes), state_(state) {}

  void Emit();
  // The end of the function that polls lead to, if there are any.
  void EmitEnd();

 private:
  FunctionState& f_;
  llvm::IRBuilder<>& b_;
  const AliasScopes& scopes_;
  llvm::Value* state_;
  llvm::Value* word_ = nullptr;            // its address; null until it is needed
  llvm::BasicBlock* cancelled_ = nullptr;  // where the function ends then
};

}  // namespace hologram::codegen
