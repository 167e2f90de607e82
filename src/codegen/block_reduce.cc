// BLK.RED and BLK.SCAN: every lane that arrives puts its value into an array that was filled with
// what changes nothing; when all lanes of the block are there, the array is folded in place by the
// tree of docs/isa.md, and the result becomes what the next region finds in its registers. Rows of
// 16 slots that no lane can have are left out: they would change no bit. A scan runs in place too,
// from the last row to the first, with a row of what changes nothing before the first.
#include <limits>

#include "codegen/lowering.h"
#include "codegen/quiet_once.h"

namespace hologram::codegen {

using isa::BlockOp;
using isa::Opcode;
using llvm::Align;
using llvm::BasicBlock;
using llvm::PHINode;

namespace {

constexpr unsigned kSlots = 16;

}  // namespace

Opcode Lowering::StepOf(BlockOp op) {
  constexpr Opcode kSteps[isa::kNumBlockOps] = {Opcode::kAdd, Opcode::kMin, Opcode::kMax,
                                                Opcode::kMul, Opcode::kAnd, Opcode::kOr,
                                                Opcode::kXor};
  return kSteps[static_cast<size_t>(op)];
}

// What a lane that is not there counts as.
llvm::Constant* Lowering::PaddingOf(const isa::Instruction& in) {
  Type* type = ScalarType(in.type);
  switch (in.block_op()) {
    case BlockOp::kAdd:
      if (isa::IsFloat(in.type)) return FloatConstant(in.type, -0.0);
      break;
    case BlockOp::kMin:
    case BlockOp::kMax:
      if (isa::IsFloat(in.type)) {
        return FloatConstant(in.type, std::numeric_limits<double>::quiet_NaN());
      }
      return ReduceIdentity(StepOf(in.block_op()), in.type);
    case BlockOp::kMul:
      return ReduceIdentity(Opcode::kMul, in.type);
    case BlockOp::kAnd:
      return llvm::Constant::getAllOnesValue(type);
    case BlockOp::kOr:
    case BlockOp::kXor:
      break;
  }
  return llvm::Constant::getNullValue(type);
}

llvm::Value* Lowering::ReductionArray(uint32_t pc) {
  Value*& array = reductions_[pc];
  if (array == nullptr) {
    Type* type = ScalarType(plan_.program().code[pc].type);
    llvm::AllocaInst* slot =
        NewSlot(llvm::ArrayType::get(type, kSlots + isa::kMaxLanesPerBlock), "reduction");
    slot->setAlignment(Align(64));
    array = slot;
  }
  Type* row = llvm::FixedVectorType::get(ScalarType(plan_.program().code[pc].type), kSlots);
  return b_.CreateConstGEP1_64(row, array, 1);
}

llvm::Value* Lowering::BlockLanes() {
  const auto wide = [&](Value* v) { return b_.CreateZExt(v, b_.getInt64Ty()); };
  Value* lanes = wide(ShapeValue(true, 0));
  for (unsigned d = 1; d < 3; ++d) lanes = b_.CreateMul(lanes, wide(ShapeValue(true, d)));
  return lanes;
}

// The number of rows that the tree looks at: a power of two.
llvm::Value* Lowering::ReductionRows() {
  Value* last = b_.CreateLShr(b_.CreateSub(BlockLanes(), b_.getInt64(1)), b_.getInt64(4));
  Value* zeros = b_.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, last, b_.getFalse());
  return b_.CreateShl(b_.getInt64(1), b_.CreateSub(b_.getInt64(64), zeros));
}

