// What conditions around an expression say of unsigned locals: how large they are at least. In
// `if i > 0:` the difference `i - 1` does not wrap, so `(i - 1) % n` is the remainder that is
// meant. A fact goes when its local is assigned, and where a loop assigns it.
// python/hologram/simulator/ guards.py knows the same.
#include <algorithm>
#include <utility>

#include "frontend/check/checker.h"

namespace hologram::frontend {

namespace {

bool IsInteger(const Expr& expr) {
  return expr.kind == ExprKind::kLiteral && expr.constant.is_int();
}

// The unsigned local or scalar that an expression is, also widened; -1 if it is none.
int UnsignedNamed(const Expr& expr) {
  const Expr* inner = &expr;
  while (inner->kind == ExprKind::kConvert && !inner->saturates) inner = inner->operands[0].get();
  const bool named = inner->kind == ExprKind::kVar && inner->type.is_number();
  return named && isa::IsUnsigned(inner->type.number) ? inner->symbol : -1;
}

// `a op b` if it does not hold, and `b op a`.
BinaryOp Negated(BinaryOp op) {
  switch (op) {
    case BinaryOp::kLt:
      return BinaryOp::kGe;
    case BinaryOp::kLe:
      return BinaryOp::kGt;
    case BinaryOp::kGt:
      return BinaryOp::kLe;
    case BinaryOp::kGe:
      return BinaryOp::kLt;
    case BinaryOp::kEq:
      return BinaryOp::kNe;
    default:
      return BinaryOp::kEq;
  }
}
BinaryOp Turned(BinaryOp op) {
  switch (op) {
    case BinaryOp::kLt:
      return BinaryOp::kGt;
    case BinaryOp::kLe:
      return BinaryOp::kGe;
    case BinaryOp::kGt:
      return BinaryOp::kLt;
    case BinaryOp::kGe:
      return BinaryOp::kLe;
    default:
      return op;
  }
}

bool Leaves(const std::vector<Stmt>& body) {
  if (body.empty()) return false;
  const StmtKind last = body.back().kind;
  return last == StmtKind::kReturn || last == StmtKind::kBreak || last == StmtKind::kContinue;
}

}  // namespace

void Checker::LearnPair(BinaryOp op, const Expr& left, const Expr& right) {
  const bool turned = IsInteger(left);
  const Expr& bound = turned ? left : right;
  const int symbol = UnsignedNamed(turned ? right : left);
  if (symbol < 0 || !IsInteger(bound)) return;
  const __int128 value = bound.constant.integer;
  const BinaryOp known = turned ? Turned(op) : op;
  if (known == BinaryOp::kGt) least_.push_back({symbol, value + 1});
  if (known == BinaryOp::kGe || known == BinaryOp::kEq) least_.push_back({symbol, value});
  if (known == BinaryOp::kNe && value == 0) least_.push_back({symbol, 1});
}

// REQUIRES: a checked condition.
void Checker::Learn(const Expr& condition, bool holds) {
  if (condition.kind == (holds ? ExprKind::kAnd : ExprKind::kOr)) {
    for (const ExprPtr& operand : condition.operands) Learn(*operand, holds);
  } else if (condition.kind == ExprKind::kUnary && condition.unary == UnaryOp::kNot) {
    Learn(*condition.operands[0], !holds);
  } else if (condition.kind == ExprKind::kCompareChain && holds) {
    for (size_t i = 0; i < condition.chain.size(); ++i) {
      LearnPair(condition.chain[i], *condition.operands[i], *condition.operands[i + 1]);
    }
  } else if (condition.kind == ExprKind::kBinary && IsComparison(condition.binary)) {
    LearnPair(holds ? condition.binary : Negated(condition.binary), *condition.operands[0],
              *condition.operands[1]);
  }
}

// `for j in range(1, n)`, which counts up.
void Checker::LearnCounter(const Stmt& loop) {
  if (loop.symbol < 0 || !IsInteger(*loop.start) || !IsInteger(*loop.step)) return;
  if (loop.step->constant.integer > 0 && symbols().at(loop.symbol).type.is_number()) {
    least_.push_back({loop.symbol, loop.start->constant.integer});
  }
}

void Checker::Forget(int symbol) {
  for (Least& known : least_) {
    if (known.symbol == symbol) known.value = 0;
  }
}

void Checker::ForgetAssigned(const std::vector<Stmt>& body) {
  if (least_.empty()) return;
  std::unordered_set<std::string> names;
  CollectAssigned(body, names);
  for (const std::string& name : names) Forget(symbols().Find(name));
}

bool Checker::IsAtLeast(const Expr& expr, __int128 value) const {
  const int symbol = UnsignedNamed(expr);
  return symbol >= 0 && std::any_of(least_.begin(), least_.end(), [&](const Least& known) {
           return known.symbol == symbol && known.value >= value;
         });
}

void Checker::CheckUnder(const Expr& condition, bool holds, std::vector<Stmt>& body) {
  const size_t outer = least_.size();
  Learn(condition, holds);
  CheckBody(body);
  least_.resize(outer);
}

// A helper knows nothing of the conditions around its calls.
void Checker::CheckBodyOfHelper(std::vector<Stmt>& body) {
  const std::vector<Least> outer = std::exchange(least_, {});
  CheckBody(body);
  least_ = outer;
}

void Checker::CheckIf(Stmt& stmt) {
  CheckCondition(stmt.condition);
  CheckUnder(*stmt.condition, true, stmt.body);
  CheckUnder(*stmt.condition, false, stmt.else_body);
  if (Leaves(stmt.body)) Learn(*stmt.condition, false);
  if (Leaves(stmt.else_body)) Learn(*stmt.condition, true);
}

}  // namespace hologram::frontend
