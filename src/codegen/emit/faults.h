// Faults. The hot path tests whether any lane is bad; a cold block finds the lowest bad lane, and
// if no lower one has faulted before, writes the launch state. Bad lanes leave the running lanes
// and never come back. Where nothing that happens before a fault is changed by happening twice,
// whole vectors do not do that: a bad lane ends their loop, and its chunk is run from its start in
// the loop under masks, with all lanes behind it. So no lane ever leaves whole vectors, and they
// need no mask.
#pragma once

#include "codegen/emit/chunk.h"
#include "codegen/emit/lane_ids.h"

namespace hologram::codegen {

class Faults {
 public:
  // `state`: of the launch.
  Faults(FunctionState& f, LaneIds& ids, Chunk& chunk, llvm::Value* state)
      : f_(f), b_(f.builder()), plan_(f.plan()), ids_(ids), chunk_(chunk), state_(state) {}

  // Where a fault leads whose chunk is run again under masks; null: its lanes leave.
  void RunAgainAt(llvm::BasicBlock* again) { again_ = again; }
  bool LanesLeave() const { return plan_.may_fault && again_ == nullptr && !plan_.scalar; }
  // Where control goes when a fault leaves no lane in a divergent block; null elsewhere.
  void LeaveTo(llvm::BasicBlock* leave) { leave_ = leave; }

  // Code after these never runs under an empty mask: accesses at a uniform index rely on it, as
  // their index is in bounds only for a lane that runs.
  // HOLOGRAM_FAULT_NONE: the fault is recorded already. REQUIRES: every lane of `bad` runs.
  // `index` is empty, or holds an integer per lane, which is extended to 64 bits.
  void Lanes(uint32_t code, uint32_t pc, const Values& bad, const Values& index,
             bool is_signed = true);
  // All running lanes fault if `bad` holds; code after this runs with a mask, or not at all.
  void All(uint32_t code, uint32_t pc, llvm::Value* bad, llvm::Value* index);

 private:
  void Record(uint32_t code, uint32_t pc, llvm::Value* lane_offset, llvm::Value* index);
  llvm::Value* LaneNumber(llvm::Value* lane_offset);

  FunctionState& f_;
  llvm::IRBuilder<>& b_;
  const Plan& plan_;
  LaneIds& ids_;
  Chunk& chunk_;
  llvm::Value* state_;
  llvm::BasicBlock* again_ = nullptr;
  llvm::BasicBlock* leave_ = nullptr;
};

}  // namespace hologram::codegen
