// Stores of the lanes that run.
#pragma once

#include "codegen/emit/chunk.h"

namespace hologram::codegen {

struct MaskedStore {
  llvm::Value* value;
  llvm::Value* address;
  llvm::Value* mask;
  llvm::Align align;
};

// `tag` is called for each store.
void StoreUnderMask(FunctionState& f, const Chunk& chunk, const MaskedStore& store,
                    llvm::function_ref<void(llvm::Instruction*)> tag);
// Into memory that is private to the lanes of the chunk.
void StoreToOwn(FunctionState& f, const Chunk& chunk, const MaskedStore& store);

}  // namespace hologram::codegen
