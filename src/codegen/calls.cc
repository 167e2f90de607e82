// CALL and RET of programs in which a function calls itself; in all others verify/calls.cc has put
// copies in their place. Behind the local arrays each lane has how deep its calls are nested, and
// for each of them the number of the place where it goes on. A RET is a branch with many targets,
// about which lanes disagree: masks do the rest (control.cc).
#include "codegen/lowering.h"

namespace hologram::codegen {

using llvm::Align;
using llvm::ConstantInt;

// True if there is no native code, with an error: each RET has an edge to each place behind a call.
bool Lowering::HasTooManyReturns() {
  constexpr size_t kMaxEdges = 4096;
  size_t edges = 0;
  for (uint32_t b : ReachableBlocks()) {
    if (plan_.Returns(b)) edges += plan_.successors[b].size();
  }
  if (edges <= kMaxEdges) return false;
  Fail("a function that calls itself, with " + std::to_string(edges) +
       " ways from a return to behind a call, has no native code, up to " +
       std::to_string(kMaxEdges) + " have; it runs on the interpreter");
  return true;
}

// The depths of the lanes of vector `u`, i32.
llvm::Value* Lowering::DepthAddress(unsigned u) {
  const uint64_t behind = uint64_t{plan_.BytesBeforeCalls()} * local_lanes_;
  Value* base = b_.CreateConstGEP1_64(b_.getInt8Ty(), local_, behind);
  Value* first = b_.CreateGEP(b_.getInt32Ty(), base, local_lane_);
  return b_.CreateConstGEP1_64(b_.getInt32Ty(), first, uint64_t{u} * target_.width);
}

// Where the lanes of vector `u` keep the place of call number `depth`, i16.
llvm::Value* Lowering::PlaceAddresses(Value* depth, unsigned u) {
  const uint64_t behind =
      (uint64_t{plan_.BytesBeforeCalls()} + Plan::kCallDepthBytes) * local_lanes_;
  Value* base = b_.CreateConstGEP1_64(b_.getInt8Ty(), local_, behind);
  Value* lane = b_.CreateTrunc(local_lane_, b_.getInt32Ty());
  if (!plan_.scalar) {
    const int64_t first = int64_t{u} * target_.width;
    lane = b_.CreateAdd(Splat(lane), Iota(b_.getInt32Ty(), 1, first));
  }
  Value* row = b_.CreateMul(depth, ConstantInt::get(depth->getType(), local_lanes_));
  return b_.CreateGEP(b_.getInt16Ty(), base, b_.CreateAdd(row, lane));
}

llvm::Value* Lowering::LoadDepth(unsigned u) {
  Type* type = VectorOf(b_.getInt32Ty());
  if (all_) return b_.CreateAlignedLoad(type, DepthAddress(u), Align(4));
  return b_.CreateMaskedLoad(type, DepthAddress(u), Align(4), mask_[u],
                             llvm::Constant::getNullValue(type));
}

void Lowering::StoreDepth(Value* depth, unsigned u) {
  if (all_) {
    b_.CreateAlignedStore(depth, DepthAddress(u), Align(4));
  } else {
    b_.CreateMaskedStore(depth, DepthAddress(u), Align(4), mask_[u]);
  }
}

void Lowering::EmitCall(uint32_t pc) {
  Values depths;
  Values bad;
  for (unsigned u = 0; u < unroll_; ++u) {
    Value* depth = LoadDepth(u);
    depths.push_back(depth);
    Value* deepest = ConstantInt::get(depth->getType(), isa::kMaxCallDepth);
    Value* here = b_.CreateICmpUGE(depth, deepest);
    bad.push_back(all_ ? here : b_.CreateAnd(here, mask_[u]));
  }
  if (plan_.scalar) {
    FaultAll(HOLOGRAM_FAULT_CALL_DEPTH, pc, bad[0], b_.getInt64(0));
  } else {
    FaultLanes(HOLOGRAM_FAULT_CALL_DEPTH, pc, bad, {});
  }
  const auto& code = plan_.program().code;
  const uint32_t back = pc + 1 < code.size() ? plan_.verified->BlockOf(pc + 1) : verify::kExitBlock;
  for (unsigned u = 0; u < unroll_; ++u) {
    StoreDepth(b_.CreateAdd(depths[u], ConstantInt::get(depths[u]->getType(), 1)), u);
    const std::optional<uint32_t> number = plan_.NumberOfReturn(back);
    if (!number) continue;  // nothing returns
    Value* addresses = PlaceAddresses(depths[u], u);
    Value* place = ConstantInt::get(VectorOf(b_.getInt16Ty()), *number);
    if (plan_.scalar) {
      b_.CreateAlignedStore(place, addresses, Align(2));
    } else {
      b_.CreateMaskedScatter(place, addresses, Align(2), Mask(u));
    }
  }
}

void Lowering::EmitReturn() {
  returned_.clear();
  Type* type = VectorOf(b_.getInt16Ty());
  for (unsigned u = 0; u < unroll_; ++u) {
    Value* depth = LoadDepth(u);
    depth = b_.CreateSub(depth, ConstantInt::get(depth->getType(), 1));
    StoreDepth(depth, u);
    Value* addresses = PlaceAddresses(depth, u);
    returned_.push_back(plan_.scalar
                            ? static_cast<Value*>(b_.CreateAlignedLoad(type, addresses, Align(2)))
                            : b_.CreateMaskedGather(type, addresses, Align(2), Mask(u),
                                                    llvm::Constant::getNullValue(type)));
  }
}

// One lane: a real branch to where it goes on.
void Lowering::EndReturn(uint32_t block) {
  const std::vector<uint32_t>& successors = plan_.successors[block];
  llvm::SwitchInst* next = b_.CreateSwitch(returned_[0], TargetOfEdge(block, successors[0]),
                                           static_cast<unsigned>(successors.size()));
  for (uint16_t k = 1; k < successors.size(); ++k) {
    next->addCase(b_.getInt16(k), TargetOfEdge(block, successors[k]));
  }
}

}  // namespace hologram::codegen
