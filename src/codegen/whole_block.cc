// Blocks of exactly as many lanes as one chunk takes: those that reduce rows, or scan, in the
// standard kernels. All their lanes are in flight at once, so nothing goes to memory at a barrier:
// what lives across it stays in registers, reductions and scans work on registers, and the regions
// become one piece of code. Launches with blocks of other sizes take the way of block_mode.cc,
// whose bits are the same.
#include "codegen/lowering.h"
#include "codegen/quiet_once.h"

namespace hologram::codegen {

using isa::Opcode;
using llvm::BasicBlock;

namespace {

constexpr unsigned kReducingLanes = 64;
constexpr unsigned kScanningLanes = 256;  // short bodies, of many steps for each element
constexpr size_t kMostSize = 300;         // of a body that is emitted once more
constexpr size_t kMostScanningSize = 60;
constexpr unsigned kMostVectors = 8;
constexpr unsigned kMostScanningVectors = 16;
constexpr unsigned kRow = 16;  // slots that the tree folds last, by halves

}  // namespace

// How many lanes such a block has; 0 for programs that would not gain by it, and those whose lanes
// need not come to barriers together.
unsigned Lowering::WholeLanes() const {
  if (tracks_alive_ || plan_.may_fault || plan_.counts() || plan_.recursive) return 0;
  if (plan_.LocalBytes() != 0) return 0;
  bool reduces = false;
  bool scans = false;
  for (uint32_t b : ReachableBlocks()) {
    const isa::Instruction& last = plan_.program().code[plan_.block(b).end - 1];
    reduces |= last.op == Opcode::kBlkRed;
    scans |= last.op == Opcode::kBlkScan;
  }
  const unsigned lanes = scans ? kScanningLanes : reduces ? kReducingLanes : 0;
  const size_t most = scans ? kMostScanningSize : kMostSize;
  const unsigned vectors = scans ? kMostScanningVectors : kMostVectors;
  const bool fits = lanes % target_.width == 0 && lanes / target_.width <= vectors;
  return fits && BodySize(ReachableBlocks()) <= most ? lanes : 0;
}

llvm::Value* Lowering::IsWholeShape(unsigned lanes) {
  Value* is = b_.CreateICmpEQ(ShapeValue(true, 0), b_.getInt32(lanes));
  for (unsigned d = 1; d < 3; ++d) {
    is = b_.CreateAnd(is, b_.CreateICmpEQ(ShapeValue(true, d), b_.getInt32(1)));
  }
  return is;
}

// REQUIRES: IsWholeShape(lanes)
void Lowering::EmitWholeBlocks(unsigned lanes) {
  const auto shape = shape_values_;
  const auto ids = ids_;
  for (unsigned d = 0; d < 3; ++d) {
    shape_values_[3 + d] = b_.getInt32(d == 0 ? lanes : 1);
    ids_[static_cast<size_t>(isa::Sreg::kBlockDimX) + d] = shape_values_[3 + d];
  }
  const std::vector<uint32_t> regions = std::exchange(region_entries_, {});
  EmitBlockLoop([&](Value* /*block*/) {
    ZeroShared();
    linear_base_ = block_lanes_;
    for (unsigned d = 1; d < 3; ++d) {
      ids_[static_cast<size_t>(isa::Sreg::kLaneX) + d] = b_.getInt32(0);
      ids_[static_cast<size_t>(isa::Sreg::kGlobalX) + d] =
          ids_[static_cast<size_t>(isa::Sreg::kBlockX) + d];
    }
    whole_ = true;
    EmitChunk(b_.getInt64(0), lanes / target_.width, nullptr, ReachableBlocks());
    whole_ = false;
  });
  region_entries_ = regions;
  shape_values_ = shape;
  ids_ = ids;
}

// The tree of docs/isa.md over the lanes of the chunk: neighbouring rows, then halves of the last.
void Lowering::EmitWholeReduction(uint32_t pc) {
  if (!IsWanted(pc)) return;
  const isa::Instruction& in = plan_.program().code[pc];
  isa::Instruction step = in;
  step.op = StepOf(in.block_op());
  const bool by_range = ReducesByRange(in);
  std::vector<Value*> rows;
  for (unsigned u = 0; u < unroll_; ++u) {
    Value* value = Vector(plan_.operands[pc].reads[0], u);
    rows.push_back(by_range ? Quieted(b_, value) : value);
  }
  // Narrower vectors in pairs, or fours, until one has a row.
  for (unsigned width = target_.width; width < kRow; width *= 2) {
    std::vector<int> both;
    for (unsigned i = 0; i < 2 * width; ++i) both.push_back(static_cast<int>(i));
    for (size_t k = 0; k < rows.size() / 2; ++k) {
      rows[k] = b_.CreateShuffleVector(rows[2 * k], rows[2 * k + 1], both);
    }
    rows.resize(rows.size() / 2);
  }
  for (; rows.size() > 1; rows.resize(rows.size() / 2)) {
    for (size_t k = 0; k < rows.size() / 2; ++k) {
      rows[k] = Operate(step, rows[2 * k], rows[2 * k + 1], nullptr);
    }
  }
  Value* value = FoldRow(step, rows[0], by_range);
  if (isa::IsFloat(in.type) && !isa::IsHalf(in.type)) value = Canonical(value);
  WriteScalar(pc, value);
}

// The steps of EmitBlockScan, from vector to vector.
void Lowering::EmitWholeScan(uint32_t pc) {
  if (!IsWanted(pc)) return;
  const isa::Instruction& in = plan_.program().code[pc];
  isa::Instruction step = in;
  step.op = StepOf(in.block_op());
  Value* padding = Splat(PaddingOf(in));
  const unsigned width = target_.width;
  Values values = Operand(plan_.operands[pc].reads[0], false);
  for (unsigned distance = 1; distance < unroll_ * width; distance *= 2) {
    Values shifted;
    for (unsigned u = 0; u < unroll_; ++u) {
      const unsigned whole = distance / width;
      if (whole > u && distance >= kRow) {
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
    for (unsigned u = 0; u < unroll_; ++u) {
      if (shifted[u] != nullptr) values[u] = Operate(step, shifted[u], values[u], nullptr);
    }
  }
  if (isa::IsFloat(in.type) && !isa::IsHalf(in.type)) {
    for (Value*& value : values) value = Canonical(value);
  }
  Write(pc, std::move(values));
}

}  // namespace hologram::codegen
