#include "codegen/instructions/wide.h"

#include <algorithm>

namespace hologram::codegen {

using llvm::Value;

Value* WideIntegers::Join(Value* low, Value* high) {
  return b_.CreateOr(b_.CreateShl(b_.CreateZExt(high, wide_), 64), b_.CreateZExt(low, wide_));
}

Value* WideIntegers::Product(Value* x, Value* y) {
  if (whole_) return b_.CreateMul(b_.CreateZExt(x, wide_), b_.CreateZExt(y, wide_));
  constexpr uint64_t kLowWord = 0xffffffff;
  Value* x0 = b_.CreateAnd(x, kLowWord);
  Value* x1 = b_.CreateLShr(x, 32);
  Value* y0 = b_.CreateAnd(y, kLowWord);
  Value* y1 = b_.CreateLShr(y, 32);
  // No sum of these is more than 64 bits hold.
  Value* first = b_.CreateMul(x0, y0);
  Value* second = b_.CreateAdd(b_.CreateMul(x1, y0), b_.CreateLShr(first, 32));
  Value* third = b_.CreateAdd(b_.CreateMul(x0, y1), b_.CreateAnd(second, kLowWord));
  Value* high = b_.CreateAdd(b_.CreateMul(x1, y1), b_.CreateLShr(second, 32));
  high = b_.CreateAdd(high, b_.CreateLShr(third, 32));
  return Join(b_.CreateOr(b_.CreateShl(third, 32), b_.CreateAnd(first, kLowWord)), high);
}

// Of the halves, what is shifted into the other one goes in two steps: one of 64 is none.
Value* WideIntegers::Shift(Value* v, Value* count, bool left) {
  Value* by = Low(count);
  Value* rest = b_.CreateXor(b_.CreateAnd(by, 63), b_.getInt64(63));
  Value* inside = b_.CreateAnd(by, 63);
  Value* is_far = b_.CreateICmpUGT(by, b_.getInt64(63));
  Value* zero = b_.getInt64(0);
  Value* from = left ? Low(v) : High(v);
  Value* into = left ? High(v) : Low(v);
  Value* moved = left ? b_.CreateShl(from, inside) : b_.CreateLShr(from, inside);
  Value* crossing = left ? b_.CreateLShr(b_.CreateLShr(from, 1), rest)
                         : b_.CreateShl(b_.CreateShl(from, 1), rest);
  Value* kept = left ? b_.CreateShl(into, inside) : b_.CreateLShr(into, inside);
  into = b_.CreateSelect(is_far, moved, b_.CreateOr(kept, crossing));
  from = b_.CreateSelect(is_far, zero, moved);
  return left ? Join(from, into) : Join(into, from);
}

Value* WideIntegers::Shl(Value* v, Value* count) {
  return whole_ ? b_.CreateShl(v, count) : Shift(v, count, true);
}

Value* WideIntegers::LShr(Value* v, Value* count) {
  return whole_ ? b_.CreateLShr(v, count) : Shift(v, count, false);
}

namespace {

bool IsCheckedProduct(const llvm::Instruction& in) {
  const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&in);
  if (call == nullptr || !call->getArgOperand(0)->getType()->isIntegerTy(64)) return false;
  return call->getIntrinsicID() == llvm::Intrinsic::umul_with_overflow ||
         call->getIntrinsicID() == llvm::Intrinsic::smul_with_overflow;
}

bool HasCheckedProduct(const llvm::Module& module) {
  for (const llvm::Function& function : module) {
    for (const llvm::BasicBlock& block : function) {
      if (std::any_of(block.begin(), block.end(), IsCheckedProduct)) return true;
    }
  }
  return false;
}

}  // namespace

void DefineWideProduct(llvm::Module& module, const Target& target) {
  if (!target.is_wasm || !HasCheckedProduct(module)) return;
  llvm::LLVMContext& context = module.getContext();
  llvm::IRBuilder<> b(context);
  llvm::Type* word = b.getInt64Ty();
  llvm::Function* function = llvm::Function::Create(
      llvm::FunctionType::get(b.getVoidTy(), {b.getPtrTy(), word, word, word, word}, false),
      llvm::GlobalValue::InternalLinkage, "__multi3", module);
  function->addFnAttr(llvm::Attribute::NoUnwind);
  b.SetInsertPoint(llvm::BasicBlock::Create(context, "entry", function));
  Value* product = WideIntegers(b, target).Product(function->getArg(1), function->getArg(3));
  Value* high = b.CreateTrunc(b.CreateLShr(product, 64), word);
  high = b.CreateAdd(high, b.CreateMul(function->getArg(1), function->getArg(4)));
  high = b.CreateAdd(high, b.CreateMul(function->getArg(2), function->getArg(3)));
  b.CreateAlignedStore(b.CreateTrunc(product, word), function->getArg(0), llvm::Align(8));
  b.CreateAlignedStore(high, b.CreateConstGEP1_64(word, function->getArg(0), 1), llvm::Align(8));
  b.CreateRetVoid();
}

}  // namespace hologram::codegen
