// Functions for what is rare and long, written once per object and called: a mathematical function
// of one number (OneLaneFunction), and the same in the chosen lanes of a vector (EachLaneFunction).
// Tested by tests/conformance and by the sweep of tests/differential/math_sweep.cc.
#include "codegen/instructions/lane_functions.h"

namespace hologram::codegen {

using llvm::BasicBlock;
using llvm::Function;
using llvm::FunctionType;
using llvm::GlobalValue;
using llvm::Type;
using llvm::Value;

namespace {

Function* AddRareFunction(const Kernel& kernel, FunctionType* type, const std::string& name) {
  Function* function = Function::Create(type, GlobalValue::InternalLinkage, name, kernel.module);
  SetCpuAttributes(kernel, function);
  function->addFnAttr(llvm::Attribute::NoInline);
  function->addFnAttr(llvm::Attribute::Cold);
  return function;
}

}  // namespace

Function* OneLaneFunction(const Kernel& kernel, const std::string& name, Type* type,
                          const LaneBody& body) {
  if (Function* made = kernel.module.getFunction(name)) return made;
  Function* function = AddRareFunction(kernel, FunctionType::get(type, {type}, false), name);
  FunctionState f(kernel, function, false);
  f.builder().CreateRet(body(f, function->getArg(0)));
  return function;
}

// (x, usual, which): usual, but one_lane(x) in the lanes of `which`.
Function* EachLaneFunction(const Kernel& kernel, Function* one_lane, Type* vector) {
  const std::string name = one_lane->getName().str() + ".lanes";
  if (Function* made = kernel.module.getFunction(name)) return made;
  const unsigned width = kernel.target.width;
  Type* bit = Type::getInt1Ty(kernel.module.getContext());
  Type* masks = llvm::FixedVectorType::get(bit, width);
  Function* function =
      AddRareFunction(kernel, FunctionType::get(vector, {vector, vector, masks}, false), name);
  FunctionState f(kernel, function, false);
  llvm::IRBuilder<>& b = f.builder();
  Type* number = vector->getScalarType();
  Value* numbers = b.CreateAlloca(vector);
  Value* results = b.CreateAlloca(vector);
  b.CreateStore(function->getArg(0), numbers);
  b.CreateStore(function->getArg(1), results);
  Type* bits_type = b.getIntNTy(width);
  Value* bits = b.CreateZExt(b.CreateBitCast(function->getArg(2), bits_type), b.getInt64Ty());

  BasicBlock* before = b.GetInsertBlock();
  BasicBlock* head = f.NewBlock("lane");
  BasicBlock* run = f.NewBlock("run");
  BasicBlock* next = f.NewBlock("next");
  BasicBlock* after = f.NewBlock("after");
  b.CreateBr(head);
  b.SetInsertPoint(head);
  llvm::PHINode* lane = b.CreatePHI(b.getInt64Ty(), 2);
  lane->addIncoming(b.getInt64(0), before);
  Value* here = b.CreateAnd(b.CreateLShr(bits, lane), b.getInt64(1));
  b.CreateCondBr(b.CreateICmpNE(here, b.getInt64(0)), run, next);
  b.SetInsertPoint(run);
  Value* x = b.CreateLoad(number, b.CreateGEP(number, numbers, lane));
  b.CreateStore(b.CreateCall(one_lane, {x}), b.CreateGEP(number, results, lane));
  b.CreateBr(next);
  b.SetInsertPoint(next);
  Value* following = b.CreateAdd(lane, b.getInt64(1));
  lane->addIncoming(following, next);
  b.CreateCondBr(b.CreateICmpULT(following, b.getInt64(width)), head, after);
  b.SetInsertPoint(after);
  b.CreateRet(b.CreateLoad(vector, results));
  return function;
}

// REQUIRES: all tables with as many entries are the same table.
Value* LoadEntry(FunctionState& f, llvm::ArrayRef<uint64_t> table, Value* index) {
  llvm::IRBuilder<>& b = f.builder();
  llvm::Module& module = f.kernel().module;
  llvm::Constant* words = llvm::ConstantDataArray::get(f.context(), table);
  const std::string name = "hologram.table" + std::to_string(table.size());
  llvm::GlobalVariable* global = module.getNamedGlobal(name);
  if (global == nullptr) {
    global = new llvm::GlobalVariable(module, words->getType(), true, GlobalValue::InternalLinkage,
                                      words, name);
  }
  Value* address = b.CreateGEP(b.getInt64Ty(), global, index);
  return b.CreateLoad(b.getInt64Ty(), address);
}

}  // namespace hologram::codegen
