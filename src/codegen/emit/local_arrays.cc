#include "codegen/emit/local_arrays.h"

#include <cstddef>

#include "codegen/emit/idioms.h"

namespace hologram::codegen {

using llvm::Align;
using llvm::BasicBlock;
using llvm::Type;
using llvm::Value;

namespace {

constexpr uint64_t kStep = 32;  // bytes zeroed at once

}  // namespace

LocalArrays::LocalArrays(FunctionState& f, LaneIds& ids, const Chunk& chunk, const Regions& regions,
                         Value* state)
    : f_(f),
      b_(f.builder()),
      plan_(f.plan()),
      ids_(ids),
      chunk_(chunk),
      state_(state),
      per_block_(LocalPerBlock(f.plan(), regions)),
      from_caller_(ScratchBytes(f.plan(), regions) != 0) {}

// `lanes`: a multiple of 4, or 1 where lanes run one by one.
void LocalArrays::Allocate(unsigned lanes) {
  const uint64_t bytes = uint64_t{plan_.LocalBytes()} * lanes;
  if (base_ == nullptr) {
    llvm::AllocaInst* slot = f_.NewSlot(llvm::ArrayType::get(b_.getInt8Ty(), bytes), "local");
    slot->setAlignment(Align(64));
    base_ = slot;
  }
  Zero(b_.getInt64(lanes), uint64_t{plan_.ZeroedBytes()} * lanes % kStep == 0 ? kStep : 8);
}

// The arrays of `lanes` lanes from `base_` on. REQUIRES: `step` divides their bytes.
void LocalArrays::Zero(Value* lanes, uint64_t step) {
  lanes_ = lanes;
  lane_ = b_.getInt64(0);
  Value* zeroed = Behind(plan_.ZeroedBytes());
  Type* type = llvm::FixedVectorType::get(b_.getInt8Ty(), static_cast<unsigned>(step));
  BasicBlock* before = b_.GetInsertBlock();
  BasicBlock* body = f_.NewBlock("zero.local");
  BasicBlock* after = f_.NewBlock("zeroed.local");
  b_.CreateBr(body);
  b_.SetInsertPoint(body);
  llvm::PHINode* at = b_.CreatePHI(b_.getInt64Ty(), 2);
  b_.CreateAlignedStore(llvm::Constant::getNullValue(type), b_.CreateGEP(b_.getInt8Ty(), base_, at),
                        Align(8));
  Value* next = b_.CreateAdd(at, b_.getInt64(step));
  at->addIncoming(b_.getInt64(0), before);
  at->addIncoming(next, body);
  b_.CreateCondBr(b_.CreateICmpULT(next, zeroed), body, after);
  b_.SetInsertPoint(after);
}

Value* LocalArrays::Behind(uint64_t bytes) {
  return b_.CreateMul(b_.getInt64(bytes), lanes_);
}

Value* LocalArrays::FirstBehind(uint64_t bytes, Type* element, unsigned u) {
  Value* behind = Behind(bytes);
  Value* base = b_.CreateGEP(b_.getInt8Ty(), base_, behind);
  Value* first = b_.CreateGEP(element, base, lane_);
  return b_.CreateConstGEP1_64(element, first, uint64_t{u} * f_.target().width);
}

void LocalArrays::StartBlock() {
  if (!per_block_) return;
  if (!from_caller_) return Allocate(isa::kMaxLanesPerBlock);
  const uint64_t most = HOLOGRAM_SCRATCH_LANES - 1;
  base_ = LoadInvariant(b_, b_.getPtrTy(), state_, offsetof(hologram_launch_state, scratch));
  Zero(b_.CreateAnd(b_.CreateAdd(ids_.LanesOfBlock(), b_.getInt64(most)), ~most), kStep);
}

void LocalArrays::StartChunk() {
  if (plan_.LocalBytes() == 0) return;
  if (!per_block_) return Allocate(plan_.scalar ? 1 : chunk_.unroll() * f_.target().width);
  lane_ = ids_.LaneInBlock();
}

}  // namespace hologram::codegen
