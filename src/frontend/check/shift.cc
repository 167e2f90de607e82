// The types of shifts. Operands of `x << k` have the type that the operators' table gives, but
// where that is neither of both or none, as of u32 and i32, it is the type of x. `1 << k` has the
// type of k until it meets an integer type as wide, which it takes then, as a literal does.
#include "frontend/check/checker.h"

namespace hologram::frontend {

using isa::Type;

namespace {

bool IsLiteralInteger(const Expr& expr) {
  return expr.kind == ExprKind::kLiteral && expr.constant.is_int();
}

// Operators that give the same bits of any width, but of what they shift in and carry.
bool KeepsShift(BinaryOp op) {
  switch (op) {
    case BinaryOp::kAdd:
    case BinaryOp::kSub:
    case BinaryOp::kMul:
    case BinaryOp::kBitAnd:
    case BinaryOp::kBitOr:
    case BinaryOp::kBitXor:
      return true;
    default:
      return false;
  }
}

bool CanBe(const Expr& expr, Type type) {
  if (IsLiteralInteger(expr)) return Fits(expr.constant, type);
  if (expr.kind == ExprKind::kBinary && expr.binary == BinaryOp::kShl) {
    return CanBe(*expr.operands[0], type);
  }
  for (const ExprPtr& operand : expr.operands) {
    if (!CanBe(*operand, type)) return false;
  }
  return true;
}

}  // namespace

// The bits of the count, of which the shift reads the lowest: negative ones stay.
void Checker::ConvertCount(ExprPtr& count, Type type) {
  if (count->kind == ExprKind::kLiteral) return Convert(count, type);
  Harden(count);
  if (count->type.number == type) return;
  auto convert = std::make_unique<Expr>();
  convert->kind = ExprKind::kConvert;
  convert->at = count->at;
  convert->type = ValueType::Number(type);
  convert->operands.push_back(std::move(count));
  count = std::move(convert);
}

// REQUIRES: numbers.
bool Checker::KeepsLeftType(const Expr& shift) const {
  const bool shifts = shift.binary == BinaryOp::kShl || shift.binary == BinaryOp::kShr;
  const ValueType left = shift.operands[0]->type;
  const ValueType right = shift.operands[1]->type;
  if (!document_.exact_literals || !shifts || left.is_soft() || right.is_soft()) return false;
  if (!left.is_integer() || !right.is_integer()) return false;
  const ValueType common = RuleOf(left, right).type;
  return common != left && common != right;
}

bool Checker::FollowsOthers(const Expr& expr) const {
  if (!document_.exact_literals) return false;
  const Expr& left = *expr.operands[0];
  const Expr& right = *expr.operands[1];
  const bool soft_left = IsLiteralInteger(left) && left.type.is_soft();
  if (expr.binary == BinaryOp::kShl) {
    return soft_left && right.type.is_number() && right.type.is_integer();
  }
  const bool soft_right = IsLiteralInteger(right) && right.type.is_soft();
  return KeepsShift(expr.binary) && (left.follows || right.follows) &&
         (left.follows || soft_left) && (right.follows || soft_right);
}

void Checker::Follow(ExprPtr& expr, ValueType type) {
  if (!expr->follows || !type.is_number() || !type.is_integer() || type == expr->type) return;
  if (isa::SizeOf(type.number) < isa::SizeOf(expr->type.number)) return;
  if (CanBe(*expr, type.number)) Retype(*expr, type.number);
}

void Checker::Retype(Expr& expr, Type type) {
  expr.type = ValueType::Number(type);
  if (expr.kind == ExprKind::kLiteral) return;
  const bool shift = expr.kind == ExprKind::kBinary && expr.binary == BinaryOp::kShl;
  for (ExprPtr& operand : expr.operands) {
    if (shift && operand == expr.operands[1]) {
      ConvertCount(operand, type);
    } else {
      Retype(*operand, type);
    }
  }
}

}  // namespace hologram::frontend
