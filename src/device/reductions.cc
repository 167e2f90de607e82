#include "device/reductions.h"

#include <algorithm>
#include <utility>

namespace hologram::device {

using isa::Opcode;

namespace {

constexpr uint32_t kSlots = 16;  // of a row
constexpr uint32_t kLogRowsTogether = 2;
constexpr uint32_t kRowsTogether = 1U << kLogRowsTogether;

constexpr uint32_t kLast = isa::kLanesPerWarp - 1;

bool IsReduction(Opcode op) {
  return op == Opcode::kBlkRed || op == Opcode::kBlkScan;
}

// What is made in the steps of a scan.
bool Scans(const isa::Instruction& in) {
  return in.op == Opcode::kBlkScan || in.is_of_warp();
}

}  // namespace

Reductions::Reductions(Arithmetic& arithmetic, const Facts& facts, Registers& registers,
                       Barriers& barriers)
    : arithmetic_(arithmetic),
      b_(arithmetic.builder()),
      facts_(facts),
      registers_(registers),
      barriers_(barriers) {
  // A scan reads one half and writes the other.
  std::map<Scalar, uint32_t> sizes;
  for (const uint32_t block : facts.cfg.order) {
    const isa::Instruction& in = facts.program().code[facts.cfg.blocks[block].end - 1];
    if (!IsReduction(in.op)) continue;
    uint32_t& size = sizes[ScalarOf(in.type)];
    size = std::max(size, isa::kMaxLanesPerBlock * (Scans(in) ? 2 : 1));
  }
  if (sizes.empty()) return;
  for (const auto& [type, size] : sizes) memories_[type] = b_.Array(Space::kShared, type, size);
  worker_ = b_.Array(Space::kPrivate, Scalar::kI32, 1);
  workers_ = b_.Array(Space::kPrivate, Scalar::kI32, 1);
  distance_ = b_.Array(Space::kPrivate, Scalar::kI32, 1);
  half_ = b_.Array(Space::kPrivate, Scalar::kI32, 1);
  if (barriers_.lanes_leave()) arrived_ = b_.Array(Space::kShared, Scalar::kI32, 1);
}

void Reductions::Start() {
  if (arrived_ != 0) b_.Store(arrived_, Number(0));  // by every lane, the same
}

void Reductions::Sync() {
  barriers_.Sync();
  registers_.Forget();
}

Value Reductions::At(Value memory, Value i) {
  return b_.Element(memory, b_.Emit(Cast::kZeroExtend, i, Scalar::kI64));
}

Value Reductions::Combine(const isa::Instruction& in, Value a, Value b) {
  return arithmetic_.Combine(isa::OpcodeOf(in.block_op()), in.type, a, b);
}

// body(i) for each i from `first` to below `count`, in one of the lanes.
template <class Body>
void Reductions::ShareOut(Value first, Value count, const Body& body) {
  Value start = b_.Emit(Binary::kAdd, b_.Load(worker_), first);
  Value step = b_.Load(workers_);
  EmitLoop(b_, start, step, count, body);
}

// body(distance) and a barrier for each distance, 2^log times the one before, below the limit,
// which is computed anew.
template <class Body>
void Reductions::Levels(Value first, uint32_t log, const Body& body) {
  b_.Store(distance_, first);
  const Label head = b_.NewBlock();
  const Label inside = b_.NewBlock();
  const Label after = b_.NewBlock();
  b_.Jump(head);
  b_.Begin(head);
  Value distance = b_.Load(distance_);
  const auto [more, step] = body(distance);
  b_.Branch(more, inside, after);
  b_.Begin(inside);
  step();
  Sync();
  Value before = b_.Load(distance_);
  b_.Store(distance_, b_.With(Binary::kShl, before, log));
  b_.Jump(head);
  b_.Begin(after);
}

// Gives each lane that is here a number below how many there are.
void Reductions::NumberLanes() {
  if (arrived_ == 0) {
    b_.Store(worker_, barriers_.linear());
    b_.Store(workers_, barriers_.lanes());
    return;
  }
  b_.Store(worker_, b_.Update(Atomic::kAdd, arrived_, Number(1)));
  Sync();
  b_.Store(workers_, b_.Load(arrived_));
  Sync();
  // For the next time, before which there are more barriers.
  const Label reset = b_.NewBlock();
  const Label after = b_.NewBlock();
  b_.Branch(b_.With(Compare::kEq, b_.Load(worker_), 0), reset, after);
  b_.Begin(reset);
  b_.Store(arrived_, Number(0));
  b_.Jump(after);
  b_.Begin(after);
}

// The number of rows that the tree looks at: a power of two.
Value Reductions::Rows() {
  Value last = b_.With(Binary::kSub, barriers_.lanes(), 1);
  Value zeros = b_.Emit(Unary::kLeadingZeros, b_.With(Binary::kLShr, last, 4));
  Value all = Number(32);
  Value bits = b_.Emit(Binary::kSub, all, zeros);
  return b_.Emit(Binary::kShl, Number(1), bits);
}

Value Reductions::Slots(const isa::Instruction& in) {
  if (in.is_of_warp()) {
    Value rounded = b_.Emit(Binary::kAdd, barriers_.lanes(), Number(kLast));
    return b_.With(Binary::kAnd, rounded, ~kLast);
  }
  if (in.op == Opcode::kBlkScan) return barriers_.lanes();
  return b_.With(Binary::kShl, Rows(), 4);
}

// What the lanes bring, and between and behind them what changes nothing.
void Reductions::Fill(uint32_t pc, Value memory) {
  const isa::Instruction& in = facts_.program().code[pc];
  const bool all = arrived_ == 0;
  Value slots = Slots(in);
  Value neutral = b_.Constant(ScalarOf(in.type), isa::NeutralBits(in.block_op(), in.type));
  ShareOut(all ? barriers_.lanes() : Number(0), slots,
           [&](Value i) { b_.Store(At(memory, i), neutral); });
  if (!all) Sync();
  Value value = registers_.Read(pc, 0, in.type);
  b_.Store(At(memory, barriers_.linear()), value);
  Sync();
}

// Into the first one; rows that are not there change nothing.
void Reductions::CombineRows(const isa::Instruction& in, Value memory, const RowGroup& group) {
  Value neutral = b_.Constant(ScalarOf(in.type), isa::NeutralBits(in.block_op(), in.type));
  std::vector<Value> values{b_.Load(At(memory, group.low))};
  for (uint32_t k = 1; k < kRowsTogether; ++k) {
    Value behind = b_.With(Binary::kMul, group.distance, k);
    Value row = b_.Emit(Binary::kAdd, group.row, behind);
    Value is_there = b_.Emit(Compare::kULt, row, group.rows);
    Value place = b_.Emit(Binary::kAdd, group.low, b_.With(Binary::kShl, behind, 4));
    Value loaded = b_.Load(At(memory, b_.Select(is_there, place, group.low)));
    values.push_back(b_.Select(is_there, loaded, neutral));
  }
  for (uint32_t apart = 1; apart < kRowsTogether; apart *= 2) {
    for (uint32_t k = 0; k < kRowsTogether; k += 2 * apart) {
      values[k] = Combine(in, values[k], values[k + apart]);
    }
  }
  b_.Store(At(memory, group.low), values[0]);
}

// Up to kRowsTogether rows that are `distance` apart, by slots, as a tree of neighbours: fewer
// barriers than one for each level. What is left is one row, in each lane for itself.
Value Reductions::Reduce(const isa::Instruction& in, Value memory) {
  Levels(Number(1), kLogRowsTogether, [&](Value distance) {
    Value rows = Rows();
    Value more = b_.Emit(Compare::kULt, distance, rows);
    const auto step = [&, distance, rows] {
      Value span = b_.With(Binary::kShl, distance, kLogRowsTogether);
      Value last = b_.With(Binary::kSub, b_.Emit(Binary::kAdd, rows, span), 1);
      Value slots = b_.With(Binary::kShl, b_.Emit(Binary::kUDiv, last, span), 4);
      ShareOut(Number(0), slots, [&](Value i) {
        Value row = b_.Emit(Binary::kMul, b_.With(Binary::kLShr, i, 4), span);
        Value slot = b_.With(Binary::kAnd, i, kSlots - 1);
        Value low = b_.Emit(Binary::kAdd, b_.With(Binary::kShl, row, 4), slot);
        CombineRows(in, memory, {row, low, distance, rows});
      });
    };
    return std::pair(more, step);
  });
  std::vector<Value> values;
  for (uint32_t i = 0; i < kSlots; ++i) values.push_back(b_.Load(At(memory, Number(i))));
  for (uint32_t half = kSlots / 2; half > 0; half /= 2) {
    for (uint32_t i = 0; i < half; ++i) values[i] = Combine(in, values[i], values[i + half]);
  }
  return values[0];
}

// From one half of the memory to the other, and back in the next step; of the block, or of each
// warp by itself.
Value Reductions::Scan(const isa::Instruction& in, Value memory) {
  const auto place = [&](Value half, Value i) {
    Value first = b_.With(Binary::kMul, half, isa::kMaxLanesPerBlock);
    return At(memory, b_.Emit(Binary::kAdd, first, i));
  };
  b_.Store(half_, Number(0));
  const bool of_warp = in.is_of_warp();
  Levels(Number(1), 1, [&](Value distance) {
    Value lanes = of_warp ? Number(isa::kLanesPerWarp) : barriers_.lanes();
    Value more = b_.Emit(Compare::kULt, distance, lanes);
    const auto step = [&, distance] {
      Value from = b_.Load(half_);
      Value to = b_.With(Binary::kXor, from, 1);
      ShareOut(Number(0), Slots(in), [&](Value i) {
        Value number = of_warp ? b_.With(Binary::kAnd, i, kLast) : i;
        Value has_left = b_.Emit(Compare::kUGe, number, distance);
        Value before = b_.Emit(Binary::kSub, i, distance);
        Value left = b_.Load(place(from, b_.Select(has_left, before, i)));
        Value mine = b_.Load(place(from, i));
        Value sum = b_.Select(has_left, Combine(in, left, mine), mine);
        b_.Store(place(to, i), sum);
      });
      b_.Store(half_, to);
    };
    return std::pair(more, step);
  });
  Value lane = barriers_.linear();
  if (in.op == Opcode::kBlkRed) lane = b_.With(Binary::kOr, lane, kLast);
  return b_.Load(place(b_.Load(half_), lane));
}

void Reductions::Emit(uint32_t pc) {
  const isa::Instruction& in = facts_.program().code[pc];
  Value memory = memories_.at(ScalarOf(in.type));
  NumberLanes();
  Fill(pc, memory);
  Value result = Scans(in) ? Scan(in, memory) : Reduce(in, memory);
  if (isa::IsFloat(in.type) && !isa::IsHalf(in.type)) result = arithmetic_.Canonical(result);
  // What comes next may write there.
  if (barriers_.lanes_leave()) {
    Value kept = b_.Array(Space::kPrivate, ScalarOf(in.type), 1);
    b_.Store(kept, result);
    Sync();
    result = b_.Load(kept);
  } else {
    Sync();
  }
  registers_.Write(pc, result);
}

}  // namespace hologram::device
