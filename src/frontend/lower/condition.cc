#include "frontend/lower/lowerer.h"
#include "frontend/lower/rules.h"

namespace hologram::frontend {

using isa::Condition;
using isa::Opcode;
using isa::Type;

Condition ConditionOf(BinaryOp op) {
  switch (op) {
    case BinaryOp::kLt:
      return Condition::kLt;
    case BinaryOp::kLe:
      return Condition::kLe;
    case BinaryOp::kGt:
      return Condition::kGt;
    case BinaryOp::kGe:
      return Condition::kGe;
    case BinaryOp::kEq:
      return Condition::kEq;
    default:
      return Condition::kNe;
  }
}

namespace {

Condition Inverse(Condition condition) {
  switch (condition) {
    case Condition::kEq:
      return Condition::kNe;
    case Condition::kNe:
      return Condition::kEq;
    case Condition::kLt:
      return Condition::kGe;
    case Condition::kLe:
      return Condition::kGt;
    case Condition::kGt:
      return Condition::kLe;
    case Condition::kGe:
      return Condition::kLt;
  }
  return condition;
}

bool IsEquality(BinaryOp op) {
  return op == BinaryOp::kEq || op == BinaryOp::kNe;
}

// `|` of bools is a kBinary, as `&` is.
bool IsOr(const Expr& expr) {
  return expr.kind == ExprKind::kOr ||
         (expr.kind == ExprKind::kBinary && expr.binary == BinaryOp::kBitOr);
}

// Nodes of the expression if all are cheap and none can fault, else more than any limit.
int CheapNodes(const Expr& expr) {
  constexpr int kTooMany = 1000;
  const bool integer = expr.type.is_number() && isa::IsInteger(expr.type.number);
  switch (expr.kind) {
    case ExprKind::kIndex:
    case ExprKind::kInline:
      return kTooMany;
    case ExprKind::kBinary: {
      const bool divides = expr.binary == BinaryOp::kDiv || expr.binary == BinaryOp::kFloorDiv ||
                           expr.binary == BinaryOp::kMod;
      if (divides && integer) return kTooMany;
      break;
    }
    case ExprKind::kCall:
      switch (expr.builtin->kind) {
        case BuiltinKind::kId:
          return 1;  // its dimension is no operand
        case BuiltinKind::kAbs:
        case BuiltinKind::kMinMax:
        case BuiltinKind::kFma:
          break;
        default:
          return kTooMany;
      }
      break;
    default:
      break;
  }
  int nodes = 1;
  for (const ExprPtr& operand : expr.operands) {
    nodes += CheapNodes(*operand);
    if (nodes >= kTooMany) return kTooMany;
  }
  return nodes;
}

}  // namespace

bool Lowerer::IsCheap(const Expr& expr) {
  constexpr int kMaxNodes = 8;
  return CheapNodes(expr) <= kMaxNodes;
}

// ---- Branches

void Lowerer::LowerCondition(const Expr& expr, Label target, bool when) {
  switch (expr.kind) {
    case ExprKind::kLiteral:
      if ((expr.constant.integer != 0) == when) emitter_.Branch(target, expr.at);
      return;
    case ExprKind::kBinary: {
      if (!IsComparison(expr.binary)) {  // `&` and `|` evaluate both
        if (IsCheap(*expr.operands[1])) return LowerLogic(expr, target, when);
        const uint8_t both = LowerPredicate(expr);
        if (!when) emitter_.Emit({.op = Opcode::kPnot, .d = both, .a = both}, At(expr.at));
        emitter_.BranchIf(both, target, expr.at);
        return emitter_.FreePredicate(both);
      }
      const Type type = expr.operands[0]->type.register_type();
      const Value a = Lower(*expr.operands[0]);
      const Value b = Lower(*expr.operands[1]);
      return JumpOnComparison(expr.binary, type, a, b, expr.at, target, when);
    }
    case ExprKind::kCompareChain:
      return LowerChain(expr, target, when);
    case ExprKind::kAnd:
    case ExprKind::kOr:
      return LowerLogic(expr, target, when);
    case ExprKind::kUnary:
      return LowerCondition(*expr.operands[0], target, !when);
    default:
      break;
  }
  const Value value = Lower(expr);
  const Value zero = LowerConstant(Type::kU8, Constant::Int(0), expr.at);
  JumpOnComparison(BinaryOp::kNe, Type::kU8, value, zero, expr.at, target, when);
}

void Lowerer::LowerLogic(const Expr& expr, Label target, bool when) {
  // `and` is decided by the first False, `or` by the first True.
  const bool decider = IsOr(expr);
  if (when == decider) {
    for (const ExprPtr& operand : expr.operands) LowerCondition(*operand, target, when);
    return;
  }
  const Label decided = emitter_.NewLabel();
  for (size_t i = 0; i + 1 < expr.operands.size(); ++i) {
    LowerCondition(*expr.operands[i], decided, decider);
  }
  LowerCondition(*expr.operands.back(), target, when);
  emitter_.Bind(decided);
}

void Lowerer::LowerChain(const Expr& expr, Label target, bool when) {
  const Label decided = emitter_.NewLabel();
  Value left = Lower(*expr.operands[0]);
  for (size_t i = 0; i < expr.chain.size(); ++i) {
    const Type type = expr.operands[i + 1]->type.register_type();
    const Value right = Lower(*expr.operands[i + 1]);
    const bool last = i + 1 == expr.chain.size();
    const Value kept = last ? right : Value{right.reg, false};
    JumpOnComparison(expr.chain[i], type, left, kept, expr.at, last || !when ? target : decided,
                     last && when);
    left = right;
  }
  emitter_.Bind(decided);
}

void Lowerer::JumpOnComparison(BinaryOp op, Type type, Value a, Value b, Position at, Label target,
                               bool when) {
  // An ordered comparison with NaN and its inverse are both false: the predicate is inverted.
  const bool invert_predicate = !when && isa::IsFloat(type) && !IsEquality(op);
  Condition condition = ConditionOf(op);
  if (!when && !invert_predicate) condition = Inverse(condition);
  const uint8_t predicate = emitter_.AllocatePredicate();
  emitter_.Emit({.op = Opcode::kSet,
                 .type = type,
                 .mod = static_cast<uint8_t>(condition),
                 .d = predicate,
                 .a = a.reg,
                 .b = b.reg},
                At(at));
  if (invert_predicate) {
    emitter_.Emit({.op = Opcode::kPnot, .d = predicate, .a = predicate}, At(at));
  }
  emitter_.BranchIf(predicate, target, at);
  emitter_.FreePredicate(predicate);
  Free(a);
  Free(b);
}

// ---- Predicates

uint8_t Lowerer::LowerPredicate(const Expr& expr) {
  constexpr int kReserve = 3;
  if (expr.kind == ExprKind::kBinary && IsComparison(expr.binary)) {
    const Value a = Lower(*expr.operands[0]);
    const Value b = Lower(*expr.operands[1]);
    const uint8_t predicate = emitter_.AllocatePredicate();
    emitter_.Emit({.op = Opcode::kSet,
                   .type = expr.operands[0]->type.register_type(),
                   .mod = static_cast<uint8_t>(ConditionOf(expr.binary)),
                   .d = predicate,
                   .a = a.reg,
                   .b = b.reg},
                  At(expr.at));
    Free(a);
    Free(b);
    return predicate;
  }
  if (expr.kind == ExprKind::kUnary) {
    const uint8_t predicate = LowerPredicate(*expr.operands[0]);
    emitter_.Emit({.op = Opcode::kPnot, .d = predicate, .a = predicate}, At(expr.at));
    return predicate;
  }
  const bool logic = expr.kind == ExprKind::kAnd || expr.kind == ExprKind::kOr;
  const bool evaluates_all = expr.kind == ExprKind::kBinary || (logic && IsCheap(expr));
  if (evaluates_all && emitter_.free_predicates() > kReserve) return LowerLogicPredicate(expr);
  const Value value = Lower(expr);
  const Value zero = LowerConstant(Type::kU8, Constant::Int(0), expr.at);
  const uint8_t predicate = emitter_.AllocatePredicate();
  emitter_.Emit({.op = Opcode::kSet,
                 .type = Type::kU8,
                 .mod = static_cast<uint8_t>(Condition::kNe),
                 .d = predicate,
                 .a = value.reg,
                 .b = zero.reg},
                At(expr.at));
  Free(value);
  Free(zero);
  return predicate;
}

uint8_t Lowerer::LowerLogicPredicate(const Expr& expr) {
  const Opcode op = IsOr(expr) ? Opcode::kPor : Opcode::kPand;
  const uint8_t all = LowerPredicate(*expr.operands[0]);
  for (size_t i = 1; i < expr.operands.size(); ++i) {
    const uint8_t one = LowerPredicate(*expr.operands[i]);
    emitter_.Emit({.op = op, .d = all, .a = all, .b = one}, At(expr.at));
    emitter_.FreePredicate(one);
  }
  return all;
}

}  // namespace hologram::frontend
