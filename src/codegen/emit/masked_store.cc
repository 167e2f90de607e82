#include "codegen/emit/masked_store.h"

namespace hologram::codegen {

using llvm::BasicBlock;
using llvm::Value;

// Below AVX-512 such a store takes tens of instructions, inside some processors or before them. The
// lanes of a chunk that branches have taken apart are mostly all there; not those of the last one.
void StoreUnderMask(FunctionState& f, const Chunk& chunk, const MaskedStore& store,
                    llvm::function_ref<void(llvm::Instruction*)> tag) {
  llvm::IRBuilder<>& b = f.builder();
  if (f.target().avx512 || !chunk.full()) {
    tag(b.CreateMaskedStore(store.value, store.address, store.align, store.mask));
    return;
  }
  BasicBlock* all = f.NewBlock("store.all");
  BasicBlock* some = f.NewBlock("store.some");
  BasicBlock* stored = f.NewBlock("stored");
  b.CreateCondBr(b.CreateAndReduce(store.mask), all, some);
  b.SetInsertPoint(all);
  tag(b.CreateAlignedStore(store.value, store.address, store.align));
  b.CreateBr(stored);
  b.SetInsertPoint(some);
  tag(b.CreateMaskedStore(store.value, store.address, store.align, store.mask));
  b.CreateBr(stored);
  b.SetInsertPoint(stored);
}

// What is loaded next does not wait for the memory, as it does behind a store under a mask.
void StoreToOwn(FunctionState& f, const Chunk& chunk, const MaskedStore& store) {
  llvm::IRBuilder<>& b = f.builder();
  if (!chunk.full()) {
    b.CreateMaskedStore(store.value, store.address, store.align, store.mask);
    return;
  }
  Value* old = b.CreateAlignedLoad(store.value->getType(), store.address, store.align);
  b.CreateAlignedStore(b.CreateSelect(store.mask, store.value, old), store.address, store.align);
}

}  // namespace hologram::codegen