// Calls body(i) in a loop over i = first, first + step, ... below `end`; at least once.
void Lowering::EmitCountedLoop(Value* first, Value* step, Value* end,
                               llvm::function_ref<Value*(Value*)> body) {
  BasicBlock* before = b_.GetInsertBlock();
  BasicBlock* head = NewBlock("count");
  BasicBlock* after = NewBlock("counted");
  b_.CreateBr(head);
  b_.SetInsertPoint(head);
  PHINode* at = b_.CreatePHI(b_.getInt64Ty(), 2);
  at->addIncoming(first, before);
  Value* stride = body(at);
  Value* next = b_.CreateAdd(at, stride != nullptr ? stride : step);
  at->addIncoming(next, b_.GetInsertBlock());
  b_.CreateCondBr(b_.CreateICmpULT(next, end), head, after);
  b_.SetInsertPoint(after);
}

void Lowering::EmitIf(Value* condition, llvm::function_ref<void()> body) {
  BasicBlock* then = NewBlock("then");
  BasicBlock* after = NewBlock("after");
  b_.CreateCondBr(condition, then, after);
  b_.SetInsertPoint(then);
  body();
  b_.CreateBr(after);
  b_.SetInsertPoint(after);
}

// Before the lanes of a region run. Where all lanes of the block will come, only what lies behind
// them is filled.
void Lowering::FillReductions() {
  for (uint32_t b : region_blocks_) {
    const uint32_t pc = plan_.block(b).end - 1;
    const isa::Instruction& in = plan_.program().code[pc];
    if (in.op != Opcode::kBlkRed && in.op != Opcode::kBlkScan) continue;
    Type* row = llvm::FixedVectorType::get(ScalarType(in.type), kSlots);
    Value* array = ReductionArray(pc);
    llvm::Constant* padding =
        llvm::ConstantVector::getSplat(llvm::ElementCount::getFixed(kSlots), PaddingOf(in));
    if (in.op == Opcode::kBlkScan) {
      Value* before = b_.CreateGEP(row, array, b_.getInt64(~uint64_t{0}));
      b_.CreateAlignedStore(padding, before, Align(kSlots));
    }
    const bool all_come = plan_.divergent[b] == 0 && !tracks_alive_;
    Value* first = all_come ? b_.CreateUDiv(BlockLanes(), b_.getInt64(kSlots))
                            : static_cast<Value*>(b_.getInt64(0));
    Value* rows = ReductionRows();
    EmitIf(b_.CreateICmpULT(first, rows), [&] {
      EmitCountedLoop(first, b_.getInt64(1), rows, [&](Value* r) -> Value* {
        b_.CreateAlignedStore(padding, b_.CreateGEP(row, array, r), Align(kSlots));
        return nullptr;
      });
    });
  }
}

// MIN and MAX of floats are one instruction of AVX-512, in whole vectors only, on what is no
// signalling NaN.
bool Lowering::ReducesByRange(const isa::Instruction& in) const {
  const bool picks = in.block_op() == BlockOp::kMin || in.block_op() == BlockOp::kMax;
  return target_.avx512 && isa::IsFloat(in.type) && !isa::IsHalf(in.type) && picks;
}

// The lanes that run arrive.
void Lowering::StoreForReduction(uint32_t pc) {
  const isa::Instruction& in = plan_.program().code[pc];
  Type* type = ScalarType(in.type);
  Value* lane = b_.CreateAdd(row_lanes_, ids_[static_cast<size_t>(isa::Sreg::kLaneX)]);
  Value* first = b_.CreateGEP(type, ReductionArray(pc), lane);
  const Align align(isa::SizeOf(in.type));
  for (unsigned u = 0; u < unroll_; ++u) {
    Value* value = Vector(plan_.operands[pc].reads[0], u);
    if (in.op == Opcode::kBlkRed && ReducesByRange(in)) value = Quieted(b_, value);
    Value* address = b_.CreateConstGEP1_64(type, first, uint64_t{u} * target_.width);
    if (all_) {
      b_.CreateAlignedStore(value, address, align);
    } else {
      b_.CreateMaskedStore(value, address, align, mask_[u]);
    }
  }
}

