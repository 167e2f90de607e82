// ATG, ATS and compare-and-swap. Lanes take their turn in lane order; if nobody reads the old
// values and all lanes update one element, the vector is reduced first and memory is touched once.
// Lanes of one block run on one thread, so shared memory needs no atomic instruction on a
// processor; nor do floats, because a program with atomics of floats runs on one thread as a whole;
// nor do integers in a launch that runs on one, which the launch state says.
// Sums of a launch: launch_sums.cc.
#include "codegen/lowering.h"
#include "llvm/Transforms/Utils/LowerAtomic.h"

namespace hologram::codegen {

using isa::AtomicOp;
using llvm::Align;
using llvm::AllocaInst;
using llvm::AtomicRMWInst;
using llvm::BasicBlock;
using llvm::ConstantInt;
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

llvm::Value* Lowering::FloatUpdate(const isa::Instruction& in, Value* old, Value* value) {
  const AtomicOp op = in.atomic_op();
  if (isa::IsHalf(in.type) && op != AtomicOp::kExchange) {
    Value* a = Widen(in.type, old);
    Value* b = Widen(in.type, value);
    const bool adds = op == AtomicOp::kAdd;
    return Narrow(in.type, adds ? b_.CreateFAdd(a, b) : MinMax(a, b, op == AtomicOp::kMax));
  }
  switch (op) {
    case AtomicOp::kAdd:
      return Canonical(b_.CreateFAdd(old, value));
    case AtomicOp::kMin:
    case AtomicOp::kMax:
      return Canonical(MinMax(old, value, op == AtomicOp::kMax));
    default:
      return value;
  }
}

// Bits decide.
llvm::Value* Lowering::SwappedFloat(Value* old, Value* expected, Value* desired) {
  Type* bits = BitsType(old->getType());
  Value* same = b_.CreateICmpEQ(b_.CreateBitCast(old, bits), b_.CreateBitCast(expected, bits));
  return b_.CreateSelect(same, desired, old);
}

// Returns the old value. `alone`: nobody else updates the buffer meanwhile.
llvm::Value* Lowering::AtomicUpdate(uint32_t pc, const Place& place, Value* address, Value* value,
                                    Value* desired, bool alone) {
  const isa::Instruction& in = plan_.program().code[pc];
  const bool is_signed = isa::IsSignedInteger(in.type);
  if (isa::IsInteger(in.type) && ((place.slot >= 0 && !alone) || IsPtx(options_.level))) {
    if (desired != nullptr) {
      llvm::AtomicCmpXchgInst* swap =
          b_.CreateAtomicCmpXchg(address, value, desired, Align(place.size),
                                 llvm::AtomicOrdering::Monotonic, llvm::AtomicOrdering::Monotonic);
      Tag(swap, place);
      return b_.CreateExtractValue(swap, 0);
    }
    AtomicRMWInst* update =
        b_.CreateAtomicRMW(OperationOf(in.atomic_op(), is_signed), address, value,
                           Align(place.size), llvm::AtomicOrdering::Monotonic);
    Tag(update, place);
    return update;
  }
  Value* old = b_.CreateAlignedLoad(place.type, address, Align(place.size));
  Tag(llvm::cast<llvm::Instruction>(old), place);
  Value* next = nullptr;
  if (isa::IsFloat(in.type)) {
    next = desired != nullptr ? SwappedFloat(old, value, desired) : FloatUpdate(in, old, value);
  } else if (desired != nullptr) {
    next = b_.CreateSelect(b_.CreateICmpEQ(old, value), desired, old);
  } else {
    next = llvm::buildAtomicRMWValue(OperationOf(in.atomic_op(), is_signed), b_, old, value);
  }
  Tag(b_.CreateAlignedStore(next, address, Align(place.size)), place);
  return old;
}

llvm::Value* Lowering::StoredVector(uint32_t pc, unsigned u) {
  return AtomicOperand(pc, StoredOperand(pc), u);
}

llvm::Value* Lowering::AtomicOperand(uint32_t pc, OperandId id, unsigned u) {
  Value* value = Vector(id, u);
  return isa::IsFloat(plan_.program().code[pc].type) && MaybeNan(id) ? Canonical(value) : value;
}

OperandId Lowering::DesiredOperand(uint32_t pc) const {
  const bool global = isa::IsGlobalAccess(plan_.program().code[pc].op);
  return plan_.operands[pc].reads[global ? 3 : 2];
}

bool Lowering::EmitReducedAtomic(uint32_t pc, const Place& place) {
  const isa::Instruction& in = plan_.program().code[pc];
  if (!isa::IsOrderless(in)) return false;
  const OperandId written = plan_.operands[pc].write;
  bool used = false;
  for (uint32_t other = 0; other < plan_.operands.size(); ++other) {
    plan_.ForEachRead(other, [&](OperandId read) { used |= read == written; });
  }
  if (used) return false;
  if (plan_.KindOf(IndexOf(pc)) != Kind::kUniform ||
      plan_.verified->AccessAt(pc)->tier == verify::Tier::kGuarded) {
    return false;
  }
  const bool is_signed = isa::IsSignedInteger(in.type);
  llvm::Constant* identity = ConstantInt::get(
      VectorOf(place.type), IdentityOf(in.atomic_op(), is_signed, isa::BitsOf(in.type)));
  Value* all = nullptr;
  for (unsigned u = 0; u < unroll_; ++u) {
    Value* value = Vector(StoredOperand(pc), u);
    if (!all_) value = b_.CreateSelect(mask_[u], value, identity);
    all = all == nullptr
              ? value
              : llvm::buildAtomicRMWValue(OperationOf(in.atomic_op(), is_signed), b_, all, value);
  }
  Value* reduced = b_.CreateUnaryIntrinsic(ReductionOf(in.atomic_op(), is_signed), all);
  RemarkAccess(pc, "one atomic update a chunk, of what its lanes make together");
  AtomicUpdate(pc, place, ElementAddress(place, Exact(IndexOf(pc))), reduced, nullptr, false);
  return true;
}

// Where the indices of the chunk lie side by side in an array that nobody writes, if they were
// loaded from there; null otherwise.
llvm::Value* Lowering::IndicesInMemory(OperandId index, uint32_t pc) {
  const std::optional<uint32_t> made = MadeBy(index, pc);
  if (!made || plan_.program().code[*made].op != isa::Opcode::kLdg) return nullptr;
  const verify::AccessFact& fact = *plan_.verified->AccessAt(*made);
  const bool row = plan_.KindOf(IndexOf(*made)) == Kind::kAffine && fact.stride == 1;
  const bool written = plan_.program().parameters[fact.slot].direction != isa::Direction::kIn;
  if (!row || written || fact.tier != verify::Tier::kProved) return nullptr;
  return ElementAddress(PlaceOf(*made), Exact(IndexOf(*made)));
}

// All lanes update memory that nobody else does, one after the other, without a loop. The indices
// are read from memory, which is cheaper than taking them out of a vector, even if they have to be
// written there. Returns the old values.
Values Lowering::EmitAllTurns(uint32_t pc, const Place& place) {
  const OperandId index = IndexOf(pc);
  const bool swaps = isa::IsCompareAndSwap(plan_.program().code[pc].op);
  Value* there = IndicesInMemory(index, pc);
  Values olds;
  for (unsigned u = 0; u < unroll_; ++u) {
    Value* indices = Vector(index, u);
    Type* type = indices->getType()->getScalarType();
    Value* list = nullptr;
    if (there != nullptr) {
      list = b_.CreateConstGEP1_64(type, there, uint64_t{u} * target_.width);
    } else {
      list = NewSlot(indices->getType(), "turns");
      // Volatile, or it would be taken out of the vector after all.
      b_.CreateStore(indices, list, true);
    }
    const bool is_float = isa::IsFloat(plan_.program().code[pc].type);
    const bool uniform = !is_float && plan_.KindOf(StoredOperand(pc)) == Kind::kUniform;
    Value* values = uniform ? nullptr : StoredVector(pc, u);
    Value* one = uniform ? Scalar(StoredOperand(pc)) : nullptr;
    Value* desired = swaps ? AtomicOperand(pc, DesiredOperand(pc), u) : nullptr;
    Value* old = llvm::PoisonValue::get(VectorOf(place.type));
    for (uint64_t lane = 0; lane < target_.width; ++lane) {
      Value* at = b_.CreateLoad(type, b_.CreateConstGEP1_64(type, list, lane), true);
      Value* address = b_.CreateGEP(place.type, place.base, ExtendIndex(index, at, place));
      Value* value = uniform ? one : b_.CreateExtractElement(values, lane);
      Value* before = AtomicUpdate(pc, place, address, value,
                                   swaps ? b_.CreateExtractElement(desired, lane) : nullptr, true);
      old = b_.CreateInsertElement(old, before, lane);
    }
    olds.push_back(old);
  }
  return olds;
}

void Lowering::EmitAtomic(uint32_t pc, const Place& place) {
  const OperandId index = IndexOf(pc);
  if (EmitReducedAtomic(pc, place)) return;
  if (plan_.verified->AccessAt(pc)->tier == verify::Tier::kGuarded && !options_.unchecked) {
    Values bad;
    Values elements;
    for (unsigned u = 0; u < unroll_; ++u) {
      Value* value = Vector(index, u);
      bad.push_back(b_.CreateAnd(OutOfBounds(place, index, value), Mask(u)));
      elements.push_back(ExtendIndex(index, value, place));
    }
    FaultLanes(HOLOGRAM_FAULT_OUT_OF_BOUNDS, pc, bad, elements);
  }
  if (plan_.verified->IsLaunchSum(pc)) return EmitLaunchSum(pc, place);
  const char* turns = "one update after the other in a loop over the lanes";
  if (IsPtx(options_.level)) return Write(pc, EmitTurns(pc, place, false));
  const bool is_float = isa::IsFloat(plan_.program().code[pc].type);
  if (all_ && place.slot < 0) {
    RemarkAccess(pc, "plain updates, lane after lane: the block is on one thread");
    return Write(pc, EmitAllTurns(pc, place));
  }
  // Kernels with shared memory update buffers seldom; what they compile to is long already.
  if (place.slot < 0 || is_float || !plan_.program().shared.empty()) {
    RemarkAccess(pc, llvm::Twine(turns) + (place.slot < 0 ? ", plain" : ", atomic"));
    return Write(pc, EmitTurns(pc, place, false));
  }
  RemarkAccess(
      pc, llvm::Twine(all_ ? "plain updates, lane after lane," : turns) + (all_ ? "" : ", plain") +
              " where the launch has one thread, else atomic ones in a loop over the lanes");
  BasicBlock* plain = NewBlock("alone");
  BasicBlock* atomic = NewBlock("atomic");
  BasicBlock* join = NewBlock("updated");
  b_.CreateCondBr(alone_, plain, atomic);
  b_.SetInsertPoint(plain);
  const Values here = all_ ? EmitAllTurns(pc, place) : EmitTurns(pc, place, true);
  BasicBlock* plain_end = b_.GetInsertBlock();
  b_.CreateBr(join);
  b_.SetInsertPoint(atomic);
  const Values there = EmitTurns(pc, place, false);
  BasicBlock* atomic_end = b_.GetInsertBlock();
  b_.CreateBr(join);
  b_.SetInsertPoint(join);
  Values olds;
  for (unsigned u = 0; u < unroll_; ++u) {
    llvm::PHINode* phi = b_.CreatePHI(VectorOf(place.type), 2);
    phi->addIncoming(here[u], plain_end);
    phi->addIncoming(there[u], atomic_end);
    olds.push_back(phi);
  }
  Write(pc, std::move(olds));
}

// The lanes that run, one after the other, in a loop. Returns the old values.
Values Lowering::EmitTurns(uint32_t pc, const Place& place, bool alone) {
  const OperandId index = IndexOf(pc);
  const bool swaps = isa::IsCompareAndSwap(plan_.program().code[pc].op);
  Values olds;
  Type* bits_type = b_.getIntNTy(target_.width);
  for (unsigned u = 0; u < unroll_; ++u) {
    Value* elements = ExtendIndex(index, Vector(index, u), place);
    Value* values = StoredVector(pc, u);
    Value* desired = swaps ? AtomicOperand(pc, DesiredOperand(pc), u) : nullptr;
    Value* mask = b_.CreateBitCast(Mask(u), bits_type);
    BasicBlock* before = b_.GetInsertBlock();
    BasicBlock* turn = NewBlock("turn");
    BasicBlock* end = NewBlock("turns.end");
    Value* none = ConstantInt::get(bits_type, 0);
    b_.CreateCondBr(b_.CreateICmpNE(mask, none), turn, end);
    b_.SetInsertPoint(turn);
    llvm::PHINode* rest = b_.CreatePHI(bits_type, 2);
    llvm::PHINode* old = b_.CreatePHI(VectorOf(place.type), 2);
    Value* lane = b_.CreateBinaryIntrinsic(intrinsic::cttz, rest, b_.getTrue());
    Value* address = b_.CreateGEP(place.type, place.base, b_.CreateExtractElement(elements, lane));
    Value* before_update =
        AtomicUpdate(pc, place, address, b_.CreateExtractElement(values, lane),
                     swaps ? b_.CreateExtractElement(desired, lane) : nullptr, alone);
    Value* filled = b_.CreateInsertElement(old, before_update, lane);
    Value* left = b_.CreateAnd(rest, b_.CreateSub(rest, ConstantInt::get(bits_type, 1)));
    rest->addIncoming(mask, before);
    rest->addIncoming(left, turn);
    old->addIncoming(llvm::Constant::getNullValue(VectorOf(place.type)), before);
    old->addIncoming(filled, turn);
    b_.CreateCondBr(b_.CreateICmpNE(left, none), turn, end);
    b_.SetInsertPoint(end);
    llvm::PHINode* result = b_.CreatePHI(VectorOf(place.type), 2);
    result->addIncoming(llvm::Constant::getNullValue(VectorOf(place.type)), before);
    result->addIncoming(filled, turn);
    olds.push_back(result);
  }
  return olds;
}

}  // namespace hologram::codegen
