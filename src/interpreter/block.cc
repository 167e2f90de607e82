// BLK.RED and BLK.SCAN, when all lanes of the block have arrived. Lanes that are not there count as
// the value that changes no bit.
#include <array>
#include <limits>

#include "interpreter/columns.h"
#include "interpreter/fixed_tree.h"
#include "interpreter/instructions.h"
#include "interpreter/operations.h"

namespace hologram::interpreter {
namespace {

using isa::Instruction;

// All lanes get what all lanes have, combined by the tree.
template <class T, class Operation>
void FoldBlock(Chunk& chunk, const Instruction& in, Computed<T> padding, Operation operation) {
  std::array<Computed<T>, isa::kMaxLanesPerBlock> values;
  values.fill(padding);
  T* const out = chunk.Column<T>(in.d);
  const T* const column = chunk.Column<T>(in.a);
  ForEachLane(chunk, [&](uint32_t i) { values[i] = Widened(column[i]); });
  const T result = Stored<T>(FoldTree<T>(values.data(), operation));
  ForEachLane(chunk, [=](uint32_t i) { out[i] = result; });
}

// Lane i gets what the first i + 1 lanes have, combined: in steps of 1, 2, 4, ... lanes, each lane
// takes in what the lane so far before it had.
template <class T, class Operation>
void ScanBlockWith(Chunk& chunk, const Instruction& in, Computed<T> padding, Operation operation) {
  std::array<Computed<T>, isa::kMaxLanesPerBlock> values;
  values.fill(padding);
  T* const out = chunk.Column<T>(in.d);
  const T* const column = chunk.Column<T>(in.a);
  ForEachLane(chunk, [&](uint32_t i) { values[i] = Widened(column[i]); });
  for (size_t step = 1; step < values.size(); step *= 2) {
    for (size_t i = values.size(); i-- > step;) {
      values[i] = Rounded<T>(operation(values[i - step], values[i]));
    }
  }
  ForEachLane(chunk, [&](uint32_t i) { out[i] = Stored<T>(values[i]); });
}

// The same among the lanes of each warp. A reduction gives each lane what the scan gives the last.
template <class T, class Operation>
void CombineWarps(Chunk& chunk, const Instruction& in, Computed<T> padding, Operation operation) {
  std::array<Computed<T>, isa::kMaxLanesPerBlock> values;
  values.fill(padding);
  T* const out = chunk.Column<T>(in.d);
  const T* const column = chunk.Column<T>(in.a);
  ForEachLane(chunk, [&](uint32_t i) { values[i] = Widened(column[i]); });
  constexpr uint32_t kLast = isa::kLanesPerWarp - 1;
  for (uint32_t step = 1; step < isa::kLanesPerWarp; step *= 2) {
    for (uint32_t i = isa::kMaxLanesPerBlock; i-- > 0;) {
      if ((i & kLast) < step) continue;
      values[i] = Rounded<T>(operation(values[i - step], values[i]));
    }
  }
  const uint32_t shared = in.op == isa::Opcode::kBlkRed ? kLast : 0;
  ForEachLane(chunk, [&](uint32_t i) { out[i] = Stored<T>(values[i | shared]); });
}

template <class T, class Operation>
void Combine(Chunk& chunk, const Instruction& in, Computed<T> padding, Operation operation) {
  if (in.is_of_warp()) return CombineWarps<T>(chunk, in, padding, operation);
  if (in.op == isa::Opcode::kBlkScan) return ScanBlockWith<T>(chunk, in, padding, operation);
  FoldBlock<T>(chunk, in, padding, operation);
}

template <class T>
void CombineLanes(Chunk& chunk, const Instruction& in) {
  using V = Computed<T>;
  using Limits = std::numeric_limits<V>;
  constexpr bool kIsFloat = std::is_floating_point_v<V>;
  constexpr V kNone = kIsFloat ? Limits::quiet_NaN() : V{0};
  switch (in.block_op()) {
    case isa::BlockOp::kAdd:
      return Combine<T>(chunk, in, kIsFloat ? static_cast<V>(-0.0) : V{0},
                        [](V a, V b) { return Sum(a, b); });
    case isa::BlockOp::kMin:
      return Combine<T>(chunk, in, kIsFloat ? kNone : Limits::max(),
                        [](V a, V b) { return Smaller(a, b); });
    case isa::BlockOp::kMax:
      return Combine<T>(chunk, in, kIsFloat ? kNone : Limits::lowest(),
                        [](V a, V b) { return Larger(a, b); });
    case isa::BlockOp::kMul:
      return Combine<T>(chunk, in, V{1}, [](V a, V b) { return Product(a, b); });
    default:
      break;
  }
  if constexpr (!kIsFloat) {
    if (in.block_op() == isa::BlockOp::kAnd) {
      Combine<T>(chunk, in, static_cast<T>(~T{0}), [](T a, T b) { return static_cast<T>(a & b); });
    } else if (in.block_op() == isa::BlockOp::kOr) {
      Combine<T>(chunk, in, T{0}, [](T a, T b) { return static_cast<T>(a | b); });
    } else {
      Combine<T>(chunk, in, T{0}, [](T a, T b) { return static_cast<T>(a ^ b); });
    }
  }
}

}  // namespace

void CombineBlock(Chunk& chunk, const Instruction& in) {
  ForType(in.type, [&]<class T>() { CombineLanes<T>(chunk, in); });
}

}  // namespace hologram::interpreter
