// Which accesses may be to the same memory. Two buffers may be the same only where the verifier
// states that every lane stays at its own element; such a pair keeps its program order.
#pragma once

#include "codegen/llvm_headers.h"
#include "codegen/plan/plan.h"

namespace hologram::codegen {

class AliasScopes {
 public:
  AliasScopes(llvm::LLVMContext& context, const Plan& plan);

  // An access to the buffer of a parameter.
  void Tag(llvm::Instruction* access, size_t parameter) const;
  // An access to memory that is not a buffer.
  void TagOutside(llvm::Instruction* access) const;

 private:
  std::vector<llvm::MDNode*> scopes_;    // by parameter
  std::vector<llvm::MDNode*> no_alias_;  // by parameter
};

}  // namespace hologram::codegen
