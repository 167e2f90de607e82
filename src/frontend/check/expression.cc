#include <algorithm>

#include "frontend/check/checker.h"
#include "frontend/fold.h"

namespace hologram::frontend {

using isa::Type;

namespace {

// What to write for an integer to a power that is not known: `2 ** k`, `(-1) ** k`, `a ** k`.
std::string WithoutPower(const Expr& base, const Expr& power) {
  const bool known = base.kind == ExprKind::kLiteral && base.constant.is_int();
  std::string count = ToSource(power);
  if (count.find(' ') != std::string::npos) count = "(" + count + ")";
  if (known && base.constant.integer == 2) return "1 << " + count;
  if (known && base.constant.integer == -1) return "(-1 if " + count + " & 1 else 1)";
  return "f32(x) ** y";
}

std::string Literal(const Expr& expr) {
  return "literal " + ToString(expr.constant);
}

}  // namespace

void Checker::Check(ExprPtr& expr) {
  switch (expr->kind) {
    case ExprKind::kLiteral:
      if (expr->type.is_number()) return;
      expr->type = expr->constant.is_bool()  ? ValueType::Bool()
                   : expr->constant.is_int() ? ValueType::SoftInt()
                                             : ValueType::SoftFloat();
      return;
    case ExprKind::kVar:
      return CheckVar(expr);
    case ExprKind::kBinary:
      return CheckBinary(expr);
    case ExprKind::kCompareChain:
      for (ExprPtr& operand : expr->operands) Check(operand);
      return CheckComparisons(*expr);
    case ExprKind::kAnd:
    case ExprKind::kOr:
      return CheckLogic(expr, false);
    case ExprKind::kUnary:
      return CheckUnary(expr);
    case ExprKind::kIfExpr:
      return CheckIfExpr(*expr);
    case ExprKind::kIndex:
      CheckIndex(*expr, true, false);
      return ReadBool(expr);
    case ExprKind::kShape:
      return CheckShape(expr);
    case ExprKind::kCall:
      return CheckCall(expr);
    case ExprKind::kTuple:
      return Error(expr->at, "a tuple is not a value here; write one value");
    case ExprKind::kConvert:
    case ExprKind::kOldElement:
    case ExprKind::kInline:
      return;  // made with their types
  }
}

void Checker::Replace(ExprPtr& expr, Constant constant) {
  expr = MakeLiteral(constant, expr->at);
  Check(expr);
}

// ---- Names

void Checker::CheckVar(ExprPtr& expr) {
  const std::string& name = expr->name;
  const int found = symbols().Find(name);
  if (found >= 0) {
    Symbol& symbol = symbols().at(found);
    if (symbol.is_array()) {
      if (refused_arrays_.contains(name)) return;
      return Error(expr->at, "'" + name + "' is an array; write an element, " + name + "[i]");
    }
    symbol.read = true;
    expr->symbol = found;
    expr->type = symbol.type;
    if (symbol.kind == Symbol::Kind::kScalar) ReadBool(expr);
    return;
  }
  if (refused_arrays_.contains(name)) return;
  if (assigned_names_.contains(name)) {
    return Error(expr->at, "local '" + name + "' is read before it is assigned");
  }
  if (const KnownLiteral* literal = symbols().FindLiteral(name)) {
    expr = MakeLiteral(literal->value, expr->at);
    expr->type = literal->type;
    expr->by_default = literal->by_default;
    return;
  }
  if (const Constant* constant = symbols().FindConstant(name)) return Replace(expr, *constant);
  if (FindBuiltin(name) != nullptr) {
    return Error(expr->at, "'" + name + "' is a function; call it, " + name + "(...)");
  }
  Error(expr->at, "undefined name '" + name + "'" + symbols().Suggestion(name));
}

// Memory that others fill holds any u8, a bool is 0 or 1.
void Checker::ReadBool(ExprPtr& expr) {
  if (!expr->type.is_bool()) return;
  expr->type = ValueType::Number(Type::kU8);
  CompareWithZero(expr, expr->at);
}

void Checker::CheckIndex(Expr& expr, bool read, bool write) {
  if (expr.text.empty()) expr.text = ToSource(expr);
  for (ExprPtr& index : expr.operands) Check(index);
  const int found = symbols().Find(expr.name);
  if (found < 0 && refused_arrays_.contains(expr.name)) {
    // its declaration has the error
  } else if (found < 0) {
    const bool later = assigned_names_.contains(expr.name);
    Error(expr.at, later ? "'" + expr.name + "' is not an array here"
                         : "undefined name '" + expr.name + "'" + symbols().Suggestion(expr.name));
  } else if (!symbols().at(found).is_array()) {
    Error(expr.at, "'" + expr.name + "' is a scalar and has no elements; write " + expr.name);
  } else {
    Symbol& array = symbols().at(found);
    array.read |= read;
    array.written |= write;
    expr.symbol = found;
    expr.type = array.type;
  }
  bool good = found >= 0 && symbols().at(found).is_array();
  for (const ExprPtr& operand : expr.operands) good &= CheckOneIndex(*operand);
  if (!good) return;
  FlattenIndex(expr, found);
  ExprPtr& index = expr.operands[0];
  if (!index->type.is_soft()) return;
  if (index->kind != ExprKind::kLiteral) return Harden(index);
  Convert(index, Fits(index->constant, Type::kU32) ? Type::kU32 : Type::kU64);
}

// ---- Conversions

void Checker::Convert(ExprPtr& expr, Type type) {
  if (expr->type.is_error()) return;
  if (expr->kind == ExprKind::kLiteral && expr->type.is_soft()) {
    if (!Fits(expr->constant, type)) {
      const bool sign = expr->constant.is_int() && expr->constant.integer < 0 && IsUnsigned(type);
      Error(expr->at, Literal(*expr) + " does not fit " + std::string(isa::NameOf(type)) +
                          (sign ? "; cast what stands beside it, as in i64(...)" : ""));
      expr->type = ValueType();
      return;
    }
    expr->type = ValueType::Number(type);
    expr->by_default = document_.exact_literals && type == Type::kF32;
    return;
  }
  if (expr->type.is_soft()) {  // if_expr, select: operands 1 and 2
    Convert(expr->operands[1], type);
    Convert(expr->operands[2], type);
    expr->type = ValueType::Number(type);
    return NoteDefault(*expr, 1);
  }
  if (expr->type.number == type) return;
  if (expr->by_default && type == Type::kF64) return Widen(expr);
  auto convert = std::make_unique<Expr>();
  convert->kind = ExprKind::kConvert;
  convert->at = expr->at;
  convert->type = ValueType::Number(type);
  convert->by_default = document_.exact_literals && type == Type::kF32 && expr->type.is_integer();
  convert->operands.push_back(std::move(expr));
  expr = std::move(convert);
}

void Checker::Widen(ExprPtr& expr) {
  if (expr->wider != nullptr) {
    ExprPtr wider = std::move(expr->wider);
    expr = std::move(wider);
    return Check(expr);
  }
  expr->type = ValueType::Number(Type::kF64);
  expr->by_default = false;
  for (ExprPtr& operand : expr->operands) {
    if (operand->by_default && operand->type == ValueType::Number(Type::kF32)) Widen(operand);
  }
}

void Checker::NoteDefault(Expr& expr, size_t first) {
  expr.by_default = expr.type == ValueType::Number(Type::kF32);
  for (size_t i = first; i < expr.operands.size(); ++i) {
    // The exponent of a power with a known one keeps its soft type.
    expr.by_default &= expr.operands[i]->by_default || expr.operands[i]->type.is_soft();
  }
}

void Checker::Harden(ExprPtr& expr) {
  if (expr->type.is_soft()) Convert(expr, expr->type.number);
}

bool QuotientOfIntegers(const Expr& expr) {
  if (expr.kind != ExprKind::kBinary || expr.binary != BinaryOp::kDiv) return false;
  bool known = false;
  for (const ExprPtr& operand : expr.operands) {
    const bool converted = operand->kind == ExprKind::kConvert;
    const bool integer = (converted ? operand->operands[0] : operand)->type.is_integer();
    if (!integer && operand->kind != ExprKind::kLiteral) return false;
    known |= integer;
  }
  return known;
}

// `a / b` of two integers, which have been converted for it.
static bool DividesIntegers(const Expr& expr) {
  if (expr.kind != ExprKind::kBinary || expr.binary != BinaryOp::kDiv) return false;
  return std::all_of(expr.operands.begin(), expr.operands.end(), [](const ExprPtr& operand) {
    const bool converted = operand->kind == ExprKind::kConvert;
    return (converted ? operand->operands[0] : operand)->type.is_integer();
  });
}

// The i32 operand, inside of an expression of i64, that made it so beside a u32.
static const Expr* WidensU32(const Expr& expr) {
  if (expr.type != ValueType::Number(Type::kI64)) return nullptr;
  const auto converted = [](const ExprPtr& operand, Type from) {
    return operand->kind == ExprKind::kConvert && !operand->saturates &&
           operand->operands[0]->type == ValueType::Number(from);
  };
  if (expr.kind != ExprKind::kBinary) return nullptr;
  for (const size_t i : {0U, 1U}) {
    const ExprPtr& other = expr.operands[1 - i];
    if (converted(expr.operands[i], Type::kI32) && converted(other, Type::kU32)) {
      return expr.operands[i]->operands[0].get();
    }
  }
  for (const ExprPtr& operand : expr.operands) {
    if (const Expr* found = WidensU32(*operand)) return found;
  }
  return nullptr;
}

void Checker::ConvertSilently(ExprPtr& expr, ValueType type, const std::string& action,
                              const std::string& place, const std::string& other_way) {
  Follow(expr, type);
  const ValueType from = expr->type;
  if (from.is_error() || type.is_error()) return;
  if (from.is_bool() && type.is_bool()) return;
  const std::string message = "cannot " + action + " " + NameOf(from) + " " + place;
  if (type.is_bool()) {
    return Error(expr->at, message + "; write a comparison, as in x != 0");
  }
  const bool soft_fits = from.is_soft() && !(from.is_float() && isa::IsInteger(type.number));
  if (soft_fits || (from.is_number() && frontend::ConvertsSilently(from.number, type.number))) {
    return Convert(expr, type.number);
  }
  const Expr* wide = type == ValueType::Number(Type::kU32) ? WidensU32(*expr) : nullptr;
  if (wide != nullptr) {  // to cast the whole would saturate
    const std::string written = ToSource(*wide);
    return Error(expr->at, message + "; `" + written + "` is i32, write u32(" + written + ")");
  }
  const std::string convert = NameOf(type) + "(...)";
  const bool divides = type.is_integer() && DividesIntegers(*expr);
  const std::string remedy =
      divides ? "`//` to divide integers, or " + convert + " to cut off the fraction" : convert;
  Error(expr->at, message + "; write " + remedy + other_way);
}

bool Checker::RequireNumber(ExprPtr& expr, const std::string& what, ValueType other) {
  if (expr->type.is_error()) return false;
  if (!expr->type.is_bool()) return true;
  const bool typed = !other.is_error() && !other.is_bool();
  Error(expr->at, what + " needs numbers, not bool; write " +
                      std::string(typed ? isa::NameOf(other.register_type()) : "i32") + "(" +
                      ToSource(*expr) + ")");
  return false;
}

bool Checker::Unify(ExprPtr& a, ExprPtr& b, Position at, const std::string& what, Type& type) {
  if (a->type.is_error() || b->type.is_error()) return false;
  if (!RequireNumber(a, what, b->type) || !RequireNumber(b, what, a->type)) return false;
  Follow(a, b->type);
  Follow(b, a->type);
  ValueType common = RuleOf(a->type, b->type).type;
  if (common.is_error() && MeetsU64(*a, *b)) common = ValueType::Number(Type::kU64);
  if (common.is_error()) {
    Error(at, what + " of " + NameOf(a->type) + " and " + NameOf(b->type) +
                  " has no common type; cast one, as in i64(...) or u64(...)");
    return false;
  }
  const bool literal_float = a->type == ValueType::SoftFloat() || b->type == ValueType::SoftFloat();
  const bool integer = (a->type.is_number() && a->type.is_integer()) ||
                       (b->type.is_number() && b->type.is_integer());
  if (!document_.exact_literals && literal_float && integer) common = ValueType::SoftFloat();
  type = common.register_type();
  Convert(a, type);
  Convert(b, type);
  return !a->type.is_error() && !b->type.is_error();
}

// ---- Operators

void Checker::CheckBinary(ExprPtr& expr) {
  ExprPtr& left = expr->operands[0];
  ExprPtr& right = expr->operands[1];
  Check(left);
  Check(right);
  if (left->type.is_error() || right->type.is_error()) return;
  const auto constant = [](const Expr& operand) {
    return operand.kind == ExprKind::kLiteral && !operand.type.is_number();
  };
  if (constant(*left) && constant(*right)) {
    std::string error;
    const auto value = FoldBinary(expr->binary, left->constant, right->constant, error);
    if (value) return Replace(expr, *value);
    return Error(expr->at, error);
  }
  if (!IsComparison(expr->binary)) return CheckOperands(expr);
  expr->chain = {expr->binary};
  CheckComparisons(*expr);
  expr->chain.clear();
}

void Checker::CheckOperands(ExprPtr& expr) {
  const std::string what = "`" + SymbolOf(expr->binary) + "`";
  ExprPtr& left = expr->operands[0];
  ExprPtr& right = expr->operands[1];
  if (CheckBoolOperands(expr)) return;
  CountBool(*expr);
  if (!RequireNumber(left, what, right->type) || !RequireNumber(right, what, left->type)) return;
  const bool divides = expr->binary == BinaryOp::kFloorDiv || expr->binary == BinaryOp::kMod;
  const bool integers = left->type.is_integer() && right->type.is_integer();
  if (divides && integers && right->kind == ExprKind::kLiteral && right->constant.integer == 0) {
    return Error(expr->at, "division by zero");
  }
  if (expr->binary == BinaryOp::kPow && CheckKnownPower(expr)) return;
  if (expr->binary == BinaryOp::kPow && integers) {
    return Error(expr->at, what + " of integers needs a power known at compile time; write " +
                               WithoutPower(*left, *right));
  }
  if (expr->binary == BinaryOp::kMod && RefuseWrappedRemainder(*expr)) return;
  const bool follows = FollowsOthers(*expr);
  Type type = Type::kF32;
  if (KeepsLeftType(*expr)) {
    type = left->type.number;
    ConvertCount(right, type);
  } else if (expr->binary == BinaryOp::kDiv && integers) {
    type = QuotientRuleOf(left->type, right->type).type.register_type();
    for (ExprPtr* operand : {&left, &right}) {
      if ((*operand)->kind == ExprKind::kLiteral && (*operand)->type.is_soft()) {
        (*operand)->constant = Constant::Float((*operand)->constant.AsDouble());
      } else {
        Harden(*operand);
      }
      Convert(*operand, type);
    }
  } else if (!Unify(left, right, expr->at, what, type)) {
    return;
  }
  const bool bits = expr->binary >= BinaryOp::kBitAnd && expr->binary <= BinaryOp::kShr;
  if (bits && isa::IsFloat(type)) {
    return Error(expr->at, what + " needs integers, not " + std::string(isa::NameOf(type)));
  }
  expr->type = ValueType::Number(type);
  expr->follows = follows;
  NoteDefault(*expr);
  if (expr->binary == BinaryOp::kShl || expr->binary == BinaryOp::kShr) CheckShiftCount(*expr);
}

// `count + (x > 0)`: beside a number with a type, or an integer, a bool is the 0 or 1 of that type.
void Checker::CountBool(Expr& expr) {
  const BinaryOp op = expr.binary;
  if (op != BinaryOp::kAdd && op != BinaryOp::kSub && op != BinaryOp::kMul) return;
  const bool left = expr.operands[0]->type.is_bool();
  ExprPtr& counted = expr.operands[left ? 0 : 1];
  const ValueType other = expr.operands[left ? 1 : 0]->type;
  if (!counted->type.is_bool() || other.is_bool() || other == ValueType::SoftFloat()) return;
  CastTo(counted, isa::NameOf(other.register_type()));
  // No cast that the kernel states, and 0 and 1 are the same in f64.
  counted->saturates = false;
  counted->by_default = expr.operands[left ? 1 : 0]->by_default;
}

// The same as a call of the type, or of bitcast to it, for an operand that has been checked.
void Checker::CastTo(ExprPtr& operand, std::string_view type) {
  auto cast = std::make_unique<Expr>();
  cast->kind = ExprKind::kCall;
  cast->name = std::string(type);
  cast->at = operand->at;
  cast->operands.push_back(std::move(operand));
  operand = std::move(cast);
  CheckCast(operand, *FindBuiltin(type));
}

// `&`, `|` and `^` of bools are bools; unlike `and` and `or` they evaluate both.
bool Checker::CheckBoolOperands(ExprPtr& expr) {
  const BinaryOp op = expr->binary;
  if (op != BinaryOp::kBitAnd && op != BinaryOp::kBitOr && op != BinaryOp::kBitXor) return false;
  if (!expr->operands[0]->type.is_bool() || !expr->operands[1]->type.is_bool()) return false;
  expr->type = ValueType::Bool();
  if (op == BinaryOp::kBitXor) expr->binary = BinaryOp::kNe;
  return true;
}

// Products for integers, and for floats as long as their roundings are few; beyond that POW is the
// more exact.
bool Checker::CheckKnownPower(ExprPtr& expr) {
  constexpr int kMostOfFloats = 16;
  constexpr int kMostOfIntegers = 255;
  ExprPtr& base = expr->operands[0];
  const Expr& exponent = *expr->operands[1];
  if (exponent.kind != ExprKind::kLiteral || !exponent.constant.is_int()) return false;
  if (!base->type.is_number()) return false;
  const __int128 n = exponent.constant.integer;
  if (base->type.is_float()) {
    if (n < -kMostOfFloats || n > kMostOfFloats) return false;
  } else if (n < 0) {
    Error(exponent.at, "an integer to a negative power is no integer; write f32(" +
                           ToSource(*base) + ") ** " + ToString(exponent.constant));
    return true;
  } else if (n > kMostOfIntegers) {
    Error(exponent.at, "an integer to a power above " + std::to_string(kMostOfIntegers) +
                           "; write f64(" + ToSource(*base) + ") ** " +
                           ToString(exponent.constant));
    return true;
  }
  const ValueType type = base->type;
  const bool by_default = base->by_default;
  if (n == 0) {  // also for a NaN, as POW
    expr = MakeLiteral(type.is_float() ? Constant::Float(1) : Constant::Int(1), expr->at);
  } else if (n == 1) {
    ExprPtr inner = std::move(base);
    expr = std::move(inner);
  } else {
    expr->operands[1] = MakeLiteral(exponent.constant, exponent.at);
    expr->operands[1]->type = ValueType::SoftInt();  // tells the lowering to multiply
  }
  expr->type = type;
  expr->by_default = by_default;
  return true;
}

void Checker::CheckShiftCount(Expr& expr) {
  const Expr& count = *expr.operands[1];
  if (count.kind != ExprKind::kLiteral) return;
  const uint32_t bits = isa::BitsOf(expr.type.number);
  if (count.constant.integer >= 0 && count.constant.integer < bits) return;
  Error(count.at, "the shift count " + ToString(count.constant) + " is not 0 to " +
                      std::to_string(bits - 1) + ", the bits of " + NameOf(expr.type));
}

// Each operand of a chain may be promoted with either neighbour; one that two neighbours give
// different types keeps the wider of both, which compares the same.
void Checker::CheckComparisons(Expr& expr) {
  expr.type = ValueType::Bool();
  for (size_t i = 0; i < expr.chain.size(); ++i) {
    CheckPair(expr.chain[i], expr.operands[i], expr.operands[i + 1], expr.at);
  }
  // A later pair may have widened an operand that an earlier pair shares.
  for (size_t i = expr.chain.size(); i-- > 0;) {
    CheckPair(expr.chain[i], expr.operands[i], expr.operands[i + 1], expr.at);
  }
}

void Checker::CheckPair(BinaryOp op, ExprPtr& left, ExprPtr& right, Position at) {
  if (left->type.is_error() || right->type.is_error()) return;
  const bool equality = op == BinaryOp::kEq || op == BinaryOp::kNe;
  if (equality && left->type.is_bool() && right->type.is_bool()) return;
  if (RefuseWrappedComparison(op, *left, *right)) {
    left->type = right->type = ValueType();
    return;
  }
  if (left->type.is_soft() && right->type.is_soft()) {
    const bool floats = left->type.is_float() || right->type.is_float();
    Convert(left, floats ? Type::kF32 : Type::kI32);
    Convert(right, floats ? Type::kF32 : Type::kI32);
    return;
  }
  Type type = Type::kI32;
  if (!Unify(left, right, at, "`" + SymbolOf(op) + "`", type)) {
    left->type = right->type = ValueType();
  }
}

void Checker::CheckLogic(ExprPtr& expr, bool is_condition) {
  const std::string word = expr->kind == ExprKind::kAnd ? "`and`" : "`or`";
  expr->type = ValueType::Bool();
  const size_t known = least_.size();
  for (ExprPtr& operand : expr->operands) {
    if (is_condition) {
      CheckTruth(operand, word + " needs");
    } else {
      Check(operand);
    }
    Learn(*operand, expr->kind == ExprKind::kAnd);  // for those behind it
    if (is_condition || operand->type.is_error() || operand->type.is_bool()) continue;
    Error(operand->at, "the value of " + word + " needs bools, not " + NameOf(operand->type) +
                           "; write a comparison, as in " + ToSource(*operand) + " != 0");
  }
  least_.resize(known);
}

void Checker::CheckNot(ExprPtr& expr) {
  ExprPtr& operand = expr->operands[0];
  if (expr->unary == UnaryOp::kNot) CheckTruth(operand, "`not` needs");
  expr->unary = UnaryOp::kNot;
  expr->type = ValueType::Bool();
  if (operand->type.is_bool() && operand->kind == ExprKind::kLiteral) {
    Replace(expr, Constant::Bool(operand->constant.integer == 0));
  }
}

void Checker::CheckUnary(ExprPtr& expr) {
  if (expr->unary == UnaryOp::kNot) return CheckNot(expr);
  ExprPtr& operand = expr->operands[0];
  Check(operand);
  if (operand->type.is_error()) return;
  if (expr->unary == UnaryOp::kInvert && operand->type.is_bool()) return CheckNot(expr);
  if (operand->kind == ExprKind::kLiteral && !operand->type.is_number()) {
    std::string error;
    const auto value = FoldUnary(expr->unary, operand->constant, error);
    if (value) return Replace(expr, *value);
    return Error(expr->at, error);
  }
  constexpr const char* kSigns[] = {"`-`", "`+`", "", "`~`"};
  const std::string what = kSigns[static_cast<uint8_t>(expr->unary)];
  if (!RequireNumber(operand, what)) return;
  Harden(operand);
  if (expr->unary == UnaryOp::kInvert && !operand->type.is_integer()) {
    return Error(expr->at, "`~` needs an integer, not " + NameOf(operand->type));
  }
  expr->type = operand->type;
  expr->follows = operand->follows;
  NoteDefault(*expr);
  if (expr->unary == UnaryOp::kPos) {
    ExprPtr inner = std::move(operand);
    expr = std::move(inner);
  }
}

void Checker::CheckIfExpr(Expr& expr) {
  CheckCondition(expr.operands[0]);
  ExprPtr& taken = expr.operands[1];
  ExprPtr& other = expr.operands[2];
  const size_t known = least_.size();
  Learn(*expr.operands[0], true);
  Check(taken);
  least_.resize(known);
  Learn(*expr.operands[0], false);
  Check(other);
  least_.resize(known);
  if (taken->type.is_error() || other->type.is_error()) return;
  if (taken->type.is_bool() && other->type.is_bool()) {
    expr.type = ValueType::Bool();
    return;
  }
  if (taken->type.is_bool() || other->type.is_bool()) {
    return Error(expr.at, "the two values of a conditional expression are " + NameOf(taken->type) +
                              " and " + NameOf(other->type) + "; cast one");
  }
  if (taken->type.is_soft() && other->type.is_soft()) {
    const bool floats = taken->type.is_float() || other->type.is_float();
    expr.type = floats ? ValueType::SoftFloat() : ValueType::SoftInt();
    return;
  }
  Type type = Type::kI32;
  if (Unify(taken, other, expr.at, "a conditional expression", type)) {
    expr.type = ValueType::Number(type);
    NoteDefault(expr, 1);
  }
}

}  // namespace hologram::frontend
