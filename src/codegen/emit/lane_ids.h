// Where in the launch the lanes are that are being written: what special registers read. Set by the
// loops over blocks, rows and chunks, outermost first.
#pragma once

#include <array>

#include "codegen/emit/function.h"

namespace hologram::codegen {

class LaneIds {
 public:
  // `shape`: grid, then block.
  LaneIds(FunctionState& f, const std::array<llvm::Value*, 6>& shape);

  // ---- Reading
  // The id of number `d` behind one. u32; those that count along x: exact i64 of lane 0.
  llvm::Value* Get(isa::Sreg sreg, unsigned d = 0) const;
  llvm::Value* Read(isa::Sreg sreg);  // as the register has it
  llvm::Value* Shape(bool block, unsigned dimension) const;
  llvm::Value* LinearLane() const;           // number of lane 0 of the chunk in the launch, i64
  llvm::Value* LaneInBlock();                // ... in its block, i64
  llvm::Value* row() const { return row_; }  // its number in the block, i64
  llvm::Value* row_lanes() const { return row_lanes_; }  // lanes of the block before it, i64
  llvm::Value* LanesOfBlock();                           // how many they are, i64

  // ---- Setting
  void Set(isa::Sreg sreg, unsigned d, llvm::Value* value);
  // All blocks have this shape.
  void FixBlockShape(unsigned lanes);
  // Block number `block` of the launch, at `at` in the grid.
  void StartBlock(llvm::Value* block, const std::array<llvm::Value*, 3>& at);
  // A row of lanes of the block: its number, how many lanes come before it, and its y and z.
  void StartRow(llvm::Value* row, llvm::Value* width, llvm::Value* y, llvm::Value* z);
  // The only row of blocks whose lanes are along x.
  void StartOnlyRow();
  // Without blocks: a row of the launch starts at global x 0 and linear lane 0.
  void StartFlat();
  // A lane is a thread: its number in the block, and in the launch.
  void StartThread(llvm::Value* lane, llvm::Value* linear);
  // Lanes from number `x` of the row on.
  void StartChunk(llvm::Value* x);

  // All of it, to come back to.
  struct Where {
    std::array<llvm::Value*, isa::kNumSregs> ids{};
    std::array<llvm::Value*, 6> shape{};
  };
  const Where& where() const { return where_; }
  void Restore(const Where& where) { where_ = where; }

 private:
  llvm::IRBuilder<>& b_;
  Where where_;
  llvm::Value* global_base_ = nullptr;  // global.x where x is 0, i64
  llvm::Value* linear_base_ = nullptr;  // linear lane where x is 0, i64
  llvm::Value* block_lanes_ = nullptr;  // lanes before this block, i64
  llvm::Value* row_ = nullptr;
  llvm::Value* row_lanes_ = nullptr;
};

}  // namespace hologram::codegen
