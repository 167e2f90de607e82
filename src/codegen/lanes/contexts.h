// Values that live across a barrier go to arrays: varying webs one element per lane, uniform and
// affine ones one per row (affine: what lane 0 would have); webs that depend on ids and parameters
// only are computed again. A row is run in several chunks that all start from the same values, so
// what a chunk leaves in the row's element is seen only after the row.
#pragma once

#include "codegen/emit/back_edges.h"
#include "codegen/lanes/invariants.h"
#include "codegen/plan/regions.h"

namespace hologram::codegen {

class Contexts {
 public:
  Contexts(FunctionState& f, LaneIds& ids, Chunk& chunk, Registers& registers,
           BackEdges& back_edges, Invariants& invariants, const Regions& regions);

  // Begins region `number`, which has these blocks.
  void EnterRegion(uint32_t number, const Blocks& blocks);
  // At the start and the end of a chunk.
  void Load(uint32_t entry);
  void Store();
  // The running lanes have come to the barrier.
  void Arrive();
  // Makes what the chunks of this row have left the start of the next region.
  void CommitRow();

  struct Array {
    llvm::Value* base;
    llvm::Type* element;
  };
  // Of a web: an element per lane, or two rows of elements per row of lanes, before and after the
  // region.
  Array ArrayOf(OperandId web);

 private:
  std::vector<OperandId> WebsToStore() const;
  llvm::Value* LaneElement(OperandId web);
  llvm::Value* RowElement(OperandId web, bool after);
  llvm::Value* ChunkOffset(OperandId web);
  Values ReadLanes(llvm::Value* array, llvm::Type* element, bool as_bool);
  void WriteLanes(llvm::Value* array, const Values& values);
  void BeginArrival();
  void LoadAlive(llvm::Value* lane);
  void LoadWeb(OperandId web);
  void LoadCounts(llvm::Value* lane);
  void StoreCounts(llvm::Value* lane);
  void StoreRow(const std::vector<OperandId>& webs);

  FunctionState& f_;
  llvm::IRBuilder<>& b_;
  const Plan& plan_;
  LaneIds& ids_;
  Chunk& chunk_;
  Registers& registers_;
  BackEdges& back_edges_;
  Invariants& invariants_;
  bool tracks_alive_;  // lanes may be missing at a barrier
  uint32_t region_ = 0;
  Blocks blocks_;                         // of the region
  std::vector<llvm::Value*> arrays_;      // by web
  llvm::Value* alive_ = nullptr;          // by lane, a byte
  std::array<llvm::Value*, 2> counts_{};  // of back edges: on the budget, and limited
  Slots arrived_;                         // at the barrier that ends the region
};

}  // namespace hologram::codegen
