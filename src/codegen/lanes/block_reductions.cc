#include "codegen/lanes/block_reductions.h"

#include "base/check.h"
#include "codegen/emit/idioms.h"
#include "codegen/instructions/lanewise.h"
#include "codegen/quiet_nans.h"

namespace hologram::codegen {

using isa::Opcode;
using llvm::Align;
using llvm::BasicBlock;
using llvm::PHINode;
using llvm::Type;
using llvm::Value;

Type* BlockReductions::RowOf(uint32_t pc) {
  return llvm::FixedVectorType::get(ScalarType(b_, plan_.program().code[pc].type), kReductionSlots);
}

Value* BlockReductions::ArrayOf(uint32_t pc) {
  Value*& array = arrays_[pc];
  if (array == nullptr) {
    Type* type = ScalarType(b_, plan_.program().code[pc].type);
    llvm::AllocaInst* slot = f_.NewSlot(
        llvm::ArrayType::get(type, kReductionSlots + isa::kMaxLanesPerBlock), "reduction");
    slot->setAlignment(Align(64));
    array = slot;
  }
  return b_.CreateConstGEP1_64(RowOf(pc), array, 1);
}

// How many rows are looked at: of warps at least the two that one has.
Value* BlockReductions::RowsOf(const isa::Instruction& in) {
  Value* rows = ReductionRows(f_, ids_);
  if (!in.is_of_warp()) return rows;
  return b_.CreateBinaryIntrinsic(llvm::Intrinsic::umax, rows, b_.getInt64(kRowsOfWarp));
}

void BlockReductions::Fill(const Blocks& region) {
  for (uint32_t b : region) {
    const uint32_t pc = plan_.block(b).end - 1;
    const isa::Instruction& in = plan_.program().code[pc];
    if (in.op != Opcode::kBlkRed && in.op != Opcode::kBlkScan) continue;
    Type* row = llvm::FixedVectorType::get(ScalarType(b_, in.type), kReductionSlots);
    Value* array = ArrayOf(pc);
    llvm::Constant* padding = llvm::ConstantVector::getSplat(
        llvm::ElementCount::getFixed(kReductionSlots), PaddingOf(b_, in));
    if (in.op == Opcode::kBlkScan) {
      Value* before = b_.CreateGEP(row, array, b_.getInt64(~uint64_t{0}));
      b_.CreateAlignedStore(padding, before, Align(kReductionSlots));
    }
    const bool all_come = plan_.divergent[b] == 0 && !tracks_alive_;
    Value* first = all_come ? b_.CreateUDiv(ids_.LanesOfBlock(), b_.getInt64(kReductionSlots))
                            : static_cast<Value*>(b_.getInt64(0));
    Value* rows = RowsOf(in);
    EmitIf(f_, b_.CreateICmpULT(first, rows), [&] {
      EmitCountedLoop(f_, first, b_.getInt64(1), rows, [&](Value* r) -> Value* {
        b_.CreateAlignedStore(padding, b_.CreateGEP(row, array, r), Align(kReductionSlots));
        return nullptr;
      });
    });
  }
}

void BlockReductions::Store(uint32_t pc) {
  const isa::Instruction& in = plan_.program().code[pc];
  Type* type = ScalarType(b_, in.type);
  Value* lane = ids_.LaneInBlock();
  Value* first = b_.CreateGEP(type, ArrayOf(pc), lane);
  const Align align(isa::SizeOf(in.type));
  for (unsigned u = 0; u < chunk_.unroll(); ++u) {
    Value* value = registers_.Vector(plan_.operands[pc].reads[0], u);
    if (in.op == Opcode::kBlkRed && ReducesByRange(f_.target(), in)) value = Quieted(b_, value);
    Value* address = b_.CreateConstGEP1_64(type, first, uint64_t{u} * f_.target().width);
    if (chunk_.all()) {
      b_.CreateAlignedStore(value, address, align);
    } else {
      b_.CreateMaskedStore(value, address, align, chunk_.running(u));
    }
  }
}

// Where there are at least `group` rows, a power of two, each so many become one, by the tree.
// Returns how many rows there are then.
Value* BlockReductions::FoldRows(uint32_t pc, Value* array, Value* rows, unsigned group) {
  const isa::Instruction& in = plan_.program().code[pc];
  const bool quiet = ReducesByRange(f_.target(), in);
  const LaneOperation step = StepOf(in.block_op());
  Type* row = RowOf(pc);
  BasicBlock* before = b_.GetInsertBlock();
  BasicBlock* folded = nullptr;
  Value* fewer = nullptr;
  EmitIf(f_, b_.CreateICmpUGE(rows, b_.getInt64(group)), [&] {
    fewer = b_.CreateUDiv(rows, b_.getInt64(group));
    EmitCountedLoop(f_, b_.getInt64(0), b_.getInt64(1), fewer, [&](Value* to) -> Value* {
      Value* from = b_.CreateGEP(row, array, b_.CreateMul(to, b_.getInt64(group)));
      std::vector<Value*> values;
      for (unsigned r = 0; r < group; ++r) {
        Value* address = b_.CreateConstGEP1_64(row, from, r);
        llvm::LoadInst* load = b_.CreateAlignedLoad(row, address, Align(kReductionSlots));
        if (quiet) MarkQuiet(*load);
        values.push_back(load);
      }
      for (; values.size() > 1; values.resize(values.size() / 2)) {
        for (size_t k = 0; k < values.size() / 2; ++k) {
          values[k] = step(f_, in, {values[2 * k], values[2 * k + 1]});
        }
      }
      b_.CreateAlignedStore(values[0], b_.CreateGEP(row, array, to), Align(kReductionSlots));
      return nullptr;
    });
    folded = b_.GetInsertBlock();
  });
  PHINode* result = b_.CreatePHI(b_.getInt64Ty(), 2);
  result->addIncoming(rows, before);
  result->addIncoming(fewer, folded);
  return result;
}

// At most 64 rows become one.
void BlockReductions::Reduce(uint32_t pc) {
  const isa::Instruction& in = plan_.program().code[pc];
  remarks_.Add(
      Remarks::About::kReduction, pc,
      "by the fixed tree in vectors of " + llvm::Twine(kReductionSlots) + ", behind the last lane");
  Type* row = RowOf(pc);
  Value* array = ArrayOf(pc);
  const Align align(kReductionSlots);
  Value* rows = ReductionRows(f_, ids_);
  const bool whole = ReducesByRange(f_.target(), in);
  for (const unsigned group : {16U, 4U, 2U}) rows = FoldRows(pc, array, rows, group);
  llvm::LoadInst* load = b_.CreateAlignedLoad(row, array, align);
  if (whole) MarkQuiet(*load);
  Value* value = FoldRow(f_, in, load, whole);
  value = CanonicalResult(f_, in.type, value);
  KeepReduction(pc, value);
}

// x[i] = x[i - step] op x[i] in steps of 1, 2, 4, ...
void BlockReductions::Scan(uint32_t pc) {
  const isa::Instruction& in = plan_.program().code[pc];
  remarks_.Add(Remarks::About::kReduction, pc,
               "a scan by the fixed steps in vectors of " + llvm::Twine(kReductionSlots) +
                   ", behind the last lane");
  Type* type = ScalarType(b_, in.type);
  Type* row = RowOf(pc);
  const LaneOperation step = StepOf(in.block_op());
  Value* array = ArrayOf(pc);
  Value* rows = ReductionRows(f_, ids_);
  Value* last = b_.CreateSub(rows, b_.getInt64(1));
  // The elements of row r and those `distance` elements before them; later rows are done.
  const auto combine = [&](Value* r, Value* distance) {
    Value* to = b_.CreateGEP(row, array, r);
    Value* from = b_.CreateGEP(type, to, b_.CreateNeg(distance));
    Value* left = b_.CreateAlignedLoad(row, from, Align(isa::SizeOf(in.type)));
    Value* right = b_.CreateAlignedLoad(row, to, Align(kReductionSlots));
    b_.CreateAlignedStore(step(f_, in, {left, right}), to, Align(kReductionSlots));
  };
  for (unsigned distance = 1; distance < kReductionSlots; distance *= 2) {
    EmitCountedLoop(f_, b_.getInt64(0), b_.getInt64(1), rows, [&](Value* i) -> Value* {
      combine(b_.CreateSub(last, i), b_.getInt64(distance));
      return nullptr;
    });
  }
  EmitCountedLoop(f_, b_.getInt64(1), nullptr, rows, [&](Value* above) -> Value* {
    // With one row in all this runs once, on the row that changes nothing.
    EmitCountedLoop(
        f_, b_.getInt64(0), b_.getInt64(1), b_.CreateSub(rows, above), [&](Value* i) -> Value* {
          combine(b_.CreateSub(last, i), b_.CreateMul(above, b_.getInt64(kReductionSlots)));
          return nullptr;
        });
    return above;
  });
  KeepScan(pc);
}

// The steps of a scan within the two rows of each warp; a reduction is what the last lane gets, by
// the tree of neighbours that this is.
void BlockReductions::CombineWarps(uint32_t pc) {
  const isa::Instruction& in = plan_.program().code[pc];
  const bool scans = in.op == Opcode::kBlkScan;
  remarks_.Add(Remarks::About::kReduction, pc,
               llvm::Twine(scans ? "a scan" : "a reduction") + " of each warp in two vectors of " +
                   llvm::Twine(kReductionSlots) + ", behind the last lane");
  Type* row = RowOf(pc);
  Value* array = ArrayOf(pc);
  const Align align(kReductionSlots);
  Value* warps = b_.CreateLShr(RowsOf(in), 1);
  EmitCountedLoop(f_, b_.getInt64(0), b_.getInt64(1), warps, [&](Value* warp) -> Value* {
    Value* first = b_.CreateGEP(row, array, b_.CreateShl(warp, 1));
    Value* second = b_.CreateConstGEP1_64(row, first, 1);
    Warp rows = {b_.CreateAlignedLoad(row, first, align), b_.CreateAlignedLoad(row, second, align)};
    rows = scans ? ScanWarp(in, rows) : ReduceWarp(in, rows);
    b_.CreateAlignedStore(rows[0], first, align);
    b_.CreateAlignedStore(rows[1], second, align);
    return nullptr;
  });
  KeepScan(pc);
}

BlockReductions::Warp BlockReductions::ScanWarp(const isa::Instruction& in, Warp rows) {
  const LaneOperation step = StepOf(in.block_op());
  Value* padding = llvm::ConstantVector::getSplat(llvm::ElementCount::getFixed(kReductionSlots),
                                                  PaddingOf(b_, in));
  for (unsigned distance = 1; distance < kReductionSlots; distance *= 2) {
    std::vector<int> before;  // the elements `distance` before those of the right one of two rows
    for (unsigned i = 0; i < kReductionSlots; ++i) {
      before.push_back(static_cast<int>(kReductionSlots - distance + i));
    }
    Value* left = b_.CreateShuffleVector(rows[0], rows[1], before);
    rows[1] = step(f_, in, {left, rows[1]});
    rows[0] = step(f_, in, {b_.CreateShuffleVector(padding, rows[0], before), rows[0]});
  }
  rows[1] = step(f_, in, {rows[0], rows[1]});
  return rows;
}

BlockReductions::Warp BlockReductions::ReduceWarp(const isa::Instruction& in, Warp rows) {
  const LaneOperation step = StepOf(in.block_op());
  std::vector<int> even;
  std::vector<int> odd;
  for (unsigned i = 0; i < kReductionSlots; ++i) {
    even.push_back(static_cast<int>(2 * i));
    odd.push_back(static_cast<int>(2 * i + 1));
  }
  const auto fold = [&](Value* a, Value* b) {
    Value* right = b_.CreateShuffleVector(a, b, odd);
    return step(f_, in, {b_.CreateShuffleVector(a, b, even), right});
  };
  Value* value = fold(rows[0], rows[1]);
  // Of itself twice, so that all slots have the result in the end.
  for (unsigned width = kReductionSlots; width > 1; width /= 2) value = fold(value, value);
  return {value, value};
}

void BlockReductions::Finish(uint32_t pc) {
  if (plan_.program().code[pc].is_of_warp()) return CombineWarps(pc);
  plan_.program().code[pc].op == Opcode::kBlkScan ? Scan(pc) : Reduce(pc);
}

void BlockReductions::KeepScan(uint32_t pc) {
  if (!IsWanted(plan_, pc)) return;
  const isa::Instruction& in = plan_.program().code[pc];
  const Contexts::Array context = contexts_.ArrayOf(plan_.operands[pc].write);
  Type* row = llvm::FixedVectorType::get(context.element, kReductionSlots);
  Value* array = ArrayOf(pc);
  EmitCountedLoop(
      f_, b_.getInt64(0), b_.getInt64(1), ReductionRows(f_, ids_), [&](Value* r) -> Value* {
        Value* value =
            b_.CreateAlignedLoad(row, b_.CreateGEP(row, array, r), Align(kReductionSlots));
        value = CanonicalResult(f_, in.type, value);
        b_.CreateAlignedStore(value, b_.CreateGEP(row, context.base, r), Align(kReductionSlots));
        return nullptr;
      });
}

void BlockReductions::KeepReduction(uint32_t pc, Value* value) {
  if (!IsWanted(plan_, pc)) return;
  const OperandId web = plan_.operands[pc].write;
  const Contexts::Array context = contexts_.ArrayOf(web);
  HOLOGRAM_CHECK(plan_.KindOf(web) != Kind::kAffine);
  const auto wide = [&](Value* v) { return b_.CreateZExt(v, b_.getInt64Ty()); };
  Value* count = b_.CreateMul(wide(ids_.Shape(true, 1)), wide(ids_.Shape(true, 2)));
  if (plan_.KindOf(web) == Kind::kVarying) count = b_.CreateMul(count, wide(ids_.Shape(true, 0)));
  EmitCountedLoop(f_, b_.getInt64(0), b_.getInt64(1), count, [&](Value* i) -> Value* {
    b_.CreateStore(value, b_.CreateGEP(context.element, context.base, i));
    return nullptr;
  });
}

}  // namespace hologram::codegen
