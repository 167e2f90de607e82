#include "codegen/lanes/whole_block.h"

#include "codegen/emit/idioms.h"
#include "codegen/instructions/lanewise.h"
#include "codegen/lanes/reduction_tree.h"
#include "codegen/plan/regions.h"
#include "codegen/quiet_nans.h"

namespace hologram::codegen {

using isa::Opcode;
using llvm::Value;

bool WholeBlock::Emit(uint32_t block) {
  const uint32_t pc = plan_.block(block).end - 1;
  const Opcode op = plan_.program().code[pc].op;
  if (op == Opcode::kBlkRed) Reduce(pc);
  if (op == Opcode::kBlkScan) Scan(pc);
  return true;
}

// The tree of docs/isa.md over the lanes of the chunk: neighbouring rows, then halves of the last.
void WholeBlock::Reduce(uint32_t pc) {
  if (!IsWanted(plan_, pc)) return;
  const isa::Instruction& in = plan_.program().code[pc];
  const LaneOperation step = StepOf(in.block_op());
  const bool by_range = ReducesByRange(f_.target(), in);
  std::vector<Value*> rows;
  for (unsigned u = 0; u < chunk_.unroll(); ++u) {
    Value* value = registers_.Vector(plan_.operands[pc].reads[0], u);
    rows.push_back(by_range ? Quieted(b_, value) : value);
  }
  // Narrower vectors in pairs, or fours, until one has a row.
  for (unsigned width = f_.target().width; width < kReductionSlots; width *= 2) {
    std::vector<int> both;
    for (unsigned i = 0; i < 2 * width; ++i) both.push_back(static_cast<int>(i));
    for (size_t k = 0; k < rows.size() / 2; ++k) {
      rows[k] = b_.CreateShuffleVector(rows[2 * k], rows[2 * k + 1], both);
    }
    rows.resize(rows.size() / 2);
  }
  for (; rows.size() > 1; rows.resize(rows.size() / 2)) {
    for (size_t k = 0; k < rows.size() / 2; ++k) {
      rows[k] = step(f_, in, {rows[2 * k], rows[2 * k + 1]});
    }
  }
  Value* value = FoldRow(f_, in, rows[0], by_range);
  value = CanonicalResult(f_, in.type, value);
  registers_.WriteScalar(pc, value);
}

// The steps of BlockReductions, from vector to vector.
void WholeBlock::Scan(uint32_t pc) {
  if (!IsWanted(plan_, pc)) return;
  const isa::Instruction& in = plan_.program().code[pc];
  const LaneOperation step = StepOf(in.block_op());
  Value* padding = f_.Splat(PaddingOf(b_, in));
  const unsigned width = f_.target().width;
  Values values = registers_.Operand(plan_.operands[pc].reads[0], false);
  for (unsigned distance = 1; distance < chunk_.unroll() * width; distance *= 2) {
    Values shifted;
    for (unsigned u = 0; u < chunk_.unroll(); ++u) {
      const unsigned whole = distance / width;
      if (whole > u && distance >= kReductionSlots) {
        shifted.push_back(nullptr);  // a row that nothing comes before
        continue;
      }
      const auto before = [&](unsigned count) { return count > u ? padding : values[u - count]; };
      std::vector<int> picks;
      for (unsigned i = 0; i < width; ++i) {
        picks.push_back(static_cast<int>(width - distance % width + i));
      }
      Value* left = before(whole);
      if (whole == 0) left = b_.CreateShuffleVector(before(1), values[u], picks);
      shifted.push_back(left);
    }
    for (unsigned u = 0; u < chunk_.unroll(); ++u) {
      if (shifted[u] != nullptr) values[u] = step(f_, in, {shifted[u], values[u]});
    }
  }
  for (Value*& value : values) value = CanonicalResult(f_, in.type, value);
  registers_.Write(pc, std::move(values));
}

}  // namespace hologram::codegen
