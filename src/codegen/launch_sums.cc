// ATGF.ADD that is a sum of the launch (docs/isa.md): the lanes of a chunk hand their values over
// together, and whoever launched adds them in the order of lanes.
#include <cstddef>

#include "codegen/lowering.h"

namespace hologram::codegen {

using llvm::Align;
using llvm::BasicBlock;

// REQUIRES: lanes outside the buffer run no more.
void Lowering::EmitLaunchSum(uint32_t pc, const Place& place) {
  const OperandId index = IndexOf(pc);
  const uint64_t lanes = uint64_t{unroll_} * target_.width;
  HOLOGRAM_CHECK(lanes <= 64);
  RemarkAccess(pc, "values are kept, and added in the order of lanes when the launch ends");
  Type* wide = b_.getInt64Ty();
  const bool uniform = plan_.KindOf(index) == Kind::kUniform;
  llvm::AllocaInst* values = NewSlot(llvm::ArrayType::get(place.type, lanes), "values");
  llvm::AllocaInst* elements =
      uniform ? nullptr : NewSlot(llvm::ArrayType::get(wide, lanes), "elements");
  Value* running = b_.getInt64(0);
  for (unsigned u = 0; u < unroll_; ++u) {
    const uint64_t first = uint64_t{u} * target_.width;
    b_.CreateAlignedStore(StoredVector(pc, u), b_.CreateConstGEP1_64(place.type, values, first),
                          Align(place.size));
    Value* mask = b_.CreateZExt(b_.CreateBitCast(Mask(u), b_.getIntNTy(target_.width)), wide);
    running = b_.CreateOr(running, b_.CreateShl(mask, first));
    if (uniform) continue;
    b_.CreateAlignedStore(ExtendIndex(index, Vector(index, u), place),
                          b_.CreateConstGEP1_64(wide, elements, first), Align(8));
  }
  BasicBlock* give = NewBlock("sum");
  BasicBlock* end = NewBlock("summed");
  b_.CreateCondBr(b_.CreateICmpNE(running, b_.getInt64(0)), give, end);
  b_.SetInsertPoint(give);
  Value* element = nullptr;
  if (uniform) {
    element = ExtendIndex(index, Scalar(index), place);
  } else {  // the same in all lanes that run
    Value* lane = b_.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, running, b_.getTrue());
    element = b_.CreateLoad(wide, b_.CreateGEP(wide, elements, lane));
  }
  Type* pointer = b_.getPtrTy();
  llvm::FunctionType* type = llvm::FunctionType::get(
      b_.getVoidTy(), {pointer, b_.getInt32Ty(), wide, wide, wide, pointer}, false);
  Value* add = LoadInvariant(pointer, state_, offsetof(hologram_stream_state, add));
  b_.CreateCall(type, add, {state_, b_.getInt32(pc), LinearLane(), running, element, values});
  b_.CreateBr(end);
  b_.SetInsertPoint(end);
}

}  // namespace hologram::codegen
