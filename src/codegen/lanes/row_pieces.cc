#include "codegen/lanes/row_pieces.h"

namespace hologram::codegen {

using llvm::BasicBlock;
using llvm::Value;

// In 64 bits. One without sign that needs the highest would be negative, and is not long then.
Value* RowPieces::Divisor() {
  const OperandId divisor = *f_.plan().rows.piece;
  registers_.Forget();
  chunk_.BeginOutside();
  invariants_.Compute(divisor);
  const bool is_signed = isa::IsSignedInteger(f_.plan().TypeOf(divisor));
  return b_.CreateIntCast(registers_.Scalar(divisor), b_.getInt64Ty(), is_signed);
}

void RowPieces::CallWhereLong(llvm::Function* pieces) {
  constexpr uint64_t kVectors = 4;
  BasicBlock* are_long = f_.NewBlock("pieces");
  BasicBlock* are_short = f_.NewBlock("rows");
  const uint64_t least = kVectors * f_.target().width;
  b_.CreateCondBr(b_.CreateICmpSGE(Divisor(), b_.getInt64(least)), are_long, are_short);
  b_.SetInsertPoint(are_long);
  std::vector<Value*> arguments;
  for (llvm::Argument& argument : f_.function()->args()) arguments.push_back(&argument);
  llvm::CallInst* call = b_.CreateCall(pieces, arguments);
  call->setCallingConv(llvm::CallingConv::Fast);
  b_.CreateRet(call);
  b_.SetInsertPoint(are_short);
}

// REQUIRES: the divisor is positive.
void RowPieces::ForEach(LaneRange range, llvm::function_ref<void(LaneRange)> body) {
  BasicBlock* start = f_.NewBlock("pieces");
  BasicBlock* inside = f_.NewBlock("piece");
  BasicBlock* after = f_.NewBlock("pieces.after");
  b_.CreateCondBr(b_.CreateICmpSLT(range.first, range.last), start, after);
  b_.SetInsertPoint(start);
  // Beyond all lanes there is no multiple to cut at.
  Value* divisor =
      b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, Divisor(), b_.getInt64(uint64_t{1} << 62));
  Value* place = b_.CreateURem(range.first, divisor);
  Value* first_end = b_.CreateAdd(range.first, b_.CreateSub(divisor, place));
  start = b_.GetInsertBlock();
  b_.CreateBr(inside);
  b_.SetInsertPoint(inside);
  llvm::PHINode* first = b_.CreatePHI(b_.getInt64Ty(), 2, "first");
  llvm::PHINode* end = b_.CreatePHI(b_.getInt64Ty(), 2, "end");
  first->addIncoming(range.first, start);
  end->addIncoming(first_end, start);
  ComputeQuotients(first);
  body({first, b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, end, range.last)});
  BasicBlock* latch = b_.GetInsertBlock();
  first->addIncoming(end, latch);
  end->addIncoming(b_.CreateNSWAdd(end, divisor), latch);
  b_.CreateCondBr(b_.CreateICmpSLT(end, range.last), inside, after);
  b_.SetInsertPoint(after);
}

void RowPieces::ComputeQuotients(Value* first) {
  const Plan& plan = f_.plan();
  registers_.Forget();
  chunk_.BeginOutside();
  ids_.StartChunk(first);
  for (uint32_t pc = 0; pc < plan.program().code.size(); ++pc) {
    if (!division_.SharesQuotient(pc)) continue;
    for (const OperandId id : {plan.operands[pc].reads[0], plan.operands[pc].reads[1]}) {
      if (!IsFixed(id)) invariants_.Compute(id);
    }
    division_.ComputeQuotient(pc);
  }
}

}  // namespace hologram::codegen
