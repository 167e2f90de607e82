// The tree of BLK.RED and the steps of BLK.SCAN (docs/isa.md), as far as all forms of a block share
// them: rows of 16 slots are combined first, then the halves of the row that is left. Rows that no
// lane can have are left out: they would change no bit.
#pragma once

#include "codegen/emit/lane_ids.h"

namespace hologram::codegen {

inline constexpr unsigned kReductionSlots = 16;  // of a row
inline constexpr unsigned kRowsOfWarp = isa::kLanesPerWarp / kReductionSlots;

// MIN and MAX of floats are one instruction of AVX-512 (VRANGE), for whole vectors without
// signalling NaN.
bool ReducesByRange(const Target& target, const isa::Instruction& in);
// The number of rows that the tree looks at: a power of two.
llvm::Value* ReductionRows(FunctionState& f, LaneIds& ids);
// The last steps of the tree: halves of a row. `whole`: by instructions of whole vectors alone.
llvm::Value* FoldRow(FunctionState& f, const isa::Instruction& in, llvm::Value* value, bool whole);
// A NaN of a result is canonical; 16-bit floats have been rounded to it.
llvm::Value* CanonicalResult(FunctionState& f, isa::Type type, llvm::Value* value);

}  // namespace hologram::codegen
