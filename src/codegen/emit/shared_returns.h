// Programs with so large a number of return targets that code for each of them would take long to
// compile: all lanes that return go to one block, which sends them to their places. Control goes on
// at the first block at which lanes may wait: before the first RET none does but at the places, and
// blocks without lanes are passed.
#pragma once

#include "codegen/emit/back_edges.h"
#include "codegen/emit/pending_masks.h"
#include "codegen/instructions/calls.h"

namespace hologram::codegen {

class SharedReturns {
 public:
  SharedReturns(FunctionState& f, Chunk& chunk, PendingMasks& pending, BackEdges& back_edges,
                const Calls& calls)
      : f_(f),
        b_(f.builder()),
        plan_(f.plan()),
        chunk_(chunk),
        pending_(pending),
        back_edges_(back_edges),
        calls_(calls) {}

  // For one copy of the program.
  void Begin();
  // Ends a block with a RET; `none` is where control goes if no lane is left.
  void EndBlock(uint32_t block, llvm::BasicBlock* none);
  // The block that the lanes of all RETs come to. `head_of` finds blocks that control may go to,
  // the end of the chunk for kExitBlock; where lanes run one by one it is the way to a place.
  void Emit(const Blocks& blocks, llvm::function_ref<llvm::BasicBlock*(uint32_t)> head_of);

 private:
  llvm::Value* OfNumbers(llvm::Value* numbers, llvm::function_ref<bool(size_t)> has, size_t count);
  llvm::Value* CountedReturns(uint32_t block, bool limited);
  void EndScalarBlock(uint32_t block);
  uint32_t SendLanes(const Blocks& blocks, uint32_t first_return);

  FunctionState& f_;
  llvm::IRBuilder<>& b_;
  const Plan& plan_;
  Chunk& chunk_;
  PendingMasks& pending_;
  BackEdges& back_edges_;
  const Calls& calls_;
  llvm::AllocaInst* places_ = nullptr;     // by lane, the number of the place
  llvm::AllocaInst* returning_ = nullptr;  // the lanes that return
  llvm::BasicBlock* returns_ = nullptr;    // where they are sent to their places
};

}  // namespace hologram::codegen
