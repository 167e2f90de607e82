#include "codegen/emit/alias_scopes.h"

namespace hologram::codegen {

AliasScopes::AliasScopes(llvm::LLVMContext& context, const Plan& plan) {
  llvm::MDBuilder metadata(context);
  llvm::MDNode* domain = metadata.createAnonymousAliasScopeDomain("launch");
  const size_t count = plan.program().parameters.size();
  std::vector<llvm::Metadata*> scopes;
  for (size_t k = 0; k < count; ++k) {
    scopes.push_back(metadata.createAnonymousAliasScope(domain, "buffer" + std::to_string(k)));
    scopes_.push_back(llvm::MDNode::get(context, {scopes[k]}));
  }
  for (size_t k = 0; k < count; ++k) {
    std::vector<llvm::Metadata*> others;
    for (size_t j = 0; j < count; ++j) {
      bool may_coincide = j == k;
      for (const verify::AliasRule& rule : plan.verified->launch_check().aliases) {
        const bool pair =
            (rule.slot_a == j && rule.slot_b == k) || (rule.slot_a == k && rule.slot_b == j);
        may_coincide |= pair && rule.same_element;
      }
      if (!may_coincide) others.push_back(scopes[j]);
    }
    no_alias_.push_back(llvm::MDNode::get(context, others));
  }
}

void AliasScopes::Tag(llvm::Instruction* access, size_t parameter) const {
  access->setMetadata(llvm::LLVMContext::MD_alias_scope, scopes_[parameter]);
  access->setMetadata(llvm::LLVMContext::MD_noalias, no_alias_[parameter]);
}

void AliasScopes::TagOutside(llvm::Instruction* access) const {
  llvm::SmallVector<llvm::Metadata*, 8> all;
  for (llvm::MDNode* scope : scopes_) all.push_back(scope->getOperand(0));
  if (all.empty()) return;
  access->setMetadata(llvm::LLVMContext::MD_noalias, llvm::MDNode::get(access->getContext(), all));
}

}  // namespace hologram::codegen
