// Faults. The hot path tests whether any lane is bad; a cold block finds the lowest bad lane, and
// if no lower one has faulted before, writes the launch state. Bad lanes leave the running lanes
// and never come back.
// Where nothing that happens before a fault is changed by happening twice, whole vectors do not do
// that: a bad lane ends their loop, and its chunk is run from its start in the loop under masks,
// with all lanes behind it. So no lane ever leaves whole vectors, and they need no mask.
#include <algorithm>
#include <cstddef>

#include "codegen/lowering.h"

namespace hologram::codegen {

using llvm::AllocaInst;
using llvm::BasicBlock;
using llvm::ConstantInt;

// By an instruction that such kernels have: calls, budgets and services are not asked about.
bool Lowering::MayFault(uint32_t pc) const {
  const isa::Instruction& in = plan_.program().code[pc];
  const verify::AccessFact* access = plan_.verified->AccessAt(pc);
  if (access != nullptr) return access->tier == verify::Tier::kGuarded;
  const bool divides = in.op == isa::Opcode::kDiv || in.op == isa::Opcode::kRem;
  if ((divides && isa::IsInteger(in.type)) || isa::TakesClass(in.op)) {
    return !plan_.verified->NeverFaults(pc);
  }
  return in.op == isa::Opcode::kTrap;
}

// True of what leaves no trace, and of stores that nobody can have read: local arrays are zeroed
// for each chunk, and an array that is only stored to gets the same elements again.
bool Lowering::MayRunTwice(uint32_t pc) const {
  const isa::Instruction& in = plan_.program().code[pc];
  if (isa::IsAtomic(in.op)) return false;
  if (!isa::IsStore(in.op)) return true;
  const verify::AccessFact* access = plan_.verified->AccessAt(pc);
  if (access == nullptr || access->local) return true;
  if (!access->global()) return false;
  for (const verify::AccessFact& other : plan_.verified->accesses()) {
    const bool same = other.global() && other.slot == access->slot;
    if (same && !isa::IsStore(plan_.program().code[other.pc].op)) return false;
  }
  const auto& aliases = plan_.verified->launch_check().aliases;
  return std::none_of(aliases.begin(), aliases.end(), [&](const verify::AliasRule& rule) {
    return rule.same_element && (rule.slot_a == access->slot || rule.slot_b == access->slot);
  });
}

// Blocks run in the order of the program but for back edges, also where lanes part.
bool Lowering::CanRunAgain() const {
  if (!plan_.may_fault || plan_.unit == HOLOGRAM_UNIT_BLOCK || plan_.scalar) return false;
  if (plan_.recursive || plan_.counts() || plan_.has_phase) return false;
  const auto& code = plan_.program().code;
  uint32_t first_trace = UINT32_MAX;
  uint32_t last_fault = 0;
  for (uint32_t pc = 0; pc < code.size(); ++pc) {
    if (isa::IsServed(code[pc].op) || isa::UsesStream(code[pc].op)) return false;
    if (!MayRunTwice(pc)) first_trace = std::min(first_trace, pc);
    if (MayFault(pc)) last_fault = pc;
  }
  // What an instruction does it does after its own checks.
  if (first_trace < last_fault) return false;
  for (uint32_t b = 0; b < plan_.successors.size(); ++b) {
    for (const uint32_t to : plan_.successors[b]) {
      const bool back = to != verify::kExitBlock && to <= b;
      if (back && plan_.block(b).end > first_trace && plan_.block(to).begin <= last_fault) {
        return false;
      }
    }
  }
  return true;
}

// The linear lane number of lane 0 of the chunk (i64).
llvm::Value* Lowering::LinearLane() {
  using isa::Sreg;
  const auto id = [&](Sreg sreg) { return ids_[static_cast<size_t>(sreg)]; };
  if (id(Sreg::kLinear) != nullptr) return id(Sreg::kLinear);
  HOLOGRAM_CHECK(false);
  return nullptr;
}

void Lowering::RecordFault(uint32_t code, uint32_t pc, Value* lane_offset, Value* index) {
  Value* lane = nullptr;
  if (plan_.unit == HOLOGRAM_UNIT_ROW) {
    // Global lanes are numbered block by block.
    const auto wide = [&](Value* v) { return b_.CreateZExt(v, b_.getInt64Ty()); };
    const auto id = [&](isa::Sreg sreg) { return ids_[static_cast<size_t>(sreg)]; };
    Value* at[3] = {b_.CreateAdd(id(isa::Sreg::kGlobalX), lane_offset),
                    wide(id(isa::Sreg::kGlobalY)), wide(id(isa::Sreg::kGlobalZ))};
    Value* in_block = b_.getInt64(0);
    Value* block = b_.getInt64(0);
    Value* lanes = b_.getInt64(1);
    for (unsigned d = 3; d-- > 0;) {
      Value* size = wide(ShapeValue(true, d));
      block =
          b_.CreateAdd(b_.CreateMul(block, wide(ShapeValue(false, d))), b_.CreateUDiv(at[d], size));
      in_block = b_.CreateAdd(b_.CreateMul(in_block, size), b_.CreateURem(at[d], size));
      lanes = b_.CreateMul(lanes, size);
    }
    lane = b_.CreateAdd(b_.CreateMul(block, lanes), in_block);
  } else {
    lane = b_.CreateAdd(LinearLane(), lane_offset);
  }
  const auto field = [&](size_t offset) {
    return b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), state_, offset);
  };
  Value* lane_field = field(offsetof(hologram_launch_state, fault_lane));
  BasicBlock* lower = NewBlock("fault.lower");
  BasicBlock* end = NewBlock("fault.end");
  b_.CreateCondBr(b_.CreateICmpULT(lane, b_.CreateLoad(b_.getInt64Ty(), lane_field)), lower, end);
  b_.SetInsertPoint(lower);
  b_.CreateStore(lane, lane_field);
  b_.CreateStore(index, field(offsetof(hologram_launch_state, fault_index)));
  b_.CreateStore(b_.getInt32(plan_.verified->SourcePc(pc)),
                 field(offsetof(hologram_launch_state, fault_pc)));
  b_.CreateStore(b_.getInt32(code), field(offsetof(hologram_launch_state, fault_code)));
  b_.CreateBr(end);
  b_.SetInsertPoint(end);
}

