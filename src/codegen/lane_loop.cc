// The loop over the lanes of a row, three times: U vectors at once, one vector, and one vector
// under a mask for the rest, so that a mask costs only in the tail. Bodies that are long to compile
// run whole vectors of the rest under the mask too. Guards that were taken out of the body narrow
// the range first. The streaming form leaves the lanes before the stored buffer reaches the
// alignment of a vector to the plain one.
#include <algorithm>

#include "codegen/lowering.h"
#include "math/functions.h"

namespace hologram::codegen {

using llvm::BasicBlock;
using llvm::ConstantInt;
namespace intrinsic = llvm::Intrinsic;

// What a copy of the body costs to compile, in simple instructions.
size_t Lowering::BodySize(const std::vector<uint32_t>& blocks) const {
  size_t size = 0;
  const auto& code = plan_.program().code;
  const auto add = [&](uint32_t pc) {
    const isa::Opcode op = code[pc].op;
    // What is the same for all lanes, or their number, is computed once for all copies.
    const bool once = !isa::IsReduce(op) && !isa::IsStore(op) && !isa::IsBarrier(op) &&
                      plan_.KindOfResult(pc) != Kind::kVarying;
    if (once && plan_.unit == HOLOGRAM_UNIT_BLOCK) return;
    const bool divides = op == isa::Opcode::kDiv || op == isa::Opcode::kRem;
    const verify::AccessFact* access = plan_.verified->AccessAt(pc);
    const bool scattered = access != nullptr && access->stride != 0 && access->stride != 1;
    if (math::FindFunction(op) != nullptr || op == isa::Opcode::kNbrGet || isa::IsServed(op)) {
      size += 20;
    } else if (divides && isa::IsInteger(code[pc].type)) {
      size += 10;
    } else if (isa::IsReduce(op)) {
      size += 1 + code[pc].imm;
    } else {
      size += scattered ? 4 : 1;
    }
  };
  for (const uint32_t b : blocks) {
    for (uint32_t pc = plan_.block(b).begin; pc < plan_.block(b).end; ++pc) add(pc);
  }
  return size;
}

bool Lowering::HasLoop(const std::vector<uint32_t>& blocks) const {
  return std::any_of(blocks.begin(), blocks.end(), [&](uint32_t b) {
    const std::vector<uint32_t>& successors = plan_.successors[b];
    const isa::Instruction& last = plan_.program().code[plan_.block(b).end - 1];
    return !isa::IsBarrier(last.op) &&
           std::any_of(successors.begin(), successors.end(), [&](uint32_t s) { return s <= b; });
  });
}

// True for a loop in which lanes side by side read elements side by side, others in each round:
// what a chunk leaves of each row of memory is read in another pass.
bool Lowering::LoopsOverMemory(const std::vector<uint32_t>& blocks) const {
  if (!HasLoop(blocks) || plan_.LocalBytes() != 0) return false;
  bool reads = false;
  for (const uint32_t b : blocks) {
    for (uint32_t pc = plan_.block(b).begin; pc < plan_.block(b).end; ++pc) {
      const isa::Instruction& in = plan_.program().code[pc];
      if (isa::IsAtomic(in.op)) return false;
      const verify::AccessFact* access = plan_.verified->AccessAt(pc);
      if (access == nullptr || !isa::IsLoad(in.op) || access->stride != 1) continue;
      const OperandId index = IndexOf(pc);
      reads |= !IsFixed(index) && !plan_.webs[static_cast<size_t>(index)].invariant;
    }
  }
  return reads;
}

// Copies of loops hide the latency of what the next round needs. Straight code has independent work
// in the next iteration already, and each copy costs compile time.
unsigned Lowering::UnrollFactor(const std::vector<uint32_t>& lane_blocks) const {
  if (plan_.scalar) return 1;
  if (plan_.recursive) return 1;  // most of the time is spent on masks
  // Copies have local memory of their own.
  if (uint64_t{plan_.LocalBytes()} * target_.width > 16 * 1024) return 1;
  const bool blocks = plan_.unit == HOLOGRAM_UNIT_BLOCK;
  const bool loops = HasLoop(lane_blocks);
  const size_t small = blocks ? (loops ? 24 : 12) : loops ? 48 : 16;
  const size_t medium = blocks ? (loops ? 60 : 24) : loops ? 120 : 64;
  const size_t size = BodySize(lane_blocks);
  if (size <= small) return target_.avx512 && !blocks && LoopsOverMemory(lane_blocks) ? 8 : 4;
  return size <= medium ? 2 : 1;
}

// True if vectors that are left by the unrolled loop go under a mask, for one copy less.
bool Lowering::MasksRest(const std::vector<uint32_t>& blocks) const {
  return target_.avx512 && (HasLoop(blocks) || BodySize(blocks) > 16);
}

// True if a copy for whole vectors would hardly be cheaper than the one under a mask: long bodies
// whose contiguous accesses are all masked by their own branches.
bool Lowering::MasksAll(const std::vector<uint32_t>& blocks) const {
  const bool amortizes = plan_.unit == HOLOGRAM_UNIT_BLOCK || HasLoop(blocks);
  if (!target_.avx512 || !amortizes) return false;
  return std::all_of(blocks.begin(), blocks.end(), [&](uint32_t b) {
    if (plan_.divergent[b] != 0) return true;
    for (uint32_t pc = plan_.block(b).begin; pc < plan_.block(b).end; ++pc) {
      const verify::AccessFact* access = plan_.verified->AccessAt(pc);
      if (access != nullptr && access->stride == 1) return false;
    }
    return true;
  });
}

void Lowering::ForgetCopy(unsigned unroll) {
  unroll_ = unroll;
  slots_.assign(plan_.webs.size(), {});
  pending_.clear();
  parked_ = nullptr;
  live_.clear();
  counts_.clear();
  rounds_.clear();
  arrived_.clear();
  mask_.clear();
  all_ = true;
}

// Emits the definition of an invariant web, and what it needs, into the slots of this copy.
void Lowering::Rematerialize(OperandId id) {
  if (id == kNoOperand || IsFixed(id) || !slots_[static_cast<size_t>(id)].empty()) return;
  if (ConstantOf(id) != nullptr) return;
  const uint32_t pc = plan_.webs[static_cast<size_t>(id)].definitions[0];
  plan_.ForEachRead(pc, [this](OperandId read) { Rematerialize(read); });
  rematerializing_ = true;
  EmitInstruction(pc);
  rematerializing_ = false;
}

// The first or the last lane, as far as it matters to a row of less than 2^32 lanes.
llvm::Value* Lowering::GuardBound(const LaneGuard& guard) {
  constexpr uint64_t kFar = uint64_t{1} << 40;
  Rematerialize(guard.bound);
  Value* bound = Scalar(guard.bound);
  if (guard.type == isa::Type::kI64) {
    bound = b_.CreateBinaryIntrinsic(intrinsic::smax, bound,
                                     ConstantInt::getSigned(b_.getInt64Ty(), -1));
    bound = b_.CreateBinaryIntrinsic(intrinsic::smin, bound, b_.getInt64(kFar));
  } else if (guard.type == isa::Type::kU64) {
    bound = b_.CreateBinaryIntrinsic(intrinsic::umin, bound, b_.getInt64(kFar));
  } else {
    bound = b_.CreateZExt(bound, b_.getInt64Ty());
  }
  return guard.inclusive ? b_.CreateAdd(bound, b_.getInt64(1)) : bound;
}

Lowering::Limits Lowering::ApplyGuards(Limits limits) {
  ForgetCopy(1);
  for (const LaneGuard& guard : plan_.guards) {
    Remark(Remarks::About::kLimit, guard.pc,
           llvm::Twine(guard.is_upper ? "ends" : "begins") + " the loop over lanes, no mask");
    Value* bound = GuardBound(guard);
    if (guard.is_upper) {
      limits.last = b_.CreateBinaryIntrinsic(intrinsic::smin, limits.last, bound);
    } else {
      limits.first = b_.CreateBinaryIntrinsic(intrinsic::smax, limits.first, bound);
    }
  }
  for (const RowGuard& guard : plan_.row_guards) {
    Remark(Remarks::About::kLimit, guard.pc, "asked once for a row of lanes");
    Rematerialize(guard.predicate);
    Value* runs = Scalar(guard.predicate);
    limits.last = guard.runs_if_true ? b_.CreateSelect(runs, limits.last, limits.first)
                                     : b_.CreateSelect(runs, limits.first, limits.last);
  }
  // Here once, where each copy of the body would compute them again: the compiler joins the two.
  for (const OperandId id : plan_.row_values) Rematerialize(id);
  return limits;
}

void Lowering::EmitLaneLoops(Limits limits, const std::vector<uint32_t>& blocks, bool streaming) {
  limits = ApplyGuards(limits);
  if (streaming) return EmitStreamingLoops(limits, blocks);
  const unsigned unroll = UnrollFactor(blocks);
  if (CanRunAgain()) {
    Remark(Remarks::About::kKernel, 0, "a chunk with a fault is run again under masks");
  }
  main_version_ = true;  // until EmitChunk has written one
  if (unroll == 1 && MasksAll(blocks)) {
    RemarkLanes("each under a mask, as whole ones would gain nothing");
    return EmitMasked(limits, blocks, true);
  }
  const std::string many = std::to_string(unroll) + " vectors a round, ";
  if (unroll > 1) limits.first = EmitFullLoop(limits, unroll, blocks);
  if (unroll == 1 || !MasksRest(blocks)) {
    RemarkLanes(unroll == 1 ? "a vector a round, the last under a mask"
                            : many + "then single ones, the last under a mask");
    limits.first = EmitFullLoop(limits, 1, blocks);
    return EmitMasked(limits, blocks, CanRunAgain());
  }
  // After a fault more may be left than a group.
  if (HasLoop(blocks) && plan_.unit != HOLOGRAM_UNIT_BLOCK && !CanRunAgain()) {
    RemarkLanes(many + "then what is left under one mask");
    limits.first = EmitMaskedGroup(limits, unroll, blocks);
  } else {
    RemarkLanes(many + "then single ones under a mask");
  }
  EmitMasked(limits, blocks, true);
}

// Only whole aligned groups of vectors are streamed; the lanes before and after go the plain way.
void Lowering::EmitStreamingLoops(Limits limits, const std::vector<uint32_t>& blocks) {
  Value* aligned = AlignedFirst(limits);
  CallPlainLanes({limits.first, aligned});
  streaming_ = true;
  // Memory is the limit here.
  Value* rest = EmitFullLoop({aligned, limits.last}, std::min(2U, UnrollFactor(blocks)), blocks);
  streaming_ = false;
  CallPlainLanes({rest, limits.last});
}

void Lowering::CallPlainLanes(Limits limits) {
  std::vector<Value*> arguments;
  for (llvm::Argument& argument : function_->args()) arguments.push_back(&argument);
  arguments[arguments.size() - 4] = limits.first;
  arguments[arguments.size() - 3] = limits.last;
  llvm::CallInst* call = b_.CreateCall(plain_lanes_, arguments);
  call->setCallingConv(llvm::CallingConv::Fast);
  if (!Polls()) return;
  BasicBlock* stopped = NewBlock("stopped");
  BasicBlock* usual = NewBlock("plain.after");
  BranchUnlikely(b_.CreateICmpNE(call, b_.getInt32(HOLOGRAM_LAUNCH_DONE)), stopped, usual);
  b_.SetInsertPoint(stopped);
  b_.CreateRet(call);
  b_.SetInsertPoint(usual);
}

// Runs all whole groups of `unroll` vectors, up to one with a fault if such are run again; returns
// the first lane that is left.
llvm::Value* Lowering::EmitFullLoop(Limits limits, unsigned unroll,
                                    const std::vector<uint32_t>& blocks) {
  Value* step = b_.getInt64(uint64_t{target_.width} * unroll);
  BasicBlock* before = b_.GetInsertBlock();
  BasicBlock* body = NewBlock("lanes");
  BasicBlock* after = NewBlock("lanes.after");
  Value* last_group = b_.CreateNSWSub(limits.last, step);
  Value* enough = b_.CreateICmpSLE(limits.first, last_group);
  b_.CreateCondBr(enough, body, after);
  b_.SetInsertPoint(body);
  llvm::PHINode* x = b_.CreatePHI(b_.getInt64Ty(), 2, "x");
  x->addIncoming(limits.first, before);
  BasicBlock* again = CanRunAgain() ? NewBlock("again") : nullptr;
  again_ = again;
  EmitChunk(x, unroll, nullptr, blocks);
  again_ = nullptr;
  Value* next = b_.CreateNSWAdd(x, step);
  Value* more = b_.CreateICmpSLE(next, last_group);
  BasicBlock* latch = b_.GetInsertBlock();
  x->addIncoming(next, latch);
  b_.CreateCondBr(more, body, after);
  b_.SetInsertPoint(after);
  llvm::PHINode* rest = b_.CreatePHI(b_.getInt64Ty(), 2, "rest");
  rest->addIncoming(limits.first, before);
  rest->addIncoming(next, latch);
  if (again != nullptr) {
    b_.SetInsertPoint(again);
    b_.CreateBr(after);
    rest->addIncoming(x, again);
    b_.SetInsertPoint(after);
  }
  return rest;
}

// What is left of a row goes under one mask if it is more than a vector: a loop in the body would
// go over its memory once more for each vector. Returns the first lane that is left then.
llvm::Value* Lowering::EmitMaskedGroup(Limits limits, unsigned unroll,
                                       const std::vector<uint32_t>& blocks) {
  BasicBlock* before = b_.GetInsertBlock();
  BasicBlock* body = NewBlock("rest");
  BasicBlock* after = NewBlock("rest.after");
  Value* left = b_.CreateSub(limits.last, limits.first);
  b_.CreateCondBr(b_.CreateICmpSGT(left, b_.getInt64(target_.width)), body, after);
  b_.SetInsertPoint(body);
  EmitChunk(limits.first, unroll, left, blocks);
  BasicBlock* end = b_.GetInsertBlock();
  b_.CreateBr(after);
  b_.SetInsertPoint(after);
  llvm::PHINode* rest = b_.CreatePHI(b_.getInt64Ty(), 2, "rest");
  rest->addIncoming(limits.first, before);
  rest->addIncoming(limits.last, end);
  return rest;
}

// REQUIRES: fewer than 2^32 lanes are left, and unless `loops` is set fewer than a vector (or none:
// last may lie before first).
void Lowering::EmitMasked(Limits limits, const std::vector<uint32_t>& blocks, bool loops) {
  BasicBlock* before = b_.GetInsertBlock();
  BasicBlock* body = NewBlock("tail");
  BasicBlock* after = NewBlock("tail.after");
  b_.CreateCondBr(b_.CreateICmpSLT(limits.first, limits.last), body, after);
  b_.SetInsertPoint(body);
  if (!loops) {
    EmitChunk(limits.first, 1, b_.CreateSub(limits.last, limits.first), blocks);
    b_.CreateBr(after);
    b_.SetInsertPoint(after);
    return;
  }
  llvm::PHINode* x = b_.CreatePHI(b_.getInt64Ty(), 2, "x");
  x->addIncoming(limits.first, before);
  EmitChunk(x, 1, b_.CreateSub(limits.last, x), blocks);
  Value* next = b_.CreateNSWAdd(x, b_.getInt64(target_.width));
  x->addIncoming(next, b_.GetInsertBlock());
  b_.CreateCondBr(b_.CreateICmpSLT(next, limits.last), body, after);
  b_.SetInsertPoint(after);
}

// The first lane at which the stored buffer has the alignment of a vector.
llvm::Value* Lowering::AlignedFirst(Limits limits) {
  uint32_t store = 0;
  const auto& code = plan_.program().code;
  for (uint32_t pc = 0; pc < code.size(); ++pc) {
    if (isa::IsStore(code[pc].op)) store = pc;
  }
  // The address of the first store, from the affine index at the first lane.
  const Place place = PlaceOf(store);
  ForgetCopy(1);
  ids_[static_cast<size_t>(isa::Sreg::kGlobalX)] = b_.CreateAdd(global_base_, limits.first);
  ids_[static_cast<size_t>(isa::Sreg::kLinear)] = b_.CreateAdd(linear_base_, limits.first);
  Rematerialize(IndexOf(store));
  Value* address = b_.CreatePtrToInt(ElementAddress(place, Exact(IndexOf(store))), b_.getInt64Ty());
  const uint64_t bytes = uint64_t{place.size} * target_.width;
  Value* missing = b_.CreateAnd(b_.CreateNeg(address), b_.getInt64(bytes - 1));
  Value* lanes = b_.CreateUDiv(missing, b_.getInt64(place.size));
  Value* end =
      b_.CreateBinaryIntrinsic(intrinsic::smin, limits.last, b_.CreateAdd(limits.first, lanes));
  return b_.CreateBinaryIntrinsic(intrinsic::smax, limits.first, end);
}

std::vector<uint32_t> Lowering::ReachableBlocks() const {
  std::vector<uint32_t> work{0};
  std::vector<char> seen(plan_.successors.size(), 0);
  seen[0] = 1;
  while (!work.empty()) {
    const uint32_t b = work.back();
    work.pop_back();
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

void Lowering::InitializeLive() {
  Type* type = VectorOf(b_.getInt1Ty());
  for (unsigned u = 0; u < unroll_; ++u) {
    live_.push_back(NewSlot(type, "live"));
    b_.CreateStore(full_ ? llvm::Constant::getAllOnesValue(type) : chunk_mask_[u], live_[u]);
  }
}

// `remaining` is null when all lanes of the chunk exist.
void Lowering::EmitChunk(Value* x, unsigned unroll, Value* remaining,
                         const std::vector<uint32_t>& blocks) {
  ForgetCopy(unroll);
  ids_[static_cast<size_t>(isa::Sreg::kLaneX)] = x;
  ids_[static_cast<size_t>(isa::Sreg::kGlobalX)] = b_.CreateAdd(global_base_, x);
  ids_[static_cast<size_t>(isa::Sreg::kLinear)] = b_.CreateAdd(linear_base_, x);
  full_ = remaining == nullptr;
  chunk_mask_.clear();
  if (!full_) {
    Value* count = b_.CreateTrunc(remaining, b_.getInt32Ty());
    for (unsigned u = 0; u < unroll; ++u) {
      Value* number = Iota(b_.getInt32Ty(), 1, int64_t{u} * target_.width);
      chunk_mask_.push_back(b_.CreateICmpULT(number, Splat(count)));
    }
  }
  all_ = full_;
  mask_ = chunk_mask_;
  if ((plan_.may_fault && again_ == nullptr) || tracks_alive_) InitializeLive();
  StartLocal();
  const auto start = [&](bool wanted, llvm::SmallVector<llvm::AllocaInst*, 4>& slots) {
    for (unsigned u = 0; wanted && u < unroll_; ++u) {
      slots.push_back(NewSlot(VectorOf(b_.getInt64Ty()), "count"));
      b_.CreateStore(llvm::Constant::getNullValue(VectorOf(b_.getInt64Ty())), slots[u]);
    }
  };
  start(plan_.counts_budget, counts_);
  start(plan_.counts_rounds, rounds_);
  done_ = NewBlock("done");
  const uint32_t entry = region_entries_.empty() ? 0 : region_entries_[region_];
  if (!region_entries_.empty()) LoadContext(entry);
  EmitBlocks(blocks, entry);
  b_.SetInsertPoint(done_);
  if (!region_entries_.empty()) StoreContext();
  main_version_ = false;
}

}  // namespace hologram::codegen
