#include <algorithm>

#include "frontend/check/checker.h"
#include "isa/value_format.h"

namespace hologram::frontend {

using isa::Type;

namespace {

std::string ArrayPlace(const Symbol& array) {
  return "in " + array.name + ", an array of " + NameOf(array.type);
}

// The type of what is added to a local in `s + x`, where it is another integer: s was begun with 0.
std::optional<Type> AddedInteger(const Expr& value, int local) {
  if (value.kind != ExprKind::kBinary) return std::nullopt;
  bool has_local = false;
  std::optional<Type> other;
  for (const ExprPtr& operand : value.operands) {
    const Expr* inner = operand.get();
    if (inner->kind == ExprKind::kConvert) inner = inner->operands[0].get();
    const bool is_local = inner->kind == ExprKind::kVar && inner->symbol == local;
    has_local |= is_local;
    if (!is_local && inner->type.is_number() && inner->type.is_integer())
      other = inner->type.number;
  }
  return has_local ? other : std::nullopt;
}

}  // namespace

void CollectAssigned(const std::vector<Stmt>& body, std::unordered_set<std::string>& names) {
  const auto add = [&names](const Expr& target) {
    if (target.kind == ExprKind::kVar) names.insert(target.name);
  };
  for (const Stmt& stmt : body) {
    if (stmt.kind == StmtKind::kFor) names.insert(stmt.name);
    if (stmt.target != nullptr) {
      add(*stmt.target);
      if (stmt.kind == StmtKind::kUnpack) {
        for (const ExprPtr& part : stmt.target->operands) add(*part);
      }
    }
    CollectAssigned(stmt.body, names);
    CollectAssigned(stmt.else_body, names);
  }
}

CheckedKernel Checker::Run() {
  CollectAssigned(kernel_.body, assigned_names_);
  only_counters_ = OnlyCounters(kernel_.body);
  CheckParameters();
  CheckBody(kernel_.body);
  CheckUniqueIsRead();
  const size_t parameters = kernel_.parameters.size() + checked_.shape_parameters.size();
  if (kernel_.parameters.size() <= isa::kMaxParameters && parameters > isa::kMaxParameters) {
    Error(kernel_.at, "kernel has " + std::to_string(parameters) +
                          " parameters with the extents and strides that it uses, the limit is " +
                          std::to_string(isa::kMaxParameters));
  }
  return std::move(checked_);
}

void Checker::Error(Position at, std::string message) {
  std::string where;
  if (!calls_.empty() && calls_.back().at.line != 0) {
    where = "; in `" + calls_.back().helper->name + "`, called on line " +
            std::to_string(calls_.back().at.line);
  }
  reporter_.Error(at, std::move(message), where);
}

void Checker::CheckParameters() {
  __int128 lanes = 1;
  for (const int64_t size : kernel_.block) lanes *= size;
  if (lanes > isa::kMaxLanesPerBlock) {
    const auto& [x, y, z] = kernel_.block;
    const bool flat = y == 1 && z == 1;
    const std::string sizes =
        std::to_string(x) + ", " + std::to_string(y) + (z == 1 ? "" : ", " + std::to_string(z));
    Error(kernel_.at, "block=" + (flat ? std::to_string(x) : "(" + sizes + ")") +
                          " is too large; a block has at most " +
                          std::to_string(isa::kMaxLanesPerBlock) + " lanes");
  }
  if (kernel_.parameters.size() > isa::kMaxParameters) {
    Error(kernel_.at, "kernel has " + std::to_string(kernel_.parameters.size()) +
                          " parameters, the limit is " + std::to_string(isa::kMaxParameters));
    return;  // each is compared with those before it
  }
  for (size_t i = 0; i < kernel_.parameters.size(); ++i) {
    const KernelParameter& parameter = kernel_.parameters[i];
    Symbol symbol;
    symbol.name = parameter.name;
    symbol.kind = parameter.is_array ? Symbol::Kind::kArray : Symbol::Kind::kScalar;
    symbol.number = static_cast<uint32_t>(i);
    symbol.rank = parameter.rank;
    symbol.line = parameter.at.line;
    if (symbols().Find(parameter.name) >= 0) {
      Error(parameter.at, "parameter '" + parameter.name + "' is there twice; rename one");
      continue;
    }
    if (symbols().FindLiteral(parameter.name) != nullptr) {
      Error(parameter.at, "parameter '" + parameter.name + "' is there twice; rename one");
      continue;
    }
    const std::optional<Type> type = symbols().FindType(parameter.type);
    if (parameter.type == "bool") {
      symbol.type = ValueType::Bool();
    } else if (!type) {
      Error(parameter.at, "parameter '" + parameter.name + "' has type " + parameter.type +
                              ", which is not a type of the language");
    } else {
      symbol.type = ValueType::Number(*type);
    }
    symbols().Add(std::move(symbol));
  }
}

void Checker::CheckBody(std::vector<Stmt>& body) {
  const size_t known = least_.size();
  ++depth_;
  for (Stmt& stmt : body) {
    reporter_.set_path(stmt.path);
    CheckStatement(stmt);
  }
  --depth_;
  least_.resize(known);
}

void Checker::CheckStatement(Stmt& stmt) {
  switch (stmt.kind) {
    case StmtKind::kAssign:
      return CheckAssign(stmt);
    case StmtKind::kAugAssign:
      return CheckAugAssign(stmt);
    case StmtKind::kIf:
      return CheckIf(stmt);
    case StmtKind::kAssert:
      CheckCondition(stmt.condition);
      if (stmt.value != nullptr) CheckShown(stmt);
      return;
    case StmtKind::kPrint:
      return CheckShown(stmt);
    case StmtKind::kFor:
      return CheckFor(stmt);
    case StmtKind::kWhile:
      ForgetAssigned(stmt.body);
      CheckCondition(stmt.condition);
      ++loops_;
      CheckUnder(*stmt.condition, true, stmt.body);
      --loops_;
      return;
    case StmtKind::kBreak:
    case StmtKind::kContinue:
      if (loops_ == 0) {
        const std::string word = stmt.kind == StmtKind::kBreak ? "break" : "continue";
        Error(stmt.at, "`" + word + "` outside a loop; write `return` to end the lane");
      }
      return;
    case StmtKind::kReturn:
      if (!calls_.empty()) return CheckHelperReturn(stmt);
      if (stmt.value != nullptr) {
        Error(stmt.value->at, "a kernel returns nothing; store the value in an array");
      }
      return;
    case StmtKind::kCall:
      return CheckCallStatement(stmt);
    case StmtKind::kUnpack:
      return CheckUnpack(stmt);
  }
}

// Values in the text of a print or of a failed assert.
void Checker::CheckShown(Stmt& stmt) {
  if (stmt.kind == StmtKind::kAssert && stmt.formats.size() > isa::kMaxShownValues) {
    Error(stmt.at, "the message of an `assert` has " + std::to_string(stmt.formats.size()) +
                       " values, the limit is " + std::to_string(isa::kMaxShownValues));
  }
  for (size_t i = 0; i < stmt.formats.size(); ++i) {
    ExprPtr& value = stmt.value->operands[i];
    if (value->kind == ExprKind::kVar) {
      const int found = symbols().Find(value->name);
      if (found >= 0 && symbols().at(found).is_array()) {
        Error(value->at, "array '" + value->name +
                             "' cannot be printed as a whole; print elements, " + "as in print(" +
                             value->name + "[i])");
        continue;
      }
    }
    Check(value);
    if (value->type.is_error()) continue;
    Harden(value);
    if (value->type.is_bool() && (!stmt.formats[i].empty() || stmt.kind == StmtKind::kAssert)) {
      Error(value->at,
            "a bool has no format, and no place in the message of an `assert`; write i32(" +
                ToSource(*value) + ")");
    } else if (!value->type.is_bool()) {
      const auto wrong = isa::FormatError(value->type.register_type(), stmt.formats[i]);
      if (wrong) Error(value->at, *wrong);
    }
  }
}

void Checker::CheckCondition(ExprPtr& expr) {
  CheckTruth(expr, "a condition is");
}

void Checker::CheckTruth(ExprPtr& expr, const std::string& what) {
  if (expr->kind == ExprKind::kAnd || expr->kind == ExprKind::kOr) return CheckLogic(expr, true);
  Check(expr);
  if (expr->type.is_error() || expr->type.is_bool()) return;
  if (expr->type.is_integer()) return CompareWithZero(expr, expr->at);
  Error(expr->at, what + " a bool or an integer, not " + NameOf(expr->type) +
                      "; write a comparison, as in " + ToSource(*expr) + " != 0.0");
  expr->type = ValueType();
}

void Checker::CompareWithZero(ExprPtr& expr, Position at) {
  if (expr->kind == ExprKind::kLiteral) {
    Replace(expr, Constant::Bool(expr->constant.integer != 0));
    expr->at = at;
    return;
  }
  Harden(expr);
  auto compared = std::make_unique<Expr>();
  compared->kind = ExprKind::kBinary;
  compared->binary = BinaryOp::kNe;
  compared->at = at;
  compared->type = ValueType::Bool();
  ExprPtr zero = MakeLiteral(Constant::Int(0), at);
  zero->type = expr->type;
  compared->operands.push_back(std::move(expr));
  compared->operands.push_back(std::move(zero));
  expr = std::move(compared);
}

// ---- Assignments

int Checker::AssignableLocal(const std::string& name, Position at, ValueType type) {
  const int found = symbols().Find(name);
  if (symbols().FindLiteral(name) != nullptr) {
    Error(at, "parameter '" + name + "' is known at compile time and cannot be assigned; copy it " +
                  "into a local first");
    return -1;
  }
  if (found < 0) {
    Symbol symbol;
    symbol.name = name;
    symbol.type = type;
    symbol.line = at.line;
    return symbols().Add(std::move(symbol));
  }
  const Symbol& symbol = symbols().at(found);
  Forget(found);
  if (symbol.kind == Symbol::Kind::kLocal) return found;
  if (symbol.kind == Symbol::Kind::kScalar) {
    Error(at, "parameter '" + name + "' cannot be assigned; copy it into a local first");
  } else {
    Error(at, "array '" + name + "' cannot be assigned; write " + name +
                  "[i] = ..., or use another name");
    refused_arrays_.insert(name);  // where its value is read the array is not meant
  }
  return -1;
}

void Checker::CheckAssign(Stmt& stmt) {
  const bool is_call = stmt.value->kind == ExprKind::kCall;
  const bool is_shared = is_call && stmt.value->name == "shared";
  const bool is_local = is_call && stmt.value->name == "local";
  if (stmt.target->kind == ExprKind::kVar) {
    return is_shared || is_local ? CheckArray(stmt, is_shared) : CheckAssignLocal(stmt);
  }
  Check(stmt.value);
  CheckIndex(*stmt.target, false, true);
  if (stmt.target->type.is_error()) return;
  ConvertSilently(stmt.value, stmt.target->type, "store",
                  ArrayPlace(symbols().at(stmt.target->symbol)));
}

void Checker::CheckAssignLocal(Stmt& stmt) {
  const std::string& name = stmt.target->name;
  Check(stmt.value);
  ValueType type = stmt.value->type;
  if (!stmt.declared.empty()) {
    const std::optional<Type> declared = symbols().FindType(stmt.declared);
    type = declared ? ValueType::Number(*declared) : ValueType::Bool();
    if (!declared && stmt.declared != "bool") {
      return Error(stmt.at, stmt.declared + " is not a type of the language");
    }
    const int found = symbols().Find(name);
    if (found >= 0 && symbols().at(found).kind == Symbol::Kind::kLocal &&
        !symbols().at(found).type.is_error() && symbols().at(found).type != type) {
      return Error(stmt.at, "local '" + name + "' is " + NameOf(symbols().at(found).type) +
                                " since line " + std::to_string(symbols().at(found).line) +
                                "; a local has one type");
    }
  } else if (symbols().Find(name) < 0 && type.is_soft()) {
    Harden(stmt.value);
    type = stmt.value->type;
  }
  stmt.symbol = AssignableLocal(name, stmt.at, type);
  if (stmt.symbol < 0) return;
  Symbol& local = symbols().at(stmt.symbol);
  ++local.assignments;
  const Expr& value = *stmt.value;  // a cast says the type as an annotation does
  local.stated |=
      !stmt.declared.empty() || (local.assignments == 1 && (value.stated || value.saturates));
  if (local.type.is_error()) {  // an earlier assignment failed: this one decides
    Harden(stmt.value);
    local.type = stmt.declared.empty() ? stmt.value->type : type;
  }
  if (local.type.is_error()) return;
  // Mostly a sum that was begun with 0 and should have been begun with 0.0, or that with 0.0 and
  // adds f64.
  std::string begin;
  if (local.type.is_integer() && stmt.value->type.is_float()) {
    begin = ", or give " + name + " a float where it is first assigned";
  } else if (local.type == ValueType::Number(Type::kF32) && !local.stated) {
    begin = ", or begin with " + name + " = f64(...) on line " + std::to_string(local.line);
  } else if (const std::optional<Type> other = AddedInteger(*stmt.value, stmt.symbol);
             other && local.type.is_integer() && !local.stated) {
    begin = ", or begin with " + name + " = " + std::string(isa::NameOf(*other)) +
            "(...) on line " + std::to_string(local.line);
  }
  ConvertSilently(stmt.value, local.type, "assign",
                  "to " + name + ", a local of type " + NameOf(local.type), begin);
}

void Checker::CheckAugAssign(Stmt& stmt) {
  ExprPtr old = std::make_unique<Expr>();
  old->at = stmt.target->at;
  old->name = stmt.target->name;
  if (stmt.target->kind == ExprKind::kVar) {
    old->kind = ExprKind::kVar;
  } else {
    CheckIndex(*stmt.target, true, true);
    old->kind = ExprKind::kOldElement;
    old->type = stmt.target->type;
    old->text = ToSource(*stmt.target);
    ReadBool(old);
  }
  ExprPtr value = std::make_unique<Expr>();
  value->kind = ExprKind::kBinary;
  value->binary = stmt.op;
  value->at = stmt.at;
  value->operands.push_back(std::move(old));
  value->operands.push_back(std::move(stmt.value));
  stmt.value = std::move(value);
  if (stmt.target->kind == ExprKind::kVar) {
    stmt.kind = StmtKind::kAssign;
    return CheckAssignLocal(stmt);
  }
  Check(stmt.value);
  if (stmt.target->type.is_error()) return;
  ConvertSilently(stmt.value, stmt.target->type, "store",
                  ArrayPlace(symbols().at(stmt.target->symbol)));
}

// ---- Loops and calls

static std::string WithoutFloat(const Expr& expr) {
  if (QuotientOfIntegers(expr)) return "write // for the quotient of integers";
  return expr.kind == ExprKind::kLiteral ? "count in integers, and multiply in the loop"
                                         : "write i32(...)";
}

void Checker::CheckFor(Stmt& stmt) {
  for (ExprPtr* bound : {&stmt.start, &stmt.stop, &stmt.step}) {
    Check(*bound);
    const Expr& expr = **bound;
    if (!expr.type.is_error() && !expr.type.is_integer()) {
      Error(expr.at, "range takes integers, not " + NameOf(expr.type) + "; " + WithoutFloat(expr));
      (*bound)->type = ValueType();
    }
  }
  CheckDirection(stmt);
  const Expr& step = *stmt.step;
  if (!step.type.is_error()) {
    if (step.kind != ExprKind::kLiteral) {
      if (!step.type.is_number() || !isa::IsUnsigned(step.type.number)) {
        Error(step.at,
              "a step of range that is not known when compiling counts up; write u32(...)");
        stmt.step->type = ValueType();
      }
    } else if (step.constant.integer == 0) {
      Error(step.at, "the step of range is 0; the loop would never end");
    }
  }
  const int found = symbols().Find(stmt.name);
  stmt.symbol = AssignableLocal(stmt.name, stmt.at, ValueType());
  if (stmt.symbol >= 0) CheckRangeTypes(stmt, found);
  EnterCounter(stmt);
  ForgetAssigned(stmt.body);
  const size_t known = least_.size();
  LearnCounter(stmt);
  ++loops_;
  CheckBody(stmt.body);
  --loops_;
  least_.resize(known);
  counters_.pop_back();
}

// `declared` is the symbol of the counter if it existed before.
void Checker::CheckRangeTypes(Stmt& stmt, int declared) {
  ++symbols().at(stmt.symbol).assignments;
  if (stmt.start->type.is_error() || stmt.stop->type.is_error()) return;
  if (stmt.step->type.is_error()) return;
  const bool steps_vary = stmt.step->kind != ExprKind::kLiteral;
  ValueType type = symbols().at(stmt.symbol).type;
  if (steps_vary) {
    Type common = Type::kU32;
    if (!Unify(stmt.start, stmt.step, stmt.step->at, "range", common)) return;
    if (!Unify(stmt.stop, stmt.step, stmt.step->at, "range", common)) return;
    Convert(stmt.start, common);
    type = ValueType::Number(common);
  } else if (stmt.start->type.is_soft() && stmt.stop->type.is_soft()) {
    if (!type.is_integer()) type = ValueType::Number(Type::kI32);
    Convert(stmt.start, type.number);
    Convert(stmt.stop, type.number);
  } else {
    Type common = Type::kI32;
    if (!Unify(stmt.start, stmt.stop, stmt.start->at, "range", common)) return;
    type = ValueType::Number(common);
  }
  const auto fits = [&] {
    const ValueType& now = symbols().at(stmt.symbol).type;
    return !now.is_bool() && now.is_integer() && ConvertsSilently(type.number, now.number);
  };
  if (declared < 0 || symbols().at(stmt.symbol).type.is_error()) {
    symbols().at(stmt.symbol).type = type;
  } else if (!fits() && OnlyCounts(stmt.name)) {
    // Another local of the same name.
    --symbols().at(stmt.symbol).assignments;
    Symbol another;
    another.name = stmt.name;
    another.type = type;
    another.line = stmt.at.line;
    another.assignments = 1;
    stmt.symbol = symbols().Add(std::move(another));
  }
  const Symbol& counter = symbols().at(stmt.symbol);
  if (!fits()) {
    return Error(stmt.at, "cannot count in " + stmt.name + ", a local of type " +
                              NameOf(counter.type) + ", over a range of " + NameOf(type) +
                              "; use another name");
  }
  Convert(stmt.start, counter.type.number);
  Convert(stmt.stop, counter.type.number);
  if (steps_vary) return Convert(stmt.step, counter.type.number);
  const Expr& step = *stmt.step;
  if (step.constant.is_int()) {
    const __int128 magnitude =
        step.constant.integer < 0 ? -step.constant.integer : step.constant.integer;
    if (magnitude > isa::MaxOf(counter.type.number)) {
      Error(step.at,
            "the step " + ToString(step.constant) + " does not fit " + NameOf(counter.type));
    }
  }
}

void Checker::CheckCallStatement(Stmt& stmt) {
  Expr& call = *stmt.value;
  if (call.kind != ExprKind::kCall) {
    return Error(call.at, "this expression has no effect; remove it");
  }
  if (const Helper* helper = FindHelper(call.name); helper != nullptr) {
    if (helper->in_library) {
      return Error(call.at, "the result of " + call.name + " is not used; remove the call");
    }
    WriteInPlace(stmt.value, *helper, ArgumentsAre::kAsRead);
    return;
  }
  const Builtin* builtin = FindBuiltin(call.name);
  if (builtin != nullptr && builtin->kind == BuiltinKind::kBarrier) {
    if (CheckArity(call, *builtin)) CheckKeywords(call, *builtin);
    call.builtin = builtin;
    return;
  }
  if (builtin != nullptr && builtin->kind == BuiltinKind::kUnique) {
    if (CheckArity(call, *builtin)) CheckUnique(call);
    call.builtin = builtin;
    return;
  }
  const Position at = call.at;
  const std::string name = call.name;
  Check(stmt.value);
  const bool has_effect = builtin == nullptr ? LibraryName(name).empty()
                                             : builtin->kind == BuiltinKind::kAtomic ||
                                                   builtin->kind == BuiltinKind::kAtomicFirst ||
                                                   builtin->kind == BuiltinKind::kAtomicSwap ||
                                                   builtin->kind == BuiltinKind::kUnsupported ||
                                                   builtin->kind == BuiltinKind::kShared ||
                                                   builtin->kind == BuiltinKind::kLocal;
  if (!has_effect && !stmt.value->type.is_error()) {
    Error(at, "the result of " + name + " is not used; remove the call");
  }
}

void Checker::CheckUnique(Expr& call) {
  CheckKeywords(call, *FindBuiltin(call.name));
  const Expr& array = *call.operands[0];
  const int found = array.kind == ExprKind::kVar ? symbols().Find(array.name) : -1;
  if (!calls_.empty() || depth_ != 1) {
    return Error(call.at,
                 "unique(...) is a promise of every launch; write it at the top level of "
                 "the kernel");
  }
  if (found < 0 || symbols().at(found).kind != Symbol::Kind::kArray) {
    return Error(array.at, "unique takes an array that is a parameter of the kernel");
  }
  Symbol& symbol = symbols().at(found);
  if (!symbol.type.is_number() || !symbol.type.is_integer()) {
    return Error(array.at, "unique takes an array of integers; '" + symbol.name + "' has " +
                               NameOf(symbol.type));
  }
  symbol.unique = true;
  symbol.unique_at = call.at;
  call.operands.clear();
}

void Checker::CheckUniqueIsRead() {
  for (int k = 0; k < static_cast<int>(symbols().size()); ++k) {
    const Symbol& symbol = symbols().at(k);
    if (!symbol.unique || !symbol.written) continue;
    Error(symbol.unique_at, "'" + symbol.name +
                                "' is declared unique, so the kernel only reads it; write to "
                                "another array");
  }
}

}  // namespace hologram::frontend
