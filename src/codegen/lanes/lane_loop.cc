#include "codegen/lanes/lane_loop.h"

#include <algorithm>

#include "codegen/plan/accesses.h"

namespace hologram::codegen {

using llvm::BasicBlock;
using llvm::ConstantInt;
using llvm::Type;
using llvm::Value;
namespace intrinsic = llvm::Intrinsic;

LaneLoop::LaneLoop(FunctionState& f, LaneIds& ids, Chunk& chunk, Registers& registers,
                   Faults& faults, RemarkWriter& remarks, Places& places, Invariants& invariants,
                   ChunkBody& chunks, llvm::Function* other, bool streams)
    : f_(f),
      b_(f.builder()),
      plan_(f.plan()),
      ids_(ids),
      chunk_(chunk),
      registers_(registers),
      faults_(faults),
      remarks_(remarks),
      places_(places),
      invariants_(invariants),
      chunks_(chunks),
      other_(other),
      streams_(streams) {}

void LaneLoop::BeginOutside() {
  registers_.Forget();
  chunk_.BeginOutside();
}

// The first or the last lane, as far as it matters to a row of less than 2^32 lanes.
Value* LaneLoop::GuardBound(const LaneGuard& guard) {
  constexpr uint64_t kFar = uint64_t{1} << 40;
  invariants_.Compute(guard.bound);
  Value* bound = registers_.Scalar(guard.bound);
  if (isa::IsSignedInteger(guard.type)) {
    bound = b_.CreateSExt(bound, b_.getInt64Ty());
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

LaneRange LaneLoop::ApplyGuards(LaneRange range) {
  BeginOutside();
  for (const LaneGuard& guard : plan_.guards) {
    remarks_.Add(Remarks::About::kLimit, guard.pc,
                 llvm::Twine(guard.is_upper ? "ends" : "begins") + " the loop over lanes, no mask");
    Value* bound = GuardBound(guard);
    if (guard.is_upper) {
      range.last = b_.CreateBinaryIntrinsic(intrinsic::smin, range.last, bound);
    } else {
      range.first = b_.CreateBinaryIntrinsic(intrinsic::smax, range.first, bound);
    }
  }
  for (const RowGuard& guard : plan_.rows.guards) {
    remarks_.Add(Remarks::About::kLimit, guard.pc, "asked once for a row of lanes");
    invariants_.Compute(guard.predicate);
    Value* runs = registers_.Scalar(guard.predicate);
    range.last = guard.runs_if_true ? b_.CreateSelect(runs, range.last, range.first)
                                    : b_.CreateSelect(runs, range.first, range.last);
  }
  // Here once, where each copy of the body would compute them again: the compiler joins the two.
  for (const OperandId id : plan_.rows.values) invariants_.Compute(id);
  return range;
}

void LaneLoop::Emit(LaneRange range, const Body& body) {
  range = ApplyGuards(range);
  if (streams_) return StreamingLoops(range, body);
  if (plan_.order.may_fill) return LoggedLoop(range, body);
  if (plan_.scalar) {
    remarks_.BeginMainVersion();
    remarks_.Lanes("");
    FullLoop(range, 1, body);
    return;
  }
  const unsigned unroll = UnrollFactor(plan_, f_.target(), body.blocks);
  if (CanRunAgain(plan_)) {
    remarks_.Add(Remarks::About::kKernel, 0, "a chunk with a fault is run again under masks");
  }
  remarks_.BeginMainVersion();  // until a chunk is written
  if (unroll == 1 && MasksAll(plan_, f_.target(), body.blocks)) {
    remarks_.Lanes("each under a mask, as whole ones would gain nothing");
    return Masked(range, true, body);
  }
  const std::string many = std::to_string(unroll) + " vectors a round, ";
  if (unroll > 1) range.first = FullLoop(range, unroll, body);
  const unsigned few = FewerVectors(plan_, f_.target(), body.blocks, unroll);
  if (few != unroll) {
    remarks_.Lanes(many + "then " + std::to_string(few) + ", what is left under one mask");
    range.first = MaskedGroup({FullLoop(range, few, body), range.last}, few, body);
    return Masked(range, true, body);
  }
  if (unroll == 1 || !MasksRest(plan_, f_.target(), body.blocks)) {
    remarks_.Lanes(unroll == 1 ? "a vector a round, the last under a mask"
                               : many + "then single ones, the last under a mask");
    range.first = FullLoop(range, 1, body);
    return Masked(range, CanRunAgain(plan_), body);
  }
  // After a fault more may be left than a group.
  if (HasLoop(plan_, body.blocks) && plan_.unit != HOLOGRAM_UNIT_BLOCK && !CanRunAgain(plan_)) {
    remarks_.Lanes(many + "then what is left under one mask");
    range.first = MaskedGroup(range, unroll, body);
  } else {
    remarks_.Lanes(many + "then single ones under a mask");
  }
  Masked(range, true, body);
}

// Only whole aligned groups of vectors are streamed; the lanes before and after go the plain way.
void LaneLoop::StreamingLoops(LaneRange range, const Body& body) {
  Value* aligned = AlignedFirst(range);
  CallOther({range.first, aligned});
  chunk_.SetStreams(true);
  // Memory is the limit here.
  Value* rest = FullLoop({aligned, range.last},
                         std::min(2U, UnrollFactor(plan_, f_.target(), body.blocks)), body);
  chunk_.SetStreams(false);
  CallOther({rest, range.last});
}

// Vector after vector. One whose updates do not fit the log is run again lane by lane, as is what
// is left of less than a vector.
void LaneLoop::LoggedLoop(LaneRange range, const Body& body) {
  remarks_.BeginMainVersion();
  remarks_.Lanes(
      "a vector a round; lane by lane where its updates do not fit the log, and the last");
  BasicBlock* before = b_.GetInsertBlock();
  BasicBlock* inside = f_.NewBlock("logged");
  BasicBlock* after = f_.NewBlock("logged.after");
  b_.CreateCondBr(b_.CreateICmpSLT(range.first, range.last), inside, after);
  b_.SetInsertPoint(inside);
  llvm::PHINode* first = b_.CreatePHI(b_.getInt64Ty(), 2, "first");
  first->addIncoming(range.first, before);
  Value* rest = FullLoop({first, range.last}, 1, body);
  Value* end = b_.CreateBinaryIntrinsic(intrinsic::smin, range.last,
                                        b_.CreateNSWAdd(rest, b_.getInt64(f_.target().width)));
  CallOther({rest, end});
  first->addIncoming(end, b_.GetInsertBlock());
  b_.CreateCondBr(b_.CreateICmpSLT(end, range.last), inside, after);
  b_.SetInsertPoint(after);
}

void LaneLoop::CallOther(LaneRange range) {
  std::vector<Value*> arguments;
  for (llvm::Argument& argument : f_.function()->args()) arguments.push_back(&argument);
  arguments[arguments.size() - 4] = range.first;
  arguments[arguments.size() - 3] = range.last;
  llvm::CallInst* call = b_.CreateCall(other_, arguments);
  call->setCallingConv(llvm::CallingConv::Fast);
  if (!HasPolls(plan_)) return;
  BasicBlock* stopped = f_.NewBlock("stopped");
  BasicBlock* usual = f_.NewBlock("other.after");
  f_.BranchUnlikely(b_.CreateICmpNE(call, b_.getInt32(HOLOGRAM_LAUNCH_DONE)), stopped, usual);
  b_.SetInsertPoint(stopped);
  b_.CreateRet(call);
  b_.SetInsertPoint(usual);
}

// Runs all whole groups of `unroll` vectors, up to one with a fault if such are run again; returns
// the first lane that is left.
Value* LaneLoop::FullLoop(LaneRange range, unsigned unroll, const Body& body) {
  Value* step = b_.getInt64(uint64_t{f_.target().width} * unroll);
  BasicBlock* before = b_.GetInsertBlock();
  BasicBlock* inside = f_.NewBlock("lanes");
  BasicBlock* after = f_.NewBlock("lanes.after");
  Value* last_group = b_.CreateNSWSub(range.last, step);
  Value* enough = b_.CreateICmpSLE(range.first, last_group);
  b_.CreateCondBr(enough, inside, after);
  b_.SetInsertPoint(inside);
  llvm::PHINode* x = b_.CreatePHI(b_.getInt64Ty(), 2, "x");
  x->addIncoming(range.first, before);
  const bool runs_again = CanRunAgain(plan_);
  BasicBlock* again = runs_again || plan_.order.may_fill ? f_.NewBlock("again") : nullptr;
  faults_.RunAgainAt(runs_again ? again : nullptr);
  chunks_.WhenLogIsFull(again);
  chunks_.Emit(x, unroll, nullptr, body);
  faults_.RunAgainAt(nullptr);
  Value* next = b_.CreateNSWAdd(x, step);
  Value* more = b_.CreateICmpSLE(next, last_group);
  BasicBlock* latch = b_.GetInsertBlock();
  x->addIncoming(next, latch);
  b_.CreateCondBr(more, inside, after);
  b_.SetInsertPoint(after);
  llvm::PHINode* rest = b_.CreatePHI(b_.getInt64Ty(), 2, "rest");
  rest->addIncoming(range.first, before);
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
Value* LaneLoop::MaskedGroup(LaneRange range, unsigned unroll, const Body& body) {
  BasicBlock* before = b_.GetInsertBlock();
  BasicBlock* inside = f_.NewBlock("rest");
  BasicBlock* after = f_.NewBlock("rest.after");
  Value* left = b_.CreateSub(range.last, range.first);
  b_.CreateCondBr(b_.CreateICmpSGT(left, b_.getInt64(f_.target().width)), inside, after);
  b_.SetInsertPoint(inside);
  chunks_.Emit(range.first, unroll, left, body);
  BasicBlock* end = b_.GetInsertBlock();
  b_.CreateBr(after);
  b_.SetInsertPoint(after);
  llvm::PHINode* rest = b_.CreatePHI(b_.getInt64Ty(), 2, "rest");
  rest->addIncoming(range.first, before);
  rest->addIncoming(range.last, end);
  return rest;
}

// REQUIRES: fewer than 2^32 lanes are left, and unless `loops` is set fewer than a vector (or none:
// last may lie before first).
void LaneLoop::Masked(LaneRange range, bool loops, const Body& body) {
  BasicBlock* before = b_.GetInsertBlock();
  BasicBlock* inside = f_.NewBlock("tail");
  BasicBlock* after = f_.NewBlock("tail.after");
  b_.CreateCondBr(b_.CreateICmpSLT(range.first, range.last), inside, after);
  b_.SetInsertPoint(inside);
  if (!loops) {
    chunks_.Emit(range.first, 1, b_.CreateSub(range.last, range.first), body);
    b_.CreateBr(after);
    b_.SetInsertPoint(after);
    return;
  }
  llvm::PHINode* x = b_.CreatePHI(b_.getInt64Ty(), 2, "x");
  x->addIncoming(range.first, before);
  chunks_.Emit(x, 1, b_.CreateSub(range.last, x), body);
  Value* next = b_.CreateNSWAdd(x, b_.getInt64(f_.target().width));
  x->addIncoming(next, b_.GetInsertBlock());
  b_.CreateCondBr(b_.CreateICmpSLT(next, range.last), inside, after);
  b_.SetInsertPoint(after);
}

// The first lane at which the stored buffer has the alignment of a vector.
Value* LaneLoop::AlignedFirst(LaneRange range) {
  uint32_t store = 0;
  const auto& code = plan_.program().code;
  for (uint32_t pc = 0; pc < code.size(); ++pc) {
    if (isa::IsStore(code[pc].op)) store = pc;
  }
  // The address of the first store, from the affine index at the first lane.
  const Place place = places_.Of(store);
  BeginOutside();
  ids_.StartChunk(range.first);
  invariants_.Compute(IndexOf(plan_, store));
  Value* address = b_.CreatePtrToInt(
      places_.ElementAddress(place, registers_.Exact(IndexOf(plan_, store))), b_.getInt64Ty());
  const uint64_t bytes = uint64_t{place.size} * f_.target().width;
  Value* missing = b_.CreateAnd(b_.CreateNeg(address), b_.getInt64(bytes - 1));
  Value* lanes = b_.CreateUDiv(missing, b_.getInt64(place.size));
  Value* end =
      b_.CreateBinaryIntrinsic(intrinsic::smin, range.last, b_.CreateAdd(range.first, lanes));
  return b_.CreateBinaryIntrinsic(intrinsic::smax, range.first, end);
}

}  // namespace hologram::codegen
