// Kernels that know about blocks of lanes. Blocks run one after the other, and inside a block one
// region after the other: a region is everything that can be reached from the start, or from behind
// a barrier, without passing a barrier. For each region all lanes of the block run, row by row, and
// every lane ends at the exit or at the one barrier that the verifier has proved to be the same for
// all; that decides the next region. A program block that two regions reach is emitted in both.
//
// What lives across a barrier goes to arrays: varying webs one element per lane, uniform and affine
// ones one per row (affine: what lane 0 would have); webs that depend on ids and parameters only
// are computed again. A row is run in several chunks that all start from the same values, so what a
// chunk leaves in the row's element is seen only after the row.
#include "codegen/lowering.h"

namespace hologram::codegen {

using isa::Opcode;
using isa::Sreg;
using llvm::AllocaInst;
using llvm::BasicBlock;

namespace {

bool EndsAtBarrier(const Plan& plan, uint32_t block) {
  return isa::IsBarrier(plan.program().code[plan.block(block).end - 1].op);
}

}  // namespace

std::vector<uint32_t> Lowering::RegionBlocks(uint32_t entry) const {
  std::vector<char> seen(plan_.successors.size(), 0);
  std::vector<uint32_t> work{entry};
  seen[entry] = 1;
  while (!work.empty()) {
    const uint32_t b = work.back();
    work.pop_back();
    if (EndsAtBarrier(plan_, b)) continue;
    for (uint32_t s : plan_.successors[b]) {
      if (s == verify::kExitBlock || seen[s] != 0) continue;
      seen[s] = 1;
      work.push_back(s);
    }
  }
  std::vector<uint32_t> blocks;
  for (uint32_t b = 0; b < seen.size(); ++b) {
    if (seen[b] != 0) blocks.push_back(b);
  }
  return blocks;
}

void Lowering::FindRegions() {
  region_entries_ = {0};
  tracks_alive_ = false;
  for (uint32_t b : ReachableBlocks()) {
    if (!EndsAtBarrier(plan_, b)) continue;
    tracks_alive_ |= plan_.divergent[b] != 0 || plan_.may_fault;
    const uint32_t after = plan_.successors[b][0];
    if (after == verify::kExitBlock) continue;
    if (std::find(region_entries_.begin(), region_entries_.end(), after) == region_entries_.end()) {
      region_entries_.push_back(after);
    }
  }
}

// Calls body(number of the block) for each block of the launch that is asked for, with the ids of
// blocks set. They are counted: two divisions for each block would take as long as a small one.
void Lowering::EmitBlockLoop(llvm::function_ref<void(Value*)> body) {
  Type* narrow = b_.getInt32Ty();
  BasicBlock* start = NewBlock("blocks");
  BasicBlock* loop = NewBlock("block");
  BasicBlock* after = NewBlock("blocks.after");
  b_.CreateCondBr(b_.CreateICmpULT(first_, last_), start, after);
  b_.SetInsertPoint(start);
  BasicBlock* inside = NewBlock("blocks.inside");
  b_.CreateCondBr(b_.CreateICmpEQ(first_, b_.getInt64(0)), loop, inside);
  b_.SetInsertPoint(inside);
  std::array<Value*, 3> firsts{};
  Value* rest = first_;
  for (unsigned d = 0; d < 3; ++d) {
    Value* size = b_.CreateZExt(ShapeValue(false, d), b_.getInt64Ty());
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
    ids_[static_cast<size_t>(Sreg::kBlockX) + d] = at[d];
  }
  block->addIncoming(first_, start);
  block->addIncoming(first_, inside);
  const auto extend = [&](Value* v) { return b_.CreateZExt(v, b_.getInt64Ty()); };
  global_base_ = b_.CreateMul(extend(at[0]), extend(ShapeValue(true, 0)));
  block_lanes_ = b_.CreateMul(block, BlockLanes());
  body(block);
  Value* next = b_.CreateAdd(block, b_.getInt64(1));
  BasicBlock* latch = b_.GetInsertBlock();
  block->addIncoming(next, latch);
  Value* carry = b_.getInt32(1);
  for (unsigned d = 0; d < 3; ++d) {
    Value* sum = b_.CreateAdd(at[d], carry);
    Value* wraps = d == 2 ? b_.getFalse() : b_.CreateICmpEQ(sum, ShapeValue(false, d));
    at[d]->addIncoming(b_.CreateSelect(wraps, b_.getInt32(0), sum), latch);
    carry = b_.CreateZExt(wraps, narrow);
  }
  b_.CreateCondBr(b_.CreateICmpULT(next, last_), loop, after);
  b_.SetInsertPoint(after);
}

void Lowering::ZeroShared() {
  const uint32_t bytes = plan_.program().SharedBytes();
  if (bytes == 0) return;
  // A loop of vector stores: a call of memset would need a symbol from outside.
  constexpr uint32_t kStep = 64;
  Type* type = llvm::FixedVectorType::get(b_.getInt8Ty(), kStep);
  BasicBlock* before = b_.GetInsertBlock();
  BasicBlock* body = NewBlock("zero");
  BasicBlock* after = NewBlock("zeroed");
  b_.CreateBr(body);
  b_.SetInsertPoint(body);
  llvm::PHINode* at = b_.CreatePHI(b_.getInt64Ty(), 2);
  b_.CreateAlignedStore(llvm::Constant::getNullValue(type),
                        b_.CreateGEP(b_.getInt8Ty(), shared_, at), llvm::Align(kStep));
  Value* next = b_.CreateAdd(at, b_.getInt64(kStep));
  at->addIncoming(b_.getInt64(0), before);
  at->addIncoming(next, body);
  b_.CreateCondBr(b_.CreateICmpULT(next, b_.getInt64(bytes)), body, after);
  b_.SetInsertPoint(after);
}

void Lowering::EmitBlockMode() {
  FindRegions();
  const size_t regions = region_entries_.size();
  Remark(Remarks::About::kKernel, 0,
         regions == 1 ? llvm::Twine("block by block")
                      : "block by block, " + llvm::Twine(regions) + " regions between barriers");
  contexts_.assign(plan_.webs.size(), nullptr);
  alive_ = nullptr;
  counts_context_ = nullptr;
  rounds_context_ = nullptr;
  local_ = nullptr;
  reductions_.clear();
  next_region_ = NewSlot(b_.getInt32Ty(), "next.region");
  if (plan_.program().SharedBytes() != 0) {
    AllocaInst* shared =
        NewSlot(llvm::ArrayType::get(b_.getInt8Ty(), plan_.program().SharedBytes()), "shared");
    shared->setAlignment(llvm::Align(64));
    shared_ = shared;
  }
  const unsigned lanes = WholeLanes();
  if (lanes == 0) {
    EmitRegions();
  } else {
    BasicBlock* whole = NewBlock("whole");
    BasicBlock* parts = NewBlock("parts");
    BasicBlock* end = NewBlock("blocks.end");
    b_.CreateCondBr(IsWholeShape(lanes), whole, parts);
    b_.SetInsertPoint(whole);
    EmitWholeBlocks(lanes);
    b_.CreateBr(end);
    b_.SetInsertPoint(parts);
    EmitRegions();
    b_.CreateBr(end);
    b_.SetInsertPoint(end);
  }
  region_entries_.clear();
}

void Lowering::EmitRegions() {
  EmitBlockLoop([&](Value* /*block*/) {
    ZeroShared();
    AllocateBlockLocal();
    BasicBlock* latch = NewBlock("block.latch");
    region_heads_.clear();
    for (size_t r = 0; r < region_entries_.size(); ++r) region_heads_.push_back(NewBlock("region"));
    b_.CreateBr(region_heads_[0]);
    for (uint32_t r = 0; r < region_entries_.size(); ++r) {
      b_.SetInsertPoint(region_heads_[r]);
      EmitRegion(r);
      EmitNextRegion(latch);
    }
    b_.SetInsertPoint(latch);
  });
}

// To the region behind the barrier that the lanes of this one came to.
void Lowering::EmitNextRegion(BasicBlock* latch) {
  // The number of the block that ends with the barrier, plus 1. 0: all lanes are done.
  llvm::SwitchInst* next = b_.CreateSwitch(b_.CreateLoad(b_.getInt32Ty(), next_region_), latch);
  for (uint32_t b : region_blocks_) {
    if (!EndsAtBarrier(plan_, b) || plan_.successors[b][0] == verify::kExitBlock) continue;
    const auto found =
        std::find(region_entries_.begin(), region_entries_.end(), plan_.successors[b][0]);
    const auto to = static_cast<uint32_t>(found - region_entries_.begin());
    const uint32_t barrier = plan_.block(b).end - 1;
    const Opcode op = plan_.program().code[barrier].op;
    if (op == Opcode::kBarSync) {
      next->addCase(b_.getInt32(b + 1), region_heads_[to]);
      continue;
    }
    BasicBlock* reduce = NewBlock("reduce");
    next->addCase(b_.getInt32(b + 1), reduce);
    b_.SetInsertPoint(reduce);
    op == Opcode::kBlkScan ? EmitBlockScan(barrier) : EmitBlockReduction(barrier);
    b_.CreateBr(region_heads_[to]);
  }
}

// All rows of lanes of the block, in x, y, z order.
void Lowering::EmitRegion(uint32_t region) {
  region_ = region;
  region_blocks_ = RegionBlocks(region_entries_[region]);
  b_.CreateStore(b_.getInt32(0), next_region_);
  FillReductions();
  const auto wide = [&](Value* v) { return b_.CreateZExt(v, b_.getInt64Ty()); };
  Value* width = wide(ShapeValue(true, 0));
  Value* height = wide(ShapeValue(true, 1));
  Value* rows = b_.CreateMul(height, wide(ShapeValue(true, 2)));
  BasicBlock* before = b_.GetInsertBlock();
  BasicBlock* body = NewBlock("row");
  BasicBlock* after = NewBlock("rows.after");
  b_.CreateBr(body);
  b_.SetInsertPoint(body);
  llvm::PHINode* row = b_.CreatePHI(b_.getInt64Ty(), 2, "row");
  llvm::PHINode* y = b_.CreatePHI(b_.getInt64Ty(), 2, "y");
  llvm::PHINode* z = b_.CreatePHI(b_.getInt64Ty(), 2, "z");
  row_ = row;
  row_lanes_ = b_.CreateMul(row, width);
  linear_base_ = b_.CreateAdd(block_lanes_, row_lanes_);
  const std::array<Value*, 3> lane{nullptr, y, z};
  for (unsigned d = 1; d < 3; ++d) {
    Value* narrow = b_.CreateTrunc(lane[d], b_.getInt32Ty());
    ids_[static_cast<size_t>(Sreg::kLaneX) + d] = narrow;
    ids_[static_cast<size_t>(Sreg::kGlobalX) + d] = b_.CreateAdd(
        b_.CreateMul(ids_[static_cast<size_t>(Sreg::kBlockX) + d], ShapeValue(true, d)), narrow);
  }
  EmitLaneLoops(LanesOfRegion(region_entries_[region], width), region_blocks_, false);
  CommitRow();
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

// The lanes of a row that have anything to do in a region that starts with `if t == 3:` and ends
// the block: the others only leave.
Lowering::Limits Lowering::LanesOfRegion(uint32_t entry, Value* width) {
  const Limits all{b_.getInt64(0), width};
  const auto& code = plan_.program().code;
  if (std::any_of(region_blocks_.begin(), region_blocks_.end(),
                  [&](uint32_t b) { return EndsAtBarrier(plan_, b); })) {
    return all;
  }
  for (uint32_t pc = plan_.block(entry).begin; pc + 1 < plan_.block(entry).end; ++pc) {
    if (!IsPure(code[pc])) return all;
  }
  const isa::Instruction& last = code[plan_.block(entry).end - 1];
  if (last.op != Opcode::kBra || plan_.successors[entry].size() != 2) return all;
  const auto set = plan_.DefinitionOf(plan_.operands[plan_.block(entry).end - 1].predicates[0]);
  if (!set || code[*set].op != Opcode::kSet) return all;
  const isa::Condition condition = code[*set].condition();
  if (condition != isa::Condition::kEq && condition != isa::Condition::kNe) return all;
  const size_t idle = condition == isa::Condition::kEq ? 1 : 0;
  if (!OnlyExits(plan_, plan_.successors[entry][idle])) return all;
  for (size_t side = 0; side < 2; ++side) {
    const auto id = plan_.DefinitionOf(plan_.operands[*set].reads[side]);
    const auto number = plan_.DefinitionOf(plan_.operands[*set].reads[1 - side]);
    if (!id || code[*id].op != Opcode::kReadSreg || code[*id].sreg() != Sreg::kLaneX) continue;
    if (!number || code[*number].op != Opcode::kMovImm || code[*number].imm > UINT32_MAX) continue;
    Value* first = b_.getInt64(code[*number].imm);
    Value* end = b_.getInt64(code[*number].imm + 1);
    return {first, b_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, end, width)};
  }
  return all;
}

// The array of a web that lives across a barrier: an element per lane, or two rows of elements per
// row of lanes, before and after the region.
llvm::Value* Lowering::ContextArray(OperandId web, Type*& element) {
  const bool varying = plan_.KindOf(web) == Kind::kVarying;
  element = plan_.KindOf(web) == Kind::kAffine ? b_.getInt64Ty() : TypeOfWeb(web);
  if (element->isIntegerTy(1)) element = b_.getInt8Ty();
  Value*& array = contexts_[static_cast<size_t>(web)];
  if (array == nullptr) {
    const uint64_t count = uint64_t{isa::kMaxLanesPerBlock} * (varying ? 1 : 2);
    AllocaInst* slot = NewSlot(llvm::ArrayType::get(element, count), "context");
    slot->setAlignment(llvm::Align(64));
    array = slot;
  }
  return array;
}

llvm::Value* Lowering::LaneContext(OperandId web) {
  Type* element = nullptr;
  Value* array = ContextArray(web, element);
  Value* lane = b_.CreateAdd(row_lanes_, ids_[static_cast<size_t>(Sreg::kLaneX)]);
  return b_.CreateGEP(element, array, lane);
}

llvm::Value* Lowering::RowContext(OperandId web, bool after) {
  Type* element = nullptr;
  Value* array = ContextArray(web, element);
  Value* at = after ? b_.CreateAdd(row_, b_.getInt64(isa::kMaxLanesPerBlock)) : row_;
  return b_.CreateGEP(element, array, at);
}

// How far the first lane of the chunk is from what lane 0 of the row has.
llvm::Value* Lowering::ChunkOffset(OperandId web) {
  const Web& one = plan_.webs[static_cast<size_t>(web)];
  return b_.CreateMul(ids_[static_cast<size_t>(Sreg::kLaneX)],
                      b_.getInt64(static_cast<uint64_t>(one.stride)));
}

// Makes what the chunks of this row have left the start of the next region.
void Lowering::CommitRow() {
  for (OperandId web : WebsAcrossBarriers()) {
    if (!KeptPerRow(web)) continue;
    Type* element = nullptr;
    ContextArray(web, element);
    b_.CreateStore(b_.CreateLoad(element, RowContext(web, true)), RowContext(web, false));
  }
}

bool Lowering::KeptPerRow(OperandId web) const {
  const Web& one = plan_.webs[static_cast<size_t>(web)];
  return one.kind != Kind::kVarying && !one.invariant;
}

// What is live behind the barriers that this region ends at.
std::vector<OperandId> Lowering::WebsAcrossBarriers() const {
  std::vector<OperandId> wanted;
  for (uint32_t b : region_blocks_) {
    if (!EndsAtBarrier(plan_, b) || plan_.successors[b][0] == verify::kExitBlock) continue;
    for (OperandId web : plan_.live_in[plan_.successors[b][0]]) {
      if (std::find(wanted.begin(), wanted.end(), web) == wanted.end()) wanted.push_back(web);
    }
  }
  return wanted;
}

Values Lowering::ReadLanes(Value* array, Type* element, bool as_bool) {
  Type* type = VectorOf(element);
  const llvm::Align align(element->getScalarSizeInBits() / 8);
  Values values;
  for (unsigned u = 0; u < unroll_; ++u) {
    Value* address = b_.CreateConstGEP1_64(element, array, uint64_t{u} * target_.width);
    Value* value = full_ ? static_cast<Value*>(b_.CreateAlignedLoad(type, address, align))
                         : b_.CreateMaskedLoad(type, address, align, chunk_mask_[u],
                                               llvm::Constant::getNullValue(type));
    if (as_bool) value = b_.CreateICmpNE(value, llvm::Constant::getNullValue(type));
    values.push_back(value);
  }
  return values;
}

void Lowering::WriteLanes(Value* array, const Values& values) {
  for (unsigned u = 0; u < unroll_; ++u) {
    Value* value = values[u];
    if (value->getType()->getScalarType()->isIntegerTy(1)) {
      value = b_.CreateZExt(value, VectorOf(b_.getInt8Ty()));
    }
    Type* element = value->getType()->getScalarType();
    const llvm::Align align(element->getScalarSizeInBits() / 8);
    Value* address = b_.CreateConstGEP1_64(element, array, uint64_t{u} * target_.width);
    if (full_) {
      b_.CreateAlignedStore(value, address, align);
    } else {
      b_.CreateMaskedStore(value, address, align, chunk_mask_[u]);
    }
  }
}

// What lanes have counted before the barrier; nothing if they count nothing.
void Lowering::LoadCounts(Value* context, const llvm::SmallVector<AllocaInst*, 4>& slots,
                          Value* lane) {
  if (slots.empty() || context == nullptr) return;
  const Values counts =
      ReadLanes(b_.CreateGEP(b_.getInt64Ty(), context, lane), b_.getInt64Ty(), false);
  for (unsigned u = 0; u < unroll_; ++u) b_.CreateStore(counts[u], slots[u]);
}

void Lowering::StoreCounts(Value*& context, const llvm::SmallVector<AllocaInst*, 4>& slots,
                           Value* lane) {
  if (slots.empty()) return;
  if (context == nullptr) {
    context = NewSlot(llvm::ArrayType::get(b_.getInt64Ty(), isa::kMaxLanesPerBlock), "counts");
  }
  WriteLanes(b_.CreateGEP(b_.getInt64Ty(), context, lane), LoadMask(slots));
}

void Lowering::LoadContext(uint32_t entry) {
  Type* mask_type = VectorOf(b_.getInt1Ty());
  if (tracks_alive_) {
    if (alive_ == nullptr) {
      AllocaInst* slot =
          NewSlot(llvm::ArrayType::get(b_.getInt8Ty(), isa::kMaxLanesPerBlock), "alive");
      slot->setAlignment(llvm::Align(64));
      alive_ = slot;
    }
    for (unsigned u = 0; u < unroll_; ++u) {
      arrived_.push_back(NewSlot(mask_type, "arrived"));
      b_.CreateStore(llvm::Constant::getNullValue(mask_type), arrived_[u]);
    }
  }
  if (region_ == 0) return;
  Value* lane = b_.CreateAdd(row_lanes_, ids_[static_cast<size_t>(Sreg::kLaneX)]);
  if (tracks_alive_) {
    const Values alive =
        ReadLanes(b_.CreateGEP(b_.getInt8Ty(), alive_, lane), b_.getInt8Ty(), true);
    for (unsigned u = 0; u < unroll_; ++u) b_.CreateStore(alive[u], live_[u]);
  }
  LoadCounts(counts_context_, counts_, lane);
  LoadCounts(rounds_context_, rounds_, lane);
  for (OperandId web : plan_.live_in[entry]) {
    const Web& one = plan_.webs[static_cast<size_t>(web)];
    if (one.invariant && one.kind != Kind::kVarying) {
      Rematerialize(web);
    } else if (one.kind != Kind::kVarying) {
      auto& slots = SlotsOf(web);
      Type* type = slots[0]->getAllocatedType();
      Value* address = RowContext(web, false);
      Value* value = type->isIntegerTy(1)
                         ? b_.CreateTrunc(b_.CreateLoad(b_.getInt8Ty(), address), type)
                         : b_.CreateLoad(type, address);
      if (one.kind == Kind::kAffine) value = b_.CreateAdd(value, ChunkOffset(web));
      b_.CreateStore(value, slots[0]);
    } else {
      const bool as_bool = one.is_predicate();
      Type* element = as_bool ? b_.getInt8Ty() : TypeOfWeb(web);
      const Values values = ReadLanes(LaneContext(web), element, as_bool);
      auto& slots = SlotsOf(web);
      for (unsigned u = 0; u < unroll_; ++u) b_.CreateStore(values[u], slots[u]);
    }
  }
  if (!live_.empty()) {
    BasicBlock* some = NewBlock("some");
    b_.CreateCondBr(AnyOf(LoadMask(live_)), some, done_);
    b_.SetInsertPoint(some);
  }
}

void Lowering::StoreContext() {
  const bool continues = std::any_of(region_blocks_.begin(), region_blocks_.end(), [&](uint32_t b) {
    return EndsAtBarrier(plan_, b) && plan_.successors[b][0] != verify::kExitBlock;
  });
  if (!continues) return;
  Value* lane = b_.CreateAdd(row_lanes_, ids_[static_cast<size_t>(Sreg::kLaneX)]);
  if (tracks_alive_) {
    WriteLanes(b_.CreateGEP(b_.getInt8Ty(), alive_, lane), LoadMask(arrived_));
  }
  StoreCounts(counts_context_, counts_, lane);
  StoreCounts(rounds_context_, rounds_, lane);
  // Values of the row come from a chunk that went on: they are stale in one whose lanes have all
  // faulted or returned.
  const std::vector<OperandId> webs = WebsAcrossBarriers();
  for (OperandId web : webs) {
    if (plan_.KindOf(web) == Kind::kVarying) WriteLanes(LaneContext(web), LoadMask(SlotsOf(web)));
  }
  if (std::none_of(webs.begin(), webs.end(), [&](OperandId web) { return KeptPerRow(web); })) {
    return;
  }
  BasicBlock* kept = nullptr;
  if (tracks_alive_) {
    BasicBlock* keep = NewBlock("keep.row");
    kept = NewBlock("kept.row");
    b_.CreateCondBr(AnyOf(LoadMask(arrived_)), keep, kept);
    b_.SetInsertPoint(keep);
  }
  for (OperandId web : webs) {
    if (!KeptPerRow(web)) continue;
    auto& slots = SlotsOf(web);
    Value* value = b_.CreateLoad(slots[0]->getAllocatedType(), slots[0]);
    if (value->getType()->isIntegerTy(1)) value = b_.CreateZExt(value, b_.getInt8Ty());
    if (plan_.KindOf(web) == Kind::kAffine) value = b_.CreateSub(value, ChunkOffset(web));
    b_.CreateStore(value, RowContext(web, true));
  }
  if (kept == nullptr) return;
  b_.CreateBr(kept);
  b_.SetInsertPoint(kept);
}

void Lowering::ArriveAtBarrier(uint32_t block) {
  const uint32_t after = plan_.successors[block][0];
  const uint32_t barrier = plan_.block(block).end - 1;
  if (plan_.program().code[barrier].op != Opcode::kBarSync) StoreForReduction(barrier);
  if (after != verify::kExitBlock) b_.CreateStore(b_.getInt32(block + 1), next_region_);
  for (unsigned u = 0; u < arrived_.size(); ++u) {
    Value* before = b_.CreateLoad(arrived_[u]->getAllocatedType(), arrived_[u]);
    b_.CreateStore(b_.CreateOr(before, Mask(u)), arrived_[u]);
  }
}

}  // namespace hologram::codegen
