#include "codegen/emit/idioms.h"

#include <cmath>

#include "isa/half.h"

namespace hologram::codegen {

using llvm::BasicBlock;
using llvm::Type;
using llvm::Value;

Type* ScalarType(llvm::IRBuilderBase& b, isa::Type type) {
  if (type == isa::Type::kF32) return b.getFloatTy();
  if (type == isa::Type::kF64) return b.getDoubleTy();
  return b.getIntNTy(isa::BitsOf(type));
}

Type* BitsType(Type* type) {
  Type* element = llvm::IntegerType::get(type->getContext(), type->getScalarSizeInBits());
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
  if (vector == nullptr) return element;
  return llvm::FixedVectorType::get(element, vector->getNumElements());
}

Type* LikeVector(Type* element, Value* value) {
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(value->getType());
  if (vector == nullptr) return element;
  return llvm::FixedVectorType::get(element, vector->getNumElements());
}

llvm::Constant* FloatConstant(llvm::IRBuilderBase& b, isa::Type type, double value) {
  if (!isa::IsHalf(type)) return llvm::ConstantFP::get(ScalarType(b, type), value);
  const auto narrow = static_cast<float>(value);
  return b.getInt16(type == isa::Type::kF16 ? isa::Narrow<isa::F16>(narrow).bits
                                            : isa::Narrow<isa::BF16>(narrow).bits);
}

llvm::Constant* IdentityConstant(llvm::IRBuilderBase& b, isa::Type type, double value) {
  if (isa::IsFloat(type)) return FloatConstant(b, type, value);
  const unsigned bits = isa::BitsOf(type);
  const bool is_signed = isa::IsSignedInteger(type);
  Type* integer = ScalarType(b, type);
  if (!std::isinf(value)) return llvm::ConstantInt::get(integer, static_cast<uint64_t>(value));
  if (value > 0) {
    return llvm::ConstantInt::get(
        integer, is_signed ? llvm::APInt::getSignedMaxValue(bits) : llvm::APInt::getMaxValue(bits));
  }
  return llvm::ConstantInt::get(
      integer, is_signed ? llvm::APInt::getSignedMinValue(bits) : llvm::APInt::getMinValue(bits));
}

Value* FieldAddress(llvm::IRBuilderBase& b, Value* base, uint64_t offset) {
  return b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), base, offset);
}

Value* LoadInvariant(llvm::IRBuilderBase& b, Type* type, Value* base, uint64_t offset) {
  llvm::LoadInst* load = b.CreateLoad(type, FieldAddress(b, base, offset));
  load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(b.getContext(), {}));
  return load;
}

Values LoadSlots(llvm::IRBuilderBase& b, const Slots& slots) {
  Values values;
  for (llvm::AllocaInst* slot : slots) {
    values.push_back(b.CreateLoad(slot->getAllocatedType(), slot));
  }
  return values;
}

void EmitIf(FunctionState& f, Value* condition, llvm::function_ref<void()> body) {
  llvm::IRBuilder<>& b = f.builder();
  BasicBlock* then = f.NewBlock("then");
  BasicBlock* after = f.NewBlock("after");
  b.CreateCondBr(condition, then, after);
  b.SetInsertPoint(then);
  body();
  b.CreateBr(after);
  b.SetInsertPoint(after);
}

void EmitCountedLoop(FunctionState& f, Value* first, Value* step, Value* end,
                     llvm::function_ref<Value*(Value*)> body) {
  llvm::IRBuilder<>& b = f.builder();
  BasicBlock* before = b.GetInsertBlock();
  BasicBlock* head = f.NewBlock("count");
  BasicBlock* after = f.NewBlock("counted");
  b.CreateBr(head);
  b.SetInsertPoint(head);
  llvm::PHINode* at = b.CreatePHI(b.getInt64Ty(), 2);
  at->addIncoming(first, before);
  Value* stride = body(at);
  Value* next = b.CreateAdd(at, stride != nullptr ? stride : step);
  at->addIncoming(next, b.GetInsertBlock());
  b.CreateCondBr(b.CreateICmpULT(next, end), head, after);
  b.SetInsertPoint(after);
}

Value* Canonical(llvm::IRBuilderBase& b, Value* value) {
  Type* element = value->getType()->getScalarType();
  const llvm::APFloat nan = llvm::APFloat::getQNaN(element->getFltSemantics());
  return b.CreateSelect(b.CreateFCmpUNO(value, value), llvm::ConstantFP::get(value->getType(), nan),
                        value);
}

}  // namespace hologram::codegen
