#include "codegen/instructions/classes.h"

#include <cstddef>

#include "codegen/emit/idioms.h"
#include "isa/atlas.h"

namespace hologram::codegen {

using llvm::ConstantInt;
using llvm::Type;
using llvm::Value;

void Classes::ClassOfBlock(uint32_t pc) {
  const auto wide = [&](Value* v) { return b_.CreateZExt(v, b_.getInt64Ty()); };
  Value* base =
      LoadInvariant(b_, b_.getInt32Ty(), state_, offsetof(hologram_launch_state, class_base));
  Value* sum = b_.CreateAdd(wide(ids_.Read(isa::Sreg::kBlockX)), wide(base));
  registers_.WriteScalar(
      pc, b_.CreateTrunc(b_.CreateURem(sum, b_.getInt64(isa::kNumClasses)), b_.getInt8Ty()));
}

// Lanes whose value of an operand is not below `limit` fault with it.
void Classes::FaultNotBelow(uint32_t pc, OperandId id, uint32_t limit, uint32_t code) {
  const bool scalar = plan_.KindOfResult(pc) == Kind::kUniform;
  const Values values = registers_.Operand(id, scalar);
  const auto outside = [&](Value* v) {
    return b_.CreateICmpUGE(v, ConstantInt::get(v->getType(), limit));
  };
  if (scalar) {
    return faults_.All(code, pc, outside(values[0]), b_.CreateZExt(values[0], b_.getInt64Ty()));
  }
  Values bad;
  Values index;
  for (unsigned u = 0; u < chunk_.unroll(); ++u) {
    Value* here = outside(values[u]);
    bad.push_back(chunk_.all() ? here : b_.CreateAnd(here, chunk_.running(u)));
    index.push_back(b_.CreateZExt(values[u], f_.VectorOf(b_.getInt64Ty())));
  }
  faults_.Lanes(code, pc, bad, index);
}

void Classes::CheckClass(uint32_t pc) {
  if (plan_.verified->NeverFaults(pc)) return;
  FaultNotBelow(pc, plan_.operands[pc].reads[0], isa::kNumClasses, HOLOGRAM_FAULT_INVALID_CLASS);
}

void Classes::OfClass(uint32_t pc, llvm::function_ref<Value*(Value*)> result) {
  CheckClass(pc);
  const bool scalar = plan_.KindOfResult(pc) == Kind::kUniform;
  const Values classes = registers_.Operand(plan_.operands[pc].reads[0], scalar);
  Values results;
  for (Value* c : classes) results.push_back(result(c));
  registers_.WriteResult(pc, scalar, std::move(results));
}

void Classes::Mirror(uint32_t pc) {
  OfClass(pc, [&](Value* c) {
    Type* type = c->getType();
    const auto constant = [&](uint64_t value) { return ConstantInt::get(type, value); };
    Value* low = b_.CreateICmpULT(b_.CreateURem(c, constant(6)), constant(3));
    return b_.CreateSelect(low, b_.CreateAdd(c, constant(3)), b_.CreateSub(c, constant(3)));
  });
}

void Classes::NeighbourCount(uint32_t pc) {
  OfClass(pc, [&](Value* c) {
    Type* wide = LikeVector(b_.getInt32Ty(), c);
    Value* t = b_.CreateURem(c, ConstantInt::get(c->getType(), 3));
    Value* middle = b_.CreateICmpEQ(t, ConstantInt::get(c->getType(), 1));
    return b_.CreateAdd(b_.CreateZExt(middle, wide), ConstantInt::get(wide, 5));
  });
}

void Classes::Neighbour(uint32_t pc) {
  const unsigned k = plan_.program().code[pc].mod;
  OfClass(pc, [&](Value* c) { return NeighbourOf(c, k); });
}

// The steps in ascending order: the one that comes after `k` others is taken.
Value* Classes::NeighbourOf(Value* c, unsigned k) {
  Type* type = c->getType();
  const auto constant = [&](uint64_t value) { return ConstantInt::get(type, value & 0xff); };
  Value* t = b_.CreateURem(c, constant(3));
  Value* count = constant(0);
  Value* found = constant(isa::kNoNeighbour);
  for (const isa::NeighbourStep step : isa::kNeighbourSteps) {
    const bool up = step.distance > 0;
    Value* present = nullptr;
    if (step.bit == 1) {
      present = b_.CreateICmpNE(t, constant(up ? 2 : 0));
    } else {
      Value* bit = b_.CreateAnd(b_.CreateUDiv(c, constant(step.bit)), constant(1));
      present = b_.CreateICmpEQ(bit, constant(up ? 0 : 1));
    }
    Value* taken = b_.CreateAnd(present, b_.CreateICmpEQ(count, constant(k)));
    Value* there = b_.CreateAdd(c, constant(static_cast<uint64_t>(int64_t{step.distance})));
    found = b_.CreateSelect(taken, there, found);
    count = b_.CreateAdd(count, b_.CreateZExt(present, type));
  }
  return found;
}

void Classes::BoundMap(uint32_t pc) {
  const auto& reads = plan_.operands[pc].reads;
  CheckClass(pc);
  if (!plan_.verified->NeverFaults(pc)) {
    FaultNotBelow(pc, reads[1], isa::kPagesPerClass, HOLOGRAM_FAULT_INVALID_COORDINATES);
  }
  const bool scalar = plan_.KindOfResult(pc) == Kind::kUniform;
  const Values classes = registers_.Operand(reads[0], scalar);
  const Values pages = registers_.Operand(reads[1], scalar);
  const Values bytes = registers_.Operand(reads[2], scalar);
  Type* wide = scalar ? b_.getInt64Ty() : f_.VectorOf(b_.getInt64Ty());
  const auto scaled = [&](Value* v, uint64_t by) {
    return b_.CreateMul(b_.CreateZExt(v, wide), ConstantInt::get(wide, by));
  };
  Values results;
  for (size_t u = 0; u < classes.size(); ++u) {
    Value* page =
        b_.CreateAdd(scaled(classes[u], isa::kBytesPerClass), scaled(pages[u], isa::kBytesPerPage));
    results.push_back(b_.CreateAdd(page, b_.CreateZExt(bytes[u], wide)));
  }
  registers_.WriteResult(pc, scalar, std::move(results));
}

}  // namespace hologram::codegen
