#include "codegen/ptx/reductions.h"

#include <algorithm>

#include "codegen/emit/idioms.h"
#include "codegen/instructions/lanewise.h"
#include "codegen/lanes/reduction_tree.h"
#include "codegen/plan/regions.h"
#include "codegen/ptx/shared_memory.h"

namespace hologram::codegen::ptx {

using isa::Opcode;
using llvm::AtomicRMWInst;
using llvm::Type;
using llvm::Value;

namespace {

// What is made in the steps of a scan.
bool Scans(const isa::Instruction& in) {
  return in.op == Opcode::kBlkScan || in.is_of_warp();
}

// A scan reads one array and writes another in turn.
uint64_t BytesFor(const isa::Instruction& in) {
  return isa::SizeOf(in.type) * uint64_t{isa::kMaxLanesPerBlock} * (Scans(in) ? 2 : 1);
}

}  // namespace

Result<ReductionMemory> AddReductionMemory(FunctionState& f) {
  llvm::IRBuilder<>& b = f.builder();
  uint64_t bytes = 0;
  for (const isa::Instruction& in : f.plan().program().code) {
    if (isa::IsBarrier(in.op) && in.op != Opcode::kBarSync) bytes = std::max(bytes, BytesFor(in));
  }
  if (bytes == 0) return ReductionMemory();
  const uint64_t together = bytes + f.plan().program().SharedBytes() + sizeof(uint32_t);
  if (together > isa::kMaxSharedBytes) {
    const std::string name = f.kernel().name();
    return Error(ErrorCode::kUnsupported,
                 name + ": its shared arrays and its reductions of a block take " +
                     std::to_string(together) + " bytes, of " +
                     std::to_string(isa::kMaxSharedBytes) + " that PTX has");
  }
  ReductionMemory memory;
  memory.values =
      AddSharedMemory(f.kernel(), llvm::ArrayType::get(b.getInt8Ty(), bytes), "reduction");
  memory.arrived = AddSharedMemory(f.kernel(), b.getInt32Ty(), "arrived");
  b.CreateStore(b.getInt32(0), memory.arrived);  // by every lane, the same
  EmitBarrier(f);
  return memory;
}

void Reductions::Barrier() {
  EmitBarrier(f_);
}

bool Reductions::Emit(uint32_t block) {
  const uint32_t pc = plan_.block(block).end - 1;
  const isa::Instruction& in = plan_.program().code[pc];
  if (in.op == Opcode::kBarSync) {
    b_.CreateIntrinsic(llvm::Intrinsic::nvvm_barrier_n, {}, {b_.getInt32(in.mod)});
  } else if (isa::IsBarrier(in.op)) {
    Scans(in) ? Scan(pc, block) : Reduce(pc, block);
  }
  return true;
}

// Whether every lane of the block comes to the end of `block`, once: no lane can end without having
// been there.
bool Reductions::AllLanesCome(uint32_t block) const {
  if (plan_.may_fault || plan_.counts()) return false;
  std::vector<char> seen(plan_.successors.size(), 0);
  const auto search = [&](std::vector<uint32_t> work, uint32_t wall) {
    bool ends = false;
    std::fill(seen.begin(), seen.end(), char{0});
    while (!work.empty()) {
      const uint32_t b = work.back();
      work.pop_back();
      if (b == verify::kExitBlock) ends = true;
      if (b == verify::kExitBlock || b == wall || seen[b] != 0) continue;
      seen[b] = 1;
      if (plan_.successors[b].empty()) ends = true;
      work.insert(work.end(), plan_.successors[b].begin(), plan_.successors[b].end());
    }
    return ends;
  };
  if (search({0}, block)) return false;  // around it
  search(plan_.successors[block], UINT32_MAX);
  return seen[block] == 0;  // not in a loop
}

// Gives each lane that is here a number below how many there are.
void Reductions::NumberLanes(uint32_t block) {
  if (AllLanesCome(block)) {
    worker_ = ids_.row_lanes();
    workers_ = block_lanes_;
    return;
  }
  const auto wide = [&](Value* v) { return b_.CreateZExt(v, b_.getInt64Ty()); };
  worker_ = wide(b_.CreateAtomicRMW(AtomicRMWInst::Add, arrived_, b_.getInt32(1),
                                    llvm::MaybeAlign(), llvm::AtomicOrdering::Monotonic));
  Barrier();
  workers_ = wide(b_.CreateLoad(b_.getInt32Ty(), arrived_));
  Barrier();
  // For the next time, before which there are more barriers.
  EmitIf(f_, b_.CreateICmpEQ(worker_, b_.getInt64(0)),
         [&] { b_.CreateStore(b_.getInt32(0), arrived_); });
}

// Calls body(i) for each i below `count`, in one of the lanes.
void Reductions::ShareOut(Value* count, llvm::function_ref<void(Value*)> body) {
  EmitIf(f_, b_.CreateICmpULT(worker_, count), [&] {
    EmitCountedLoop(f_, worker_, workers_, count, [&](Value* i) -> Value* {
      body(i);
      return nullptr;
    });
  });
}

// What the lanes bring, and between and behind them what changes nothing, in the first `slots`
// elements.
void Reductions::Fill(uint32_t pc, Value* slots) {
  const isa::Instruction& in = plan_.program().code[pc];
  Type* type = ScalarType(b_, in.type);
  const bool all = worker_ == ids_.row_lanes();
  Value* first = all ? block_lanes_ : b_.getInt64(0);
  ShareOut(b_.CreateSub(slots, first), [&](Value* i) {
    b_.CreateStore(PaddingOf(b_, in), b_.CreateGEP(type, memory_, b_.CreateAdd(first, i)));
  });
  if (!all) Barrier();
  Value* value = registers_.Scalar(plan_.operands[pc].reads[0]);
  b_.CreateStore(value, b_.CreateGEP(type, memory_, ids_.row_lanes()));
  Barrier();
}

void Reductions::Reduce(uint32_t pc, uint32_t block) {
  const isa::Instruction& in = plan_.program().code[pc];
  const LaneOperation step = StepOf(in.block_op());
  Type* type = ScalarType(b_, in.type);
  const auto at = [&](Value* i) { return b_.CreateGEP(type, memory_, i); };
  NumberLanes(block);
  Value* rows = ReductionRows(f_, ids_);
  Fill(pc, b_.CreateMul(rows, b_.getInt64(kReductionSlots)));
  // Rows that are `distance` apart, by slots.
  EmitIf(f_, b_.CreateICmpUGT(rows, b_.getInt64(1)), [&] {
    EmitCountedLoop(f_, b_.getInt64(1), nullptr, rows, [&](Value* distance) -> Value* {
      Value* twice = b_.CreateShl(distance, 1);
      Value* pairs = b_.CreateMul(b_.CreateUDiv(rows, twice), b_.getInt64(kReductionSlots));
      ShareOut(pairs, [&](Value* i) {
        Value* row = b_.CreateMul(b_.CreateLShr(i, 4), twice);
        Value* slot = b_.CreateAnd(i, b_.getInt64(kReductionSlots - 1));
        Value* low = at(b_.CreateAdd(b_.CreateShl(row, 4), slot));
        Value* high = b_.CreateGEP(type, low, b_.CreateShl(distance, 4));
        Value* right = b_.CreateLoad(type, high);
        b_.CreateStore(step(f_, in, {b_.CreateLoad(type, low), right}), low);
      });
      Barrier();
      return distance;
    });
  });
  // The row that is left, in each lane for itself.
  std::vector<Value*> values;
  for (uint64_t i = 0; i < kReductionSlots; ++i)
    values.push_back(b_.CreateLoad(type, at(b_.getInt64(i))));
  Barrier();  // what comes next may write there
  for (uint64_t half = kReductionSlots / 2; half > 0; half /= 2) {
    for (uint64_t i = 0; i < half; ++i) {
      values[i] = step(f_, in, {values[i], values[i + half]});
    }
  }
  Keep(pc, values[0]);
}

// Of the block, or of each warp by itself.
void Reductions::Scan(uint32_t pc, uint32_t block) {
  const isa::Instruction& in = plan_.program().code[pc];
  const LaneOperation step = StepOf(in.block_op());
  Type* type = ScalarType(b_, in.type);
  NumberLanes(block);
  Value* slots = block_lanes_;
  Value* lanes = slots;  // that are scanned together
  constexpr uint64_t kLast = isa::kLanesPerWarp - 1;
  if (in.is_of_warp()) {
    slots = b_.CreateAnd(b_.CreateAdd(slots, b_.getInt64(kLast)), b_.getInt64(~kLast));
    lanes = b_.getInt64(isa::kLanesPerWarp);
  }
  Fill(pc, slots);
  // From one half of the memory to the other, and back in the next step.
  const auto half_at = [&](Value* odd) {
    return b_.CreateGEP(type, memory_, b_.CreateMul(odd, b_.getInt64(isa::kMaxLanesPerBlock)));
  };
  const auto is_odd = [&](Value* distance) {
    Value* number = b_.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, distance, b_.getTrue());
    return b_.CreateAnd(number, b_.getInt64(1));
  };
  llvm::AllocaInst* last = f_.NewSlot(b_.getInt64Ty(), "half");
  b_.CreateStore(b_.getInt64(0), last);
  EmitIf(f_, b_.CreateICmpUGT(lanes, b_.getInt64(1)), [&] {
    EmitCountedLoop(f_, b_.getInt64(1), nullptr, lanes, [&](Value* distance) -> Value* {
      Value* odd = is_odd(distance);
      Value* from = half_at(odd);
      Value* other = b_.CreateXor(odd, b_.getInt64(1));
      Value* to = half_at(other);
      ShareOut(slots, [&](Value* i) {
        Value* number = in.is_of_warp() ? b_.CreateAnd(i, b_.getInt64(kLast)) : i;
        Value* has_left = b_.CreateICmpUGE(number, distance);
        Value* left = b_.CreateSelect(has_left, b_.CreateSub(i, distance), i);
        Value* mine = b_.CreateLoad(type, b_.CreateGEP(type, from, i));
        Value* before = b_.CreateLoad(type, b_.CreateGEP(type, from, left));
        b_.CreateStore(b_.CreateSelect(has_left, step(f_, in, {before, mine}), mine),
                       b_.CreateGEP(type, to, i));
      });
      Barrier();
      b_.CreateStore(other, last);
      return distance;
    });
  });
  Value* result = half_at(b_.CreateLoad(b_.getInt64Ty(), last));
  Value* lane = ids_.row_lanes();
  if (in.op == Opcode::kBlkRed) lane = b_.CreateOr(lane, b_.getInt64(kLast));
  Value* value = b_.CreateLoad(type, b_.CreateGEP(type, result, lane));
  Barrier();
  Keep(pc, value);
}

void Reductions::Keep(uint32_t pc, Value* value) {
  if (!IsWanted(plan_, pc)) return;
  const isa::Type type = plan_.program().code[pc].type;
  registers_.WriteScalar(pc, CanonicalResult(f_, type, value));
}

}  // namespace hologram::codegen::ptx
