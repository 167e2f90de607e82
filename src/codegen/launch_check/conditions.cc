#include "codegen/launch_check/conditions.h"

#include <algorithm>

namespace hologram::codegen {

using llvm::ConstantInt;
using llvm::Value;
using verify::CheckNode;
using verify::CheckOp;
namespace intrinsic = llvm::Intrinsic;

namespace {

bool Fits(__int128 low, __int128 high) {
  return low >= INT64_MIN && high <= INT64_MAX;
}

// Which nodes only go, by way of minima and maxima, to the left side of conditions.
std::vector<bool> OnlyCompared(const verify::LaunchCheck& check) {
  std::vector<bool> compared(check.nodes.size(), true);
  for (const verify::LaunchCondition& condition : check.conditions) {
    compared[condition.rhs] = false;
  }
  for (size_t n = check.nodes.size(); n-- > 0;) {
    const CheckNode& node = check.nodes[n];
    if (node.op < CheckOp::kAdd) continue;
    const bool passes = (node.op == CheckOp::kMin || node.op == CheckOp::kMax) && compared[n];
    if (passes) continue;
    compared[node.lhs] = false;
    compared[node.rhs] = false;
  }
  return compared;
}

}  // namespace

Conditions::Conditions(FunctionState& f, Rejects& rejects, const CheckedArguments& arguments,
                       Value* row_lanes)
    : b_(f.builder()),
      plan_(f.plan()),
      rejects_(rejects),
      args_(arguments),
      row_lanes_(row_lanes) {}

// The result of a + b, a - b or a * b, whose exact range is in `result`. What is too large rejects
// the launch. What is too small is the smallest number, if `compared`: it never exceeds anything.
Conditions::Ranged Conditions::Clamped(Ranged result, intrinsic::ID checked, const Ranged& a,
                                       const Ranged& b, bool compared) {
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
  Value* outside = b_.CreateExtractValue(pair, 1);
  if (compared && checked != intrinsic::smul_with_overflow) {
    // A sum and a difference leave on the side of their first operand.
    Value* smallest = ConstantInt::getSigned(b_.getInt64Ty(), INT64_MIN);
    result.value = b_.CreateSelect(outside, smallest, result.value);
    outside = b_.CreateAnd(outside, b_.CreateICmpSGE(a.value, b_.getInt64(0)));
  }
  rejects_.If(outside);
  result.low = std::max<__int128>(result.low, INT64_MIN);
  result.high = std::min<__int128>(result.high, INT64_MAX);
  return result;
}

Conditions::Ranged Conditions::FloorDivide(const Ranged& a, const Ranged& b) {
  Ranged result;
  result.low = std::min<__int128>(a.low, -1);
  result.high = std::max<__int128>(a.high, 0);
  Value* bad = b_.CreateICmpSLE(b.value, b_.getInt64(0));
  rejects_.If(bad);
  Value* divisor = b_.CreateSelect(bad, b_.getInt64(1), b.value);
  Value* quotient = b_.CreateSDiv(a.value, divisor);
  Value* rest = b_.CreateSRem(a.value, divisor);
  Value* below = b_.CreateICmpSLT(rest, b_.getInt64(0));
  result.value = b_.CreateSub(quotient, b_.CreateZExt(below, b_.getInt64Ty()));
  return result;
}

Conditions::Ranged Conditions::Combine(const CheckNode& node, const Ranged& a, const Ranged& b,
                                       bool compared) {
  Ranged result;
  switch (node.op) {
    case CheckOp::kAdd:
      result.low = a.low + b.low;
      result.high = a.high + b.high;
      return Clamped(result, intrinsic::sadd_with_overflow, a, b, compared);
    case CheckOp::kSub:
      result.low = a.low - b.high;
      result.high = a.high - b.low;
      return Clamped(result, intrinsic::ssub_with_overflow, a, b, compared);
    case CheckOp::kMul: {
      const __int128 corners[] = {a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high};
      result.low = *std::min_element(corners, corners + 4);
      result.high = *std::max_element(corners, corners + 4);
      return Clamped(result, intrinsic::smul_with_overflow, a, b, compared);
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

// In a launch of one row: grid.x * block.x is known, each alone is not, and the others are 1.
bool Conditions::IsRowSize(const CheckNode& node) const {
  if (row_lanes_ == nullptr || node.op != CheckOp::kMul) return false;
  const auto& nodes = plan_.verified->launch_check().nodes;
  const CheckNode& a = nodes[node.lhs];
  const CheckNode& b = nodes[node.rhs];
  const bool dims = (a.op == CheckOp::kGridDim && b.op == CheckOp::kBlockDim) ||
                    (a.op == CheckOp::kBlockDim && b.op == CheckOp::kGridDim);
  return dims && a.value == 0 && b.value == 0;
}

Conditions::Ranged Conditions::RowDim(size_t dimension) {
  row_known_ &= dimension != 0;
  return {b_.getInt64(1), 1, 1};
}

Conditions::Ranged Conditions::Node(uint32_t index) {
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
      result.value = b_.CreateIntCast(args_.scalar[k], b_.getInt64Ty(), isa::IsSignedInteger(type));
      result.low = isa::MinOf(type);
      result.high = std::min<__int128>(isa::MaxOf(type), INT64_MAX);
      if (type == isa::Type::kU64) rejects_.If(b_.CreateICmpSLT(result.value, b_.getInt64(0)));
      break;
    }
    case CheckOp::kGridDim:
    case CheckOp::kBlockDim:
      if (row_lanes_ != nullptr) return RowDim(k);
      if (node.op == CheckOp::kBlockDim) {
        result = {wide(args_.shape[3 + k]), 0, isa::kMaxLanesPerBlock};
        break;
      }
      result = {wide(args_.shape[k]), 0, UINT32_MAX};
      break;
    case CheckOp::kExtent:
      result = {b_.CreateUDiv(args_.bytes[k],
                              b_.getInt64(isa::SizeOf(plan_.program().parameters[k].type))),
                0, kMaxBytes};
      break;
    default:
      result = IsRowSize(node) ? Ranged{row_lanes_, 1, UINT32_MAX}
                               : Combine(node, Node(node.lhs), Node(node.rhs), compared_[index]);
  }
  nodes_[index] = result;
  return result;
}

void Conditions::Check() {
  const verify::LaunchCheck& check = plan_.verified->launch_check();
  nodes_.assign(check.nodes.size(), {});
  compared_ = OnlyCompared(check);
  for (const verify::LaunchCondition& condition : check.conditions) {
    const Ranged lhs = Node(condition.lhs);
    const CheckNode& bound = check.nodes[condition.rhs];
    if (bound.op == CheckOp::kExtent) {
      // In bytes, without the division.
      const auto k = static_cast<size_t>(bound.value);
      const __int128 size = isa::SizeOf(plan_.program().parameters[k].type);
      if (lhs.high <= 0) continue;
      if (Fits(lhs.low * size, lhs.high * size)) {
        Value* bytes = b_.CreateMul(lhs.value, b_.getInt64(static_cast<uint64_t>(size)));
        rejects_.If(b_.CreateICmpSGT(bytes, args_.bytes[k]));
        continue;
      }
    }
    const Ranged rhs = Node(condition.rhs);
    if (lhs.high <= rhs.low) continue;
    rejects_.If(b_.CreateICmpSGT(lhs.value, rhs.value));
  }
  CheckRounds();
}

// Of nests of loops that may go round too often: a launch with a larger budget is rejected too.
void Conditions::CheckRounds() {
  constexpr __int128 kMost = verify::kMostRounds;
  for (const verify::RoundsBound& bound : plan_.verified->launch_check().rounds) {
    if (bound.constant > verify::kMostRounds) {
      rejects_.If(b_.getTrue());
      continue;
    }
    Ranged rounds;
    rounds.low = rounds.high = static_cast<__int128>(bound.constant);
    rounds.value = b_.getInt64(bound.constant);
    for (const uint32_t node : bound.factors) {
      Ranged factor = Node(node);
      if (factor.low < 1) {
        factor.value = b_.CreateBinaryIntrinsic(intrinsic::smax, factor.value, b_.getInt64(1));
      }
      factor.low = std::max<__int128>(factor.low, 1);
      factor.high = std::max<__int128>(factor.high, 1);
      const Ranged before = rounds;
      rounds.low = before.low * factor.low;
      rounds.high = before.high * factor.high;
      rounds = Clamped(rounds, intrinsic::smul_with_overflow, before, factor, false);
    }
    if (rounds.high <= kMost) continue;
    rejects_.If(b_.CreateICmpSGT(rounds.value, b_.getInt64(verify::kMostRounds)));
  }
}

}  // namespace hologram::codegen
