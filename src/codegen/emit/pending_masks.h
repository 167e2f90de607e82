// Which lanes wait at which block, in one copy of the body: a mask for each divergent block. They
// are stack slots, which become values; where returns are shared they are in memory, so that a lane
// finds that of its place by its number.
#pragma once

#include "codegen/emit/chunk.h"
#include "codegen/plan/body.h"

namespace hologram::codegen {

class PendingMasks {
 public:
  PendingMasks(FunctionState& f, const Chunk& chunk)
      : f_(f), b_(f.builder()), plan_(f.plan()), chunk_(chunk) {}

  // For another copy: no lane waits anywhere. `in_memory`: one more than there are blocks, for
  // lanes that end behind their call.
  void Begin(const Blocks& blocks, bool in_memory);
  Values Load(uint32_t block);
  void Store(uint32_t block, const Values& masks);
  void StoreNone(uint32_t block);
  // Lanes go to the block.
  void Push(uint32_t block, const Values& mask);
  // The mask of a block by its number, i16. REQUIRES: they are in memory
  llvm::Value* Address(llvm::Value* block);

 private:
  void Park();
  llvm::Value* ParkedAddress(uint32_t block);

  FunctionState& f_;
  llvm::IRBuilder<>& b_;
  const Plan& plan_;
  const Chunk& chunk_;
  std::vector<Slots> slots_;            // by block
  llvm::AllocaInst* parked_ = nullptr;  // in memory
};

}  // namespace hologram::codegen
