// Kernels whose lanes know nothing of blocks: all lanes of the launch are one row, or they are run
// row by row.
#pragma once

#include "codegen/lanes/lane_loop.h"
#include "codegen/lanes/row_pieces.h"

namespace hologram::codegen {

class FlatRows {
 public:
  FlatRows(FunctionState& f, const Arguments& arguments, LaneIds& ids, RemarkWriter& remarks,
           Polls& polls, LaneLoop& loop, RowPieces* pieces)
      : f_(f),
        b_(f.builder()),
        plan_(f.plan()),
        args_(arguments),
        ids_(ids),
        remarks_(remarks),
        polls_(polls),
        loop_(loop),
        pieces_(pieces) {}

  void Emit();

 private:
  void EmitRows(const Body& body);
  void EmitLanes(LaneRange range, const Body& body);

  FunctionState& f_;
  llvm::IRBuilder<>& b_;
  const Plan& plan_;
  const Arguments& args_;
  LaneIds& ids_;
  RemarkWriter& remarks_;
  Polls& polls_;
  LaneLoop& loop_;
  RowPieces* pieces_;  // null: rows are run whole
};

}  // namespace hologram::codegen