// Code after this never runs under an empty mask: accesses at a uniform index rely on it, as their
// index is in bounds only for a lane that runs.
// HOLOGRAM_FAULT_NONE: somebody else has recorded the fault. REQUIRES: every lane of `bad` runs.
// `index` is empty, or holds an integer per lane, which is extended to 64 bits.
void Lowering::FaultLanes(uint32_t code, uint32_t pc, const Values& bad, const Values& index,
                          bool is_signed) {
  if (again_ != nullptr) {
    BasicBlock* whole = NewBlock("ok");
    BranchUnlikely(AnyOf(bad), again_, whole);
    return b_.SetInsertPoint(whole);
  }
  BasicBlock* cold = NewBlock("fault");
  BasicBlock* usual = NewBlock("ok");
  Values before;
  for (unsigned u = 0; u < unroll_; ++u) before.push_back(Mask(u));
  BasicBlock* head = b_.GetInsertBlock();
  BranchUnlikely(AnyOf(bad), cold, usual);

  b_.SetInsertPoint(cold);
  Value* lane = b_.getInt64(0);
  Value* lowest_index = b_.getInt64(0);
  const bool recorded = code == HOLOGRAM_FAULT_NONE;
  for (unsigned u = recorded ? 0 : unroll_; u-- > 0;) {
    Type* bits_type = b_.getIntNTy(target_.width);
    Value* bits = b_.CreateBitCast(bad[u], bits_type);
    Value* here = b_.CreateICmpNE(bits, ConstantInt::get(bits_type, 0));
    Value* first = b_.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, bits, b_.getFalse());
    // The lane is read only where `here` holds; the mask keeps it inside the vector otherwise.
    Value* k = b_.CreateAnd(b_.CreateZExt(first, b_.getInt64Ty()), b_.getInt64(target_.width - 1));
    lane = b_.CreateSelect(here, b_.CreateAdd(k, b_.getInt64(uint64_t{u} * target_.width)), lane);
    if (!index.empty()) {
      Value* own =
          b_.CreateIntCast(b_.CreateExtractElement(index[u], k), b_.getInt64Ty(), is_signed);
      lowest_index = b_.CreateSelect(here, own, lowest_index);
    }
  }
  if (!recorded) RecordFault(code, pc, lane, lowest_index);
  Values after;
  for (unsigned u = 0; u < unroll_; ++u) {
    Value* rest = b_.CreateNot(bad[u]);
    after.push_back(b_.CreateAnd(before[u], rest));
    Value* live = b_.CreateLoad(live_[u]->getAllocatedType(), live_[u]);
    b_.CreateStore(b_.CreateAnd(live, rest), live_[u]);
  }
  // With no lane left in the chunk, a convergent block would run under an empty mask: uniform
  // accesses there do not test it, and a convergent loop would not end.
  BasicBlock* some = leave_ == nullptr ? usual : NewBlock("fault.some");
  b_.CreateCondBr(AnyOf(LoadMask(live_)), some, done_);
  if (leave_ != nullptr) {
    b_.SetInsertPoint(some);
    b_.CreateCondBr(AnyOf(after), usual, leave_);
  }
  BasicBlock* cold_end = b_.GetInsertBlock();
  b_.SetInsertPoint(usual);
  mask_.clear();
  for (unsigned u = 0; u < unroll_; ++u) {
    llvm::PHINode* phi = b_.CreatePHI(before[u]->getType(), 2);
    phi->addIncoming(before[u], head);
    phi->addIncoming(after[u], cold_end);
    mask_.push_back(phi);
  }
  all_ = false;
}

