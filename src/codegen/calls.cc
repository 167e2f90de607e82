// CALL and RET of programs in which a function calls itself; in all others verify/calls.cc has put
// copies in their place. Behind the local arrays each lane has how deep its calls are nested, and
// for each of them the number of the place where it goes on. A RET is a branch with many targets,
// about which lanes disagree: masks do the rest (control.cc).
// Where returns are shared, pending masks lie in memory, so that a lane finds that of its place by
// its number, and control goes on at the first block at which lanes may wait: before the first RET
// none does but at the places, and blocks without lanes are passed.
#include <algorithm>

#include "codegen/lowering.h"

namespace hologram::codegen {

using llvm::Align;
using llvm::ConstantInt;

// Each RET has an edge to each place behind a call. Where they are many, code for each of them
// would take long to compile: all lanes that return then go to one block, which sends them to their
// places.
bool SharesReturns(const Plan& plan) {
  constexpr size_t kMaxEdges = 64;
  size_t edges = 0;
  for (uint32_t b = 0; b < plan.successors.size(); ++b) {
    if (plan.block(b).reachable && plan.Returns(b)) edges += plan.successors[b].size();
  }
  return edges > kMaxEdges;
}

// The depths of the lanes of vector `u`, i32.
llvm::Value* Lowering::DepthAddress(unsigned u) {
  Value* behind = BehindLocal(plan_.BytesBeforeCalls());
  Value* base = b_.CreateGEP(b_.getInt8Ty(), local_, behind);
  Value* first = b_.CreateGEP(b_.getInt32Ty(), base, local_lane_);
  return b_.CreateConstGEP1_64(b_.getInt32Ty(), first, uint64_t{u} * target_.width);
}

// Where the lanes of vector `u` keep the place of call number `depth`, i16.
llvm::Value* Lowering::PlaceAddresses(Value* depth, unsigned u) {
  Value* behind = BehindLocal(uint64_t{plan_.BytesBeforeCalls()} + Plan::kCallDepthBytes);
  Value* base = b_.CreateGEP(b_.getInt8Ty(), local_, behind);
  Value* lane = b_.CreateTrunc(local_lane_, b_.getInt32Ty());
  if (!plan_.scalar) {
    const int64_t first = int64_t{u} * target_.width;
    lane = b_.CreateAdd(Splat(lane), Iota(b_.getInt32Ty(), 1, first));
  }
  Value* lanes = Splat(b_.CreateTrunc(local_lanes_, depth->getType()->getScalarType()));
  Value* row = b_.CreateMul(depth, lanes);
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

llvm::Value* Lowering::ParkedAddress(uint32_t block) {
  return b_.CreateConstGEP1_64(b_.getInt16Ty(), parked_, block);
}

// For one copy of the program: no lane waits anywhere.
void Lowering::BeginSharedReturns() {
  HOLOGRAM_CHECK(unroll_ == 1);
  Type* number = VectorOf(b_.getInt16Ty());
  places_ = NewSlot(number, "places");
  returns_ = NewBlock("returns");
  if (plan_.scalar) return;
  returning_ = NewSlot(b_.getIntNTy(target_.width), "returning");
  constexpr uint64_t kStep = 16;  // masks zeroed at once
  // One more than there are blocks: for lanes that end behind their call.
  const uint64_t count = (plan_.successors.size() + kStep) / kStep * kStep;
  parked_ = NewSlot(llvm::ArrayType::get(b_.getInt16Ty(), count), "parked");
  parked_->setAlignment(Align(2 * kStep));
  Type* zeros = llvm::FixedVectorType::get(b_.getInt16Ty(), kStep);
  EmitCountedLoop(b_.getInt64(0), b_.getInt64(kStep), b_.getInt64(count), [&](Value* at) -> Value* {
    b_.CreateAlignedStore(llvm::Constant::getNullValue(zeros),
                          b_.CreateGEP(b_.getInt16Ty(), parked_, at), Align(2 * kStep));
    return nullptr;
  });
}

// Which of `numbers` are one k below `count` with has(k): a comparison for each run of them.
llvm::Value* Lowering::OfNumbers(Value* numbers, llvm::function_ref<bool(size_t)> has,
                                 size_t count) {
  Type* type = numbers->getType();
  Value* found = llvm::Constant::getNullValue(VectorOf(b_.getInt1Ty()));
  for (size_t k = 0; k < count; ++k) {
    const size_t first = k;
    while (k < count && has(k)) ++k;
    if (k == first) continue;
    Value* from = b_.CreateSub(numbers, ConstantInt::get(type, first));
    found = b_.CreateOr(found, b_.CreateICmpULT(from, ConstantInt::get(type, k - first)));
  }
  return found;
}

void Lowering::EndSharedReturn(uint32_t block, llvm::BasicBlock* next) {
  const std::vector<uint32_t>& successors = plan_.successors[block];
  // Edges that count on the budget, and those of loops that end.
  const auto those = [&](bool limited) -> Value* {
    const auto has = [&](size_t k) {
      const uint32_t to = successors[k];
      return to != verify::kExitBlock && plan_.IsCountedEdge(block, to) &&
             plan_.IsLimitedEdge(block, to) == limited;
    };
    return OfNumbers(returned_[0], has, successors.size());
  };
  const std::array<Counter, 2> counters{Counter{counts_, budget_}, Counter{rounds_, most_rounds_}};
  b_.CreateStore(returned_[0], places_);
  if (plan_.scalar) {
    for (const bool limited : {false, true}) {
      if (counters[limited].slots.empty()) continue;
      llvm::BasicBlock* count = NewBlock("count");
      llvm::BasicBlock* after = NewBlock("counted");
      b_.CreateCondBr(those(limited), count, after);
      b_.SetInsertPoint(count);
      CountScalarBackEdge(block, counters[limited]);
      b_.CreateBr(after);
      b_.SetInsertPoint(after);
    }
    b_.CreateBr(returns_);
    return;
  }
  Value* mask = Mask(0);
  for (const bool limited : {false, true}) {
    if (counters[limited].slots.empty()) continue;
    Value* counts = those(limited);
    const Values rest = CountBackEdges(block, {b_.CreateAnd(mask, counts)}, counters[limited]);
    mask = b_.CreateOr(b_.CreateAnd(mask, b_.CreateNot(counts)), rest[0]);
  }
  b_.CreateStore(b_.CreateBitCast(mask, b_.getIntNTy(target_.width)), returning_);
  b_.CreateCondBr(AnyOf({mask}), returns_, plan_.divergent[block] != 0 ? next : done_);
}

// The block that the lanes of all RETs come to.
void Lowering::EmitSharedReturns(const std::vector<uint32_t>& blocks) {
  const auto first_return =
      std::find_if(blocks.begin(), blocks.end(), [&](uint32_t b) { return plan_.Returns(b); });
  b_.SetInsertPoint(returns_);
  b_.SetCurrentDebugLocation(llvm::DebugLoc());
  if (function_->getSubprogram() != nullptr) SetLine(plan_.block(blocks[0]).begin);
  if (first_return == blocks.end()) {
    b_.CreateUnreachable();
    return;
  }
  const std::vector<uint32_t>& places = plan_.successors[*first_return];
  if (plan_.scalar) {
    llvm::SwitchInst* go =
        b_.CreateSwitch(b_.CreateLoad(b_.getInt16Ty(), places_),
                        TargetOfEdge(UINT32_MAX, places[0]), static_cast<unsigned>(places.size()));
    for (uint16_t k = 1; k < places.size(); ++k) {
      go->addCase(b_.getInt16(k), TargetOfEdge(UINT32_MAX, places[k]));
    }
    return;
  }
  // Lane by lane: the mask of its place, which is found by its number, gets its bit.
  std::vector<uint16_t> table;
  uint32_t start = verify::kExitBlock;
  for (const uint32_t to : places) {
    const bool exits = to == verify::kExitBlock;
    HOLOGRAM_CHECK(exits || plan_.divergent[to] != 0);
    table.push_back(static_cast<uint16_t>(exits ? plan_.successors.size() : to));
    if (!exits) start = std::min(start, to);
  }
  for (const uint32_t b : blocks) {
    if (b > *first_return && plan_.divergent[b] != 0) start = std::min(start, b);
  }
  llvm::Constant* data = llvm::ConstantDataArray::get(context_, table);
  auto* blocks_of = new llvm::GlobalVariable(module_, data->getType(), true,
                                             llvm::GlobalValue::PrivateLinkage, data, "places");
  Type* bits_type = b_.getIntNTy(target_.width);
  Type* half = b_.getInt16Ty();
  Value* numbers = b_.CreateLoad(VectorOf(half), places_);
  Value* mask = b_.CreateLoad(bits_type, returning_);
  llvm::BasicBlock* before = b_.GetInsertBlock();
  llvm::BasicBlock* lane_body = NewBlock("returns.lane");
  llvm::BasicBlock* end = NewBlock("returns.end");
  b_.CreateBr(lane_body);  // there is one
  b_.SetInsertPoint(lane_body);
  llvm::PHINode* rest = b_.CreatePHI(bits_type, 2);
  Value* lane = b_.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, rest, b_.getTrue());
  Value* number = b_.CreateZExt(b_.CreateExtractElement(numbers, lane), b_.getInt64Ty());
  Value* to = b_.CreateLoad(half, b_.CreateGEP(half, blocks_of, number));
  Value* address = b_.CreateGEP(half, parked_, b_.CreateZExt(to, b_.getInt64Ty()));
  Value* left = b_.CreateAnd(rest, b_.CreateSub(rest, ConstantInt::get(bits_type, 1)));
  Value* bit = b_.CreateZExt(b_.CreateXor(rest, left), half);
  b_.CreateStore(b_.CreateOr(b_.CreateLoad(half, address), bit), address);
  rest->addIncoming(mask, before);
  rest->addIncoming(left, lane_body);
  b_.CreateCondBr(b_.CreateICmpNE(left, ConstantInt::get(bits_type, 0)), lane_body, end);
  b_.SetInsertPoint(end);
  b_.CreateBr(start == verify::kExitBlock ? done_ : heads_[start]);
}

}  // namespace hologram::codegen
