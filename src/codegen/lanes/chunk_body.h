// Body of one chunk of lanes: a copy of the body, or of one of its regions.
#pragma once

#include "codegen/emit/control_flow.h"
#include "codegen/instructions/update_log.h"
#include "codegen/lanes/contexts.h"

namespace hologram::codegen {

struct Body {
  const Blocks& blocks;
  uint32_t entry;
  Barriers& barriers;
  Contexts* contexts;  // of a region; null where nothing lives across barriers in memory
};

class ChunkBody {
 public:
  // `tracks_alive`: lanes may be missing at a barrier.
  ChunkBody(LaneIds& ids, Chunk& chunk, Registers& registers, Faults& faults, LocalArrays& local,
            RemarkWriter& remarks, BackEdges& back_edges, ControlFlow& control, UpdateLog& log,
            bool tracks_alive);

  // Where a chunk goes whose updates do not fit the log.
  void WhenLogIsFull(llvm::BasicBlock* full) { log_.WhenFull(full); }
  // From lane number `x` of the row on. `remaining` is null when all lanes of the chunk exist.
  void Emit(llvm::Value* x, unsigned unroll, llvm::Value* remaining, const Body& body);

 private:
  LaneIds& ids_;
  Chunk& chunk_;
  Registers& registers_;
  Faults& faults_;
  LocalArrays& local_;
  RemarkWriter& remarks_;
  BackEdges& back_edges_;
  ControlFlow& control_;
  UpdateLog& log_;
  bool tracks_alive_;
};

}  // namespace hologram::codegen