// Where there are at least `group` rows, a power of two, each so many become one, by the tree;
// `quiet` rows hold no signalling NaN.
// Returns how many rows there are then.
llvm::Value* Lowering::FoldRows(const isa::Instruction& step, Value* array, Value* rows,
                                unsigned group, bool quiet) {
  Type* row = llvm::FixedVectorType::get(ScalarType(step.type), kSlots);
  BasicBlock* before = b_.GetInsertBlock();
  BasicBlock* folded = nullptr;
  Value* fewer = nullptr;
  EmitIf(b_.CreateICmpUGE(rows, b_.getInt64(group)), [&] {
    fewer = b_.CreateUDiv(rows, b_.getInt64(group));
    EmitCountedLoop(b_.getInt64(0), b_.getInt64(1), fewer, [&](Value* to) -> Value* {
      Value* from = b_.CreateGEP(row, array, b_.CreateMul(to, b_.getInt64(group)));
      std::vector<Value*> values;
      for (unsigned r = 0; r < group; ++r) {
        Value* address = b_.CreateConstGEP1_64(row, from, r);
        llvm::LoadInst* load = b_.CreateAlignedLoad(row, address, Align(kSlots));
        if (quiet) MarkQuiet(*load);
        values.push_back(load);
      }
      for (; values.size() > 1; values.resize(values.size() / 2)) {
        for (size_t k = 0; k < values.size() / 2; ++k) {
          values[k] = Operate(step, values[2 * k], values[2 * k + 1], nullptr);
        }
      }
      b_.CreateAlignedStore(values[0], b_.CreateGEP(row, array, to), Align(kSlots));
      return nullptr;
    });
    folded = b_.GetInsertBlock();
  });
  PHINode* result = b_.CreatePHI(b_.getInt64Ty(), 2);
  result->addIncoming(rows, before);
  result->addIncoming(fewer, folded);
  return result;
}

// The last steps of the tree: halves of a row. `whole`: by instructions of whole vectors alone.
llvm::Value* Lowering::FoldRow(const isa::Instruction& step, Value* value, bool whole) {
  for (unsigned half = kSlots / 2; half > 0; half /= 2) {
    std::vector<int> low;
    std::vector<int> high;
    for (unsigned i = 0; i < (whole ? kSlots : half); ++i) {
      low.push_back(static_cast<int>(i));
      high.push_back(static_cast<int>((i + half) % kSlots));
    }
    value = Operate(step, b_.CreateShuffleVector(value, low), b_.CreateShuffleVector(value, high),
                    nullptr);
  }
  return b_.CreateExtractElement(value, uint64_t{0});
}

// All lanes of the block have arrived: what the region behind finds. At most 64 rows become one.
void Lowering::EmitBlockReduction(uint32_t pc) {
  const isa::Instruction& in = plan_.program().code[pc];
  isa::Instruction step = in;
  step.op = StepOf(in.block_op());
  Remark(Remarks::About::kReduction, pc,
         "by the fixed tree in vectors of " + llvm::Twine(kSlots) + ", behind the last lane");
  Type* type = ScalarType(in.type);
  Type* row = llvm::FixedVectorType::get(type, kSlots);
  Value* array = ReductionArray(pc);
  const Align align(kSlots);
  Value* rows = ReductionRows();
  const bool whole = ReducesByRange(in);
  for (const unsigned group : {16U, 4U, 2U}) rows = FoldRows(step, array, rows, group, whole);
  llvm::LoadInst* load = b_.CreateAlignedLoad(row, array, align);
  if (whole) MarkQuiet(*load);
  Value* value = FoldRow(step, load, whole);
  if (isa::IsFloat(in.type) && !isa::IsHalf(in.type)) value = Canonical(value);
  KeepReduction(pc, value);
}

