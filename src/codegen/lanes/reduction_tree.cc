#include "codegen/lanes/reduction_tree.h"

#include "codegen/emit/idioms.h"
#include "codegen/instructions/lanewise.h"

namespace hologram::codegen {

using isa::BlockOp;
using llvm::Value;

bool ReducesByRange(const Target& target, const isa::Instruction& in) {
  const bool picks = in.block_op() == BlockOp::kMin || in.block_op() == BlockOp::kMax;
  return target.avx512 && isa::IsFloat(in.type) && !isa::IsHalf(in.type) && picks;
}

Value* ReductionRows(FunctionState& f, LaneIds& ids) {
  llvm::IRBuilder<>& b = f.builder();
  Value* last = b.CreateLShr(b.CreateSub(ids.LanesOfBlock(), b.getInt64(1)), b.getInt64(4));
  Value* zeros = b.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, last, b.getFalse());
  return b.CreateShl(b.getInt64(1), b.CreateSub(b.getInt64(64), zeros));
}

Value* FoldRow(FunctionState& f, const isa::Instruction& in, Value* value, bool whole) {
  llvm::IRBuilder<>& b = f.builder();
  const LaneOperation step = StepOf(in.block_op());
  for (unsigned half = kReductionSlots / 2; half > 0; half /= 2) {
    std::vector<int> low;
    std::vector<int> high;
    for (unsigned i = 0; i < (whole ? kReductionSlots : half); ++i) {
      low.push_back(static_cast<int>(i));
      high.push_back(static_cast<int>((i + half) % kReductionSlots));
    }
    Value* right = b.CreateShuffleVector(value, high);
    value = step(f, in, {b.CreateShuffleVector(value, low), right});
  }
  return b.CreateExtractElement(value, uint64_t{0});
}

Value* CanonicalResult(FunctionState& f, isa::Type type, Value* value) {
  return isa::IsFloat(type) && !isa::IsHalf(type) ? Canonical(f.builder(), value) : value;
}

}  // namespace hologram::codegen
