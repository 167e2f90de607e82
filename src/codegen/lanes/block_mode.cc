#include "codegen/lanes/block_mode.h"

#include <algorithm>

#include "codegen/plan/regions.h"

namespace hologram::codegen {

using isa::Opcode;
using llvm::BasicBlock;
using llvm::Type;
using llvm::Value;

BlockMode::BlockMode(FunctionState& f, const Arguments& arguments, LaneIds& ids, Chunk& chunk,
                     Registers& registers, Faults& faults, RemarkWriter& remarks,
                     LocalArrays& local, SharedArrays& shared, BackEdges& back_edges,
                     Invariants& invariants, ChunkBody& chunks, LaneLoop& loop,
                     const Regions& regions)
    : f_(f),
      b_(f.builder()),
      plan_(f.plan()),
      args_(arguments),
      ids_(ids),
      faults_(faults),
      remarks_(remarks),
      local_(local),
      shared_(shared),
      chunks_(chunks),
      loop_(loop),
      regions_(regions),
      contexts_(f, ids, chunk, registers, back_edges, invariants, regions),
      reductions_(f, ids, chunk, registers, remarks, contexts_, regions),
      whole_(f, chunk, registers) {}

// They are counted: two divisions for each block would take as long as a small one.
void BlockMode::BlockLoop(Value* first, llvm::function_ref<void(Value*)> body) {
  Type* narrow = b_.getInt32Ty();
  BasicBlock* start = f_.NewBlock("blocks");
  BasicBlock* loop = f_.NewBlock("block");
  BasicBlock* after = f_.NewBlock("blocks.after");
  b_.CreateCondBr(b_.CreateICmpULT(first, args_.last), start, after);
  b_.SetInsertPoint(start);
  BasicBlock* inside = f_.NewBlock("blocks.inside");
  b_.CreateCondBr(b_.CreateICmpEQ(first, b_.getInt64(0)), loop, inside);
  b_.SetInsertPoint(inside);
  std::array<Value*, 3> firsts{};
  Value* rest = first;
  for (unsigned d = 0; d < 3; ++d) {
    Value* size = b_.CreateZExt(ids_.Shape(false, d), b_.getInt64Ty());
    firsts[d] = b_.CreateTrunc(d == 2 ? rest : b_.CreateURem(rest, size), narrow);
    if (d < 2) rest = b_.CreateUDiv(rest, size);
  }
  b_.CreateBr(loop);
  b_.SetInsertPoint(loop);
  llvm::PHINode* block = b_.CreatePHI(b_.getInt64Ty(), 2, "block");
  std::array<llvm::PHINode*, 3> at{};
  for (unsigned d = 0; d < 3; ++d) {
    at[d] = b_.CreatePHI(narrow, 3, "at");
    at[d]->addIncoming(b_.getInt32(0), start);
    at[d]->addIncoming(firsts[d], inside);
  }
  block->addIncoming(first, start);
  block->addIncoming(first, inside);
  ids_.StartBlock(block, {at[0], at[1], at[2]});
  body(block);
  Value* next = b_.CreateAdd(block, b_.getInt64(1));
  BasicBlock* latch = b_.GetInsertBlock();
  block->addIncoming(next, latch);
  Value* carry = b_.getInt32(1);
  for (unsigned d = 0; d < 3; ++d) {
    Value* sum = b_.CreateAdd(at[d], carry);
    Value* wraps = d == 2 ? b_.getFalse() : b_.CreateICmpEQ(sum, ids_.Shape(false, d));
    at[d]->addIncoming(b_.CreateSelect(wraps, b_.getInt32(0), sum), latch);
    carry = b_.CreateZExt(wraps, narrow);
  }
  b_.CreateCondBr(b_.CreateICmpULT(next, args_.last), loop, after);
  b_.SetInsertPoint(after);
}

void BlockMode::Emit() {
  const size_t regions = regions_.entries.size();
  remarks_.Add(Remarks::About::kKernel, 0,
               regions == 1
                   ? llvm::Twine("block by block")
                   : "block by block, " + llvm::Twine(regions) + " regions between barriers");
  next_region_ = f_.NewSlot(b_.getInt32Ty(), "next.region");
  shared_.Allocate();
  const unsigned lanes = WholeLanes(plan_, f_.target(), regions_);
  if (lanes == 0) return EmitRegions(args_.first);
  remarks_.Add(Remarks::About::kKernel, 0, "blocks of " + llvm::Twine(lanes) + " lanes at once");
  BasicBlock* whole = f_.NewBlock("whole");
  BasicBlock* again = f_.NewBlock("again");
  BasicBlock* parts = f_.NewBlock("parts");
  BasicBlock* end = f_.NewBlock("blocks.end");
  b_.CreateCondBr(IsWholeShape(lanes), whole, parts);
  BasicBlock* before = b_.GetInsertBlock();
  b_.SetInsertPoint(whole);
  Value* faulty = EmitWholeBlocks(lanes, again);
  b_.CreateBr(end);
  b_.SetInsertPoint(again);
  b_.CreateBr(parts);
  b_.SetInsertPoint(parts);
  llvm::PHINode* first = b_.CreatePHI(b_.getInt64Ty(), 2, "first");
  first->addIncoming(args_.first, before);
  first->addIncoming(faulty, again);
  EmitRegions(first);
  b_.CreateBr(end);
  b_.SetInsertPoint(end);
}

bool BlockMode::Emit(uint32_t block) {
  const uint32_t barrier = plan_.block(block).end - 1;
  if (plan_.program().code[barrier].op != Opcode::kBarSync) reductions_.Store(barrier);
  if (plan_.successors[block][0] != verify::kExitBlock) {
    b_.CreateStore(b_.getInt32(block + 1), next_region_);
  }
  contexts_.Arrive();
  return false;
}

void BlockMode::EmitRegions(Value* first) {
  BlockLoop(first, [&](Value*) {
    shared_.Zero();
    local_.StartBlock();
    BasicBlock* latch = f_.NewBlock("block.latch");
    std::vector<BasicBlock*> heads;
    for (size_t r = 0; r < regions_.entries.size(); ++r) heads.push_back(f_.NewBlock("region"));
    b_.CreateBr(heads[0]);
    for (uint32_t r = 0; r < regions_.entries.size(); ++r) {
      b_.SetInsertPoint(heads[r]);
      EmitRegion(r);
      EmitNextRegion(r, heads, latch);
    }
    b_.SetInsertPoint(latch);
  });
}

// To the region behind the barrier that the lanes of this one came to.
void BlockMode::EmitNextRegion(uint32_t region, llvm::ArrayRef<BasicBlock*> heads,
                               BasicBlock* latch) {
  // The number of the block that ends with the barrier, plus 1. 0: all lanes are done.
  const Blocks blocks = RegionBlocks(plan_, regions_.entries[region]);
  llvm::SwitchInst* next = b_.CreateSwitch(b_.CreateLoad(b_.getInt32Ty(), next_region_), latch);
  for (uint32_t b : blocks) {
    if (!EndsAtBarrier(plan_, b) || plan_.successors[b][0] == verify::kExitBlock) continue;
    const uint32_t to = regions_.Behind(plan_, b);
    const uint32_t barrier = plan_.block(b).end - 1;
    if (plan_.program().code[barrier].op == Opcode::kBarSync) {
      next->addCase(b_.getInt32(b + 1), heads[to]);
      continue;
    }
    BasicBlock* reduce = f_.NewBlock("reduce");
    next->addCase(b_.getInt32(b + 1), reduce);
    b_.SetInsertPoint(reduce);
    reductions_.Finish(barrier);
    b_.CreateBr(heads[to]);
  }
}

// All rows of lanes of the block, in x, y, z order.
void BlockMode::EmitRegion(uint32_t region) {
  const Blocks blocks = RegionBlocks(plan_, regions_.entries[region]);
  contexts_.EnterRegion(region, blocks);
  remarks_.EnterRegion(region == 0 ? 0 : plan_.block(regions_.entries[region]).begin);
  b_.CreateStore(b_.getInt32(0), next_region_);
  reductions_.Fill(blocks);
  const auto wide = [&](Value* v) { return b_.CreateZExt(v, b_.getInt64Ty()); };
  Value* width = wide(ids_.Shape(true, 0));
  Value* height = wide(ids_.Shape(true, 1));
  Value* rows = b_.CreateMul(height, wide(ids_.Shape(true, 2)));
  BasicBlock* before = b_.GetInsertBlock();
  BasicBlock* body = f_.NewBlock("row");
  BasicBlock* after = f_.NewBlock("rows.after");
  b_.CreateBr(body);
  b_.SetInsertPoint(body);
  llvm::PHINode* row = b_.CreatePHI(b_.getInt64Ty(), 2, "row");
  llvm::PHINode* y = b_.CreatePHI(b_.getInt64Ty(), 2, "y");
  llvm::PHINode* z = b_.CreatePHI(b_.getInt64Ty(), 2, "z");
  ids_.StartRow(row, width, y, z);
  loop_.Emit(LanesOf(region, blocks, width), {blocks, regions_.entries[region], *this, &contexts_});
  contexts_.CommitRow();
  Value* next = b_.CreateAdd(row, b_.getInt64(1));
  Value* next_y = b_.CreateAdd(y, b_.getInt64(1));
  Value* wraps = b_.CreateICmpEQ(next_y, height);
  BasicBlock* latch = b_.GetInsertBlock();
  row->addIncoming(b_.getInt64(0), before);
  row->addIncoming(next, latch);
  y->addIncoming(b_.getInt64(0), before);
  y->addIncoming(b_.CreateSelect(wraps, b_.getInt64(0), next_y), latch);
  z->addIncoming(b_.getInt64(0), before);
  z->addIncoming(b_.CreateAdd(z, b_.CreateZExt(wraps, b_.getInt64Ty())), latch);
  b_.CreateCondBr(b_.CreateICmpULT(next, rows), body, after);
  b_.SetInsertPoint(after);
}

// The lanes of a row that have anything to do: of some regions, one.
LaneRange BlockMode::LanesOf(uint32_t region, const Blocks& blocks, Value* width) {
  const auto only = OnlyLane(plan_, blocks, regions_.entries[region]);
  if (!only) return {b_.getInt64(0), width};
  Value* end = b_.getInt64(*only + 1);
  return {b_.getInt64(*only), b_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, end, width)};
}

Value* BlockMode::IsWholeShape(unsigned lanes) {
  Value* is = b_.CreateICmpEQ(ids_.Shape(true, 0), b_.getInt32(lanes));
  for (unsigned d = 1; d < 3; ++d) {
    is = b_.CreateAnd(is, b_.CreateICmpEQ(ids_.Shape(true, d), b_.getInt32(1)));
  }
  return is;
}

// REQUIRES: IsWholeShape(lanes)
Value* BlockMode::EmitWholeBlocks(unsigned lanes, BasicBlock* again) {
  const LaneIds::Where before = ids_.where();
  ids_.FixBlockShape(lanes);
  const Blocks blocks = ReachableBlocks(plan_);
  Value* running = nullptr;
  faults_.RunAgainAt(again);
  BlockLoop(args_.first, [&](Value* block) {
    running = block;
    shared_.Zero();
    ids_.StartOnlyRow();
    chunks_.Emit(b_.getInt64(0), lanes / f_.target().width, nullptr, {blocks, 0, whole_, nullptr});
  });
  faults_.RunAgainAt(nullptr);
  ids_.Restore(before);
  return running;
}

}  // namespace hologram::codegen
