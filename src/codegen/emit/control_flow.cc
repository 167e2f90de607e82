#include "codegen/emit/control_flow.h"

#include <algorithm>

#include "codegen/emit/idioms.h"

namespace hologram::codegen {

using isa::Opcode;
using llvm::BasicBlock;
using llvm::ConstantInt;
using llvm::Value;

ControlFlow::ControlFlow(FunctionState& f, Chunk& chunk, Position& position, Registers& registers,
                         Faults& faults, RemarkWriter& remarks, Polls& polls, BackEdges& back_edges,
                         Emitters& instructions)
    : f_(f),
      b_(f.builder()),
      plan_(f.plan()),
      chunk_(chunk),
      position_(position),
      registers_(registers),
      faults_(faults),
      remarks_(remarks),
      polls_(polls),
      back_edges_(back_edges),
      instructions_(instructions),
      pending_(f, chunk),
      counts_(f, chunk),
      shared_returns_(f, chunk, pending_, back_edges, instructions.calls) {}

void ControlFlow::Emit(const Blocks& blocks, uint32_t entry, Barriers& barriers) {
  barriers_ = &barriers;
  heads_.assign(plan_.successors.size(), nullptr);
  if (plan_.shares_returns) shared_returns_.Begin();
  pending_.Begin(blocks, plan_.shares_returns && !plan_.scalar);
  for (uint32_t b : blocks) heads_[b] = f_.NewBlock("b");
  if (chunk_.tracks_live()) chunk_.Run(chunk_.Live());
  instructions_.memory.Begin();
  b_.CreateBr(TargetOfEdge(UINT32_MAX, entry));
  for (size_t i = 0; i < blocks.size(); ++i) EmitBlock(blocks[i], NextInLayout(blocks, i));
  if (plan_.shares_returns) {
    shared_returns_.Emit(blocks, [&](uint32_t to) {
      return plan_.scalar ? TargetOfEdge(UINT32_MAX, to) : HeadOrEnd(to);
    });
  }
  b_.SetInsertPoint(chunk_.end());
}

BasicBlock* ControlFlow::HeadOrEnd(uint32_t block) {
  return block == verify::kExitBlock ? chunk_.end() : heads_[block];
}

// Where control goes behind a divergent block.
BasicBlock* ControlFlow::NextInLayout(const Blocks& blocks, size_t position) {
  if (!plan_.waiting_lanes.empty()) {
    return HeadOfNext(blocks[position], plan_.waiting_lanes[blocks[position]].at);
  }
  for (size_t i = position + 1; i < blocks.size(); ++i) {
    if (plan_.divergent[blocks[i]] != 0 || !plan_.closed) return heads_[blocks[i]];
  }
  return chunk_.end();
}

void ControlFlow::EmitBlock(uint32_t block, BasicBlock* next) {
  b_.SetInsertPoint(heads_[block]);
  position_.Enter(block);
  instructions_.agreement.Forget();
  const bool divergent = plan_.divergent[block] != 0;
  if (divergent) {
    chunk_.Run(pending_.Load(block));
    pending_.StoreNone(block);
    if (NeedsAnyCheck(plan_, block)) {
      BasicBlock* run = f_.NewBlock("run");
      b_.CreateCondBr(f_.AnyOf(chunk_.Masks()), run, next);
      b_.SetInsertPoint(run);
    }
  } else if (!plan_.scalar) {
    chunk_.RunLive();
  } else {
    chunk_.RunAll();
  }
  if (plan_.SecondOf(block) != verify::kExitBlock && !chunk_.all() && !divergent) {
    b_.CreateBr(TargetOfEdge(UINT32_MAX, plan_.SecondOf(block)));
    return;
  }
  counts_.Add(block);
  if (!f_.target().lane_per_thread && PollsAt(plan_, block)) polls_.Emit();
  const verify::BasicBlock& b = plan_.block(block);
  faults_.LeaveTo(divergent ? next : nullptr);
  for (uint32_t pc = b.begin; pc < b.end; ++pc) EmitInstruction(instructions_, pc);
  faults_.LeaveTo(nullptr);  // faults on edges take lanes out of their edge only
  EmitTerminator(block, next);
}

void ControlFlow::EmitTerminator(uint32_t block, BasicBlock* next) {
  const isa::Instruction& last = plan_.program().code[plan_.block(block).end - 1];
  f_.SetLine(plan_.block(block).end - 1);
  const bool divergent = plan_.divergent[block] != 0;
  BasicBlock* none = divergent ? next : chunk_.end();  // where no lane is left here
  if (isa::IsBarrier(last.op) && !barriers_->Emit(block)) {
    b_.CreateBr(none);
    return;
  }
  const bool returns = plan_.Returns(block) && plan_.successors[block].size() > 1;
  if (returns && plan_.shares_returns) return shared_returns_.EndBlock(block, none);
  if (divergent) return EndDivergent(block, next);
  if (plan_.PartsLanes(block)) return EndVarying(block);
  EndConvergent(block);
}

// The predicate of a branch that the lanes agree about.
Value* ControlFlow::Taken(uint32_t block) {
  const isa::Instruction& last = plan_.program().code[plan_.block(block).end - 1];
  return last.op == Opcode::kLoop ? instructions_.loops.jumps(0)
                                  : registers_.Scalar(plan_.BranchOperand(block));
}

// A branch out of the first copy of a loop: lanes go on together, or leave it for the block that
// parts them; where first and last decide for all, they may leave the loop together too.
void ControlFlow::EndFirstCopy(uint32_t block) {
  const std::vector<uint32_t>& successors = plan_.successors[block];
  const OperandId predicate = plan_.BranchOperand(block);
  const bool leaves_if = plan_.SecondOf(successors[0]) == verify::kExitBlock;
  const uint32_t parting = successors[leaves_if ? 0 : 1];
  BasicBlock* goes_on = TargetOfEdge(block, successors[leaves_if ? 1 : 0]);
  const auto leaves = [&](Value* taken) { return leaves_if ? taken : b_.CreateNot(taken); };
  const Agreement& agreement = instructions_.agreement;
  if (!agreement.IsKnown(predicate)) {
    Values leave;
    for (unsigned u = 0; u < chunk_.unroll(); ++u) {
      leave.push_back(leaves(registers_.Vector(predicate, u)));
    }
    b_.CreateCondBr(f_.AnyOf(leave), heads_[parting], goes_on);
    return;
  }
  Value* first = leaves(agreement.first());
  Value* last = leaves(agreement.last());
  const uint32_t left = plan_.successors[parting][leaves_if ? 0 : 1];
  BasicBlock* ends = f_.NewBlock("ends");
  b_.CreateCondBr(b_.CreateOr(first, last), ends, goes_on);
  b_.SetInsertPoint(ends);
  b_.CreateCondBr(b_.CreateAnd(first, last), TargetOfEdge(parting, left), heads_[parting]);
}

// The block to jump to for an edge that all live lanes take together.
BasicBlock* ControlFlow::TargetOfEdge(uint32_t from, uint32_t to) {
  if (!instructions_.memory.EndsCells(from, to)) return JumpTarget(from, to);
  const llvm::IRBuilder<>::InsertPointGuard guard(b_);
  BasicBlock* end = f_.NewBlock("cells");
  b_.SetInsertPoint(end);
  instructions_.memory.EndCells(from, to);
  b_.CreateBr(JumpTarget(from, to));
  return end;
}

BasicBlock* ControlFlow::JumpTarget(uint32_t from, uint32_t to) {
  if (to == verify::kExitBlock) return chunk_.end();
  const bool counted = from != UINT32_MAX && plan_.IsCountedEdge(from, to);
  if (plan_.divergent[to] == 0 && !counted) return heads_[to];
  const llvm::IRBuilder<>::InsertPointGuard guard(b_);
  BasicBlock* edge = f_.NewBlock("edge");
  b_.SetInsertPoint(edge);
  if (counted && plan_.scalar) {
    back_edges_.CountScalar(from, to);
  } else {
    Values mask = chunk_.Masks();
    if (counted) mask = back_edges_.Count(from, to, mask);
    if (plan_.divergent[to] != 0) pending_.Store(to, mask);
  }
  b_.CreateBr(heads_[to]);
  return edge;
}

void ControlFlow::EndConvergent(uint32_t block) {
  const std::vector<uint32_t>& successors = plan_.successors[block];
  for (const uint32_t to : successors) remarks_.Edge(block, to, true);
  if (successors.empty()) {
    b_.CreateBr(chunk_.end());
    return;
  }
  if (successors.size() == 1 || (successors.size() == 2 && successors[0] == successors[1])) {
    b_.CreateBr(TargetOfEdge(block, successors[0]));
    return;
  }
  if (plan_.Returns(block)) return EndReturn(block);
  if (plan_.LeavesTogether(block)) return EndFirstCopy(block);
  Value* taken = Taken(block);
  BasicBlock* yes = TargetOfEdge(block, successors[0]);
  BasicBlock* no = TargetOfEdge(block, successors[1]);
  b_.CreateCondBr(taken, yes, no);
}

// One lane: a real branch to where it goes on.
void ControlFlow::EndReturn(uint32_t block) {
  const std::vector<uint32_t>& successors = plan_.successors[block];
  llvm::SwitchInst* next =
      b_.CreateSwitch(instructions_.calls.returned(0), TargetOfEdge(block, successors[0]),
                      static_cast<unsigned>(successors.size()));
  for (uint16_t k = 1; k < successors.size(); ++k) {
    next->addCase(b_.getInt16(k), TargetOfEdge(block, successors[k]));
  }
}

// The running lanes that go to successor number `successor`.
Values ControlFlow::MaskOfEdge(uint32_t block, size_t successor) {
  const std::vector<uint32_t>& successors = plan_.successors[block];
  const isa::Instruction& last = plan_.program().code[plan_.block(block).end - 1];
  Values result;
  for (unsigned u = 0; u < chunk_.unroll(); ++u) {
    Value* mask = chunk_.Mask(u);
    if (last.op == Opcode::kRet && successors.size() > 1) {
      Value* number = ConstantInt::get(instructions_.calls.returned(u)->getType(), successor);
      mask = b_.CreateAnd(mask, b_.CreateICmpEQ(instructions_.calls.returned(u), number));
    } else if (successors.size() == 2 && last.branches()) {
      Value* taken = last.op == Opcode::kLoop ? instructions_.loops.jumps(u)
                                              : registers_.Vector(plan_.BranchOperand(block), u);
      mask = b_.CreateAnd(mask, successor == 0 ? taken : b_.CreateNot(taken));
    }
    result.push_back(mask);
  }
  return result;
}

// Straight code behind which all lanes are together again.
bool ControlFlow::CanGoTogether(uint32_t block, uint32_t to) const {
  constexpr size_t kMostInstructions = 40;
  if (to == verify::kExitBlock || plan_.divergent[to] == 0) return true;
  const verify::BasicBlock& b = plan_.block(to);
  if (b.predecessors.size() != 1 || plan_.successors[to].size() != 1 || to <= block) return false;
  if (isa::IsBarrier(plan_.program().code[b.end - 1].op)) return false;
  const uint32_t join = plan_.successors[to][0];
  if (join != verify::kExitBlock && (join <= to || plan_.divergent[join] != 0)) return false;
  return BodySize(plan_, {to}) <= kMostInstructions;
}

BasicBlock* ControlFlow::TogetherTo(uint32_t block, uint32_t to) {
  if (to == verify::kExitBlock || plan_.divergent[to] == 0) return TargetOfEdge(block, to);
  const llvm::IRBuilder<>::InsertPointGuard guard(b_);
  BasicBlock* copy = f_.NewBlock("together");
  b_.SetInsertPoint(copy);
  const Position::Together together(position_, to);
  counts_.Add(to);
  for (uint32_t pc = plan_.block(to).begin; pc < plan_.block(to).end; ++pc)
    EmitInstruction(instructions_, pc);
  b_.CreateBr(TargetOfEdge(to, plan_.successors[to][0]));
  return copy;
}

// A convergent block whose lanes may part: if they agree, there is a real branch, to a copy of the
// code on their side that has no mask. Otherwise, between here and the join everything is
// divergent, and the join, if it is convergent, is reached by falling out of the last block before
// it.
void ControlFlow::EndVarying(uint32_t block) {
  const std::vector<uint32_t>& successors = plan_.successors[block];
  Agreement& agreement = instructions_.agreement;
  const bool compared = agreement.IsKnown(plan_.BranchOperand(block));
  if (compared && chunk_.all() && !chunk_.tracks_live() && CanGoTogether(block, successors[0]) &&
      CanGoTogether(block, successors[1])) {
    BasicBlock* agree = f_.NewBlock("agree");
    BasicBlock* part = f_.NewBlock("part");
    Value* taken = agreement.first();  // a comparison in the copies is noted in its place
    b_.CreateCondBr(b_.CreateICmpEQ(taken, agreement.last()), agree, part);
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
  b_.CreateBr(HeadOrEnd(first));
}

// Lanes take an edge to `to`; a convergent join runs all live lanes, so it has no pending mask.
void ControlFlow::PushEdge(uint32_t block, uint32_t to, Values mask) {
  if (plan_.IsCountedEdge(block, to)) {
    mask = back_edges_.Count(block, to, mask);
  }
  if (plan_.divergent[to] != 0) pending_.Push(to, mask);
}

// Lanes that agree stay together: a real branch, in which each side pushes the whole mask.
void ControlFlow::EndDivergent(uint32_t block, BasicBlock* next) {
  const std::vector<uint32_t>& successors = plan_.successors[block];
  if (plan_.PartsLanes(block)) return LeaveDivergent(block, successors, next);
  if (!plan_.Branches(block)) {
    return LeaveDivergent(block, llvm::ArrayRef(successors).take_front(1), next);
  }
  BasicBlock* sides[] = {f_.NewBlock("taken"), f_.NewBlock("not.taken")};
  b_.CreateCondBr(Taken(block), sides[0], sides[1]);
  for (size_t i = 0; i < 2; ++i) {
    b_.SetInsertPoint(sides[i]);
    LeaveDivergent(block, successors[i], next);
  }
}

// The lanes go to some of `targets`; then lanes at the target of a back edge run first.
// waiting_lanes.cc follows these jumps.
void ControlFlow::LeaveDivergent(uint32_t block, llvm::ArrayRef<uint32_t> targets,
                                 BasicBlock* next) {
  Values waiting;
  uint32_t back = verify::kExitBlock;
  BlockSet rest;
  if (!plan_.waiting_lanes.empty()) rest = plan_.waiting_lanes[block].at;
  for (size_t i = 0; i < targets.size(); ++i) {
    const uint32_t to = targets[i];
    if (to == verify::kExitBlock) continue;
    remarks_.Edge(block, to, false);
    PushEdge(block, to, targets.size() > 1 ? MaskOfEdge(block, i) : chunk_.Masks());
    if (to > block && !plan_.waiting_lanes.empty()) rest.set(to);
    if (to <= block && plan_.divergent[to] != 0) back = std::min(back, to);
  }
  for (uint32_t to : targets) {
    if (to == verify::kExitBlock || to > block || plan_.divergent[to] == 0) continue;
    for (Value* mask : pending_.Load(to)) waiting.push_back(mask);
  }
  if (!plan_.waiting_lanes.empty()) next = HeadOfNext(block, rest);
  if (back == verify::kExitBlock) {
    b_.CreateBr(next);
  } else {
    b_.CreateCondBr(f_.AnyOf(waiting), heads_[back], next);
  }
}

BasicBlock* ControlFlow::HeadOfNext(uint32_t block, const BlockSet& lanes) {
  uint32_t next = NextWaiting(block, lanes);
  // Lanes may wait there in another region that has `block`.
  while (next != verify::kExitBlock && heads_[next] == nullptr) next = NextWaiting(next, lanes);
  return HeadOrEnd(next);
}

}  // namespace hologram::codegen
