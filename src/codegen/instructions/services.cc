#include "codegen/instructions/services.h"

#include <cstddef>

#include "codegen/emit/idioms.h"

namespace hologram::codegen {

using llvm::Align;
using llvm::BasicBlock;
using llvm::ConstantInt;
using llvm::Type;
using llvm::Value;

namespace {

constexpr uint64_t kServiceOperands = 3;  // room for those of any instruction

}  // namespace

// Calls for one lane; `at` is its number in the chunk.
void Services::CallForLane(uint32_t pc, Value* at, const Exchange& arrays) {
  Type* wide = b_.getInt64Ty();
  llvm::FunctionType* type = llvm::FunctionType::get(
      b_.getInt32Ty(), {b_.getPtrTy(), b_.getInt32Ty(), wide, b_.getPtrTy(), b_.getPtrTy()}, false);
  Value* service =
      LoadInvariant(b_, b_.getPtrTy(), state_, offsetof(hologram_stream_state, service));
  Value* mine =
      b_.CreateGEP(wide, arrays.operands, b_.CreateMul(at, b_.getInt64(kServiceOperands)));
  Value* failed = b_.CreateCall(type, service,
                                {state_, b_.getInt32(pc), b_.CreateAdd(ids_.LinearLane(), at), mine,
                                 b_.CreateGEP(wide, arrays.results, at)});
  b_.CreateStore(b_.CreateTrunc(failed, b_.getInt8Ty()),
                 b_.CreateGEP(b_.getInt8Ty(), arrays.bad, at));
}

Services::Exchange Services::MakeArrays() {
  const unsigned lanes = chunk_.unroll() * f_.target().width;
  Type* wide = b_.getInt64Ty();
  Type* byte = b_.getInt8Ty();
  Exchange arrays{};
  arrays.operands =
      f_.NewSlot(llvm::ArrayType::get(wide, uint64_t{lanes} * kServiceOperands), "in");
  arrays.results = f_.NewSlot(llvm::ArrayType::get(wide, lanes), "out");
  arrays.bad = f_.NewSlot(llvm::ArrayType::get(byte, lanes), "bad");
  arrays.runs = f_.NewSlot(llvm::ArrayType::get(byte, lanes), "runs");
  return arrays;
}

void Services::StoreOperands(uint32_t pc, const Exchange& arrays) {
  Type* wide = b_.getInt64Ty();
  Type* byte = b_.getInt8Ty();
  const auto at = [&](Type* type, Value* array, uint64_t index) {
    return b_.CreateConstGEP1_64(type, array, index);
  };
  unsigned count = 0;
  for (const OperandId id : plan_.operands[pc].reads) {
    if (id == kNoOperand) continue;
    for (unsigned u = 0; u < chunk_.unroll(); ++u) {
      Value* value = registers_.Vector(id, u);
      value = registers_.WithCanonicalNan(id, value);
      value = b_.CreateBitCast(value, BitsType(value->getType()));
      value = b_.CreateZExt(value, f_.VectorOf(wide));
      for (unsigned k = 0; k < f_.target().width; ++k) {
        const uint64_t lane = uint64_t{u} * f_.target().width + k;
        b_.CreateStore(b_.CreateExtractElement(value, k),
                       at(wide, arrays.operands, lane * kServiceOperands + count));
      }
    }
    ++count;
  }
  for (unsigned u = 0; u < chunk_.unroll(); ++u) {
    const uint64_t first = uint64_t{u} * f_.target().width;
    b_.CreateAlignedStore(b_.CreateZExt(chunk_.Mask(u), f_.VectorOf(byte)),
                          at(byte, arrays.runs, first), Align(1));
    b_.CreateAlignedStore(llvm::Constant::getNullValue(f_.VectorOf(byte)),
                          at(byte, arrays.bad, first), Align(1));
  }
}

void Services::CallForLanes(uint32_t pc, const Exchange& arrays) {
  const unsigned lanes = chunk_.unroll() * f_.target().width;
  Type* wide = b_.getInt64Ty();
  Type* byte = b_.getInt8Ty();
  BasicBlock* before = b_.GetInsertBlock();
  BasicBlock* head = f_.NewBlock("service");
  BasicBlock* call = f_.NewBlock("service.call");
  BasicBlock* next = f_.NewBlock("service.next");
  BasicBlock* end = f_.NewBlock("served");
  b_.CreateBr(head);
  b_.SetInsertPoint(head);
  llvm::PHINode* lane = b_.CreatePHI(wide, 2);
  Value* run = b_.CreateLoad(byte, b_.CreateGEP(byte, arrays.runs, lane));
  b_.CreateCondBr(b_.CreateICmpNE(run, b_.getInt8(0)), call, next);
  b_.SetInsertPoint(call);
  CallForLane(pc, lane, arrays);
  b_.CreateBr(next);
  b_.SetInsertPoint(next);
  Value* following = b_.CreateAdd(lane, b_.getInt64(1));
  lane->addIncoming(b_.getInt64(0), before);
  lane->addIncoming(following, next);
  b_.CreateCondBr(b_.CreateICmpULT(following, b_.getInt64(lanes)), head, end);
  b_.SetInsertPoint(end);
}

void Services::TakeResults(uint32_t pc, const Exchange& arrays) {
  const isa::Instruction& in = plan_.program().code[pc];
  Type* wide = b_.getInt64Ty();
  Type* byte = b_.getInt8Ty();
  const auto at = [&](Type* type, Value* array, uint64_t index) {
    return b_.CreateConstGEP1_64(type, array, index);
  };
  Values failed;
  Values found;
  for (unsigned u = 0; u < chunk_.unroll(); ++u) {
    const uint64_t first = uint64_t{u} * f_.target().width;
    Value* flags = b_.CreateAlignedLoad(f_.VectorOf(byte), at(byte, arrays.bad, first), Align(1));
    failed.push_back(b_.CreateICmpNE(flags, llvm::Constant::getNullValue(flags->getType())));
    found.push_back(
        b_.CreateAlignedLoad(f_.VectorOf(wide), at(wide, arrays.results, first), Align(8)));
  }
  if (in.op != isa::Opcode::kUnityTest) faults_.Lanes(HOLOGRAM_FAULT_NONE, pc, failed, {});
  const OperandId write = plan_.operands[pc].write;
  if (write == kNoOperand) return;
  Type* type = f_.VectorOf(registers_.TypeOfWeb(write));
  for (Value*& value : found) {
    value = b_.CreateBitCast(b_.CreateTrunc(value, BitsType(type)), type);
  }
  registers_.Write(pc, std::move(found));
}

void Services::Emit(uint32_t pc) {
  const Exchange arrays = MakeArrays();
  StoreOperands(pc, arrays);
  CallForLanes(pc, arrays);
  // A print has no result, and no fault.
  if (!isa::IsPrint(plan_.program().code[pc].op)) TakeResults(pc, arrays);
}

}  // namespace hologram::codegen
