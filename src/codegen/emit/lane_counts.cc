#include "codegen/emit/lane_counts.h"

#include <algorithm>

#include "plugin/code.h"

namespace hologram::codegen {

using llvm::GlobalVariable;
using llvm::Value;

namespace {

// Only a loader writes it: hologram_jit_counts.
GlobalVariable* Slot(const Kernel& kernel) {
  if (GlobalVariable* made = kernel.module.getNamedGlobal(HOLOGRAM_JIT_COUNTS_SYMBOL)) return made;
  llvm::IRBuilder<> b(kernel.module.getContext());
  llvm::StructType* type =
      llvm::StructType::get(b.getContext(), {b.getPtrTy(), b.getInt64Ty(), b.getInt64Ty()});
  const uint64_t blocks = kernel.plan.given().blocks().size();
  const uint64_t width = kernel.plan.scalar ? 1 : kernel.target.width;
  llvm::Constant* value = llvm::ConstantStruct::get(
      type, {llvm::ConstantPointerNull::get(b.getPtrTy()), b.getInt64(blocks), b.getInt64(width)});
  auto* slot = new GlobalVariable(kernel.module, type, false, llvm::GlobalValue::ExternalLinkage,
                                  value, HOLOGRAM_JIT_COUNTS_SYMBOL);
  slot->setDSOLocal(true);  // reached without a table of addresses
  slot->setExternallyInitialized(true);
  slot->setSection(".data.rel.ro.hologram");
  slot->setAlignment(llvm::Align(alignof(hologram_jit_counts)));
  return slot;
}

}  // namespace

// The branch of a first copy once more (verify/loop_copies.h): its lanes have been counted there.
bool LaneCounts::IsParting(uint32_t block) const {
  if (plan_.SecondOf(block) != verify::kExitBlock) return false;
  const std::vector<uint32_t>& from = plan_.block(block).predecessors;
  return std::any_of(from.begin(), from.end(), [&](uint32_t b) { return plan_.LeavesTogether(b); });
}

Value* LaneCounts::Counters() {
  if (counters_ == nullptr) {
    llvm::IRBuilder<> first = f_.AtStart();
    llvm::LoadInst* address = first.CreateLoad(b_.getPtrTy(), Slot(f_.kernel()), "counters");
    llvm::MDNode* none = llvm::MDNode::get(f_.context(), {});
    address->setMetadata(llvm::LLVMContext::MD_invariant_load, none);
    address->setMetadata(llvm::LLVMContext::MD_nonnull, none);
    counters_ = address;
  }
  return counters_;
}

void LaneCounts::AddTo(uint32_t counter, Value* more) {
  Value* place = b_.CreateConstInBoundsGEP1_64(b_.getInt64Ty(), Counters(), counter);
  llvm::LoadInst* before = b_.CreateLoad(b_.getInt64Ty(), place);
  llvm::StoreInst* after = b_.CreateStore(b_.CreateAdd(before, more), place);
  f_.kernel().scopes.TagOutside(before);
  f_.kernel().scopes.TagOutside(after);
}

void LaneCounts::Add(uint32_t block) {
  if (!plan_.options.instrumented || IsParting(block)) return;
  const uint32_t counted = plan_.given().BlockOf(plan_.PcInGiven(plan_.block(block).begin));
  Value* lanes = b_.getInt64(0);
  Value* vectors = b_.getInt64(0);
  for (unsigned u = 0; u < chunk_.unroll(); ++u) {
    Value* mask = chunk_.Mask(u);
    if (mask->getType()->isVectorTy())
      mask = b_.CreateBitCast(mask, b_.getIntNTy(f_.target().width));
    Value* count = b_.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, mask);
    Value* any = b_.CreateICmpNE(mask, llvm::Constant::getNullValue(mask->getType()));
    lanes = b_.CreateAdd(lanes, b_.CreateZExtOrTrunc(count, b_.getInt64Ty()));
    vectors = b_.CreateAdd(vectors, b_.CreateZExt(any, b_.getInt64Ty()));
  }
  AddTo(2 * counted, lanes);
  AddTo(2 * counted + 1, vectors);
}

}  // namespace hologram::codegen
