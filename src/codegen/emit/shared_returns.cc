#include "codegen/emit/shared_returns.h"

#include <algorithm>

#include "base/check.h"

namespace hologram::codegen {

using llvm::BasicBlock;
using llvm::ConstantInt;
using llvm::Type;
using llvm::Value;

void SharedReturns::Begin() {
  HOLOGRAM_CHECK(chunk_.unroll() == 1);
  places_ = f_.NewSlot(f_.VectorOf(b_.getInt16Ty()), "places");
  returns_ = f_.NewBlock("returns");
  if (!plan_.scalar) returning_ = f_.NewSlot(b_.getIntNTy(f_.target().width), "returning");
}

// Which of `numbers` are one k below `count` with has(k): a comparison for each run of them.
Value* SharedReturns::OfNumbers(Value* numbers, llvm::function_ref<bool(size_t)> has,
                                size_t count) {
  Type* type = numbers->getType();
  Value* found = llvm::Constant::getNullValue(f_.VectorOf(b_.getInt1Ty()));
  for (size_t k = 0; k < count; ++k) {
    const size_t first = k;
    while (k < count && has(k)) ++k;
    if (k == first) continue;
    Value* from = b_.CreateSub(numbers, ConstantInt::get(type, first));
    found = b_.CreateOr(found, b_.CreateICmpULT(from, ConstantInt::get(type, k - first)));
  }
  return found;
}

// Lanes whose edge back counts on the budget, or on the limit of rounds.
Value* SharedReturns::CountedReturns(uint32_t block, bool limited) {
  const std::vector<uint32_t>& successors = plan_.successors[block];
  const auto has = [&](size_t k) {
    const uint32_t to = successors[k];
    return to != verify::kExitBlock && plan_.IsCountedEdge(block, to) &&
           plan_.IsLimitedEdge(block, to) == limited;
  };
  return OfNumbers(calls_.returned(0), has, successors.size());
}

void SharedReturns::EndScalarBlock(uint32_t block) {
  for (const bool limited : {false, true}) {
    if (!back_edges_.Counts(limited)) continue;
    BasicBlock* count = f_.NewBlock("count");
    BasicBlock* after = f_.NewBlock("counted");
    b_.CreateCondBr(CountedReturns(block, limited), count, after);
    b_.SetInsertPoint(count);
    back_edges_.CountScalarOn(limited, block);
    b_.CreateBr(after);
    b_.SetInsertPoint(after);
  }
  b_.CreateBr(returns_);
}

void SharedReturns::EndBlock(uint32_t block, BasicBlock* none) {
  b_.CreateStore(calls_.returned(0), places_);
  if (plan_.scalar) return EndScalarBlock(block);
  Value* mask = chunk_.Mask(0);
  for (const bool limited : {false, true}) {
    if (!back_edges_.Counts(limited)) continue;
    Value* counts = CountedReturns(block, limited);
    const Values rest = back_edges_.CountOn(limited, block, {b_.CreateAnd(mask, counts)});
    mask = b_.CreateOr(b_.CreateAnd(mask, b_.CreateNot(counts)), rest[0]);
  }
  b_.CreateStore(b_.CreateBitCast(mask, b_.getIntNTy(f_.target().width)), returning_);
  b_.CreateCondBr(f_.AnyOf({mask}), returns_, none);
}

void SharedReturns::Emit(const Blocks& blocks, llvm::function_ref<BasicBlock*(uint32_t)> head_of) {
  const auto first_return =
      std::find_if(blocks.begin(), blocks.end(), [&](uint32_t b) { return plan_.Returns(b); });
  b_.SetInsertPoint(returns_);
  b_.SetCurrentDebugLocation(llvm::DebugLoc());
  f_.SetLine(plan_.block(blocks[0]).begin);
  if (first_return == blocks.end()) {
    b_.CreateUnreachable();
    return;
  }
  if (!plan_.scalar) {
    b_.CreateBr(head_of(SendLanes(blocks, *first_return)));
    return;
  }
  const std::vector<uint32_t>& places = plan_.successors[*first_return];
  llvm::SwitchInst* go = b_.CreateSwitch(b_.CreateLoad(b_.getInt16Ty(), places_),
                                         head_of(places[0]), static_cast<unsigned>(places.size()));
  for (uint16_t k = 1; k < places.size(); ++k) go->addCase(b_.getInt16(k), head_of(places[k]));
}

// Returns the first block at which lanes may wait then.
uint32_t SharedReturns::SendLanes(const Blocks& blocks, uint32_t first_return) {
  const std::vector<uint32_t>& places = plan_.successors[first_return];
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
    if (b > first_return && plan_.divergent[b] != 0) start = std::min(start, b);
  }
  llvm::Constant* data = llvm::ConstantDataArray::get(f_.context(), table);
  auto* blocks_of = new llvm::GlobalVariable(f_.kernel().module, data->getType(), true,
                                             llvm::GlobalValue::PrivateLinkage, data, "places");
  Type* bits_type = b_.getIntNTy(f_.target().width);
  Type* half = b_.getInt16Ty();
  Value* numbers = b_.CreateLoad(f_.VectorOf(half), places_);
  Value* mask = b_.CreateLoad(bits_type, returning_);
  BasicBlock* before = b_.GetInsertBlock();
  BasicBlock* lane_body = f_.NewBlock("returns.lane");
  BasicBlock* end = f_.NewBlock("returns.end");
  b_.CreateBr(lane_body);  // there is one
  b_.SetInsertPoint(lane_body);
  llvm::PHINode* rest = b_.CreatePHI(bits_type, 2);
  Value* lane = b_.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, rest, b_.getTrue());
  Value* number = b_.CreateZExt(b_.CreateExtractElement(numbers, lane), b_.getInt64Ty());
  Value* to = b_.CreateLoad(half, b_.CreateGEP(half, blocks_of, number));
  Value* address = pending_.Address(b_.CreateZExt(to, b_.getInt64Ty()));
  Value* left = b_.CreateAnd(rest, b_.CreateSub(rest, ConstantInt::get(bits_type, 1)));
  Value* bit = b_.CreateZExt(b_.CreateXor(rest, left), half);
  b_.CreateStore(b_.CreateOr(b_.CreateLoad(half, address), bit), address);
  rest->addIncoming(mask, before);
  rest->addIncoming(left, lane_body);
  b_.CreateCondBr(b_.CreateICmpNE(left, ConstantInt::get(bits_type, 0)), lane_body, end);
  b_.SetInsertPoint(end);
  return start;
}

}  // namespace hologram::codegen
