#include "codegen/instructions/atomics.h"

#include "codegen/emit/idioms.h"
#include "codegen/plan/accesses.h"
#include "llvm/Transforms/Utils/LowerAtomic.h"

namespace hologram::codegen {

using isa::AtomicOp;
using llvm::Align;
using llvm::AtomicRMWInst;
using llvm::BasicBlock;
using llvm::ConstantInt;
using llvm::Type;
using llvm::Value;
namespace intrinsic = llvm::Intrinsic;

namespace {

AtomicRMWInst::BinOp OperationOf(AtomicOp op, bool is_signed) {
  switch (op) {
    case AtomicOp::kAdd:
      return AtomicRMWInst::Add;
    case AtomicOp::kMin:
      return is_signed ? AtomicRMWInst::Min : AtomicRMWInst::UMin;
    case AtomicOp::kMax:
      return is_signed ? AtomicRMWInst::Max : AtomicRMWInst::UMax;
    case AtomicOp::kAnd:
      return AtomicRMWInst::And;
    case AtomicOp::kOr:
      return AtomicRMWInst::Or;
    case AtomicOp::kXor:
      return AtomicRMWInst::Xor;
    case AtomicOp::kExchange:
      break;
  }
  return AtomicRMWInst::Xchg;
}

llvm::APInt IdentityOf(AtomicOp op, bool is_signed, unsigned bits) {
  switch (op) {
    case AtomicOp::kAnd:
      return llvm::APInt::getAllOnes(bits);
    case AtomicOp::kMin:
      return is_signed ? llvm::APInt::getSignedMaxValue(bits) : llvm::APInt::getAllOnes(bits);
    case AtomicOp::kMax:
      return is_signed ? llvm::APInt::getSignedMinValue(bits) : llvm::APInt::getZero(bits);
    default:
      return llvm::APInt::getZero(bits);
  }
}

intrinsic::ID ReductionOf(AtomicOp op, bool is_signed) {
  switch (op) {
    case AtomicOp::kMin:
      return is_signed ? intrinsic::vector_reduce_smin : intrinsic::vector_reduce_umin;
    case AtomicOp::kMax:
      return is_signed ? intrinsic::vector_reduce_smax : intrinsic::vector_reduce_umax;
    case AtomicOp::kAnd:
      return intrinsic::vector_reduce_and;
    case AtomicOp::kOr:
      return intrinsic::vector_reduce_or;
    case AtomicOp::kXor:
      return intrinsic::vector_reduce_xor;
    default:
      return intrinsic::vector_reduce_add;
  }
}

}  // namespace

// Bits decide.
Value* Atomics::SwappedFloat(Value* old, Value* expected, Value* desired) {
  Type* bits = BitsType(old->getType());
  Value* same = b_.CreateICmpEQ(b_.CreateBitCast(old, bits), b_.CreateBitCast(expected, bits));
  return b_.CreateSelect(same, desired, old);
}

Value* Atomics::UpdateOne(uint32_t pc, const Place& place, Value* address, Value* value,
                          Value* desired, bool alone) {
  const isa::Instruction& in = plan_.program().code[pc];
  const bool is_signed = isa::IsSignedInteger(in.type);
  if (isa::IsInteger(in.type) && ((place.slot >= 0 && !alone) || f_.target().lane_per_thread)) {
    if (desired != nullptr) {
      llvm::AtomicCmpXchgInst* swap =
          b_.CreateAtomicCmpXchg(address, value, desired, Align(place.size),
                                 llvm::AtomicOrdering::Monotonic, llvm::AtomicOrdering::Monotonic);
      places_.Tag(swap, place);
      return b_.CreateExtractValue(swap, 0);
    }
    AtomicRMWInst* update =
        b_.CreateAtomicRMW(OperationOf(in.atomic_op(), is_signed), address, value,
                           Align(place.size), llvm::AtomicOrdering::Monotonic);
    places_.Tag(update, place);
    return update;
  }
  Value* old = b_.CreateAlignedLoad(place.type, address, Align(place.size));
  places_.Tag(llvm::cast<llvm::Instruction>(old), place);
  if (isa::IsFloat(in.type) && desired == nullptr) {
    StoreFloatUpdate(f_, in, old, value, address,
                     [&](llvm::Instruction* store) { places_.Tag(store, place); });
    return old;
  }
  Value* next = nullptr;
  if (isa::IsFloat(in.type)) {
    next = SwappedFloat(old, value, desired);
  } else if (desired != nullptr) {
    next = b_.CreateSelect(b_.CreateICmpEQ(old, value), desired, old);
  } else {
    next = llvm::buildAtomicRMWValue(OperationOf(in.atomic_op(), is_signed), b_, old, value);
  }
  places_.Tag(b_.CreateAlignedStore(next, address, Align(place.size)), place);
  return old;
}

Value* Atomics::UpdateScalar(uint32_t pc, const Place& place, Value* address) {
  const bool swaps = isa::IsCompareAndSwap(plan_.program().code[pc].op);
  Value* desired = swaps ? registers_.Scalar(DesiredOperand(plan_, pc)) : nullptr;
  const OperandId stored = StoredOperand(plan_, pc);
  Value* value = registers_.Scalar(stored);
  const isa::Instruction& in = plan_.program().code[pc];
  if (isa::IsFloat(in.type) && (swaps || in.atomic_op() == AtomicOp::kExchange)) {
    value = registers_.WithCanonicalNan(stored, value);
  }
  // On a processor lanes run one by one only in a launch that is on one thread.
  return UpdateOne(pc, place, address, value, desired, !f_.target().lane_per_thread);
}

Value* Atomics::OperandVector(uint32_t pc, OperandId id, unsigned u) {
  Value* value = registers_.Vector(id, u);
  return isa::IsFloat(plan_.program().code[pc].type) ? registers_.WithCanonicalNan(id, value)
                                                     : value;
}

Value* Atomics::StoredVector(uint32_t pc, unsigned u) {
  if (isa::IsFloat(plan_.program().code[pc].type)) return UpdateValue(plan_, registers_, pc, u);
  return OperandVector(pc, StoredOperand(plan_, pc), u);
}

bool Atomics::UpdateReduced(uint32_t pc, const Place& place) {
  const isa::Instruction& in = plan_.program().code[pc];
  if (!isa::IsOrderless(in)) return false;
  if (IsRead(plan_, pc)) return false;
  if (plan_.KindOf(IndexOf(plan_, pc)) != Kind::kUniform ||
      plan_.verified->AccessAt(pc)->tier == verify::Tier::kGuarded) {
    return false;
  }
  const bool is_signed = isa::IsSignedInteger(in.type);
  llvm::Constant* identity = ConstantInt::get(
      f_.VectorOf(place.type), IdentityOf(in.atomic_op(), is_signed, isa::BitsOf(in.type)));
  Value* all = nullptr;
  for (unsigned u = 0; u < chunk_.unroll(); ++u) {
    Value* value = registers_.Vector(StoredOperand(plan_, pc), u);
    if (!chunk_.all()) value = b_.CreateSelect(chunk_.running(u), value, identity);
    all = all == nullptr
              ? value
              : llvm::buildAtomicRMWValue(OperationOf(in.atomic_op(), is_signed), b_, all, value);
  }
  Value* reduced = b_.CreateUnaryIntrinsic(ReductionOf(in.atomic_op(), is_signed), all);
  remarks_.Access(pc, "one atomic update a chunk, of what its lanes make together");
  UpdateOne(pc, place, places_.ElementAddress(place, registers_.Exact(IndexOf(plan_, pc))), reduced,
            nullptr, false);
  return true;
}

// Where the values that the lanes of the chunk have in `id` lie side by side in an array that
// nobody writes, if they were loaded from there; null otherwise.
Value* Atomics::InMemory(OperandId id, uint32_t pc) {
  const std::optional<uint32_t> made = MadeBy(plan_, id, pc);
  if (!made || plan_.program().code[*made].op != isa::Opcode::kLdg) return nullptr;
  const verify::AccessFact& fact = *plan_.verified->AccessAt(*made);
  const bool row = plan_.KindOf(IndexOf(plan_, *made)) == Kind::kAffine && fact.stride == 1;
  const bool written = plan_.program().parameters[fact.slot].direction != isa::Direction::kIn;
  if (!row || written || fact.tier != verify::Tier::kProved) return nullptr;
  return places_.ElementAddress(places_.Of(*made), registers_.Exact(IndexOf(plan_, *made)));
}

// Volatile, or it would be taken out of a vector after all.
Value* Atomics::LoadLane(Type* type, Value* first, unsigned u, uint64_t lane) {
  const uint64_t at = uint64_t{u} * f_.target().width + lane;
  return b_.CreateLoad(type, b_.CreateConstGEP1_64(type, first, at), true);
}

// Element `lane` of a vector of integers, which is taken apart in words: extracted by itself, each
// takes two instructions of the slowest kind.
Value* Atomics::LaneOf(Value* vector, uint64_t lane) {
  constexpr unsigned kWord = 64;
  Type* type = vector->getType()->getScalarType();
  const unsigned bits = type->getIntegerBitWidth();
  const unsigned words = bits * f_.target().width / kWord;
  if (bits >= kWord || words == 0) return b_.CreateExtractElement(vector, lane);
  Type* in_words = llvm::FixedVectorType::get(b_.getInt64Ty(), words);
  Value* word = b_.CreateExtractElement(b_.CreateBitCast(vector, in_words), lane * bits / kWord);
  return b_.CreateTrunc(b_.CreateLShr(word, lane * bits % kWord), type);
}

// All lanes of a vector update memory that nobody else does, one after the other, without a loop.
// Indices are not read once more from the array of the caller that they came from: another thread
// may have changed it since they were found to be in bounds. Returns the old values.
Value* Atomics::TurnsOfAll(uint32_t pc, const Place& place, unsigned u) {
  const OperandId index = IndexOf(plan_, pc);
  const bool swaps = isa::IsCompareAndSwap(plan_.program().code[pc].op);
  const bool is_float = isa::IsFloat(plan_.program().code[pc].type);
  Value* floats = is_float && !swaps ? InMemory(StoredOperand(plan_, pc), pc) : nullptr;
  Value* indices = registers_.Vector(index, u);
  const bool uniform = !is_float && plan_.KindOf(StoredOperand(plan_, pc)) == Kind::kUniform;
  Value* values = uniform ? nullptr : StoredVector(pc, u);
  Value* one = uniform ? registers_.Scalar(StoredOperand(plan_, pc)) : nullptr;
  Value* desired = swaps ? OperandVector(pc, DesiredOperand(plan_, pc), u) : nullptr;
  Value* old = llvm::PoisonValue::get(f_.VectorOf(place.type));
  for (uint64_t lane = 0; lane < f_.target().width; ++lane) {
    Value* at = LaneOf(indices, lane);
    Value* address = b_.CreateGEP(place.type, place.base, places_.ExtendIndex(index, at, place));
    Value* value = uniform             ? one
                   : floats == nullptr ? b_.CreateExtractElement(values, lane)
                                       : LoadLane(place.type, floats, u, lane);
    Value* before = UpdateOne(pc, place, address, value,
                              swaps ? b_.CreateExtractElement(desired, lane) : nullptr, true);
    old = b_.CreateInsertElement(old, before, lane);
  }
  return old;
}

Values Atomics::AllTurns(uint32_t pc, const Place& place) {
  Values olds;
  for (unsigned u = 0; u < chunk_.unroll(); ++u) olds.push_back(TurnsOfAll(pc, place, u));
  return olds;
}

void Atomics::Update(uint32_t pc, const Place& place) {
  if (UpdateReduced(pc, place)) return;
  places_.FaultOutside(pc, place);
  if (plan_.verified->IsLaunchSum(pc)) return sums_.Add(pc, place);
  if (plan_.order.waits(pc)) return log_.Add(pc, place);
  const char* turns = "one update after the other in a loop over the lanes";
  const bool is_float = isa::IsFloat(plan_.program().code[pc].type);
  if (chunk_.all() && (place.slot < 0 || is_float)) {
    remarks_.Access(pc, llvm::Twine("plain updates, lane after lane: the ") +
                            (place.slot < 0 ? "block" : "launch") + " is on one thread");
    return registers_.Write(pc, AllTurns(pc, place));
  }
  // Kernels with shared memory update buffers seldom; what they compile to is long already.
  if (place.slot < 0 || is_float || !plan_.program().shared.empty()) {
    const bool plain = place.slot < 0 || is_float;
    remarks_.Access(pc, llvm::Twine(turns) + (plain ? ", plain" : ", atomic"));
    return registers_.Write(pc, Turns(pc, place, false));
  }
  remarks_.Access(
      pc, llvm::Twine(chunk_.all() ? "plain updates, lane after lane," : turns) +
              (chunk_.all() ? "" : ", plain") +
              " where the launch has one thread, else atomic ones in a loop over the lanes");
  BasicBlock* plain = f_.NewBlock("alone");
  BasicBlock* atomic = f_.NewBlock("atomic");
  BasicBlock* join = f_.NewBlock("updated");
  b_.CreateCondBr(alone_, plain, atomic);
  b_.SetInsertPoint(plain);
  const Values here = chunk_.all() ? AllTurns(pc, place) : Turns(pc, place, true);
  BasicBlock* plain_end = b_.GetInsertBlock();
  b_.CreateBr(join);
  b_.SetInsertPoint(atomic);
  const Values there = Turns(pc, place, false);
  BasicBlock* atomic_end = b_.GetInsertBlock();
  b_.CreateBr(join);
  b_.SetInsertPoint(join);
  Values olds;
  for (unsigned u = 0; u < chunk_.unroll(); ++u) {
    llvm::PHINode* phi = b_.CreatePHI(f_.VectorOf(place.type), 2);
    phi->addIncoming(here[u], plain_end);
    phi->addIncoming(there[u], atomic_end);
    olds.push_back(phi);
  }
  registers_.Write(pc, std::move(olds));
}

// Gives the element of a lane that a loop computes. Extracted from the vector, it would be written
// to memory in each round.
std::function<Value*(Value*)> Atomics::ByLane(Value* vector) {
  Type* type = vector->getType()->getScalarType();
  if (f_.target().width == 1 || llvm::isa<llvm::Constant>(vector)) {
    return [this, vector](Value* lane) { return b_.CreateExtractElement(vector, lane); };
  }
  Value* list = f_.NewSlot(vector->getType(), "turns");
  b_.CreateStore(vector, list, true);
  return [this, type, list](Value* lane) -> Value* {
    return b_.CreateLoad(type, b_.CreateGEP(type, list, b_.CreateZExt(lane, b_.getInt64Ty())),
                         true);
  };
}

// The lanes that run, one after the other, in a loop; where that is all of a vector, most often,
// without one. Returns the old values.
Values Atomics::Turns(uint32_t pc, const Place& place, bool alone) {
  const bool plain = alone || place.slot < 0 || isa::IsFloat(plan_.program().code[pc].type);
  const OperandId index = IndexOf(plan_, pc);
  const bool swaps = isa::IsCompareAndSwap(plan_.program().code[pc].op);
  Values olds;
  Type* bits_type = b_.getIntNTy(f_.target().width);
  for (unsigned u = 0; u < chunk_.unroll(); ++u) {
    Value* mask = b_.CreateBitCast(chunk_.Mask(u), bits_type);
    BasicBlock* turn = f_.NewBlock("turn");
    BasicBlock* end = f_.NewBlock("turns.end");
    Value* none = ConstantInt::get(bits_type, 0);
    Value* of_all = nullptr;
    BasicBlock* all_end = nullptr;
    if (plain && f_.target().width > 1) {
      BasicBlock* all = f_.NewBlock("turns.all");
      BasicBlock* some = f_.NewBlock("turns.some");
      b_.CreateCondBr(b_.CreateICmpEQ(mask, llvm::Constant::getAllOnesValue(bits_type)), all, some);
      b_.SetInsertPoint(all);
      of_all = TurnsOfAll(pc, place, u);
      all_end = b_.GetInsertBlock();
      b_.CreateBr(end);
      b_.SetInsertPoint(some);
    }
    const auto index_of = ByLane(registers_.Vector(index, u));
    const auto value_of = ByLane(StoredVector(pc, u));
    const auto desired_of =
        swaps ? ByLane(OperandVector(pc, DesiredOperand(plan_, pc), u)) : nullptr;
    BasicBlock* before = b_.GetInsertBlock();
    b_.CreateCondBr(b_.CreateICmpNE(mask, none), turn, end);
    b_.SetInsertPoint(turn);
    llvm::PHINode* rest = b_.CreatePHI(bits_type, 2);
    llvm::PHINode* old = b_.CreatePHI(f_.VectorOf(place.type), 2);
    Value* lane = b_.CreateBinaryIntrinsic(intrinsic::cttz, rest, b_.getTrue());
    Value* element = places_.ExtendIndex(index, index_of(lane), place);
    Value* before_update = UpdateOne(pc, place, b_.CreateGEP(place.type, place.base, element),
                                     value_of(lane), swaps ? desired_of(lane) : nullptr, alone);
    Value* filled = b_.CreateInsertElement(old, before_update, lane);
    Value* left = b_.CreateAnd(rest, b_.CreateSub(rest, ConstantInt::get(bits_type, 1)));
    BasicBlock* latch = b_.GetInsertBlock();
    rest->addIncoming(mask, before);
    rest->addIncoming(left, latch);
    old->addIncoming(llvm::Constant::getNullValue(f_.VectorOf(place.type)), before);
    old->addIncoming(filled, latch);
    b_.CreateCondBr(b_.CreateICmpNE(left, none), turn, end);
    b_.SetInsertPoint(end);
    llvm::PHINode* result = b_.CreatePHI(f_.VectorOf(place.type), 2);
    result->addIncoming(llvm::Constant::getNullValue(f_.VectorOf(place.type)), before);
    result->addIncoming(filled, latch);
    if (of_all != nullptr) result->addIncoming(of_all, all_end);
    olds.push_back(result);
  }
  return olds;
}

}  // namespace hologram::codegen
