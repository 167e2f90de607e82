// Branches and masks. Every lane that runs is either in the mask of the current block or waits in
// the pending mask of exactly one other block, and no lane waits at a block before the current one
// in layout (program) order:
//   a divergent block starts by taking its pending mask, and ends by adding its lanes to the
//   pending masks of its successors; if any lane waits at a target of its back edges, control goes
//   to the earliest of them, else to the next block in layout order at which lanes may wait.
// A convergent block runs all live lanes of the chunk and keeps real branches. No instruction runs
// under an empty mask, but those of short blocks that neither fault nor touch memory: a block whose
// lanes have all faulted is left at once, and so is a chunk without live lanes. This is right for
// any control-flow graph; classes.cc decides which blocks must be divergent. The random-CFG test of
// tests/differential is what holds this file to it.
#pragma once

#include "codegen/emit/barriers.h"
#include "codegen/emit/lane_counts.h"
#include "codegen/emit/polls.h"
#include "codegen/emit/remark_writer.h"
#include "codegen/emit/shared_returns.h"
#include "codegen/instructions/instructions.h"

namespace hologram::codegen {

class ControlFlow {
 public:
  ControlFlow(FunctionState& f, Chunk& chunk, Position& position, Registers& registers,
              Faults& faults, RemarkWriter& remarks, Polls& polls, BackEdges& back_edges,
              Emitters& instructions);

  // A copy of `blocks`: all live lanes of the chunk start at `entry`, and come to its end.
  void Emit(const Blocks& blocks, uint32_t entry, Barriers& barriers);

 private:
  void EmitBlock(uint32_t block, llvm::BasicBlock* next);
  void EmitTerminator(uint32_t block, llvm::BasicBlock* next);
  llvm::BasicBlock* NextInLayout(const Blocks& blocks, size_t position);
  llvm::BasicBlock* HeadOfNext(uint32_t block, const BlockSet& lanes);
  llvm::BasicBlock* HeadOrEnd(uint32_t block);

  // ---- Blocks that all live lanes run
  void EndConvergent(uint32_t block);
  void EndReturn(uint32_t block);
  llvm::Value* Taken(uint32_t block);
  void EndFirstCopy(uint32_t block);
  llvm::BasicBlock* TargetOfEdge(uint32_t from, uint32_t to);
  llvm::BasicBlock* JumpTarget(uint32_t from, uint32_t to);

  // ---- Blocks whose lanes part
  void EndVarying(uint32_t block);
  bool CanGoTogether(uint32_t block, uint32_t to) const;
  llvm::BasicBlock* TogetherTo(uint32_t block, uint32_t to);
  void EndDivergent(uint32_t block, llvm::BasicBlock* next);
  void LeaveDivergent(uint32_t block, llvm::ArrayRef<uint32_t> targets, llvm::BasicBlock* next);
  void PushEdge(uint32_t block, uint32_t to, Values mask);
  Values MaskOfEdge(uint32_t block, size_t successor);

  FunctionState& f_;
  llvm::IRBuilder<>& b_;
  const Plan& plan_;
  Chunk& chunk_;
  Position& position_;
  Registers& registers_;
  Faults& faults_;
  RemarkWriter& remarks_;
  Polls& polls_;
  BackEdges& back_edges_;
  Emitters& instructions_;
  PendingMasks pending_;
  LaneCounts counts_;
  SharedReturns shared_returns_;
  std::vector<llvm::BasicBlock*> heads_;  // by block of the program
  Barriers* barriers_ = nullptr;          // of the copy that is being written
};

}  // namespace hologram::codegen
