#include "codegen/lanes/flat_rows.h"

#include "base/check.h"
#include "codegen/plan/regions.h"

namespace hologram::codegen {

using isa::Sreg;
using llvm::BasicBlock;
using llvm::Value;

namespace {

// Kernels with barriers have blocks.
class NoBarriers : public Barriers {
 public:
  bool Emit(uint32_t /*block*/) override {
    HOLOGRAM_CHECK(false);
    return false;
  }
};

}  // namespace

void FlatRows::Emit() {
  ids_.StartFlat();
  const Blocks blocks = ReachableBlocks(plan_);
  NoBarriers none;
  const Body body{blocks, 0, none, nullptr};
  const bool one_row = plan_.unit == HOLOGRAM_UNIT_LANE;
  remarks_.Add(Remarks::About::kKernel, 0, one_row ? "all lanes in one row" : "lanes row by row");
  one_row ? EmitLanes({args_.first, args_.last}, body) : EmitRows(body);
}

Value* FlatRows::Extent(unsigned axis) {
  const auto wide = [&](Value* v) { return b_.CreateZExt(v, b_.getInt64Ty()); };
  return b_.CreateMul(wide(ids_.Shape(false, axis)), wide(ids_.Shape(true, axis)));
}

// Slices of one z, each with the lanes of its units in front of all places along y.
void FlatRows::EmitColumns() {
  ids_.StartFlat();
  const Blocks blocks = ReachableBlocks(plan_);
  NoBarriers none;
  const Body body{blocks, 0, none, nullptr};
  Value* width = Extent(0);
  BasicBlock* before = b_.GetInsertBlock();
  BasicBlock* slice = f_.NewBlock("slice");
  BasicBlock* after = f_.NewBlock("slices.after");
  b_.CreateCondBr(b_.CreateICmpULT(args_.first, args_.last), slice, after);
  b_.SetInsertPoint(slice);
  llvm::PHINode* unit = b_.CreatePHI(b_.getInt64Ty(), 2, "unit");
  unit->addIncoming(args_.first, before);
  Value* first = b_.CreateURem(unit, width);
  Value* rest = b_.CreateSub(args_.last, unit);
  Value* last = b_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, width, b_.CreateAdd(first, rest));
  EmitColumnsOf({first, last}, b_.CreateUDiv(unit, width), body);
  Value* next = b_.CreateAdd(unit, b_.CreateSub(last, first));
  unit->addIncoming(next, b_.GetInsertBlock());
  b_.CreateCondBr(b_.CreateICmpULT(next, args_.last), slice, after);
  b_.SetInsertPoint(after);
}

void FlatRows::EmitColumnsOf(LaneRange range, Value* z, const Body& body) {
  Value* height = Extent(1);
  BasicBlock* before = b_.GetInsertBlock();
  BasicBlock* column = f_.NewBlock("column");
  BasicBlock* after = f_.NewBlock("columns.after");
  b_.CreateBr(column);
  b_.SetInsertPoint(column);
  llvm::PHINode* y = b_.CreatePHI(b_.getInt64Ty(), 2, "y");
  y->addIncoming(b_.getInt64(0), before);
  ids_.Set(Sreg::kGlobalY, 0, b_.CreateTrunc(y, b_.getInt32Ty()));
  ids_.Set(Sreg::kGlobalZ, 0, b_.CreateTrunc(z, b_.getInt32Ty()));
  EmitLanes(range, body);
  Value* next = b_.CreateAdd(y, b_.getInt64(1));
  y->addIncoming(next, b_.GetInsertBlock());
  b_.CreateCondBr(b_.CreateICmpULT(next, height), column, after);
  b_.SetInsertPoint(after);
}

void FlatRows::EmitLanes(LaneRange range, const Body& body) {
  if (pieces_ == nullptr) return loop_.Emit(range, body);
  pieces_->ForEach(range, [&](LaneRange piece) { loop_.Emit(piece, body); });
}

void FlatRows::EmitRows(const Body& body) {
  Value* width = Extent(0);
  Value* height = Extent(1);
  BasicBlock* before = b_.GetInsertBlock();
  BasicBlock* inside = f_.NewBlock("row");
  BasicBlock* after = f_.NewBlock("rows.after");
  Value* first_y = b_.CreateURem(args_.first, height);
  Value* first_z = b_.CreateUDiv(args_.first, height);
  b_.CreateCondBr(b_.CreateICmpULT(args_.first, args_.last), inside, after);
  b_.SetInsertPoint(inside);
  llvm::PHINode* row = b_.CreatePHI(b_.getInt64Ty(), 2, "row");
  llvm::PHINode* y = b_.CreatePHI(b_.getInt64Ty(), 2, "y");
  llvm::PHINode* z = b_.CreatePHI(b_.getInt64Ty(), 2, "z");
  ids_.Set(Sreg::kGlobalY, 0, b_.CreateTrunc(y, b_.getInt32Ty()));
  ids_.Set(Sreg::kGlobalZ, 0, b_.CreateTrunc(z, b_.getInt32Ty()));
  // A row that is so long that it could not be stopped in time is run in pieces.
  BasicBlock* row_begin = b_.GetInsertBlock();
  BasicBlock* piece = f_.NewBlock("piece");
  BasicBlock* more = f_.NewBlock("piece.next");
  BasicBlock* pieces_after = f_.NewBlock("pieces.after");
  b_.CreateBr(piece);
  b_.SetInsertPoint(piece);
  llvm::PHINode* first = b_.CreatePHI(b_.getInt64Ty(), 2, "first");
  first->addIncoming(b_.getInt64(0), row_begin);
  Value* end = b_.CreateNSWAdd(first, b_.getInt64(LanesOfPiece(plan_, body.blocks)));
  Value* last = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, end, width);
  EmitLanes({first, last}, body);
  f_.BranchUnlikely(b_.CreateICmpSLT(end, width), more, pieces_after);
  b_.SetInsertPoint(more);
  polls_.Emit();
  first->addIncoming(end, b_.GetInsertBlock());
  b_.CreateBr(piece);
  b_.SetInsertPoint(pieces_after);
  Value* next = b_.CreateAdd(row, b_.getInt64(1));
  Value* next_y = b_.CreateAdd(y, b_.getInt64(1));
  Value* wraps = b_.CreateICmpEQ(next_y, height);
  BasicBlock* latch = b_.GetInsertBlock();
  row->addIncoming(args_.first, before);
  row->addIncoming(next, latch);
  y->addIncoming(first_y, before);
  y->addIncoming(b_.CreateSelect(wraps, b_.getInt64(0), next_y), latch);
  z->addIncoming(first_z, before);
  z->addIncoming(b_.CreateAdd(z, b_.CreateZExt(wraps, b_.getInt64Ty())), latch);
  b_.CreateCondBr(b_.CreateICmpULT(next, args_.last), inside, after);
  b_.SetInsertPoint(after);
}

}  // namespace hologram::codegen
