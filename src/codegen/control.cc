// Branches and masks. Every lane that runs is either in the mask of the current block or waits in
// the pending mask of exactly one other block, and no lane waits at a block before the current one
// in layout (program) order:
//   a divergent block starts by taking its pending mask, and ends by adding its lanes to the
//   pending masks of its successors; if any lane waits at a target of its back edges, control goes
//   to the earliest of them, else to the next block in layout order at which lanes may wait.
// A convergent block runs all live lanes of the chunk and keeps real branches. No instruction runs
// under an empty mask, but those of short blocks that neither fault nor touch memory: a block whose
// lanes have all faulted is left at once, and so is a chunk without live lanes. This is right for
// any control-flow graph; classes.cc says which blocks must be divergent. The random-CFG test of
// tests/differential is what holds this file to it.
#include <algorithm>

#include "codegen/lowering.h"
#include "math/functions.h"

namespace hologram::codegen {

using isa::Opcode;
using llvm::AllocaInst;
using llvm::BasicBlock;
using llvm::ConstantInt;

BasicBlock* Lowering::NewBlock(const char* name) {
  return BasicBlock::Create(context_, name, function_);
}

void Lowering::BranchUnlikely(Value* condition, BasicBlock* rare, BasicBlock* usual) {
  llvm::MDBuilder metadata(context_);
  b_.CreateCondBr(condition, rare, usual, metadata.createBranchWeights(1, 1U << 20));
}

llvm::Value* Lowering::AnyOf(const Values& masks) {
  Value* any = masks[0];
  for (size_t u = 1; u < masks.size(); ++u) any = b_.CreateOr(any, masks[u]);
  if (!any->getType()->isVectorTy()) return any;
  Value* bits = b_.CreateBitCast(any, b_.getIntNTy(target_.width));
  return b_.CreateICmpNE(bits, ConstantInt::get(bits->getType(), 0));
}

Values Lowering::LoadMask(const llvm::SmallVector<AllocaInst*, 4>& slots) {
  Values masks;
  for (AllocaInst* slot : slots) masks.push_back(b_.CreateLoad(slot->getAllocatedType(), slot));
  return masks;
}

void Lowering::EmitBlocks(const std::vector<uint32_t>& blocks, uint32_t entry) {
  const size_t count = plan_.successors.size();
  heads_.assign(count, nullptr);
  pending_.assign(count, {});
  Type* mask_type = VectorOf(b_.getInt1Ty());
  if (plan_.shares_returns) BeginSharedReturns();
  for (uint32_t b : blocks) {
    if (plan_.divergent[b] == 0 || parked_ != nullptr) continue;
    for (unsigned u = 0; u < unroll_; ++u) {
      pending_[b].push_back(NewSlot(mask_type, "pending"));
      b_.CreateStore(llvm::Constant::getNullValue(mask_type), pending_[b].back());
    }
  }
  for (uint32_t b : blocks) heads_[b] = NewBlock("b");
  if (!live_.empty()) {
    mask_ = LoadMask(live_);
    all_ = false;
  }
  EnterFromConvergent(entry);
  for (size_t i = 0; i < blocks.size(); ++i) EmitBlock(blocks[i], blocks, i);
  if (plan_.shares_returns) EmitSharedReturns(blocks);
}

Values Lowering::LoadPending(uint32_t block) {
  if (parked_ == nullptr) return LoadMask(pending_[block]);
  Value* bits = b_.CreateLoad(b_.getInt16Ty(), ParkedAddress(block));
  bits = b_.CreateTrunc(bits, b_.getIntNTy(target_.width));
  return {b_.CreateBitCast(bits, VectorOf(b_.getInt1Ty()))};
}

void Lowering::StorePending(uint32_t block, const Values& masks) {
  if (parked_ == nullptr) {
    for (unsigned u = 0; u < unroll_; ++u) b_.CreateStore(masks[u], pending_[block][u]);
    return;
  }
  Value* bits = b_.CreateBitCast(masks[0], b_.getIntNTy(target_.width));
  b_.CreateStore(b_.CreateZExt(bits, b_.getInt16Ty()), ParkedAddress(block));
}

// All live lanes go to block `to`, from outside any divergent block.
void Lowering::EnterFromConvergent(uint32_t to) {
  b_.CreateBr(TargetOfEdge(UINT32_MAX, to));
}

bool Lowering::NeedsAnyCheck(uint32_t block) const {
  constexpr uint32_t kCheapInstructions = 6;
  const verify::BasicBlock& b = plan_.block(block);
  if (b.end - b.begin > kCheapInstructions) return true;
  for (uint32_t pc = b.begin; pc < b.end; ++pc) {
    const isa::Instruction& in = plan_.program().code[pc];
    if (isa::IsJump(in.op)) continue;
    if (!IsPure(in) || math::FindFunction(in.op) != nullptr) return true;
  }
  return false;
}

void Lowering::EmitBlock(uint32_t block, const std::vector<uint32_t>& blocks, size_t position) {
  b_.SetInsertPoint(heads_[block]);
  block_ = block;
  agreed_ = kNoOperand;
  BasicBlock* next = done_;
  for (size_t i = position + 1; i < blocks.size() && next == done_; ++i) {
    if (plan_.divergent[blocks[i]] != 0 || !plan_.closed) next = heads_[blocks[i]];
  }
  if (!plan_.waiting.empty()) next = HeadOfNext(block, plan_.waiting[block]);
  if (plan_.divergent[block] != 0) {
    all_ = false;
    mask_ = LoadPending(block);
    StorePending(block, Values(unroll_, llvm::Constant::getNullValue(mask_[0]->getType())));
    if (NeedsAnyCheck(block)) {
      BasicBlock* run = NewBlock("run");
      b_.CreateCondBr(AnyOf(mask_), run, next);
      b_.SetInsertPoint(run);
    }
  } else if (!plan_.scalar) {
    all_ = full_ && live_.empty();
    mask_ = live_.empty() ? chunk_mask_ : LoadMask(live_);
  } else {
    all_ = true;
  }
  if (PollsAt(block)) EmitPoll();
  const verify::BasicBlock& b = plan_.block(block);
  leave_ = plan_.divergent[block] != 0 ? next : nullptr;
  for (uint32_t pc = b.begin; pc < b.end; ++pc) EmitInstruction(pc);
  leave_ = nullptr;  // faults on edges take lanes out of their edge only
  EmitTerminator(block, next);
}

// Counts down; what decides the jump is the counter as it was.
void Lowering::EmitLoop(uint32_t pc) {
  const OperandId counter = plan_.operands[pc].reads[0];
  const bool scalar = plan_.KindOf(counter) == Kind::kUniform;
  Values counts = Operand(counter, scalar);
  loops_on_.clear();
  for (Value*& count : counts) {
    Value* on = b_.CreateICmpNE(count, llvm::Constant::getNullValue(count->getType()));
    loops_on_.push_back(on);
    count = b_.CreateSub(count, b_.CreateZExt(on, count->getType()));
  }
  if (scalar) return WriteScalar(pc, counts[0]);
  Write(pc, std::move(counts));
}

// The predicate of a branch that the lanes agree about.
llvm::Value* Lowering::Taken(uint32_t block) {
  const isa::Instruction& last = plan_.program().code[plan_.block(block).end - 1];
  return last.op == Opcode::kLoop ? loops_on_[0] : Scalar(plan_.BranchOperand(block));
}

// The compiler keeps accesses on their side; on x86 that costs no instruction.
void Lowering::EmitFence(const isa::Instruction& in) {
  if (in.scope() == isa::Scope::kThread) return;
  if (!IsPtx(options_.level)) {
    const bool one_thread = in.scope() == isa::Scope::kBlock;  // runs all lanes of a block
    b_.CreateFence(llvm::AtomicOrdering::AcquireRelease,
                   one_thread ? llvm::SyncScope::SingleThread : llvm::SyncScope::System);
    return;
  }
  constexpr llvm::Intrinsic::ID kFence[] = {
      llvm::Intrinsic::not_intrinsic, llvm::Intrinsic::nvvm_membar_cta,
      llvm::Intrinsic::nvvm_membar_gl, llvm::Intrinsic::nvvm_membar_sys};
  b_.CreateIntrinsic(kFence[in.mod], {}, {});
}

void Lowering::EmitTerminator(uint32_t block, BasicBlock* next) {
  SetLine(plan_.block(block).end - 1);
  const isa::Instruction& last = plan_.program().code[plan_.block(block).end - 1];
  if (isa::IsBarrier(last.op) && !plan_.scalar && !whole_) {
    ArriveAtBarrier(block);
    b_.CreateBr(plan_.divergent[block] != 0 ? next : done_);
    return;
  }
  if (last.op == Opcode::kBlkRed) {
    const uint32_t pc = plan_.block(block).end - 1;
    whole_ ? EmitWholeReduction(pc) : EmitPtxReduction(pc, block);
  }
  if (last.op == Opcode::kBlkScan) {
    const uint32_t pc = plan_.block(block).end - 1;
    whole_ ? EmitWholeScan(pc) : EmitPtxScan(pc, block);
  }
  if (last.op == Opcode::kBarSync && !whole_) {
    b_.CreateIntrinsic(llvm::Intrinsic::nvvm_barrier_n, {}, {b_.getInt32(last.mod)});
  }
  const bool returns = plan_.Returns(block) && plan_.successors[block].size() > 1;
  if (returns && plan_.shares_returns) return EndSharedReturn(block, next);
  if (plan_.divergent[block] != 0) return EndDivergent(block, next);
  if (plan_.PartsLanes(block)) return EndVarying(block);
  EndConvergent(block);
}

// The block to jump to for an edge that all live lanes take together.
BasicBlock* Lowering::TargetOfEdge(uint32_t from, uint32_t to) {
  if (to == verify::kExitBlock) return done_;
  const bool counted = from != UINT32_MAX && plan_.IsCountedEdge(from, to);
  if (plan_.divergent[to] == 0 && !counted) return heads_[to];
  const llvm::IRBuilder<>::InsertPointGuard guard(b_);
  BasicBlock* edge = NewBlock("edge");
  b_.SetInsertPoint(edge);
  if (counted && plan_.scalar) {
    CountScalarBackEdge(from, CounterOf(from, to));
  } else {
    Values mask;
    for (unsigned u = 0; u < unroll_; ++u) mask.push_back(Mask(u));
    if (counted) mask = CountBackEdges(from, mask, CounterOf(from, to));
    if (plan_.divergent[to] != 0) StorePending(to, mask);
  }
  b_.CreateBr(heads_[to]);
  return edge;
}

void Lowering::EndConvergent(uint32_t block) {
  const std::vector<uint32_t>& successors = plan_.successors[block];
  for (const uint32_t to : successors) RemarkEdge(block, to, true);
  if (successors.empty()) {
    b_.CreateBr(done_);
    return;
  }
  if (successors.size() == 1 || (successors.size() == 2 && successors[0] == successors[1])) {
    b_.CreateBr(TargetOfEdge(block, successors[0]));
    return;
  }
  if (plan_.Returns(block)) return EndReturn(block);
  Value* taken = Taken(block);
  BasicBlock* yes = TargetOfEdge(block, successors[0]);
  BasicBlock* no = TargetOfEdge(block, successors[1]);
  b_.CreateCondBr(taken, yes, no);
}

void Lowering::Push(uint32_t to, const Values& mask) {
  Values all = LoadPending(to);
  for (unsigned u = 0; u < unroll_; ++u) all[u] = b_.CreateOr(all[u], mask[u]);
  StorePending(to, all);
}

// The running lanes that go to successor number `successor`.
Values Lowering::MaskOfEdge(uint32_t block, size_t successor) {
  const std::vector<uint32_t>& successors = plan_.successors[block];
  const isa::Instruction& last = plan_.program().code[plan_.block(block).end - 1];
  Values result;
  for (unsigned u = 0; u < unroll_; ++u) {
    Value* mask = Mask(u);
    if (last.op == Opcode::kRet && successors.size() > 1) {
      Value* number = ConstantInt::get(returned_[u]->getType(), successor);
      mask = b_.CreateAnd(mask, b_.CreateICmpEQ(returned_[u], number));
    } else if (successors.size() == 2 && last.branches()) {
      Value* taken =
          last.op == Opcode::kLoop ? loops_on_[u] : Vector(plan_.BranchOperand(block), u);
      mask = b_.CreateAnd(mask, successor == 0 ? taken : b_.CreateNot(taken));
    }
    result.push_back(mask);
  }
  return result;
}

// After a comparison of integers that differ by a constant from lane to lane: what the first and
// the last lane of the chunk have decides for all between, so that a branch can ask whether they
// agree. `i < n` holds in all lanes of a chunk but for the last one of an array.
void Lowering::NoteAgreement(uint32_t pc) {
  const isa::Instruction& in = plan_.program().code[pc];
  const bool exact = isa::IsInteger(in.type) && in.type != isa::Type::kU64;
  if (in.op != Opcode::kSet || !exact || !all_ || plan_.scalar) return;
  if (in.condition() == isa::Condition::kEq || in.condition() == isa::Condition::kNe) return;
  const OperandId sides[] = {plan_.operands[pc].reads[0], plan_.operands[pc].reads[1]};
  std::array<Value*, 2> first{};
  std::array<Value*, 2> last{};
  for (size_t k = 0; k < 2; ++k) {
    const OperandId id = sides[k];
    const Kind kind = plan_.KindOf(id);
    if (id == kNoOperand || kind == Kind::kVarying) return;
    const int64_t stride = kind == Kind::kUniform ? 0
                           : IsFixed(id)          ? 1
                                                  : plan_.webs[static_cast<size_t>(id)].stride;
    const int64_t lanes = int64_t{target_.width} * unroll_;
    first[k] = Exact(id);
    last[k] = b_.CreateAdd(first[k], ConstantInt::getSigned(b_.getInt64Ty(), stride * (lanes - 1)));
  }
  isa::Instruction wide = in;
  wide.type = isa::Type::kI64;
  agreed_ = plan_.operands[pc].write;
  first_agrees_ = Compare(wide, first[0], first[1]);
  last_agrees_ = Compare(wide, last[0], last[1]);
}

// Straight code behind which all lanes are together again.
bool Lowering::CanGoTogether(uint32_t block, uint32_t to) const {
  constexpr size_t kMostInstructions = 40;
  if (to == verify::kExitBlock || plan_.divergent[to] == 0) return true;
  const verify::BasicBlock& b = plan_.block(to);
  if (b.predecessors.size() != 1 || plan_.successors[to].size() != 1 || to <= block) return false;
  if (isa::IsBarrier(plan_.program().code[b.end - 1].op)) return false;
  const uint32_t join = plan_.successors[to][0];
  if (join != verify::kExitBlock && (join <= to || plan_.divergent[join] != 0)) return false;
  return BodySize({to}) <= kMostInstructions;
}

BasicBlock* Lowering::TogetherTo(uint32_t block, uint32_t to) {
  if (to == verify::kExitBlock || plan_.divergent[to] == 0) return TargetOfEdge(block, to);
  const llvm::IRBuilder<>::InsertPointGuard guard(b_);
  BasicBlock* copy = NewBlock("together");
  b_.SetInsertPoint(copy);
  const uint32_t before = block_;
  together_ = true;
  block_ = to;
  for (uint32_t pc = plan_.block(to).begin; pc < plan_.block(to).end; ++pc) EmitInstruction(pc);
  b_.CreateBr(TargetOfEdge(to, plan_.successors[to][0]));
  together_ = false;
  block_ = before;
  return copy;
}

// A convergent block whose lanes may part: if they agree, there is a real branch, to a copy of the
// code on their side that has no mask. Otherwise, between here and the join everything is
// divergent, and the join, if it is convergent, is reached by falling out of the last block before
// it.
void Lowering::EndVarying(uint32_t block) {
  const std::vector<uint32_t>& successors = plan_.successors[block];
  const bool compared = agreed_ != kNoOperand && agreed_ == plan_.BranchOperand(block);
  if (compared && all_ && live_.empty() && CanGoTogether(block, successors[0]) &&
      CanGoTogether(block, successors[1])) {
    BasicBlock* agree = NewBlock("agree");
    BasicBlock* part = NewBlock("part");
    Value* taken = first_agrees_;  // a comparison in the copies is noted in its place
    b_.CreateCondBr(b_.CreateICmpEQ(taken, last_agrees_), agree, part);
    b_.SetInsertPoint(agree);
    BasicBlock* yes = TogetherTo(block, successors[0]);
    BasicBlock* no = TogetherTo(block, successors[1]);
    b_.CreateCondBr(taken, yes, no);
    b_.SetInsertPoint(part);
  }
  for (size_t i = 0; i < successors.size(); ++i) {
    const uint32_t to = successors[i];
    if (to != verify::kExitBlock) PushEdge(block, to, MaskOfEdge(block, i));
  }
  const uint32_t first = plan_.FirstOfParted(block);
  b_.CreateBr(first == verify::kExitBlock ? done_ : heads_[first]);
}

// Lanes take an edge to `to`; a convergent join runs all live lanes, so it has no pending mask.
void Lowering::PushEdge(uint32_t block, uint32_t to, Values mask) {
  if (plan_.IsCountedEdge(block, to)) {
    mask = CountBackEdges(block, mask, CounterOf(block, to));
  }
  if (plan_.divergent[to] != 0) Push(to, mask);
}

// Lanes that agree stay together: a real branch, in which each side pushes the whole mask.
void Lowering::EndDivergent(uint32_t block, BasicBlock* next) {
  const std::vector<uint32_t>& successors = plan_.successors[block];
  if (plan_.PartsLanes(block)) return LeaveDivergent(block, successors, next);
  if (!plan_.Branches(block)) {
    return LeaveDivergent(block, llvm::ArrayRef(successors).take_front(1), next);
  }
  BasicBlock* sides[] = {NewBlock("taken"), NewBlock("not.taken")};
  b_.CreateCondBr(Taken(block), sides[0], sides[1]);
  for (size_t i = 0; i < 2; ++i) {
    b_.SetInsertPoint(sides[i]);
    LeaveDivergent(block, successors[i], next);
  }
}

// The lanes go to some of `targets`; then lanes at the target of a back edge run first. waiting.cc
// follows these jumps.
void Lowering::LeaveDivergent(uint32_t block, llvm::ArrayRef<uint32_t> targets, BasicBlock* next) {
  Values waiting;
  uint32_t back = verify::kExitBlock;
  BlockSet rest;
  if (!plan_.waiting.empty()) rest = plan_.waiting[block];
  for (size_t i = 0; i < targets.size(); ++i) {
    const uint32_t to = targets[i];
    if (to == verify::kExitBlock) continue;
    RemarkEdge(block, to, false);
    Values mask;
    for (unsigned u = 0; targets.size() == 1 && u < unroll_; ++u) mask.push_back(Mask(u));
    if (targets.size() > 1) mask = MaskOfEdge(block, i);
    PushEdge(block, to, std::move(mask));
    if (to > block && !plan_.waiting.empty()) rest.set(to);
    if (to <= block && plan_.divergent[to] != 0) back = std::min(back, to);
  }
  for (uint32_t to : targets) {
    if (to == verify::kExitBlock || to > block || plan_.divergent[to] == 0) continue;
    for (Value* mask : LoadPending(to)) waiting.push_back(mask);
  }
  if (!plan_.waiting.empty()) next = HeadOfNext(block, rest);
  if (back == verify::kExitBlock) {
    b_.CreateBr(next);
  } else {
    b_.CreateCondBr(AnyOf(waiting), heads_[back], next);
  }
}

BasicBlock* Lowering::HeadOfNext(uint32_t block, const BlockSet& lanes) {
  const uint32_t next = NextWaiting(block, lanes);
  return next == verify::kExitBlock ? done_ : heads_[next];
}

// What a counted edge counts on.
Lowering::Counter Lowering::CounterOf(uint32_t from, uint32_t to) const {
  if (plan_.IsLimitedEdge(from, to)) return {rounds_, most_rounds_};
  return {counts_, budget_};
}

// Takes a back edge in the lanes of `mask`; returns those whose budget is not spent.
Values Lowering::CountBackEdges(uint32_t block, const Values& mask, const Counter& counter) {
  Values bad;
  Values counts;
  Type* wide = VectorOf(b_.getInt64Ty());
  for (unsigned u = 0; u < unroll_; ++u) {
    Value* count = b_.CreateLoad(wide, counter.slots[u]);
    bad.push_back(b_.CreateAnd(mask[u], b_.CreateICmpUGE(count, Splat(counter.most))));
    b_.CreateStore(b_.CreateAdd(count, b_.CreateZExt(mask[u], wide)), counter.slots[u]);
  }
  // The lanes of another edge stay as they are.
  const Values saved_mask = mask_;
  const bool saved_all = all_;
  mask_ = mask;
  all_ = false;
  FaultLanes(HOLOGRAM_FAULT_BUDGET, plan_.block(block).end - 1, bad, {});
  const Values rest = mask_;
  mask_ = saved_mask;
  all_ = saved_all;
  return rest;
}

void Lowering::CountScalarBackEdge(uint32_t block, const Counter& counter) {
  Value* count = b_.CreateLoad(b_.getInt64Ty(), counter.slots[0]);
  b_.CreateStore(b_.CreateAdd(count, b_.getInt64(1)), counter.slots[0]);
  FaultAll(HOLOGRAM_FAULT_BUDGET, plan_.block(block).end - 1, b_.CreateICmpUGE(count, counter.most),
           b_.getInt64(0));
}

}  // namespace hologram::codegen
