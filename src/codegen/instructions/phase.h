// PHASE.GET and PHASE.ADV. The steps of the phase of a lane are behind its local arrays.
#pragma once

#include "codegen/emit/local_arrays.h"
#include "codegen/emit/registers.h"

namespace hologram::codegen {

class Phase {
 public:
  // `state`: of the launch.
  Phase(FunctionState& f, LaneIds& ids, Registers& registers, const Chunk& chunk,
        LocalArrays& local, llvm::Value* state)
      : f_(f),
        b_(f.builder()),
        plan_(f.plan()),
        ids_(ids),
        registers_(registers),
        chunk_(chunk),
        local_(local),
        state_(state) {}

  void Get(uint32_t pc);
  void Advance(uint32_t pc);

 private:
  // `start` and the steps of each lane.
  Values Sums(llvm::Value* start, bool keeps);
  llvm::Value* WrapPhase(llvm::Value* sum);
  llvm::Value* PhaseOfBlock();
  void KeepStepsOfLane0(llvm::Value* steps);

  FunctionState& f_;
  llvm::IRBuilder<>& b_;
  const Plan& plan_;
  LaneIds& ids_;
  Registers& registers_;
  const Chunk& chunk_;
  LocalArrays& local_;
  llvm::Value* state_;
};

}  // namespace hologram::codegen
