#include "codegen/instructions/launch_sums.h"

#include <cstddef>

#include "base/check.h"
#include "codegen/emit/idioms.h"
#include "codegen/plan/accesses.h"

namespace hologram::codegen {

using llvm::Align;
using llvm::BasicBlock;
using llvm::Type;
using llvm::Value;

void LaunchSums::Add(uint32_t pc, const Place& place) {
  const OperandId index = IndexOf(plan_, pc);
  const uint64_t lanes = uint64_t{chunk_.unroll()} * f_.target().width;
  HOLOGRAM_CHECK(lanes <= 64);
  remarks_.Access(pc, "values are kept, and added in the order of lanes when the launch ends");
  Type* wide = b_.getInt64Ty();
  const bool uniform = plan_.KindOf(index) == Kind::kUniform;
  llvm::AllocaInst* values = f_.NewSlot(llvm::ArrayType::get(place.type, lanes), "values");
  llvm::AllocaInst* elements =
      uniform ? nullptr : f_.NewSlot(llvm::ArrayType::get(wide, lanes), "elements");
  const OperandId given = StoredOperand(plan_, pc);
  const auto stored = [&](unsigned u) {
    return registers_.WithCanonicalNan(given, registers_.Vector(given, u));
  };
  Value* running = b_.getInt64(0);
  for (unsigned u = 0; u < chunk_.unroll(); ++u) {
    const uint64_t first = uint64_t{u} * f_.target().width;
    b_.CreateAlignedStore(stored(u), b_.CreateConstGEP1_64(place.type, values, first),
                          Align(place.size));
    Value* mask =
        b_.CreateZExt(b_.CreateBitCast(chunk_.Mask(u), b_.getIntNTy(f_.target().width)), wide);
    running = b_.CreateOr(running, b_.CreateShl(mask, first));
    if (uniform) continue;
    b_.CreateAlignedStore(places_.ExtendIndex(index, registers_.Vector(index, u), place),
                          b_.CreateConstGEP1_64(wide, elements, first), Align(8));
  }
  BasicBlock* give = f_.NewBlock("sum");
  BasicBlock* end = f_.NewBlock("summed");
  b_.CreateCondBr(b_.CreateICmpNE(running, b_.getInt64(0)), give, end);
  b_.SetInsertPoint(give);
  Value* element = nullptr;
  if (uniform) {
    element = places_.ExtendIndex(index, registers_.Scalar(index), place);
  } else {  // the same in all lanes that run
    Value* lane = b_.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, running, b_.getTrue());
    element = b_.CreateLoad(wide, b_.CreateGEP(wide, elements, lane));
  }
  Type* pointer = b_.getPtrTy();
  llvm::FunctionType* type = llvm::FunctionType::get(
      b_.getVoidTy(), {pointer, b_.getInt32Ty(), wide, wide, wide, pointer}, false);
  Value* add = LoadInvariant(b_, pointer, state_, offsetof(hologram_stream_state, add));
  b_.CreateCall(type, add, {state_, b_.getInt32(pc), ids_.LinearLane(), running, element, values});
  b_.CreateBr(end);
  b_.SetInsertPoint(end);
}

}  // namespace hologram::codegen
