// The generated launch check. It decides what verify::CheckLaunch decides for a deterministic
// launch with the right number of arguments, but only says yes or "ask somebody else": a launch
// that it rejects goes to the table-driven check, which finds the message. So every test may err on
// the side of rejecting, and all of them are joined without branches; one branch follows.
// Expressions are computed in 64 bits; where their ranges do not exclude an overflow, an overflow
// rejects.
#include <cstddef>

#include "codegen/lowering.h"

namespace hologram::codegen {

using llvm::BasicBlock;
using llvm::ConstantInt;
using llvm::Function;
using llvm::FunctionType;
using llvm::GlobalValue;
using verify::CheckNode;
using verify::CheckOp;
namespace intrinsic = llvm::Intrinsic;

void Lowering::RejectIf(Value* condition) {
  reject_ = reject_ == nullptr ? condition : b_.CreateOr(reject_, condition);
}

// Lanes of a block, lanes of a dimension, and, where lanes are one row, that the launch is one.
void Lowering::CheckShape() {
  constexpr uint64_t kIds = uint64_t{1} << 32;
  const auto wide = [&](Value* v) { return b_.CreateZExt(v, b_.getInt64Ty()); };
  const auto outside = [&](Value* v, uint64_t count) {  // not in [1, count]
    return b_.CreateICmpUGE(b_.CreateSub(v, b_.getInt64(1)), b_.getInt64(count));
  };
  if (plan_.unit == HOLOGRAM_UNIT_LANE) {
    Value* others = nullptr;
    for (unsigned at : {1U, 2U, 4U, 5U}) {
      Value* difference = b_.CreateXor(shape_values_[at], b_.getInt32(1));
      others = others == nullptr ? difference : b_.CreateOr(others, difference);
    }
    RejectIf(b_.CreateICmpNE(others, b_.getInt32(0)));
    RejectIf(outside(wide(shape_values_[3]), isa::kMaxLanesPerBlock));
    RejectIf(outside(b_.CreateMul(wide(shape_values_[0]), wide(shape_values_[3])), kIds - 1));
    return;
  }
  Value* block = nullptr;
  for (unsigned d = 0; d < 3; ++d) {
    Value* size = wide(shape_values_[3 + d]);
    RejectIf(outside(size, isa::kMaxLanesPerBlock));
    RejectIf(outside(b_.CreateMul(wide(shape_values_[d]), size), kIds - 1));
    block = block == nullptr ? size : b_.CreateMul(block, size);
  }
  RejectIf(outside(block, isa::kMaxLanesPerBlock));
  // All lanes together stay far below 2^63.
  constexpr uint64_t kMaxBlocks = uint64_t{1} << 50;
  Value* grid_xy = b_.CreateMul(wide(shape_values_[0]), wide(shape_values_[1]));
  RejectIf(b_.CreateICmpUGT(grid_xy, b_.getInt64(uint64_t{1} << 31)));
  RejectIf(b_.CreateICmpUGT(wide(shape_values_[2]), b_.getInt64(uint64_t{1} << 19)));
  static_assert((uint64_t{1} << 31) * (uint64_t{1} << 19) <= kMaxBlocks);
}

void Lowering::CheckBuffers(Value* buffers) {
  const auto& parameters = plan_.program().parameters;
  data_.assign(parameters.size(), nullptr);
  bytes_.assign(parameters.size(), nullptr);
  Value* misaligned = nullptr;
  uint64_t ordinal = 0;
  for (size_t k = 0; k < parameters.size(); ++k) {
    if (!parameters[k].is_buffer) continue;
    const uint64_t at = sizeof(hologram_buffer_ref) * ordinal++;
    Value* pointer =
        LoadInvariant(b_.getPtrTy(), buffers, at + offsetof(hologram_buffer_ref, data));
    data_[k] = b_.CreatePtrToInt(pointer, b_.getInt64Ty());
    bytes_[k] = LoadInvariant(b_.getInt64Ty(), buffers, at + offsetof(hologram_buffer_ref, bytes));
    const uint64_t low_bits = isa::SizeOf(parameters[k].type) - 1;
    if (low_bits != 0) {
      Value* bits = b_.CreateAnd(data_[k], b_.getInt64(low_bits));
      misaligned = misaligned == nullptr ? bits : b_.CreateOr(misaligned, bits);
    }
    // A null buffer must be empty; sizes beyond any address space would wrap below.
    RejectIf(b_.CreateICmpUGT(bytes_[k], b_.CreateSelect(b_.CreateIsNull(pointer), b_.getInt64(0),
                                                         b_.getInt64(uint64_t{1} << 62))));
  }
  if (misaligned != nullptr) RejectIf(b_.CreateICmpNE(misaligned, b_.getInt64(0)));
  for (const verify::AliasRule& rule : plan_.verified->launch_check().aliases) {
    Value* distance = b_.CreateSub(data_[rule.slot_b], data_[rule.slot_a]);
    Value* back = b_.CreateNeg(distance);
    Value* meets_a = b_.CreateICmpULT(distance, bytes_[rule.slot_a]);
    Value* meets_b = b_.CreateICmpULT(back, bytes_[rule.slot_b]);
    Value* overlap = b_.CreateOr(meets_a, meets_b);
    if (rule.same_element) {
      Value* same = b_.CreateAnd(b_.CreateICmpEQ(distance, b_.getInt64(0)),
                                 b_.CreateICmpEQ(bytes_[rule.slot_a], bytes_[rule.slot_b]));
      overlap = b_.CreateAnd(overlap, b_.CreateNot(same));
    }
    RejectIf(overlap);
  }
}

namespace {

bool Fits(__int128 low, __int128 high) {
  return low >= INT64_MIN && high <= INT64_MAX;
}

}  // namespace

// The result of a + b, a - b or a * b, whose exact range is in `result`.
Lowering::Ranged Lowering::Clamped(Ranged result, intrinsic::ID checked, const Ranged& a,
                                   const Ranged& b) {
  if (Fits(result.low, result.high)) {
    if (checked == intrinsic::sadd_with_overflow) {
      result.value = b_.CreateAdd(a.value, b.value);
    } else if (checked == intrinsic::ssub_with_overflow) {
      result.value = b_.CreateSub(a.value, b.value);
    } else {
      result.value = b_.CreateMul(a.value, b.value);
    }
    return result;
  }
  Value* pair = b_.CreateBinaryIntrinsic(checked, a.value, b.value);
  result.value = b_.CreateExtractValue(pair, 0);
  RejectIf(b_.CreateExtractValue(pair, 1));
  result.low = std::max<__int128>(result.low, INT64_MIN);
  result.high = std::min<__int128>(result.high, INT64_MAX);
  return result;
}

Lowering::Ranged Lowering::FloorDivide(const Ranged& a, const Ranged& b) {
  Ranged result;
  result.low = std::min<__int128>(a.low, -1);
  result.high = std::max<__int128>(a.high, 0);
  Value* bad = b_.CreateICmpSLE(b.value, b_.getInt64(0));
  RejectIf(bad);
  Value* divisor = b_.CreateSelect(bad, b_.getInt64(1), b.value);
  Value* quotient = b_.CreateSDiv(a.value, divisor);
  Value* rest = b_.CreateSRem(a.value, divisor);
  Value* below = b_.CreateICmpSLT(rest, b_.getInt64(0));
  result.value = b_.CreateSub(quotient, b_.CreateZExt(below, b_.getInt64Ty()));
  return result;
}

Lowering::Ranged Lowering::Combine(const CheckNode& node, const Ranged& a, const Ranged& b) {
  Ranged result;
  switch (node.op) {
    case CheckOp::kAdd:
      result.low = a.low + b.low;
      result.high = a.high + b.high;
      return Clamped(result, intrinsic::sadd_with_overflow, a, b);
    case CheckOp::kSub:
      result.low = a.low - b.high;
      result.high = a.high - b.low;
      return Clamped(result, intrinsic::ssub_with_overflow, a, b);
    case CheckOp::kMul: {
      const __int128 corners[] = {a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high};
      result.low = *std::min_element(corners, corners + 4);
      result.high = *std::max_element(corners, corners + 4);
      return Clamped(result, intrinsic::smul_with_overflow, a, b);
    }
    case CheckOp::kMin:
      result.low = std::min(a.low, b.low);
      result.high = std::min(a.high, b.high);
      result.value = b_.CreateBinaryIntrinsic(intrinsic::smin, a.value, b.value);
      return result;
    case CheckOp::kMax:
      result.low = std::max(a.low, b.low);
      result.high = std::max(a.high, b.high);
      result.value = b_.CreateBinaryIntrinsic(intrinsic::smax, a.value, b.value);
      return result;
    default:
      return FloorDivide(a, b);
  }
}

Lowering::Ranged Lowering::Node(uint32_t index) {
  if (nodes_[index].value != nullptr) return nodes_[index];
  const CheckNode& node = plan_.verified->launch_check().nodes[index];
  const auto k = static_cast<size_t>(node.value);
  const auto wide = [&](Value* v) { return b_.CreateZExt(v, b_.getInt64Ty()); };
  Ranged result;
  switch (node.op) {
    case CheckOp::kConstant:
      result = {ConstantInt::getSigned(b_.getInt64Ty(), node.value), node.value, node.value};
      break;
    case CheckOp::kScalar: {
      const isa::Type type = plan_.program().parameters[k].type;
      result.value = b_.CreateIntCast(scalar_[k], b_.getInt64Ty(), isa::IsSignedInteger(type));
      result.low = isa::MinOf(type);
      result.high = std::min<__int128>(isa::MaxOf(type), INT64_MAX);
      if (type == isa::Type::kU64) RejectIf(b_.CreateICmpSLT(result.value, b_.getInt64(0)));
      break;
    }
    case CheckOp::kGridDim:
      result = {wide(ShapeValue(false, static_cast<unsigned>(k))), 0, UINT32_MAX};
      break;
    case CheckOp::kBlockDim:
      result = {wide(ShapeValue(true, static_cast<unsigned>(k))), 0, isa::kMaxLanesPerBlock};
      break;
    case CheckOp::kExtent:
      result = {
          b_.CreateUDiv(bytes_[k], b_.getInt64(isa::SizeOf(plan_.program().parameters[k].type))), 0,
          INT64_MAX / 2};
      break;
    default:
      result = Combine(node, Node(node.lhs), Node(node.rhs));
  }
  nodes_[index] = result;
  return result;
}

void Lowering::CheckConditions() {
  const verify::LaunchCheck& check = plan_.verified->launch_check();
  nodes_.assign(check.nodes.size(), {});
  for (const verify::LaunchCondition& condition : check.conditions) {
    const Ranged lhs = Node(condition.lhs);
    const Ranged rhs = Node(condition.rhs);
    if (lhs.high <= rhs.low) continue;
    RejectIf(b_.CreateICmpSGT(lhs.value, rhs.value));
  }
}

Function* Lowering::MakeEntry(Function* lanes) {
  Type* pointer = b_.getPtrTy();
  FunctionType* type =
      FunctionType::get(b_.getInt32Ty(), {pointer, pointer, pointer, pointer}, false);
  Function* entry = Function::Create(type, GlobalValue::InternalLinkage, name_ + ".entry", module_);
  BeginFunction(entry);
  for (unsigned i = 0; i < 4; ++i) entry->addParamAttr(i, llvm::Attribute::NoAlias);
  Value* buffers = entry->getArg(0);
  Value* scalars = entry->getArg(1);
  shape_ = entry->getArg(2);
  reject_ = nullptr;
  for (unsigned d = 0; d < 6; ++d) {
    shape_values_[d] = LoadInvariant(b_.getInt32Ty(), shape_, 4 * d);
  }
  scalar_.assign(plan_.program().parameters.size(), nullptr);
  uint64_t ordinal = 0;
  for (size_t k = 0; k < scalar_.size(); ++k) {
    const isa::Parameter& parameter = plan_.program().parameters[k];
    if (parameter.is_buffer) continue;
    scalar_[k] = LoadInvariant(ScalarType(parameter.type), scalars, 8 * ordinal++);
  }
  CheckShape();
  CheckBuffers(buffers);
  CheckConditions();
  const auto wide = [&](unsigned at) { return b_.CreateZExt(shape_values_[at], b_.getInt64Ty()); };
  BasicBlock* run = NewBlock("run");
  BasicBlock* reject = NewBlock("reject");
  BranchUnlikely(reject_, reject, run);
  b_.SetInsertPoint(reject);
  b_.CreateRet(b_.getInt32(HOLOGRAM_LAUNCH_UNPROVED));
  b_.SetInsertPoint(run);
  Value* units = nullptr;
  if (plan_.unit == HOLOGRAM_UNIT_LANE) {
    units = b_.CreateMul(wide(0), wide(3));
  } else if (plan_.unit == HOLOGRAM_UNIT_ROW) {
    units = b_.CreateMul(b_.CreateMul(wide(1), wide(4)), b_.CreateMul(wide(2), wide(5)));
  } else {
    units = b_.CreateMul(b_.CreateMul(wide(0), wide(1)), wide(2));
  }
  llvm::CallInst* call = b_.CreateCall(
      lanes, LanesArguments(buffers, scalars, shape_, entry->getArg(3), b_.getInt64(0), units));
  call->setCallingConv(llvm::CallingConv::Fast);
  b_.CreateRet(b_.getInt32(HOLOGRAM_LAUNCH_DONE));
  return entry;
}

}  // namespace hologram::codegen
