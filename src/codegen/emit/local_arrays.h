// Local arrays: an array of the function, element by element and in an element lane by lane, so
// that an index that the lanes agree about is one contiguous access. Each chunk of lanes zeroes it
// and uses it alone; where lanes wait at barriers, it holds all lanes of a block instead, in memory
// of the caller if it does not fit the stack.
#pragma once

#include "codegen/emit/chunk.h"
#include "codegen/emit/lane_ids.h"
#include "codegen/plan/regions.h"

namespace hologram::codegen {

class LocalArrays {
 public:
  // `state`: of the launch.
  LocalArrays(FunctionState& f, LaneIds& ids, const Chunk& chunk, const Regions& regions,
              llvm::Value* state);

  // Of all lanes of a block, where they wait for each other.
  void StartBlock();
  // Of the lanes of a chunk.
  void StartChunk();

  llvm::Value* base() const { return base_; }
  llvm::Value* lanes() const { return lanes_; }  // how many have arrays there, i64
  llvm::Value* lane() const { return lane_; }    // which of them is the first of the chunk, i64
  // How far behind the arrays of all lanes those are that follow `bytes` of each.
  llvm::Value* Behind(uint64_t bytes);
  // Elements that follow `bytes` of the arrays of each lane, for vector `u` of the chunk: the
  // first of them. They are lane by lane.
  llvm::Value* FirstBehind(uint64_t bytes, llvm::Type* element, unsigned u);

 private:
  void Allocate(unsigned lanes);
  void Zero(llvm::Value* lanes, uint64_t step);

  FunctionState& f_;
  llvm::IRBuilder<>& b_;
  const Plan& plan_;
  LaneIds& ids_;
  const Chunk& chunk_;
  llvm::Value* state_;
  bool per_block_;
  bool from_caller_;  // memory of all lanes of a block
  llvm::Value* base_ = nullptr;
  llvm::Value* lanes_ = nullptr;
  llvm::Value* lane_ = nullptr;
};

}  // namespace hologram::codegen
