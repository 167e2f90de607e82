// ATGF.ADD that is a sum of the launch (docs/isa.md): the lanes of a chunk hand their values over
// together, and the caller of the launch adds them in the order of lanes.
#pragma once

#include "codegen/emit/remark_writer.h"
#include "codegen/instructions/places.h"

namespace hologram::codegen {

class LaunchSums {
 public:
  LaunchSums(FunctionState& f, LaneIds& ids, Registers& registers, const Chunk& chunk,
             RemarkWriter& remarks, Places& places, llvm::Value* state)
      : f_(f),
        b_(f.builder()),
        plan_(f.plan()),
        ids_(ids),
        registers_(registers),
        chunk_(chunk),
        remarks_(remarks),
        places_(places),
        state_(state) {}

  // REQUIRES: lanes outside the buffer run no more.
  void Add(uint32_t pc, const Place& place);

 private:
  FunctionState& f_;
  llvm::IRBuilder<>& b_;
  const Plan& plan_;
  LaneIds& ids_;
  Registers& registers_;
  const Chunk& chunk_;
  RemarkWriter& remarks_;
  Places& places_;
  llvm::Value* state_;
};

}  // namespace hologram::codegen
