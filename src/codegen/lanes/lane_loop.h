// The loop over the lanes of a row, three times: U vectors at once, one vector, and one vector
// under a mask for the rest, so that a mask costs only in the tail. Bodies that are long to compile
// run whole vectors of the rest under the mask too. Guards that were taken out of the body narrow
// the range first. The streaming form leaves the lanes before the stored buffer reaches the
// alignment of a vector to the plain one.
#pragma once

#include "codegen/lanes/chunk_body.h"
#include "codegen/lanes/invariants.h"

namespace hologram::codegen {

struct LaneRange {
  llvm::Value* first;
  llvm::Value* last;
};

class LaneLoop {
 public:
  // `other`: the function that the streaming form leaves its ends to (`streams`), or the one that
  // runs lane by lane what does not fit the log of updates; null where there is no such thing.
  LaneLoop(FunctionState& f, LaneIds& ids, Chunk& chunk, Registers& registers, Faults& faults,
           RemarkWriter& remarks, Places& places, Invariants& invariants, ChunkBody& chunks,
           llvm::Function* other, bool streams);

  void Emit(LaneRange range, const Body& body);

 private:
  LaneRange ApplyGuards(LaneRange range);
  llvm::Value* GuardBound(const LaneGuard& guard);
  llvm::Value* FullLoop(LaneRange range, unsigned unroll, const Body& body);
  llvm::Value* MaskedGroup(LaneRange range, unsigned unroll, const Body& body);
  void Masked(LaneRange range, bool loops, const Body& body);
  void StreamingLoops(LaneRange range, const Body& body);
  void LoggedLoop(LaneRange range, const Body& body);
  llvm::Value* AlignedFirst(LaneRange range);
  void CallOther(LaneRange range);
  void BeginOutside();

  FunctionState& f_;
  llvm::IRBuilder<>& b_;
  const Plan& plan_;
  LaneIds& ids_;
  Chunk& chunk_;
  Registers& registers_;
  Faults& faults_;
  RemarkWriter& remarks_;
  Places& places_;
  Invariants& invariants_;
  ChunkBody& chunks_;
  llvm::Function* other_;
  bool streams_;
};

}  // namespace hologram::codegen
