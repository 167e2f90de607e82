#include "codegen/emit/shared_arrays.h"

#include "codegen/plan/transposed.h"

namespace hologram::codegen {

using llvm::BasicBlock;
using llvm::Type;
using llvm::Value;

namespace {

uint32_t BytesOf(const Plan& plan) {
  return OffsetOfShared(plan, plan.program().shared.size());
}

}  // namespace

void SharedArrays::Allocate() {
  const uint32_t bytes = BytesOf(f_.plan());
  if (bytes == 0) return;
  llvm::AllocaInst* shared =
      f_.NewSlot(llvm::ArrayType::get(f_.builder().getInt8Ty(), bytes), "shared");
  shared->setAlignment(llvm::Align(64));
  base_ = shared;
}

void SharedArrays::Zero() {
  llvm::IRBuilder<>& b = f_.builder();
  const uint32_t bytes = BytesOf(f_.plan());
  if (bytes == 0) return;
  // A loop of vector stores: a call of memset would need a symbol from outside.
  constexpr uint32_t kStep = 64;
  Type* type = llvm::FixedVectorType::get(b.getInt8Ty(), kStep);
  BasicBlock* before = b.GetInsertBlock();
  BasicBlock* body = f_.NewBlock("zero");
  BasicBlock* after = f_.NewBlock("zeroed");
  b.CreateBr(body);
  b.SetInsertPoint(body);
  llvm::PHINode* at = b.CreatePHI(b.getInt64Ty(), 2);
  b.CreateAlignedStore(llvm::Constant::getNullValue(type), b.CreateGEP(b.getInt8Ty(), base_, at),
                       llvm::Align(kStep));
  Value* next = b.CreateAdd(at, b.getInt64(kStep));
  at->addIncoming(b.getInt64(0), before);
  at->addIncoming(next, body);
  b.CreateCondBr(b.CreateICmpULT(next, b.getInt64(bytes)), body, after);
  b.SetInsertPoint(after);
}

}  // namespace hologram::codegen
