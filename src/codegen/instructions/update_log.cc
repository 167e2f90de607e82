#include "codegen/instructions/update_log.h"

#include <algorithm>

#include "codegen/emit/idioms.h"
#include "codegen/instructions/half.h"
#include "codegen/instructions/lanewise.h"
#include "codegen/plan/accesses.h"

namespace hologram::codegen {

using isa::AtomicOp;
using llvm::Align;
using llvm::BasicBlock;
using llvm::ConstantInt;
using llvm::Type;
using llvm::Value;

namespace {

Value* NextValue(FunctionState& f, const isa::Instruction& in, Value* old, Value* value) {
  llvm::IRBuilder<>& b = f.builder();
  const AtomicOp op = in.atomic_op();
  if (op == AtomicOp::kExchange) return value;
  const bool is_half = isa::IsHalf(in.type);
  Value* x = is_half ? Widen(f, in.type, old) : old;
  Value* y = is_half ? Widen(f, in.type, value) : value;
  Value* next = op == AtomicOp::kAdd ? b.CreateFAdd(x, y) : MinMax(f, x, y, op == AtomicOp::kMax);
  if (is_half) return Narrow(f, in.type, next);
  return op == AtomicOp::kAdd ? next : Canonical(b, next);
}

}  // namespace

Value* UpdateValue(const Plan& plan, Registers& registers, uint32_t pc, unsigned u) {
  const isa::Instruction& in = plan.program().code[pc];
  const OperandId given = StoredOperand(plan, pc);
  Value* value = registers.Vector(given, u);
  const bool any = in.atomic_op() != AtomicOp::kExchange && !isa::IsHalf(in.type) &&
                   !isa::IsCompareAndSwap(in.op);
  return any ? value : registers.WithCanonicalNan(given, value);
}

// A sum that is no number is stored again. Where one update waits for the other, a comparison and a
// branch cost less than a choice between two numbers.
void StoreFloatUpdate(FunctionState& f, const isa::Instruction& in, Value* old, Value* value,
                      Value* address, llvm::function_ref<void(llvm::Instruction*)> tag) {
  llvm::IRBuilder<>& b = f.builder();
  const Align align(isa::SizeOf(in.type));
  Value* next = NextValue(f, in, old, value);
  tag(b.CreateAlignedStore(next, address, align));
  if (in.atomic_op() != AtomicOp::kAdd || isa::IsHalf(in.type)) return;
  BasicBlock* again = f.NewBlock("nan");
  BasicBlock* stored = f.NewBlock("stored");
  f.BranchUnlikely(b.CreateFCmpUNO(next, next), again, stored);
  b.SetInsertPoint(again);
  Value* nan = llvm::ConstantFP::getQNaN(next->getType());
  tag(b.CreateAlignedStore(nan, address, align));
  b.CreateBr(stored);
  b.SetInsertPoint(stored);
}

void UpdateLog::Begin() {
  if (plan_.order.logged.empty()) return;
  if (rows_ == nullptr) {
    const auto& code = plan_.program().code;
    const isa::Instruction& first = code[plan_.order.logged[0]];
    const uint64_t rows = plan_.order.rows;
    const auto column = [&](Type* type, const char* name) {
      llvm::AllocaInst* slot = f_.NewSlot(llvm::ArrayType::get(type, rows), name);
      slot->setAlignment(Align(64));
      return slot;
    };
    type_ = ScalarType(b_, first.type);
    addresses_ = column(f_.VectorOf(b_.getPtrTy()), "log.addresses");
    values_ = column(f_.VectorOf(type_), "log.values");
    masks_ = column(b_.getIntNTy(f_.target().width), "log.masks");
    const bool alike =
        std::all_of(plan_.order.logged.begin(), plan_.order.logged.end(),
                    [&](uint32_t pc) { return code[pc].atomic_op() == first.atomic_op(); });
    if (!alike) numbers_ = column(b_.getInt32Ty(), "log.numbers");
    rows_ = f_.NewSlot(b_.getInt64Ty(), "log.rows");
  }
  const bool parted =
      std::any_of(plan_.order.logged.begin(), plan_.order.logged.end(),
                  [&](uint32_t pc) { return plan_.divergent[plan_.verified->BlockOf(pc)] != 0; });
  masked_ = parted || !chunk_.full() || chunk_.tracks_live();
  b_.CreateStore(b_.getInt64(0), rows_);
}

Value* UpdateLog::Row(llvm::AllocaInst* column, Type* type, Value* row) {
  return b_.CreateInBoundsGEP(type, column, row);
}

void UpdateLog::Add(uint32_t pc, const Place& place) {
  remarks_.Access(pc, "updates are kept, and made lane after lane when the chunk is done");
  Value* row = b_.CreateLoad(b_.getInt64Ty(), rows_);
  if (plan_.order.may_fill) {
    BasicBlock* room = f_.NewBlock("log.room");
    f_.BranchUnlikely(b_.CreateICmpEQ(row, b_.getInt64(plan_.order.rows)), full_, room);
    b_.SetInsertPoint(room);
  }
  Value* value = UpdateValue(plan_, registers_, pc, 0);
  b_.CreateStore(places_.LaneAddresses(place, IndexOf(plan_, pc), 0),
                 Row(addresses_, f_.VectorOf(b_.getPtrTy()), row));
  b_.CreateStore(value, Row(values_, f_.VectorOf(type_), row));
  Type* bits = b_.getIntNTy(f_.target().width);
  if (masked_) b_.CreateStore(b_.CreateBitCast(chunk_.Mask(0), bits), Row(masks_, bits, row));
  if (numbers_ != nullptr) {
    b_.CreateStore(b_.getInt32(pc), Row(numbers_, b_.getInt32Ty(), row));
  }
  b_.CreateStore(b_.CreateNUWAdd(row, b_.getInt64(1)), rows_);
}

// All are in one block, to which control comes once, and no lane has left it on its way.
bool UpdateLog::RowsAreKnown() const {
  constexpr size_t kMostRows = 16;
  const auto block = [&](uint32_t pc) { return plan_.verified->BlockOf(pc); };
  const std::vector<uint32_t>& logged = plan_.order.logged;
  return !masked_ && logged.size() <= kMostRows && plan_.order.rows == logged.size() &&
         std::all_of(logged.begin(), logged.end(),
                     [&](uint32_t pc) { return block(pc) == block(logged[0]); });
}

void UpdateLog::MakeLanes(llvm::function_ref<void(Value*)> rows_of_lane) {
  EmitCountedLoop(f_, b_.getInt64(0), b_.getInt64(1), b_.getInt64(f_.target().width),
                  [&](Value* lane) -> Value* {
                    rows_of_lane(lane);
                    return nullptr;
                  });
}

void UpdateLog::Make() {
  if (plan_.order.logged.empty()) return;
  Value* rows = b_.CreateLoad(b_.getInt64Ty(), rows_);
  EmitIf(f_, b_.CreateICmpNE(rows, b_.getInt64(0)), [&] {
    if (RowsAreKnown()) {
      return MakeLanes([&](Value* lane) {
        for (uint32_t row = 0; row < plan_.order.rows; ++row) MakeOne(b_.getInt64(row), lane);
      });
    }
    MakeLanes([&](Value* lane) {
      EmitCountedLoop(f_, b_.getInt64(0), b_.getInt64(1), rows, [&](Value* row) -> Value* {
        MakeOne(row, lane);
        return nullptr;
      });
    });
  });
}

void UpdateLog::MakeOne(Value* row, Value* lane) {
  Value* address = nullptr;
  Value* value = nullptr;
  const auto element = [&](llvm::AllocaInst* column, Type* type) {
    return b_.CreateLoad(type,
                         b_.CreateInBoundsGEP(type, Row(column, f_.VectorOf(type), row), lane));
  };
  const auto make = [&] {
    address = element(addresses_, b_.getPtrTy());
    value = element(values_, type_);
    if (numbers_ == nullptr) return Replace(plan_.order.logged[0], address, value);
    Value* number = b_.CreateLoad(b_.getInt32Ty(), Row(numbers_, b_.getInt32Ty(), row));
    for (const uint32_t pc : plan_.order.logged) {
      EmitIf(f_, b_.CreateICmpEQ(number, b_.getInt32(pc)), [&] { Replace(pc, address, value); });
    }
  };
  if (!masked_) return make();
  Type* bits = b_.getIntNTy(f_.target().width);
  Value* mask = b_.CreateLoad(bits, Row(masks_, bits, row));
  Value* here = b_.CreateLShr(mask, b_.CreateTrunc(lane, bits));
  EmitIf(f_, b_.CreateTrunc(here, b_.getInt1Ty()), make);
}

void UpdateLog::Replace(uint32_t pc, Value* address, Value* value) {
  const isa::Instruction& in = plan_.program().code[pc];
  const Align align(isa::SizeOf(in.type));
  Value* old = b_.CreateAlignedLoad(type_, address, align);
  StoreFloatUpdate(f_, in, old, value, address, [](llvm::Instruction*) {});
}

}  // namespace hologram::codegen
