// Kernels that know about blocks of lanes. Blocks run one after the other, and inside a block one
// region after the other: a region is everything that can be reached from the start, or from behind
// a barrier, without passing a barrier. For each region all lanes of the block run, row by row, and
// every lane ends at the exit or at the one barrier that the verifier has proved to be the same for
// all; that decides the next region. A program block that two regions reach is emitted in both.
// Values that live across a barrier: contexts.h. Blocks that are one chunk: whole_block.h.
#pragma once

#include "codegen/lanes/block_reductions.h"
#include "codegen/lanes/lane_loop.h"
#include "codegen/lanes/whole_block.h"

namespace hologram::codegen {

class BlockMode : private Barriers {
 public:
  BlockMode(FunctionState& f, const Arguments& arguments, LaneIds& ids, Chunk& chunk,
            Registers& registers, Faults& faults, RemarkWriter& remarks, LocalArrays& local,
            SharedArrays& shared, BackEdges& back_edges, Invariants& invariants, ChunkBody& chunks,
            LaneLoop& loop, const Regions& regions);

  void Emit();

 private:
  // ---- Barriers
  bool Emit(uint32_t block) override;

  // Calls body(block) for each block of the launch from `first` on that is asked for.
  void BlockLoop(llvm::Value* first, llvm::function_ref<void(llvm::Value*)> body);
  void EmitRegions(llvm::Value* first);
  void EmitRegion(uint32_t region);
  void EmitNextRegion(uint32_t region, llvm::ArrayRef<llvm::BasicBlock*> heads,
                      llvm::BasicBlock* latch);
  LaneRange LanesOf(uint32_t region, const Blocks& blocks, llvm::Value* width);
  llvm::Value* IsWholeShape(unsigned lanes);
  // Returns the block that has a fault, which arrives from `again`.
  llvm::Value* EmitWholeBlocks(unsigned lanes, llvm::BasicBlock* again);

  FunctionState& f_;
  llvm::IRBuilder<>& b_;
  const Plan& plan_;
  const Arguments& args_;
  LaneIds& ids_;
  Faults& faults_;
  RemarkWriter& remarks_;
  LocalArrays& local_;
  SharedArrays& shared_;
  ChunkBody& chunks_;
  LaneLoop& loop_;
  const Regions& regions_;
  Contexts contexts_;
  BlockReductions reductions_;
  WholeBlock whole_;
  // The number of the block that ends with the barrier that the lanes came to, plus 1. 0: all lanes
  // are done.
  llvm::AllocaInst* next_region_ = nullptr;
};

}  // namespace hologram::codegen
