#include "codegen/emit/faults.h"

#include <cstddef>

#include "codegen/emit/idioms.h"

namespace hologram::codegen {

using isa::Sreg;
using llvm::BasicBlock;
using llvm::ConstantInt;
using llvm::Type;
using llvm::Value;

Value* Faults::LaneNumber(Value* lane_offset) {
  if (plan_.unit != HOLOGRAM_UNIT_ROW) return b_.CreateAdd(ids_.LinearLane(), lane_offset);
  // Global lanes are numbered block by block.
  const auto wide = [&](Value* v) { return b_.CreateZExt(v, b_.getInt64Ty()); };
  const auto id = [&](isa::Sreg sreg) { return ids_.Get(sreg); };
  Value* at[3] = {b_.CreateAdd(id(isa::Sreg::kGlobalX), lane_offset), wide(id(isa::Sreg::kGlobalY)),
                  wide(id(isa::Sreg::kGlobalZ))};
  Value* in_block = b_.getInt64(0);
  Value* block = b_.getInt64(0);
  Value* lanes = b_.getInt64(1);
  for (unsigned d = 3; d-- > 0;) {
    Value* size = wide(ids_.Shape(true, d));
    block =
        b_.CreateAdd(b_.CreateMul(block, wide(ids_.Shape(false, d))), b_.CreateUDiv(at[d], size));
    in_block = b_.CreateAdd(b_.CreateMul(in_block, size), b_.CreateURem(at[d], size));
    lanes = b_.CreateMul(lanes, size);
  }
  return b_.CreateAdd(b_.CreateMul(block, lanes), in_block);
}

void Faults::Record(uint32_t code, uint32_t pc, Value* lane_offset, Value* index) {
  Value* lane = LaneNumber(lane_offset);
  const auto field = [&](size_t offset) {
    return b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), state_, offset);
  };
  Value* lane_field = field(offsetof(hologram_launch_state, fault_lane));
  BasicBlock* lower = f_.NewBlock("fault.lower");
  BasicBlock* end = f_.NewBlock("fault.end");
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

void Faults::Lanes(uint32_t code, uint32_t pc, const Values& bad, const Values& index,
                   bool is_signed) {
  if (again_ != nullptr) {
    BasicBlock* whole = f_.NewBlock("ok");
    f_.BranchUnlikely(f_.AnyOf(bad), again_, whole);
    return b_.SetInsertPoint(whole);
  }
  BasicBlock* cold = f_.NewBlock("fault");
  BasicBlock* usual = f_.NewBlock("ok");
  const Values before = chunk_.Masks();
  BasicBlock* head = b_.GetInsertBlock();
  f_.BranchUnlikely(f_.AnyOf(bad), cold, usual);

  b_.SetInsertPoint(cold);
  Value* lane = b_.getInt64(0);
  Value* lowest_index = b_.getInt64(0);
  const bool recorded = code == HOLOGRAM_FAULT_NONE;
  for (unsigned u = recorded ? 0 : chunk_.unroll(); u-- > 0;) {
    Type* bits_type = b_.getIntNTy(f_.target().width);
    Value* bits = b_.CreateBitCast(bad[u], bits_type);
    Value* here = b_.CreateICmpNE(bits, ConstantInt::get(bits_type, 0));
    Value* first = b_.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, bits, b_.getFalse());
    // The lane is read only where `here` holds; the mask keeps it inside the vector otherwise.
    Value* k =
        b_.CreateAnd(b_.CreateZExt(first, b_.getInt64Ty()), b_.getInt64(f_.target().width - 1));
    lane =
        b_.CreateSelect(here, b_.CreateAdd(k, b_.getInt64(uint64_t{u} * f_.target().width)), lane);
    if (!index.empty()) {
      Value* own =
          b_.CreateIntCast(b_.CreateExtractElement(index[u], k), b_.getInt64Ty(), is_signed);
      lowest_index = b_.CreateSelect(here, own, lowest_index);
    }
  }
  if (!recorded) Record(code, pc, lane, lowest_index);
  Values after;
  for (unsigned u = 0; u < chunk_.unroll(); ++u) {
    Value* rest = b_.CreateNot(bad[u]);
    after.push_back(b_.CreateAnd(before[u], rest));
    chunk_.Leave(u, rest);
  }
  // With no lane left in the chunk, a convergent block would run under an empty mask: uniform
  // accesses there do not test it, and a convergent loop would not end.
  BasicBlock* some = leave_ == nullptr ? usual : f_.NewBlock("fault.some");
  b_.CreateCondBr(f_.AnyOf(chunk_.Live()), some, chunk_.end());
  if (leave_ != nullptr) {
    b_.SetInsertPoint(some);
    b_.CreateCondBr(f_.AnyOf(after), usual, leave_);
  }
  BasicBlock* cold_end = b_.GetInsertBlock();
  b_.SetInsertPoint(usual);
  Values running;
  for (unsigned u = 0; u < chunk_.unroll(); ++u) {
    llvm::PHINode* phi = b_.CreatePHI(before[u]->getType(), 2);
    phi->addIncoming(before[u], head);
    phi->addIncoming(after[u], cold_end);
    running.push_back(phi);
  }
  chunk_.Run(std::move(running));
}

void Faults::All(uint32_t code, uint32_t pc, Value* bad, Value* index) {
  if (again_ != nullptr) {
    BasicBlock* whole = f_.NewBlock("ok");
    f_.BranchUnlikely(chunk_.all() ? bad : b_.CreateAnd(bad, f_.AnyOf(chunk_.Masks())), again_,
                      whole);
    return b_.SetInsertPoint(whole);
  }
  if (!plan_.scalar) {
    Values lanes;
    Values indices;
    for (unsigned u = 0; u < chunk_.unroll(); ++u) {
      lanes.push_back(b_.CreateAnd(chunk_.Mask(u), f_.Splat(bad)));
      indices.push_back(f_.Splat(index));
    }
    return Lanes(code, pc, lanes, indices);
  }
  BasicBlock* cold = f_.NewBlock("fault");
  BasicBlock* usual = f_.NewBlock("ok");
  f_.BranchUnlikely(bad, cold, usual);
  b_.SetInsertPoint(cold);
  Record(code, pc, b_.getInt64(0), index);
  b_.CreateBr(chunk_.end());
  b_.SetInsertPoint(usual);
}

}  // namespace hologram::codegen
