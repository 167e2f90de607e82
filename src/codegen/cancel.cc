// Launches that are stopped from outside. The code reads a word at the header of each loop inside a
// lane that may go round often, and once the word is not 0, the function records that and returns:
// nothing but the outputs of the launch has been written, whatever mask or region it was in. Loops
// over blocks and over lanes of one row read nothing: the runtime runs long launches in parts.
// Where lanes have several rows, a part is a row at least, so very long ones read the word as well.
#include "codegen/cancel.h"

#include <algorithm>
#include <cstddef>

#include "codegen/lowering.h"

namespace hologram::codegen {

using llvm::BasicBlock;
using llvm::GlobalValue;
using llvm::GlobalVariable;

// Every cycle of a program has a header, recursion too.
bool Lowering::PollsAt(uint32_t block) const {
  if (IsPtx(options_.level)) return false;
  const auto& loops = plan_.verified->loops();
  return std::any_of(loops.begin(), loops.end(), [&](const verify::LoopFact& loop) {
    return loop.header == block && loop.nest_rounds > kShortRounds;
  });
}

bool Lowering::Polls() const {
  const auto& loops = plan_.verified->loops();
  return std::any_of(loops.begin(), loops.end(),
                     [&](const verify::LoopFact& loop) { return PollsAt(loop.header); });
}

// What hologram_kernel_info::cancel points to. Only a loader writes it.
GlobalVariable* Lowering::CancelAddress() {
  if (cancel_address_ != nullptr) return cancel_address_;
  auto* never = new GlobalVariable(module_, b_.getInt32Ty(), true, GlobalValue::InternalLinkage,
                                   b_.getInt32(0), "hologram_not_cancelled");
  cancel_address_ = new GlobalVariable(module_, b_.getPtrTy(), false, GlobalValue::InternalLinkage,
                                       never, "hologram_cancel");
  cancel_address_->setExternallyInitialized(true);
  cancel_address_->setSection(".data.rel.ro.hologram");
  return cancel_address_;
}

void Lowering::EmitPoll() {
  if (cancel_ == nullptr) {
    llvm::IRBuilder<> first(entry_, entry_->begin());
    llvm::LoadInst* address = first.CreateLoad(b_.getPtrTy(), CancelAddress(), "cancel");
    llvm::MDNode* none = llvm::MDNode::get(context_, {});
    address->setMetadata(llvm::LLVMContext::MD_invariant_load, none);
    address->setMetadata(llvm::LLVMContext::MD_nonnull, none);
    cancel_ = address;
    cancelled_ = NewBlock("cancelled");
  }
  // Volatile, so that it is read in each round. It is in no buffer.
  llvm::LoadInst* word = b_.CreateLoad(b_.getInt32Ty(), cancel_, /*isVolatile=*/true);
  llvm::SmallVector<llvm::Metadata*, 8> scopes;
  for (llvm::MDNode* scope : scopes_) scopes.push_back(scope->getOperand(0));
  if (!scopes.empty()) {
    word->setMetadata(llvm::LLVMContext::MD_noalias, llvm::MDNode::get(context_, scopes));
  }
  BasicBlock* usual = NewBlock("goes.on");
  BranchUnlikely(b_.CreateICmpNE(word, b_.getInt32(0)), cancelled_, usual);
  b_.SetInsertPoint(usual);
}

// The end of the function that polls lead to.
void Lowering::EndCancelled() {
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