// All lanes of the block have arrived: x[i] = x[i - step] op x[i] in steps of 1, 2, 4, ...
void Lowering::EmitBlockScan(uint32_t pc) {
  const isa::Instruction& in = plan_.program().code[pc];
  isa::Instruction step = in;
  step.op = StepOf(in.block_op());
  Remark(
      Remarks::About::kReduction, pc,
      "a scan by the fixed steps in vectors of " + llvm::Twine(kSlots) + ", behind the last lane");
  Type* type = ScalarType(in.type);
  Type* row = llvm::FixedVectorType::get(type, kSlots);
  Value* array = ReductionArray(pc);
  Value* rows = ReductionRows();
  Value* last = b_.CreateSub(rows, b_.getInt64(1));
  // The elements of row r and those `distance` elements before them; later rows are done.
  const auto combine = [&](Value* r, Value* distance) {
    Value* to = b_.CreateGEP(row, array, r);
    Value* from = b_.CreateGEP(type, to, b_.CreateNeg(distance));
    Value* left = b_.CreateAlignedLoad(row, from, Align(isa::SizeOf(in.type)));
    Value* right = b_.CreateAlignedLoad(row, to, Align(kSlots));
    b_.CreateAlignedStore(Operate(step, left, right, nullptr), to, Align(kSlots));
  };
  for (unsigned distance = 1; distance < kSlots; distance *= 2) {
    EmitCountedLoop(b_.getInt64(0), b_.getInt64(1), rows, [&](Value* i) -> Value* {
      combine(b_.CreateSub(last, i), b_.getInt64(distance));
      return nullptr;
    });
  }
  EmitCountedLoop(b_.getInt64(1), nullptr, rows, [&](Value* above) -> Value* {
    // With one row in all this runs once, on the row that changes nothing.
    EmitCountedLoop(b_.getInt64(0), b_.getInt64(1), b_.CreateSub(rows, above),
                    [&](Value* i) -> Value* {
                      combine(b_.CreateSub(last, i), b_.CreateMul(above, b_.getInt64(kSlots)));
                      return nullptr;
                    });
    return above;
  });
  KeepScan(pc);
}

void Lowering::KeepScan(uint32_t pc) {
  if (!IsWanted(pc)) return;
  const isa::Instruction& in = plan_.program().code[pc];
  Type* element = nullptr;
  Value* context = ContextArray(plan_.operands[pc].write, element);
  Type* row = llvm::FixedVectorType::get(element, kSlots);
  Value* array = ReductionArray(pc);
  EmitCountedLoop(b_.getInt64(0), b_.getInt64(1), ReductionRows(), [&](Value* r) -> Value* {
    Value* value = b_.CreateAlignedLoad(row, b_.CreateGEP(row, array, r), Align(kSlots));
    if (isa::IsFloat(in.type) && !isa::IsHalf(in.type)) value = Canonical(value);
    b_.CreateAlignedStore(value, b_.CreateGEP(row, context, r), Align(kSlots));
    return nullptr;
  });
}

// What it computes is used behind it.
bool Lowering::IsWanted(uint32_t barrier) const {
  const uint32_t behind = plan_.successors[plan_.verified->BlockOf(barrier)][0];
  if (behind == verify::kExitBlock) return false;
  const std::vector<OperandId>& wanted = plan_.live_in[behind];
  return std::find(wanted.begin(), wanted.end(), plan_.operands[barrier].write) != wanted.end();
}

void Lowering::KeepReduction(uint32_t pc, Value* value) {
  if (!IsWanted(pc)) return;
  const OperandId web = plan_.operands[pc].write;
  Type* element = nullptr;
  Value* context = ContextArray(web, element);
  HOLOGRAM_CHECK(plan_.KindOf(web) != Kind::kAffine);
  const auto wide = [&](Value* v) { return b_.CreateZExt(v, b_.getInt64Ty()); };
  Value* count = b_.CreateMul(wide(ShapeValue(true, 1)), wide(ShapeValue(true, 2)));
  if (plan_.KindOf(web) == Kind::kVarying) count = b_.CreateMul(count, wide(ShapeValue(true, 0)));
  EmitCountedLoop(b_.getInt64(0), b_.getInt64(1), count, [&](Value* i) -> Value* {
    b_.CreateStore(value, b_.CreateGEP(element, context, i));
    return nullptr;
  });
}

}  // namespace hologram::codegen
