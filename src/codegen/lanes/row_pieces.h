// Rows of lanes in pieces that end at the multiples of a number of the launch: within one, what is
// divided by it has the same quotient in all lanes (verify::PieceFacts).
#pragma once

#include "codegen/lanes/lane_loop.h"

namespace hologram::codegen {

class RowPieces {
 public:
  RowPieces(FunctionState& f, LaneIds& ids, Chunk& chunk, Registers& registers,
            Invariants& invariants, Division& division)
      : f_(f),
        b_(f.builder()),
        ids_(ids),
        chunk_(chunk),
        registers_(registers),
        invariants_(invariants),
        division_(division) {}

  // Returns what `pieces` does, a function of the same type, if pieces have several vectors.
  void CallWhereLong(llvm::Function* pieces);
  // Calls body(piece) in a loop over the pieces of a range of lanes.
  void ForEach(LaneRange range, llvm::function_ref<void(LaneRange)> body);

 private:
  llvm::Value* Divisor();
  // Before the loop over the lanes of a piece that begins with lane `first`.
  void ComputeQuotients(llvm::Value* first);

  FunctionState& f_;
  llvm::IRBuilder<>& b_;
  LaneIds& ids_;
  Chunk& chunk_;
  Registers& registers_;
  Invariants& invariants_;
  Division& division_;
};

}  // namespace hologram::codegen
