// Webs are stack slots of the function, one per sub-vector for varying webs, which SROA turns into
// SSA values. An affine web is kept as the exact value of lane 0 in 64 bits: it may lie outside its
// type in a lane that does not run (i - 1 in lane 0 under `if i > 0`), and the lanes that run still
// find the right element.
#include "codegen/lowering.h"

namespace hologram::codegen {

using isa::Sreg;
using llvm::AllocaInst;
using llvm::ConstantInt;

llvm::Type* Lowering::ScalarType(isa::Type type) {
  switch (type) {
    case isa::Type::kF32:
      return b_.getFloatTy();
    case isa::Type::kF64:
      return b_.getDoubleTy();
    default:  // f16 and bf16 are their bits (half.cc)
      return b_.getIntNTy(isa::BitsOf(type));
  }
}

llvm::Type* Lowering::TypeOfWeb(OperandId id) {
  if (!IsFixed(id) && plan_.webs[static_cast<size_t>(id)].is_predicate()) return b_.getInt1Ty();
  return ScalarType(plan_.TypeOf(id));
}

llvm::Type* Lowering::VectorOf(Type* type) {
  return plan_.scalar ? type : llvm::FixedVectorType::get(type, target_.width);
}

AllocaInst* Lowering::NewSlot(Type* type, const char* name) {
  llvm::IRBuilder<> at(entry_, entry_->begin());
  return at.CreateAlloca(type, nullptr, name);
}

llvm::SmallVector<AllocaInst*, 4>& Lowering::SlotsOf(OperandId id) {
  auto& slots = slots_[static_cast<size_t>(id)];
  if (!slots.empty()) return slots;
  Type* type = TypeOfWeb(id);
  switch (plan_.KindOf(id)) {
    case Kind::kUniform:
      slots.push_back(NewSlot(type, "r"));
      break;
    case Kind::kAffine:
      slots.push_back(NewSlot(b_.getInt64Ty(), "r"));
      break;
    case Kind::kVarying:
      for (unsigned u = 0; u < unroll_; ++u) slots.push_back(NewSlot(VectorOf(type), "r"));
      break;
  }
  return slots;
}

llvm::Value* Lowering::ReadId(Sreg sreg) {
  Value* id = ids_[static_cast<size_t>(sreg)];
  HOLOGRAM_CHECK(id != nullptr);
  const bool counts = sreg == Sreg::kLaneX || sreg == Sreg::kGlobalX;
  return counts ? b_.CreateTrunc(id, b_.getInt32Ty()) : id;
}

// The value of a web that is written once, by MOV_IMM; null for others.
llvm::Value* Lowering::ConstantOf(OperandId id) {
  const Web& web = plan_.webs[static_cast<size_t>(id)];
  if (web.definitions.size() != 1 || web.kind != Kind::kUniform) return nullptr;
  const isa::Instruction& in = plan_.program().code[web.definitions[0]];
  if (in.op != isa::Opcode::kMovImm) return nullptr;
  llvm::Constant* bits = ConstantInt::get(b_.getIntNTy(isa::BitsOf(in.type)), in.imm);
  return llvm::ConstantExpr::getBitCast(bits, ScalarType(in.type));
}

llvm::Value* Lowering::Scalar(OperandId id) {
  if (IsFixed(id)) {
    const uint8_t reg = FixedRegister(id);
    switch (reg) {
      case 252:
        return ReadId(Sreg::kLaneX);
      case 253:
        return ReadId(Sreg::kBlockX);
      case 254:
        return ReadId(Sreg::kBlockDimX);
      case 255:
        return ReadId(Sreg::kLinear);
      default:
        break;
    }
    const size_t k = reg - 1U;
    return plan_.program().parameters[k].is_buffer ? b_.getInt64(k) : scalar_[k];
  }
  if (Value* constant = ConstantOf(id)) return constant;
  AllocaInst* slot = SlotsOf(id)[0];
  Value* value = b_.CreateLoad(slot->getAllocatedType(), slot);
  return plan_.KindOf(id) == Kind::kAffine ? b_.CreateTrunc(value, TypeOfWeb(id)) : value;
}

llvm::Value* Lowering::Exact(OperandId id) {
  if (id == Fixed(252)) return ids_[static_cast<size_t>(Sreg::kLaneX)];
  if (!IsFixed(id) && plan_.KindOf(id) == Kind::kAffine) {
    AllocaInst* slot = SlotsOf(id)[0];
    return b_.CreateLoad(slot->getAllocatedType(), slot);
  }
  const bool is_signed = isa::IsSignedInteger(plan_.TypeOf(id));
  return b_.CreateIntCast(Scalar(id), b_.getInt64Ty(), is_signed);
}

llvm::Value* Lowering::Splat(Value* scalar) {
  return plan_.scalar ? scalar : b_.CreateVectorSplat(target_.width, scalar);
}

llvm::Value* Lowering::Iota(Type* element, int64_t stride, int64_t first) {
  std::vector<llvm::Constant*> lanes;
  for (int64_t i = 0; i < target_.width; ++i) {
    const auto value = static_cast<uint64_t>(first + i) * static_cast<uint64_t>(stride);
    lanes.push_back(ConstantInt::get(element, value));
  }
  return llvm::ConstantVector::get(lanes);
}

llvm::Value* Lowering::Vector(OperandId id, unsigned u) {
  switch (plan_.KindOf(id)) {
    case Kind::kUniform:
      return Splat(Scalar(id));
    case Kind::kAffine: {
      Value* first = Scalar(id);
      const int64_t stride = IsFixed(id) ? 1 : plan_.webs[static_cast<size_t>(id)].stride;
      return b_.CreateAdd(Splat(first), Iota(first->getType(), stride, int64_t{u} * target_.width));
    }
    case Kind::kVarying:
      break;
  }
  AllocaInst* slot = SlotsOf(id)[u];
  return b_.CreateLoad(slot->getAllocatedType(), slot);
}

Values Lowering::Operand(OperandId id, bool as_scalar) {
  if (as_scalar) return {Scalar(id)};
  Values values;
  for (unsigned u = 0; u < unroll_; ++u) values.push_back(Vector(id, u));
  return values;
}

bool Lowering::MustBlend(OperandId id) const {
  if (plan_.scalar || rematerializing_ || together_) return false;
  if (plan_.divergent[block_] == 0) return false;
  return plan_.WaitingLanesRead(block_, id);
}

void Lowering::WriteScalar(uint32_t pc, Value* value) {
  const OperandId id = plan_.operands[pc].write;
  if (plan_.KindOf(id) == Kind::kUniform) {
    b_.CreateStore(value, SlotsOf(id)[0]);
    return;
  }
  HOLOGRAM_CHECK(plan_.KindOf(id) == Kind::kVarying);
  Values values;
  for (unsigned u = 0; u < unroll_; ++u) values.push_back(Splat(value));
  Write(pc, std::move(values));
}

void Lowering::WriteAffine(uint32_t pc, Value* exact) {
  const OperandId id = plan_.operands[pc].write;
  if (plan_.KindOf(id) == Kind::kAffine) {
    b_.CreateStore(exact, SlotsOf(id)[0]);
    return;
  }
  Type* type = TypeOfWeb(id);
  const int64_t stride = plan_.program().code[pc].op == isa::Opcode::kReadSreg
                             ? 1
                             : plan_.verified->ShapeOf(pc).stride;
  Values values;
  for (unsigned u = 0; u < unroll_; ++u) {
    values.push_back(b_.CreateAdd(Splat(b_.CreateTrunc(exact, type)),
                                  Iota(type, stride, int64_t{u} * target_.width)));
  }
  Write(pc, std::move(values));
}

void Lowering::Write(uint32_t pc, Values values) {
  const OperandId id = plan_.operands[pc].write;
  auto& slots = SlotsOf(id);
  HOLOGRAM_CHECK(slots.size() == values.size());
  for (unsigned u = 0; u < slots.size(); ++u) {
    Value* value = values[u];
    if (MustBlend(id)) {
      Value* old = b_.CreateLoad(slots[u]->getAllocatedType(), slots[u]);
      value = b_.CreateSelect(mask_[u], value, old);
    }
    b_.CreateStore(value, slots[u]);
  }
}

llvm::Value* Lowering::Mask(unsigned u) {
  return all_ ? ConstantInt::getTrue(VectorOf(b_.getInt1Ty())) : mask_[u];
}

bool Lowering::MaybeNan(OperandId id) const {
  return id >= 0 && plan_.webs[static_cast<size_t>(id)].maybe_nan;
}

}  // namespace hologram::codegen
