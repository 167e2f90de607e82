#include "codegen/emit/pending_masks.h"

#include "codegen/emit/idioms.h"

namespace hologram::codegen {

using llvm::Align;
using llvm::Type;
using llvm::Value;

void PendingMasks::Begin(const Blocks& blocks, bool in_memory) {
  slots_.assign(plan_.successors.size(), {});
  parked_ = nullptr;
  if (in_memory) return Park();
  Type* mask_type = f_.VectorOf(b_.getInt1Ty());
  for (const uint32_t b : blocks) {
    if (plan_.divergent[b] == 0) continue;
    for (unsigned u = 0; u < chunk_.unroll(); ++u) {
      slots_[b].push_back(f_.NewSlot(mask_type, "pending"));
      b_.CreateStore(llvm::Constant::getNullValue(mask_type), slots_[b].back());
    }
  }
}

void PendingMasks::Park() {
  constexpr uint64_t kMasksAtOnce = 16;  // zeroed at once
  // One more than there are blocks: for lanes that end behind their call.
  const uint64_t count = (plan_.successors.size() + kMasksAtOnce) / kMasksAtOnce * kMasksAtOnce;
  parked_ = f_.NewSlot(llvm::ArrayType::get(b_.getInt16Ty(), count), "parked");
  parked_->setAlignment(Align(2 * kMasksAtOnce));
  Type* zeros = llvm::FixedVectorType::get(b_.getInt16Ty(), kMasksAtOnce);
  EmitCountedLoop(
      f_, b_.getInt64(0), b_.getInt64(kMasksAtOnce), b_.getInt64(count), [&](Value* at) -> Value* {
        b_.CreateAlignedStore(llvm::Constant::getNullValue(zeros),
                              b_.CreateGEP(b_.getInt16Ty(), parked_, at), Align(2 * kMasksAtOnce));
        return nullptr;
      });
}

Value* PendingMasks::ParkedAddress(uint32_t block) {
  return b_.CreateConstGEP1_64(b_.getInt16Ty(), parked_, block);
}

Value* PendingMasks::Address(Value* block) {
  return b_.CreateGEP(b_.getInt16Ty(), parked_, block);
}

void PendingMasks::StoreNone(uint32_t block) {
  llvm::Constant* none = llvm::Constant::getNullValue(f_.VectorOf(b_.getInt1Ty()));
  Store(block, Values(chunk_.unroll(), none));
}

Values PendingMasks::Load(uint32_t block) {
  if (parked_ == nullptr) return LoadSlots(b_, slots_[block]);
  Value* bits = b_.CreateLoad(b_.getInt16Ty(), ParkedAddress(block));
  bits = b_.CreateTrunc(bits, b_.getIntNTy(f_.target().width));
  return {b_.CreateBitCast(bits, f_.VectorOf(b_.getInt1Ty()))};
}

void PendingMasks::Store(uint32_t block, const Values& masks) {
  if (parked_ == nullptr) {
    for (unsigned u = 0; u < chunk_.unroll(); ++u) b_.CreateStore(masks[u], slots_[block][u]);
    return;
  }
  Value* bits = b_.CreateBitCast(masks[0], b_.getIntNTy(f_.target().width));
  b_.CreateStore(b_.CreateZExt(bits, b_.getInt16Ty()), ParkedAddress(block));
}

void PendingMasks::Push(uint32_t block, const Values& mask) {
  Values all = Load(block);
  for (unsigned u = 0; u < chunk_.unroll(); ++u) all[u] = b_.CreateOr(all[u], mask[u]);
  Store(block, all);
}

}  // namespace hologram::codegen
