// BLK.RED and BLK.SCAN where a block is run in several chunks: every lane that arrives puts its
// value into an array that was filled with what changes nothing; when all lanes of the block are
// there, the array is folded in place by the tree (reduction_tree.h), and the result becomes what
// the next region finds in its registers. A scan runs in place too, from the last row to the first,
// with a row of what changes nothing before the first. Warps are two rows each.
#pragma once

#include <array>
#include <map>

#include "codegen/emit/remark_writer.h"
#include "codegen/lanes/contexts.h"
#include "codegen/lanes/reduction_tree.h"

namespace hologram::codegen {

class BlockReductions {
 public:
  BlockReductions(FunctionState& f, LaneIds& ids, const Chunk& chunk, Registers& registers,
                  RemarkWriter& remarks, Contexts& contexts, const Regions& regions)
      : f_(f),
        b_(f.builder()),
        plan_(f.plan()),
        ids_(ids),
        chunk_(chunk),
        registers_(registers),
        remarks_(remarks),
        contexts_(contexts),
        tracks_alive_(regions.tracks_alive) {}

  // Before the lanes of a region run. Where all lanes of the block will come, only what is behind
  // them is filled.
  void Fill(const Blocks& region);
  // The lanes that run arrive.
  void Store(uint32_t pc);
  // All lanes of the block have arrived: what the region behind finds.
  void Finish(uint32_t pc);

 private:
  void Reduce(uint32_t pc);
  void Scan(uint32_t pc);
  void CombineWarps(uint32_t pc);
  using Warp = std::array<llvm::Value*, kRowsOfWarp>;
  Warp ScanWarp(const isa::Instruction& in, Warp rows);
  Warp ReduceWarp(const isa::Instruction& in, Warp rows);
  llvm::Value* RowsOf(const isa::Instruction& in);
  llvm::Value* ArrayOf(uint32_t pc);
  llvm::Type* RowOf(uint32_t pc);
  llvm::Value* FoldRows(uint32_t pc, llvm::Value* array, llvm::Value* rows, unsigned group);
  void KeepReduction(uint32_t pc, llvm::Value* value);
  void KeepScan(uint32_t pc);

  FunctionState& f_;
  llvm::IRBuilder<>& b_;
  const Plan& plan_;
  LaneIds& ids_;
  const Chunk& chunk_;
  Registers& registers_;
  RemarkWriter& remarks_;
  Contexts& contexts_;
  bool tracks_alive_;
  std::map<uint32_t, llvm::Value*> arrays_;  // by pc
};

}  // namespace hologram::codegen
