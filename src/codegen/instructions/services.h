// Instructions that a function of the runtime runs, lane by lane: resonance, pools, print.
#pragma once

#include "codegen/emit/faults.h"
#include "codegen/emit/registers.h"

namespace hologram::codegen {

class Services {
 public:
  // `state`: of the launch.
  Services(FunctionState& f, LaneIds& ids, Registers& registers, const Chunk& chunk, Faults& faults,
           llvm::Value* state)
      : f_(f),
        b_(f.builder()),
        plan_(f.plan()),
        ids_(ids),
        registers_(registers),
        chunk_(chunk),
        faults_(faults),
        state_(state) {}

  void Emit(uint32_t pc);

 private:
  // Arrays of the chunk, by lane.
  struct Exchange {
    llvm::Value* operands;
    llvm::Value* results;
    llvm::Value* bad;   // whether the lane faulted, a byte
    llvm::Value* runs;  // whether it asks, a byte
  };
  Exchange MakeArrays();
  void StoreOperands(uint32_t pc, const Exchange& arrays);
  void CallForLanes(uint32_t pc, const Exchange& arrays);
  void CallForLane(uint32_t pc, llvm::Value* lane, const Exchange& arrays);
  void TakeResults(uint32_t pc, const Exchange& arrays);

  FunctionState& f_;
  llvm::IRBuilder<>& b_;
  const Plan& plan_;
  LaneIds& ids_;
  Registers& registers_;
  const Chunk& chunk_;
  Faults& faults_;
  llvm::Value* state_;
};

}  // namespace hologram::codegen