// All running lanes fault if `bad` holds; code after this runs with a mask, or not at all.
void Lowering::FaultAll(uint32_t code, uint32_t pc, Value* bad, Value* index) {
  if (again_ != nullptr) {
    BasicBlock* whole = NewBlock("ok");
    BranchUnlikely(all_ ? bad : b_.CreateAnd(bad, AnyOf(mask_)), again_, whole);
    return b_.SetInsertPoint(whole);
  }
  if (!plan_.scalar) {
    Values lanes;
    Values indices;
    for (unsigned u = 0; u < unroll_; ++u) {
      lanes.push_back(b_.CreateAnd(Mask(u), Splat(bad)));
      indices.push_back(Splat(index));
    }
    return FaultLanes(code, pc, lanes, indices);
  }
  BasicBlock* cold = NewBlock("fault");
  BasicBlock* usual = NewBlock("ok");
  BranchUnlikely(bad, cold, usual);
  b_.SetInsertPoint(cold);
  RecordFault(code, pc, b_.getInt64(0), index);
  b_.CreateBr(done_);
  b_.SetInsertPoint(usual);
}

void Lowering::EmitTrap(uint32_t pc) {
  const bool always = plan_.program().code[pc].mod == 0;
  const OperandId predicate = plan_.operands[pc].predicates[0];
  if (always || plan_.scalar || plan_.KindOf(predicate) == Kind::kUniform) {
    Value* bad = always ? b_.getTrue() : Scalar(predicate);
    return FaultAll(HOLOGRAM_FAULT_ASSERTION, pc, bad, b_.getInt64(0));
  }
  Values bad;
  for (unsigned u = 0; u < unroll_; ++u) bad.push_back(b_.CreateAnd(Vector(predicate, u), Mask(u)));
  FaultLanes(HOLOGRAM_FAULT_ASSERTION, pc, bad, {});
}

}  // namespace hologram::codegen
