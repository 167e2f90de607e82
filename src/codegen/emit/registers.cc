#include "codegen/emit/registers.h"

#include "base/check.h"
#include "codegen/emit/idioms.h"

namespace hologram::codegen {

using isa::Sreg;
using llvm::AllocaInst;
using llvm::ConstantInt;
using llvm::Type;
using llvm::Value;

Registers::Registers(FunctionState& f, const Arguments& arguments, LaneIds& ids, const Chunk& chunk,
                     const Position& position)
    : f_(f),
      b_(f.builder()),
      plan_(f.plan()),
      args_(arguments),
      ids_(ids),
      chunk_(chunk),
      position_(position),
      slots_(f.plan().webs.size()) {}

void Registers::Forget() {
  slots_.assign(plan_.webs.size(), {});
}

bool Registers::IsKnown(OperandId id) {
  if (id == kNoOperand || IsFixed(id) || !slots_[static_cast<size_t>(id)].empty()) return true;
  return ConstantOf(id) != nullptr;
}

llvm::Type* Registers::TypeOfWeb(OperandId id) {
  if (!IsFixed(id) && plan_.webs[static_cast<size_t>(id)].is_predicate()) return b_.getInt1Ty();
  return ScalarType(b_, plan_.TypeOf(id));
}

const Slots& Registers::SlotsOf(OperandId id) {
  Slots& slots = slots_[static_cast<size_t>(id)];
  if (!slots.empty()) return slots;
  Type* type = TypeOfWeb(id);
  switch (plan_.KindOf(id)) {
    case Kind::kUniform:
      slots.push_back(f_.NewSlot(type, "r"));
      break;
    case Kind::kAffine:
      slots.push_back(f_.NewSlot(b_.getInt64Ty(), "r"));
      break;
    case Kind::kVarying:
      for (unsigned u = 0; u < chunk_.unroll(); ++u)
        slots.push_back(f_.NewSlot(f_.VectorOf(type), "r"));
      break;
  }
  return slots;
}

// The value of a web that is written once, by MOV_IMM; null for others.
llvm::Value* Registers::ConstantOf(OperandId id) {
  const Web& web = plan_.webs[static_cast<size_t>(id)];
  if (web.definitions.size() != 1 || web.kind != Kind::kUniform) return nullptr;
  const isa::Instruction& in = plan_.program().code[web.definitions[0]];
  if (in.op != isa::Opcode::kMovImm) return nullptr;
  llvm::Constant* bits = ConstantInt::get(b_.getIntNTy(isa::BitsOf(in.type)), in.imm);
  return llvm::ConstantExpr::getBitCast(bits, ScalarType(b_, in.type));
}

llvm::Value* Registers::Scalar(OperandId id) {
  if (IsFixed(id)) {
    const uint8_t reg = FixedRegister(id);
    if (reg >= isa::kFirstSpecialRegister) return ids_.Read(isa::SpecialSreg(reg));
    const size_t k = reg - 1U;
    return plan_.program().parameters[k].is_buffer ? b_.getInt64(k) : args_.scalar[k];
  }
  if (Value* constant = ConstantOf(id)) return constant;
  AllocaInst* slot = SlotsOf(id)[0];
  Value* value = b_.CreateLoad(slot->getAllocatedType(), slot);
  return plan_.KindOf(id) == Kind::kAffine ? b_.CreateTrunc(value, TypeOfWeb(id)) : value;
}

llvm::Value* Registers::Exact(OperandId id) {
  if (IsFixedId(id, Sreg::kLaneX)) return ids_.Get(Sreg::kLaneX);
  if (!IsFixed(id) && plan_.KindOf(id) == Kind::kAffine) {
    AllocaInst* slot = SlotsOf(id)[0];
    return b_.CreateLoad(slot->getAllocatedType(), slot);
  }
  const bool is_signed = isa::IsSignedInteger(plan_.TypeOf(id));
  return b_.CreateIntCast(Scalar(id), b_.getInt64Ty(), is_signed);
}

llvm::Value* Registers::Vector(OperandId id, unsigned u) {
  switch (plan_.KindOf(id)) {
    case Kind::kUniform:
      return f_.Splat(Scalar(id));
    case Kind::kAffine: {
      Value* first = Scalar(id);
      const int64_t stride = IsFixed(id) ? 1 : plan_.webs[static_cast<size_t>(id)].stride;
      return b_.CreateAdd(f_.Splat(first),
                          f_.Iota(first->getType(), stride, int64_t{u} * f_.target().width));
    }
    case Kind::kVarying:
      break;
  }
  AllocaInst* slot = SlotsOf(id)[u];
  return b_.CreateLoad(slot->getAllocatedType(), slot);
}

Values Registers::Operand(OperandId id, bool as_scalar) {
  if (as_scalar) return {Scalar(id)};
  Values values;
  for (unsigned u = 0; u < chunk_.unroll(); ++u) values.push_back(Vector(id, u));
  return values;
}

void Registers::WriteScalar(uint32_t pc, Value* value) {
  const OperandId id = plan_.operands[pc].write;
  if (plan_.KindOf(id) == Kind::kUniform) {
    b_.CreateStore(value, SlotsOf(id)[0]);
    return;
  }
  HOLOGRAM_CHECK(plan_.KindOf(id) == Kind::kVarying);
  Values values;
  for (unsigned u = 0; u < chunk_.unroll(); ++u) values.push_back(f_.Splat(value));
  Write(pc, std::move(values));
}

void Registers::WriteAffine(uint32_t pc, Value* exact) {
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
  for (unsigned u = 0; u < chunk_.unroll(); ++u) {
    values.push_back(b_.CreateAdd(f_.Splat(b_.CreateTrunc(exact, type)),
                                  f_.Iota(type, stride, int64_t{u} * f_.target().width)));
  }
  Write(pc, std::move(values));
}

void Registers::Write(uint32_t pc, Values values) {
  const OperandId id = plan_.operands[pc].write;
  const Slots& slots = SlotsOf(id);
  HOLOGRAM_CHECK(slots.size() == values.size());
  for (unsigned u = 0; u < slots.size(); ++u) {
    Value* value = values[u];
    if (position_.MustBlend(id)) {
      Value* old = b_.CreateLoad(slots[u]->getAllocatedType(), slots[u]);
      value = b_.CreateSelect(chunk_.running(u), value, old);
    }
    b_.CreateStore(value, slots[u]);
  }
}

void Registers::WriteResult(uint32_t pc, bool scalar, Values values) {
  if (scalar) return WriteScalar(pc, values[0]);
  Write(pc, std::move(values));
}

bool Registers::MaybeNan(OperandId id) const {
  return id >= 0 && plan_.webs[static_cast<size_t>(id)].maybe_nan;
}

Value* Registers::WithCanonicalNan(OperandId id, Value* value) {
  return MaybeNan(id) ? Canonical(b_, value) : value;
}

}  // namespace hologram::codegen
