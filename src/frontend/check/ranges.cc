// Ranges of loops: those that end below 0 in an unsigned type, `range(n - 1, -1, -1)`, those that
// are taken from their end, `reversed(range(a, b))`, and what is known of a counter.
//
// The first two count one more than the body sees, so that they stop at 0: `for t in range(n, 0,
// -1)` with `i = t - 1`. Every number that the range has in Python is in it, also where `n - 1` or
// the end is no number of the type.
#include <algorithm>

#include "frontend/check/checker.h"

namespace hologram::frontend {

using isa::Type;

namespace {

bool IsKnown(const Expr& expr, __int128 value) {
  return expr.kind == ExprKind::kLiteral && expr.constant.is_int() &&
         expr.constant.integer == value;
}

ExprPtr Typed(__int128 value, ValueType type, Position at) {
  ExprPtr literal = MakeLiteral(Constant::Int(value), at);
  literal->type = type;
  return literal;
}

ExprPtr Operation(BinaryOp op, ExprPtr left, __int128 right) {
  if (right == 0) return left;
  auto expr = std::make_unique<Expr>();
  expr->kind = ExprKind::kBinary;
  expr->binary = op;
  expr->at = left->at;
  expr->type = left->type;
  ExprPtr literal = Typed(right, left->type, left->at);
  expr->operands.push_back(std::move(left));
  expr->operands.push_back(std::move(literal));
  return expr;
}

ExprPtr CallOf(std::string_view name, ExprPtr argument) {
  auto call = std::make_unique<Expr>();
  call->kind = ExprKind::kCall;
  call->at = argument->at;
  call->name = name;
  call->operands.push_back(std::move(argument));
  return call;
}

ExprPtr Variable(const std::string& name, Position at) {
  auto variable = std::make_unique<Expr>();
  variable->kind = ExprKind::kVar;
  variable->at = at;
  variable->name = name;
  return variable;
}

bool IsLiteral(const Expr& expr) {
  return expr.kind == ExprKind::kLiteral && expr.constant.is_int();
}

}  // namespace

// ---- Downwards

// Turns the loop into one that counts down as it is written here, if it does so in another way. The
// bounds are checked.
void Checker::CheckDirection(Stmt& stmt) {
  for (const ExprPtr* bound : {&stmt.start, &stmt.stop, &stmt.step}) {
    if ((*bound)->type.is_error()) return;
  }
  if (stmt.reversed) return TakeFromEnd(stmt);
  const bool is_unsigned = stmt.start->type.is_number() && isa::IsUnsigned(stmt.start->type.number);
  const bool down = IsLiteral(*stmt.step) && stmt.step->constant.integer < 0;
  if (is_unsigned && down && IsKnown(*stmt.stop, -1)) CountBelowZero(stmt);
}

void Checker::TakeFromEnd(Stmt& stmt) {
  stmt.reversed = false;
  if (!IsKnown(*stmt.step, 1)) {
    Error(stmt.step->at, "reversed takes a range whose step is 1; count down with a negative step");
    stmt.step->type = ValueType();
    return;
  }
  Type type = Type::kI32;
  if (stmt.start->type.is_soft() && stmt.stop->type.is_soft()) {
    const int found = symbols().Find(stmt.name);
    const bool known = found >= 0 && symbols().at(found).type.is_integer();
    if (known) type = symbols().at(found).type.number;
    Convert(stmt.start, type);
    Convert(stmt.stop, type);
  } else if (!Unify(stmt.start, stmt.stop, stmt.start->at, "range", type)) {
    stmt.step->type = ValueType();
    return;
  }
  if (stmt.start->type.is_error() || stmt.stop->type.is_error()) return;
  ExprPtr from = std::move(stmt.stop);
  ExprPtr last = std::move(stmt.start);
  stmt.step->constant = Constant::Int(-1);
  CountOneMore(stmt, std::move(from), std::move(last), type);
}

void Checker::CountBelowZero(Stmt& stmt) {
  ExprPtr start = std::move(stmt.start);
  const Type type = start->type.number;
  const bool subtracts = start->kind == ExprKind::kBinary && start->binary == BinaryOp::kSub &&
                         IsLiteral(*start->operands[1]) && start->operands[1]->constant.integer > 0;
  // n - c begins at n - (c - 1), and is empty where that is not above 0; c is 1 mostly.
  const __int128 less = subtracts ? start->operands[1]->constant.integer - 1 : -1;
  if (subtracts) {
    ExprPtr size = std::move(start->operands[0]);
    start = std::move(size);
  }
  const Type wide = isa::SizeOf(type) < 8 ? Type::kI64 : type;
  if (less != 0) Convert(start, wide);
  if (less > 0 && wide == type) {  // no type is larger: the subtraction stops at 0
    ExprPtr most = CallOf("max", std::move(start));
    most->operands.push_back(Typed(less, ValueType::Number(type), most->at));
    Check(most);
    start = std::move(most);
  }
  start = less < 0 ? Operation(BinaryOp::kAdd, std::move(start), 1)
                   : Operation(BinaryOp::kSub, std::move(start), less);
  ExprPtr last = Typed(0, start->type, stmt.at);
  CountOneMore(stmt, std::move(start), std::move(last), type);
}

// Counts t from `from` down, while it is above `last`; the loop's own counter is t - 1 in `type`.
void Checker::CountOneMore(Stmt& stmt, ExprPtr from, ExprPtr last, Type type) {
  // A name that no source can have, and no other loop, which may count in another type.
  const std::string counter = stmt.name + " and one more, " + std::to_string(symbols().size());
  ExprPtr one_more = Variable(counter, stmt.at);
  one_more->type = from->type;
  ExprPtr value = Operation(BinaryOp::kSub, std::move(one_more), 1);
  Stmt assign;
  assign.kind = StmtKind::kAssign;
  assign.at = stmt.at;
  assign.path = stmt.path;
  assign.target = Variable(stmt.name, stmt.at);
  assign.value = from->type == ValueType::Number(type)
                     ? std::move(value)
                     : CallOf(isa::NameOf(type), std::move(value));
  stmt.name = counter;
  stmt.start = std::move(from);
  stmt.stop = std::move(last);
  stmt.body.insert(stmt.body.begin(), std::move(assign));
}

// ---- Counters

namespace {

struct CounterUses {
  std::unordered_set<std::string> counters;
  std::unordered_set<std::string> others;  // assigned, or read outside of a loop that counts in it
  std::vector<std::string> around;         // the counters of the loops around

