#include "codegen/instructions/calls.h"

namespace hologram::codegen {

using llvm::Align;
using llvm::ConstantInt;
using llvm::Type;
using llvm::Value;

// The depths of the lanes of vector `u`, i32.
Value* Calls::DepthAddress(unsigned u) {
  return local_.FirstBehind(plan_.BytesBeforeCalls(), b_.getInt32Ty(), u);
}

// Where the lanes of vector `u` keep the place of call number `depth`, i16.
Value* Calls::PlaceAddresses(Value* depth, unsigned u) {
  Value* behind = local_.Behind(uint64_t{plan_.BytesBeforeCalls()} + Plan::kCallDepthBytes);
  Value* base = b_.CreateGEP(b_.getInt8Ty(), local_.base(), behind);
  Value* lane = b_.CreateTrunc(local_.lane(), b_.getInt32Ty());
  if (!plan_.scalar) {
    const int64_t first = int64_t{u} * f_.target().width;
    lane = b_.CreateAdd(f_.Splat(lane), f_.Iota(b_.getInt32Ty(), 1, first));
  }
  Value* lanes = f_.Splat(b_.CreateTrunc(local_.lanes(), depth->getType()->getScalarType()));
  Value* row = b_.CreateMul(depth, lanes);
  return b_.CreateGEP(b_.getInt16Ty(), base, b_.CreateAdd(row, lane));
}

Value* Calls::LoadDepth(unsigned u) {
  Type* type = f_.VectorOf(b_.getInt32Ty());
  if (chunk_.all()) return b_.CreateAlignedLoad(type, DepthAddress(u), Align(4));
  return b_.CreateMaskedLoad(type, DepthAddress(u), Align(4), chunk_.running(u),
                             llvm::Constant::getNullValue(type));
}

void Calls::StoreDepth(Value* depth, unsigned u) {
  if (chunk_.all()) {
    b_.CreateAlignedStore(depth, DepthAddress(u), Align(4));
  } else {
    b_.CreateMaskedStore(depth, DepthAddress(u), Align(4), chunk_.running(u));
  }
}

void Calls::Call(uint32_t pc) {
  Values depths;
  Values bad;
  for (unsigned u = 0; u < chunk_.unroll(); ++u) {
    Value* depth = LoadDepth(u);
    depths.push_back(depth);
    Value* deepest = ConstantInt::get(depth->getType(), isa::kMaxCallDepth);
    Value* here = b_.CreateICmpUGE(depth, deepest);
    bad.push_back(chunk_.all() ? here : b_.CreateAnd(here, chunk_.running(u)));
  }
  if (plan_.scalar) {
    faults_.All(HOLOGRAM_FAULT_CALL_DEPTH, pc, bad[0], b_.getInt64(0));
  } else {
    faults_.Lanes(HOLOGRAM_FAULT_CALL_DEPTH, pc, bad, {});
  }
  const auto& code = plan_.program().code;
  const uint32_t back = pc + 1 < code.size() ? plan_.verified->BlockOf(pc + 1) : verify::kExitBlock;
  for (unsigned u = 0; u < chunk_.unroll(); ++u) {
    StoreDepth(b_.CreateAdd(depths[u], ConstantInt::get(depths[u]->getType(), 1)), u);
    const std::optional<uint32_t> number = plan_.NumberOfReturn(back);
    if (!number) continue;  // nothing returns
    Value* addresses = PlaceAddresses(depths[u], u);
    Value* place = ConstantInt::get(f_.VectorOf(b_.getInt16Ty()), *number);
    if (plan_.scalar) {
      b_.CreateAlignedStore(place, addresses, Align(2));
    } else {
      b_.CreateMaskedScatter(place, addresses, Align(2), chunk_.Mask(u));
    }
  }
}

void Calls::Return() {
  returned_.clear();
  Type* type = f_.VectorOf(b_.getInt16Ty());
  for (unsigned u = 0; u < chunk_.unroll(); ++u) {
    Value* depth = LoadDepth(u);
    depth = b_.CreateSub(depth, ConstantInt::get(depth->getType(), 1));
    StoreDepth(depth, u);
    Value* addresses = PlaceAddresses(depth, u);
    returned_.push_back(plan_.scalar
                            ? static_cast<Value*>(b_.CreateAlignedLoad(type, addresses, Align(2)))
                            : b_.CreateMaskedGather(type, addresses, Align(2), chunk_.Mask(u),
                                                    llvm::Constant::getNullValue(type)));
  }
}

}  // namespace hologram::codegen
