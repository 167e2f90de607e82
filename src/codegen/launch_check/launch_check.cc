#include "codegen/launch_check/launch_check.h"

#include <cstddef>

#include "codegen/emit/idioms.h"

namespace hologram::codegen {

using llvm::BasicBlock;
using llvm::Function;
using llvm::Value;

LaunchCheck::LaunchCheck(const Kernel& kernel, Function* function, Value* row_lanes)
    : f_(kernel, function, true),
      b_(f_.builder()),
      plan_(kernel.plan),
      rejects_(f_),
      conditions_(f_, rejects_, args_, row_lanes) {}

void LaunchCheck::LoadShape(Value* shape) {
  for (unsigned d = 0; d < 6; ++d) {
    args_.shape[d] = LoadInvariant(b_, b_.getInt32Ty(), shape, 4 * d);
  }
}

void LaunchCheck::LoadArguments(Value* buffers, Value* scalars) {
  const auto& parameters = plan_.program().parameters;
  args_.data.assign(parameters.size(), nullptr);
  args_.bytes.assign(parameters.size(), nullptr);
  args_.scalar.assign(parameters.size(), nullptr);
  uint64_t buffer = 0;
  uint64_t scalar = 0;
  for (size_t k = 0; k < parameters.size(); ++k) {
    if (!parameters[k].is_buffer) {
      args_.scalar[k] =
          LoadInvariant(b_, ScalarType(b_, parameters[k].type), scalars, 8 * scalar++);
      continue;
    }
    const uint64_t at = sizeof(hologram_buffer_ref) * buffer++;
    Value* pointer =
        LoadInvariant(b_, b_.getPtrTy(), buffers, at + offsetof(hologram_buffer_ref, data));
    args_.data[k] = b_.CreatePtrToInt(pointer, b_.getInt64Ty());
    args_.bytes[k] =
        LoadInvariant(b_, b_.getInt64Ty(), buffers, at + offsetof(hologram_buffer_ref, bytes));
  }
}

// Lanes of a block, lanes of a dimension, and, where lanes are one row, that the launch is one.
void LaunchCheck::CheckShape() {
  constexpr uint64_t kIds = uint64_t{1} << 32;
  const auto wide = [&](Value* v) { return b_.CreateZExt(v, b_.getInt64Ty()); };
  const auto lanes_of = [&](unsigned d) {
    return b_.CreateMul(wide(args_.shape[d]), wide(args_.shape[3 + d]));
  };
  if (plan_.unit == HOLOGRAM_UNIT_LANE) {
    Value* others = b_.getInt32(0);
    for (unsigned at : {1U, 2U, 4U, 5U}) {
      others = b_.CreateOr(others, b_.CreateXor(args_.shape[at], b_.getInt32(1)));
    }
    rejects_.If(b_.CreateICmpNE(others, b_.getInt32(0)));
    rejects_.IfOutside(wide(args_.shape[3]), isa::kMaxLanesPerBlock);
    rejects_.IfOutside(lanes_of(0), kIds - 1);
    return;
  }
  Value* block = nullptr;
  for (unsigned d = 0; d < 3; ++d) {
    Value* size = wide(args_.shape[3 + d]);
    rejects_.IfOutside(size, isa::kMaxLanesPerBlock);
    rejects_.IfOutside(lanes_of(d), kIds - 1);
    block = block == nullptr ? size : b_.CreateMul(block, size);
  }
  rejects_.IfOutside(block, isa::kMaxLanesPerBlock);
  // All lanes together stay far below 2^63.
  Value* grid_xy = b_.CreateMul(wide(args_.shape[0]), wide(args_.shape[1]));
  rejects_.If(b_.CreateICmpUGT(grid_xy, b_.getInt64(uint64_t{1} << 31)));
  rejects_.If(b_.CreateICmpUGT(wide(args_.shape[2]), b_.getInt64(uint64_t{1} << 19)));
}

// Sizes below `limit`, addresses below 2^63: so that no difference below wraps.
void LaunchCheck::CheckBuffers(Value* limit) {
  const auto& parameters = plan_.program().parameters;
  Value* sizes = nullptr;
  Value* all = nullptr;
  Value* misaligned = nullptr;
  const auto join = [&](Value*& to, Value* v) { to = to == nullptr ? v : b_.CreateOr(to, v); };
  for (size_t k = 0; k < parameters.size(); ++k) {
    if (!parameters[k].is_buffer) continue;
    join(all, args_.data[k]);
    join(sizes, args_.bytes[k]);
    if (plan_.given().NeedsAlignment(k)) {
      join(misaligned, b_.CreateAnd(args_.data[k], isa::SizeOf(parameters[k].type) - 1));
    }
  }
  if (sizes == nullptr) return;
  rejects_.If(b_.CreateICmpUGE(sizes, limit));
  rejects_.If(b_.CreateICmpSLT(all, b_.getInt64(0)));
  if (misaligned != nullptr) rejects_.If(b_.CreateICmpNE(misaligned, b_.getInt64(0)));
  for (Value* data : args_.data) {
    // A null buffer is legal when it is empty; that is not worth deciding here.
    if (data != nullptr) rejects_.If(b_.CreateICmpEQ(data, b_.getInt64(0)));
  }
}

bool LaunchCheck::CheckConditions() {
  conditions_.Check();
  return conditions_.RowSufficed();
}

void LaunchCheck::CheckOverlap(Function* meeting) {
  const auto& rules = plan_.verified->launch_check().aliases;
  for (const verify::AliasRule& rule : rules) {
    if (!rule.same_element) rejects_.If(Overlap(rule));
  }
  if (meeting == nullptr) return;
  BasicBlock* meet = BasicBlock::Create(f_.context(), "meet", f_.function());
  for (const verify::AliasRule& rule : rules) {
    if (!rule.same_element) continue;
    // Two branches, not one of a disjunction.
    const std::array<Value*, 2> starts = StartsInside(rule);
    for (Value* inside : starts) {
      BasicBlock* next = f_.NewBlock("check");
      f_.BranchUnlikely(inside, meet, next);
      b_.SetInsertPoint(next);
    }
  }
  BasicBlock* go_on = b_.GetInsertBlock();
  b_.SetInsertPoint(meet);
  std::vector<Value*> arguments;
  for (llvm::Argument& argument : f_.function()->args()) arguments.push_back(&argument);
  ReturnFrom(b_.CreateCall(meeting, arguments));
  b_.SetInsertPoint(go_on);
}

// Whether b starts in a, and a in b: one of them is true if they share memory. A buffer that is
// empty may seem to.
std::array<llvm::Value*, 2> LaunchCheck::StartsInside(const verify::AliasRule& rule) {
  Value* distance = b_.CreateSub(args_.data[rule.slot_b], args_.data[rule.slot_a]);
  return {b_.CreateICmpULT(distance, args_.bytes[rule.slot_a]),
          b_.CreateICmpULT(b_.CreateNeg(distance), args_.bytes[rule.slot_b])};
}

Value* LaunchCheck::Overlap(const verify::AliasRule& rule) {
  const std::array<Value*, 2> starts = StartsInside(rule);
  return b_.CreateOr(starts[0], starts[1]);
}

// True if two buffers that may be the same memory overlap in another way.
Value* LaunchCheck::PartialOverlap() {
  Value* partial = b_.getFalse();
  for (const verify::AliasRule& rule : plan_.verified->launch_check().aliases) {
    if (!rule.same_element) continue;
    Value* distance = b_.CreateXor(args_.data[rule.slot_b], args_.data[rule.slot_a]);
    Value* other =
        b_.CreateOr(distance, b_.CreateXor(args_.bytes[rule.slot_a], args_.bytes[rule.slot_b]));
    Value* differ = b_.CreateICmpNE(other, b_.getInt64(0));
    for (const auto& [k, l] : rule.equal) {
      differ = b_.CreateOr(differ, b_.CreateICmpNE(args_.scalar[k], args_.scalar[l]));
    }
    partial = b_.CreateOr(partial, b_.CreateAnd(Overlap(rule), differ));
  }
  return partial;
}

void LaunchCheck::RejectPartialOverlap() {
  rejects_.If(PartialOverlap());
}

Value* LaunchCheck::Units() {
  const auto wide = [&](unsigned at) { return b_.CreateZExt(args_.shape[at], b_.getInt64Ty()); };
  if (plan_.unit == HOLOGRAM_UNIT_LANE) return b_.CreateMul(wide(0), wide(3));
  if (plan_.unit == HOLOGRAM_UNIT_ROW) {
    return b_.CreateMul(b_.CreateMul(wide(1), wide(4)), b_.CreateMul(wide(2), wide(5)));
  }
  return b_.CreateMul(b_.CreateMul(wide(0), wide(1)), wide(2));
}

void LaunchCheck::ReturnFrom(llvm::CallInst* call) {
  call->setCallingConv(call->getCalledFunction()->getCallingConv());
  call->setTailCallKind(llvm::CallInst::TCK_Tail);
  b_.CreateRet(call);
}

}  // namespace hologram::codegen