  bool IsAround(const std::string& name) const {
    return std::find(around.begin(), around.end(), name) != around.end();
  }

  void Add(const Expr& expr) {
    if (expr.kind == ExprKind::kVar && !IsAround(expr.name)) others.insert(expr.name);
    for (const ExprPtr& operand : expr.operands) Add(*operand);
    for (const Keyword& keyword : expr.keywords) Add(*keyword.value);
  }

  void AddTarget(const Expr& target) {
    if (target.kind == ExprKind::kVar) {
      others.insert(target.name);
    } else if (target.kind == ExprKind::kTuple) {
      for (const ExprPtr& part : target.operands) AddTarget(*part);
    } else {
      Add(target);
    }
  }

  void Add(const std::vector<Stmt>& body) {
    for (const Stmt& stmt : body) {
      if (stmt.target != nullptr) AddTarget(*stmt.target);
      for (const ExprPtr* expr :
           {&stmt.value, &stmt.condition, &stmt.start, &stmt.stop, &stmt.step}) {
        if (*expr != nullptr) Add(**expr);
      }
      const bool counts = stmt.kind == StmtKind::kFor;
      if (counts) {
        (IsAround(stmt.name) ? others : counters).insert(stmt.name);
        around.push_back(stmt.name);
      }
      Add(stmt.body);
      if (counts) around.pop_back();
      Add(stmt.else_body);
    }
  }
};

}  // namespace

std::unordered_set<std::string> OnlyCounters(const std::vector<Stmt>& body) {
  CounterUses uses;
  uses.Add(body);
  for (const std::string& name : uses.others) uses.counters.erase(name);
  return std::move(uses.counters);
}

bool Checker::OnlyCounts(const std::string& name) const {
  return calls_.empty() ? only_counters_.contains(name)
                        : OnlyCounters(calls_.back().helper->body).contains(name);
}

void Checker::EnterCounter(const Stmt& stmt) {
  KnownCounter known{stmt.symbol, 0, -1};  // nothing
  std::unordered_set<std::string> assigned;
  CollectAssigned(stmt.body, assigned);
  const bool literals = IsLiteral(*stmt.start) && IsLiteral(*stmt.stop) && IsLiteral(*stmt.step);
  if (literals && !assigned.contains(stmt.name)) {
    const __int128 start = stmt.start->constant.integer;
    const __int128 stop = stmt.stop->constant.integer;
    const bool up = stmt.step->constant.integer > 0;
    known.least = up ? start : stop + 1;
    known.most = up ? stop - 1 : start;
  }
  counters_.push_back(known);
}

// The least and the largest value of an integer expression of counters and literals.
std::optional<Checker::KnownCounter> Checker::KnownValues(const Expr& expr) const {
  KnownCounter known;
  if (IsLiteral(expr)) return KnownCounter{-1, expr.constant.integer, expr.constant.integer};
  if (expr.kind == ExprKind::kVar) {
    for (auto it = counters_.rbegin(); it != counters_.rend(); ++it) {
      if (it->symbol == expr.symbol && it->least <= it->most) return *it;
      if (it->symbol == expr.symbol) return std::nullopt;
    }
    return std::nullopt;
  }
  const bool widens = expr.kind == ExprKind::kConvert && !expr.saturates;
  if (widens && expr.operands[0]->type.is_integer()) return KnownValues(*expr.operands[0]);
  if (expr.kind != ExprKind::kBinary || !expr.type.is_number()) return std::nullopt;
  const std::optional<KnownCounter> a = KnownValues(*expr.operands[0]);
  const std::optional<KnownCounter> b = a ? KnownValues(*expr.operands[1]) : std::nullopt;
  if (!b) return std::nullopt;
  switch (expr.binary) {
    case BinaryOp::kAdd:
      known = {-1, a->least + b->least, a->most + b->most};
      break;
    case BinaryOp::kSub:
      known = {-1, a->least - b->most, a->most - b->least};
      break;
    case BinaryOp::kMul: {
      // Values of at most 64 bits each: no product leaves 128.
      const auto products = {a->least * b->least, a->least * b->most, a->most * b->least,
                             a->most * b->most};
      known = {-1, std::min(products), std::max(products)};
      break;
    }
    default:
      return std::nullopt;
  }
  const Type type = expr.type.number;
  if (known.least < isa::MinOf(type) || known.most > isa::MaxOf(type)) return std::nullopt;
  return known;
}

// u64 beside a signed number that is known not to be below 0.
bool Checker::MeetsU64(const Expr& a, const Expr& b) const {
  const auto is_u64 = [](const Expr& expr) { return expr.type == ValueType::Number(Type::kU64); };
  if (is_u64(a) == is_u64(b)) return false;
  const Expr& other = is_u64(a) ? b : a;
  if (!other.type.is_number() || !other.type.is_integer()) return false;
  const std::optional<KnownCounter> known = KnownValues(other);
  return known && known->least >= 0;
}

}  // namespace hologram::frontend
