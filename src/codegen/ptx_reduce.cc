// BLK.RED and BLK.SCAN in PTX: the values of a block go into shared memory, and the lanes that are
// still there share the steps of the tree of docs/isa.md out among them. A lane that returned
// before takes no part, so who works is found out first, unless the program says that all come.
// Each element is computed by one lane, from elements of the step before, so which lane it is
// changes no bit.
#include "codegen/lowering.h"

namespace hologram::codegen {

using isa::Opcode;
using llvm::AtomicRMWInst;

namespace {

constexpr uint64_t kSlots = 16;  // of a row

bool Meets(const isa::Instruction& in) {
  return in.op == Opcode::kBlkRed || in.op == Opcode::kBlkScan;
}

// A scan reads one array and writes another in turn.
uint64_t BytesFor(const isa::Instruction& in) {
  return isa::SizeOf(in.type) * uint64_t{isa::kMaxLanesPerBlock} *
         (in.op == Opcode::kBlkScan ? 2 : 1);
}

}  // namespace

// Makes the memory for all of them, and the counter of lanes.
void Lowering::PreparePtxReductions() {
  uint64_t bytes = 0;
  for (const isa::Instruction& in : plan_.program().code) {
    if (Meets(in)) bytes = std::max(bytes, BytesFor(in));
  }
  if (bytes == 0) return;
  const uint64_t together = bytes + plan_.program().SharedBytes() + sizeof(uint32_t);
  if (together > isa::kMaxSharedBytes) {
    Fail("its shared arrays and its reductions of a block take " + std::to_string(together) +
         " bytes, of " + std::to_string(isa::kMaxSharedBytes) + " that PTX has");
  }
  ptx_reduction_ = MakePtxShared(llvm::ArrayType::get(b_.getInt8Ty(), bytes), "reduction");
  ptx_arrived_ = MakePtxShared(b_.getInt32Ty(), "arrived");
  b_.CreateStore(b_.getInt32(0), ptx_arrived_);  // by every lane, the same
  PtxBarrier();
}

void Lowering::PtxBarrier() {
  b_.CreateIntrinsic(llvm::Intrinsic::nvvm_barrier0, {}, {});
}

// Whether every lane of the block comes to the end of `block`, once: no lane can end without having
// been there.
bool Lowering::AllLanesCome(uint32_t block) const {
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
void Lowering::NumberPtxLanes(uint32_t block) {
  if (AllLanesCome(block)) {
    ptx_worker_ = row_lanes_;
    ptx_workers_ = block_lanes_;
    return;
  }
  const auto wide = [&](Value* v) { return b_.CreateZExt(v, b_.getInt64Ty()); };
  ptx_worker_ = wide(b_.CreateAtomicRMW(AtomicRMWInst::Add, ptx_arrived_, b_.getInt32(1),
                                        llvm::MaybeAlign(), llvm::AtomicOrdering::Monotonic));
  PtxBarrier();
  ptx_workers_ = wide(b_.CreateLoad(b_.getInt32Ty(), ptx_arrived_));
  PtxBarrier();
  // For the next time, before which there are more barriers.
  EmitIf(b_.CreateICmpEQ(ptx_worker_, b_.getInt64(0)),
         [&] { b_.CreateStore(b_.getInt32(0), ptx_arrived_); });
}

// Calls body(i) for each i below `count`, in one of the lanes.
void Lowering::ShareOut(Value* count, llvm::function_ref<void(Value*)> body) {
  EmitIf(b_.CreateICmpULT(ptx_worker_, count), [&] {
    EmitCountedLoop(ptx_worker_, ptx_workers_, count, [&](Value* i) -> Value* {
      body(i);
      return nullptr;
    });
  });
}

// What the lanes bring, and between and behind them what changes nothing, in the first `slots`
// elements.
void Lowering::FillPtxArray(uint32_t pc, Value* slots) {
  const isa::Instruction& in = plan_.program().code[pc];
  Type* type = ScalarType(in.type);
  const bool all = ptx_worker_ == row_lanes_;
  Value* first = all ? block_lanes_ : b_.getInt64(0);
  ShareOut(b_.CreateSub(slots, first), [&](Value* i) {
    b_.CreateStore(PaddingOf(in), b_.CreateGEP(type, ptx_reduction_, b_.CreateAdd(first, i)));
  });
  if (!all) PtxBarrier();
  Value* value = Scalar(plan_.operands[pc].reads[0]);
  b_.CreateStore(value, b_.CreateGEP(type, ptx_reduction_, row_lanes_));
  PtxBarrier();
}

void Lowering::EmitPtxReduction(uint32_t pc, uint32_t block) {
  const isa::Instruction& in = plan_.program().code[pc];
  isa::Instruction step = in;
  step.op = StepOf(in.block_op());
  Type* type = ScalarType(in.type);
  const auto at = [&](Value* i) { return b_.CreateGEP(type, ptx_reduction_, i); };
  NumberPtxLanes(block);
  Value* rows = ReductionRows();
  FillPtxArray(pc, b_.CreateMul(rows, b_.getInt64(kSlots)));
  // Rows that are `distance` apart, by slots.
  EmitIf(b_.CreateICmpUGT(rows, b_.getInt64(1)), [&] {
    EmitCountedLoop(b_.getInt64(1), nullptr, rows, [&](Value* distance) -> Value* {
      Value* twice = b_.CreateShl(distance, 1);
      Value* pairs = b_.CreateMul(b_.CreateUDiv(rows, twice), b_.getInt64(kSlots));
      ShareOut(pairs, [&](Value* i) {
        Value* row = b_.CreateMul(b_.CreateLShr(i, 4), twice);
        Value* slot = b_.CreateAnd(i, b_.getInt64(kSlots - 1));
        Value* low = at(b_.CreateAdd(b_.CreateShl(row, 4), slot));
        Value* high = b_.CreateGEP(type, low, b_.CreateShl(distance, 4));
        b_.CreateStore(Operate(step, b_.CreateLoad(type, low), b_.CreateLoad(type, high), nullptr),
                       low);
      });
      PtxBarrier();
      return distance;
    });
  });
  // The row that is left, in each lane for itself.
  std::vector<Value*> values;
  for (uint64_t i = 0; i < kSlots; ++i) values.push_back(b_.CreateLoad(type, at(b_.getInt64(i))));
  PtxBarrier();  // what comes next may write there
  for (uint64_t half = kSlots / 2; half > 0; half /= 2) {
    for (uint64_t i = 0; i < half; ++i) {
      values[i] = Operate(step, values[i], values[i + half], nullptr);
    }
  }
  KeepPtx(pc, values[0]);
}

void Lowering::EmitPtxScan(uint32_t pc, uint32_t block) {
  const isa::Instruction& in = plan_.program().code[pc];
  isa::Instruction step = in;
  step.op = StepOf(in.block_op());
  Type* type = ScalarType(in.type);
  NumberPtxLanes(block);
  FillPtxArray(pc, block_lanes_);
  // From one half of the memory to the other, and back in the next step.
  const auto half_at = [&](Value* odd) {
    return b_.CreateGEP(type, ptx_reduction_,
                        b_.CreateMul(odd, b_.getInt64(isa::kMaxLanesPerBlock)));
  };
  const auto is_odd = [&](Value* distance) {
    Value* number = b_.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, distance, b_.getTrue());
    return b_.CreateAnd(number, b_.getInt64(1));
  };
  llvm::AllocaInst* last = NewSlot(b_.getInt64Ty(), "half");
  b_.CreateStore(b_.getInt64(0), last);
  EmitIf(b_.CreateICmpUGT(block_lanes_, b_.getInt64(1)), [&] {
    EmitCountedLoop(b_.getInt64(1), nullptr, block_lanes_, [&](Value* distance) -> Value* {
      Value* odd = is_odd(distance);
      Value* from = half_at(odd);
      Value* other = b_.CreateXor(odd, b_.getInt64(1));
      Value* to = half_at(other);
      ShareOut(block_lanes_, [&](Value* i) {
        Value* has_left = b_.CreateICmpUGE(i, distance);
        Value* left = b_.CreateSelect(has_left, b_.CreateSub(i, distance), i);
        Value* mine = b_.CreateLoad(type, b_.CreateGEP(type, from, i));
        Value* before = b_.CreateLoad(type, b_.CreateGEP(type, from, left));
        b_.CreateStore(b_.CreateSelect(has_left, Operate(step, before, mine, nullptr), mine),
                       b_.CreateGEP(type, to, i));
      });
      PtxBarrier();
      b_.CreateStore(other, last);
      return distance;
    });
  });
  Value* result = half_at(b_.CreateLoad(b_.getInt64Ty(), last));
  Value* value = b_.CreateLoad(type, b_.CreateGEP(type, result, row_lanes_));
  PtxBarrier();
  KeepPtx(pc, value);
}

void Lowering::KeepPtx(uint32_t pc, Value* value) {
  if (!IsWanted(pc)) return;
  const isa::Type type = plan_.program().code[pc].type;
  if (isa::IsFloat(type) && !isa::IsHalf(type)) value = Canonical(value);
  WriteScalar(pc, value);
}

}  // namespace hologram::codegen
