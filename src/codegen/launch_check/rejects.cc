#include "codegen/launch_check/rejects.h"

namespace hologram::codegen {

Rejects::Rejects(FunctionState& f) : f_(f) {
  llvm::IRBuilder<>& b = f.builder();
  llvm::BasicBlock* entry = b.GetInsertBlock();
  block_ = f.NewBlock("reject");
  b.SetInsertPoint(block_);
  b.CreateRet(b.getInt32(HOLOGRAM_LAUNCH_UNPROVED));
  b.SetInsertPoint(entry);
}

void Rejects::If(llvm::Value* condition) {
  llvm::BasicBlock* next = f_.NewBlock("check");
  f_.BranchUnlikely(condition, block_, next);
  f_.builder().SetInsertPoint(next);
}

void Rejects::IfOutside(llvm::Value* v, uint64_t count) {
  llvm::IRBuilder<>& b = f_.builder();
  If(b.CreateICmpUGE(b.CreateSub(v, b.getInt64(1)), b.getInt64(count)));
}

}  // namespace hologram::codegen
