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
  // With x and y exchanged: units of a launch are places along x, and a row is as long as there are
  // units.
  void EmitColumns();

 private:
  // Lanes of the launch along an axis, as 64 bits.
  llvm::Value* Extent(unsigned axis);
  // For all rows of a launch that are in front of lanes `range` along x.
  void EmitColumnsOf(LaneRange range, llvm::Value* z, const Body& body);
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
