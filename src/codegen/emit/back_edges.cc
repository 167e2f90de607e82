#include "codegen/emit/back_edges.h"

namespace hologram::codegen {

using llvm::Type;
using llvm::Value;

void BackEdges::Begin() {
  budget_taken_.clear();
  rounds_taken_.clear();
  const auto start = [&](bool wanted, Slots& slots) {
    for (unsigned u = 0; wanted && u < chunk_.unroll(); ++u) {
      slots.push_back(f_.NewSlot(f_.VectorOf(b_.getInt64Ty()), "count"));
      b_.CreateStore(llvm::Constant::getNullValue(f_.VectorOf(b_.getInt64Ty())), slots[u]);
    }
  };
  start(plan_.counts_budget, budget_taken_);
  start(plan_.counts_rounds, rounds_taken_);
}

Values BackEdges::Count(uint32_t from, uint32_t to, const Values& mask) {
  return CountOn(plan_.IsLimitedEdge(from, to), from, mask);
}

void BackEdges::CountScalar(uint32_t from, uint32_t to) {
  CountScalarOn(plan_.IsLimitedEdge(from, to), from);
}

Values BackEdges::CountOn(bool limited, uint32_t from, const Values& mask) {
  const Slots& slots = SlotsOf(limited);
  Values bad;
  Values counts;
  Type* wide = f_.VectorOf(b_.getInt64Ty());
  for (unsigned u = 0; u < chunk_.unroll(); ++u) {
    Value* count = b_.CreateLoad(wide, slots[u]);
    bad.push_back(b_.CreateAnd(mask[u], b_.CreateICmpUGE(count, f_.Splat(MostOf(limited)))));
    b_.CreateStore(b_.CreateAdd(count, b_.CreateZExt(mask[u], wide)), slots[u]);
  }
  // The lanes of another edge stay as they are.
  Chunk::Running before = chunk_.running();
  chunk_.Run(mask);
  faults_.Lanes(HOLOGRAM_FAULT_BUDGET, plan_.block(from).end - 1, bad, {});
  Values rest = chunk_.running().mask;
  chunk_.Restore(std::move(before));
  return rest;
}

void BackEdges::CountScalarOn(bool limited, uint32_t from) {
  Value* count = b_.CreateLoad(b_.getInt64Ty(), SlotsOf(limited)[0]);
  b_.CreateStore(b_.CreateAdd(count, b_.getInt64(1)), SlotsOf(limited)[0]);
  faults_.All(HOLOGRAM_FAULT_BUDGET, plan_.block(from).end - 1,
              b_.CreateICmpUGE(count, MostOf(limited)), b_.getInt64(0));
}

}  // namespace hologram::codegen
