// Functions for what is rare and long, written once per object and called: a mathematical function
// of one number (OneLaneFunction), and the same in the chosen lanes of a vector (EachLaneFunction).
// Tested by tests/conformance and by the sweep of tests/differential/math_sweep.cc.
#include "codegen/lowering.h"

namespace hologram::codegen {

using llvm::BasicBlock;
using llvm::Function;
using llvm::FunctionType;
using llvm::GlobalValue;
using llvm::Type;
using llvm::Value;

// What a Lowering is about to write while it turns to another function.
class Lowering::Elsewhere {
 public:
  Elsewhere(Lowering& lowering, Function* function)
      : lowering_(lowering), guard_(lowering.b_), before_(lowering.function_) {
    lowering.SetAttributes(function);
    function->addFnAttr(llvm::Attribute::NoInline);
    function->addFnAttr(llvm::Attribute::Cold);
    lowering.function_ = function;
    lowering.b_.SetInsertPoint(BasicBlock::Create(lowering.context_, "entry", function));
    lowering.b_.SetCurrentDebugLocation(llvm::DebugLoc());
  }
  ~Elsewhere() { lowering_.function_ = before_; }
  Elsewhere(const Elsewhere&) = delete;
  Elsewhere& operator=(const Elsewhere&) = delete;

 private:
  Lowering& lowering_;
  llvm::IRBuilder<>::InsertPointGuard guard_;
  Function* before_;
};

Function* Lowering::OneLaneFunction(const std::string& name, Type* type, const LaneBody& body) {
  if (Function* made = module_.getFunction(name)) return made;
  Function* function = Function::Create(FunctionType::get(type, {type}, false),
                                        GlobalValue::InternalLinkage, name, module_);
  const Elsewhere elsewhere(*this, function);
  b_.CreateRet(body(function->getArg(0)));
  return function;
}

// (x, usual, which): usual, but one_lane(x) in the lanes of `which`.
Function* Lowering::EachLaneFunction(Function* one_lane, Type* vector) {
  const std::string name = one_lane->getName().str() + ".lanes";
  if (Function* made = module_.getFunction(name)) return made;
  Type* masks = VectorOf(b_.getInt1Ty());
  Function* function = Function::Create(FunctionType::get(vector, {vector, vector, masks}, false),
                                        GlobalValue::InternalLinkage, name, module_);
  const Elsewhere elsewhere(*this, function);
  Type* number = vector->getScalarType();
  Value* numbers = b_.CreateAlloca(vector);
  Value* results = b_.CreateAlloca(vector);
  b_.CreateStore(function->getArg(0), numbers);
  b_.CreateStore(function->getArg(1), results);
  Type* bits_type = b_.getIntNTy(target_.width);
  Value* bits = b_.CreateZExt(b_.CreateBitCast(function->getArg(2), bits_type), b_.getInt64Ty());

  BasicBlock* before = b_.GetInsertBlock();
  BasicBlock* head = NewBlock("lane");
  BasicBlock* run = NewBlock("run");
  BasicBlock* next = NewBlock("next");
  BasicBlock* after = NewBlock("after");
  b_.CreateBr(head);
  b_.SetInsertPoint(head);
  llvm::PHINode* lane = b_.CreatePHI(b_.getInt64Ty(), 2);
  lane->addIncoming(b_.getInt64(0), before);
  Value* bit = b_.CreateAnd(b_.CreateLShr(bits, lane), b_.getInt64(1));
  b_.CreateCondBr(b_.CreateICmpNE(bit, b_.getInt64(0)), run, next);
  b_.SetInsertPoint(run);
  Value* x = b_.CreateLoad(number, b_.CreateGEP(number, numbers, lane));
  b_.CreateStore(b_.CreateCall(one_lane, {x}), b_.CreateGEP(number, results, lane));
  b_.CreateBr(next);
  b_.SetInsertPoint(next);
  Value* following = b_.CreateAdd(lane, b_.getInt64(1));
  lane->addIncoming(following, next);
  b_.CreateCondBr(b_.CreateICmpULT(following, b_.getInt64(target_.width)), head, after);
  b_.SetInsertPoint(after);
  b_.CreateRet(b_.CreateLoad(vector, results));
  return function;
}

// REQUIRES: all tables with as many entries are the same table.
Value* Lowering::LoadEntry(llvm::ArrayRef<uint64_t> table, Value* index) {
  llvm::Constant* words = llvm::ConstantDataArray::get(context_, table);
  const std::string name = "hologram.table" + std::to_string(table.size());
  llvm::GlobalVariable* global = module_.getNamedGlobal(name);
  if (global == nullptr) {
    global = new llvm::GlobalVariable(module_, words->getType(), true, GlobalValue::InternalLinkage,
                                      words, name);
  }
  Value* address = b_.CreateGEP(b_.getInt64Ty(), global, index);
  return b_.CreateLoad(b_.getInt64Ty(), address);
}

}  // namespace hologram::codegen
