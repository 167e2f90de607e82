#include "codegen/emit/polls.h"

#include <cstddef>

namespace hologram::codegen {

using llvm::BasicBlock;
using llvm::GlobalValue;
using llvm::GlobalVariable;
using llvm::Value;

namespace {

constexpr const char* kAddressName = "hologram_cancel";

// Only a loader writes it.
GlobalVariable* CancelAddress(llvm::Module& module) {
  if (GlobalVariable* made = FindCancelAddress(module)) return made;
  llvm::IRBuilder<> b(module.getContext());
  auto* never = new GlobalVariable(module, b.getInt32Ty(), true, GlobalValue::InternalLinkage,
                                   b.getInt32(0), "hologram_not_cancelled");
  auto* address = new GlobalVariable(module, b.getPtrTy(), false, GlobalValue::InternalLinkage,
                                     never, kAddressName);
  address->setExternallyInitialized(true);
  address->setSection(".data.rel.ro.hologram");
  return address;
}

}  // namespace

GlobalVariable* FindCancelAddress(llvm::Module& module) {
  return module.getNamedGlobal(kAddressName);
}

void Polls::Emit() {
  if (f_.target().is_wasm) return;
  if (word_ == nullptr) {
    llvm::IRBuilder<> first = f_.AtStart();
    llvm::LoadInst* address =
        first.CreateLoad(b_.getPtrTy(), CancelAddress(f_.kernel().module), "cancel");
    llvm::MDNode* none = llvm::MDNode::get(f_.context(), {});
    address->setMetadata(llvm::LLVMContext::MD_invariant_load, none);
    address->setMetadata(llvm::LLVMContext::MD_nonnull, none);
    word_ = address;
    cancelled_ = f_.NewBlock("cancelled");
  }
  // Volatile, so that it is read in each round. It is in no buffer.
  llvm::LoadInst* word = b_.CreateLoad(b_.getInt32Ty(), word_, /*isVolatile=*/true);
  scopes_.TagOutside(word);
  BasicBlock* usual = f_.NewBlock("goes.on");
  f_.BranchUnlikely(b_.CreateICmpNE(word, b_.getInt32(0)), cancelled_, usual);
  b_.SetInsertPoint(usual);
}

void Polls::EmitEnd() {
  if (cancelled_ == nullptr) return;
  b_.SetInsertPoint(cancelled_);
  b_.SetCurrentDebugLocation(llvm::DebugLoc());
  const auto set = [&](size_t offset, Value* value) {
    b_.CreateStore(value, b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), state_, offset));
  };
  set(offsetof(hologram_launch_state, fault_lane), b_.getInt64(0));
  set(offsetof(hologram_launch_state, fault_index), b_.getInt64(0));
  set(offsetof(hologram_launch_state, fault_pc), b_.getInt32(0));
  set(offsetof(hologram_launch_state, fault_code), b_.getInt32(HOLOGRAM_FAULT_CANCELLED));
  b_.CreateRet(b_.getInt32(HOLOGRAM_LAUNCH_FAULTED));
}

}  // namespace hologram::codegen
