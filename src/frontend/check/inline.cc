// Helpers: a call becomes the helper's body, checked for the arguments it has here. An argument
// that the helper never assigns is no copy: a name stands for the caller's local, array or literal.
#include <algorithm>

#include "base/quote.h"
#include "frontend/check/checker.h"
#include "frontend/library.h"

namespace hologram::frontend {

using isa::Type;

namespace {

// Bounds what small documents can be blown up to, and the stack that a chain of helpers needs.
constexpr size_t kMaxInlinedNodes = 1 << 17;
constexpr size_t kMaxInlinedDepth = 400;

std::string Quoted(const std::string& name) {
  return "`" + name + "`";
}

}  // namespace

const Helper* Checker::FindHelper(const std::string& name) const {
  const bool in_library = !calls_.empty() && calls_.back().helper->in_library;
  for (const Helper& helper : document_.helpers) {
    if (helper.name == name && !in_library) return &helper;
  }
  if (IsForLibraryOnly(name) && !in_library) return nullptr;
  return FindLibraryHelper(name);
}

// A call as a value.
void Checker::CheckHelperCall(ExprPtr& expr) {
  const Position at = expr->at;
  const std::string name = expr->name;
  if (!WriteInPlace(expr, *FindHelper(name), ArgumentsAre::kAsRead)) return;
  const std::vector<int>& results = expr->inlined->results;
  if (results.size() == 1) {
    expr->type = symbols().at(results[0]).type;
    return;
  }
  expr->type = ValueType();
  if (results.empty()) return Error(at, Quoted(name) + " returns nothing; it is no value");
  Error(at, Quoted(name) + " returns " + std::to_string(results.size()) +
                " values; assign them, as in a, b = " + name + "(...)");
}

bool Checker::CheckCountOf(const Expr& expr, const Helper& helper, const std::string& name) {
  if (!expr.keywords.empty()) {
    Error(expr.at, Quoted(name) + " has no keyword arguments; write values in their places");
    return false;
  }
  const size_t takes = helper.parameters.size();
  if (expr.operands.size() != takes) {
    Error(expr.at, name + " takes " + Counted(takes, "argument") + ", not " +
                       std::to_string(expr.operands.size()));
    return false;
  }
  return true;
}

bool Checker::CheckHelperFits(const Expr& expr, const Helper& helper) {
  std::string chain;
  for (const Call& call : calls_) {
    if (call.helper == &helper || !chain.empty()) chain += call.helper->name + " -> ";
  }
  if (!chain.empty()) {
    Error(expr.at, Quoted(helper.name) + " calls itself (" + chain + helper.name +
                       "); helpers have no recursion, write a loop");
    return false;
  }
  if (!CheckCountOf(expr, helper, helper.name)) return false;
  const TreeSize size = SizeOf(helper.body);
  inlined_nodes_ += size.nodes;
  const size_t depth = size.depth + (calls_.empty() ? 0 : calls_.back().depth);
  if (inlined_nodes_ <= kMaxInlinedNodes && depth <= kMaxInlinedDepth) return true;
  if (inlined_nodes_ > kMaxInlinedNodes) {
    Error(expr.at,
          "the kernel is too large with its helpers written in place; call fewer, or "
          "loop around one call");
  } else {
    Error(expr.at,
          "helpers that call helpers are nested too deeply here; call fewer in one another");
  }
  return false;
}

bool Checker::WriteInPlace(ExprPtr& expr, const Helper& helper, ArgumentsAre state) {
  if (!CheckHelperFits(*expr, helper)) return false;
  Names names;
  std::unordered_set<std::string> assigned;
  CollectAssigned(helper.body, assigned);
  auto inlined = std::make_shared<Inlined>();
  inlined->name = helper.name;
  inlined->at = helper.in_library ? expr->at : helper.at;
  inlined->first_symbol = static_cast<int>(symbols().size());
  // Arguments mean what they mean to the caller: all of them first.
  std::vector<Argument> arguments(helper.parameters.size());
  bool good = true;
  for (size_t i = 0; i < arguments.size(); ++i) {
    good &=
        CheckArgument(helper, helper.parameters[i], expr->operands[i], names, arguments[i], state);
    if (assigned.contains(helper.parameters[i].name) && !helper.parameters[i].is_constexpr) {
      arguments[i].literal.reset();
    }
  }
  if (!good) return false;
  Names outer = symbols().Enter(std::move(names));
  for (size_t i = 0; i < arguments.size(); ++i) {
    const KernelParameter& parameter = helper.parameters[i];
    const bool is_array = arguments[i].symbol >= 0 && symbols().at(arguments[i].symbol).is_array();
    if (assigned.contains(parameter.name) && !is_array) arguments[i].symbol = -1;
    BindArgument(parameter, arguments[i], *inlined);
  }
  const size_t depth = SizeOf(helper.body).depth + (calls_.empty() ? 0 : calls_.back().depth);
  calls_.push_back({&helper, expr->at, inlined.get(), depth});
  std::swap(assigned_names_, assigned);
  const uint32_t loops = std::exchange(loops_, 0);
  if (helper.has_returns) {
    for (const std::string& name : helper.returns) {
      const std::optional<Type> type = symbols().FindType(name);
      AddResult(type ? ValueType::Number(*type) : ValueType::Bool(), true);
    }
  }
  inlined->body = Clone(helper.body);
  if (helper.in_library) {
    Place(inlined->body, expr->at);
    CheckBodyOfHelper(inlined->body);
  } else {
    CheckHelperBody(helper, expr->at, *inlined);
  }
  loops_ = loops;
  std::swap(assigned_names_, assigned);
  calls_.pop_back();
  symbols().Restore(std::move(outer));
  inlined->end_symbol = static_cast<int>(symbols().size());
  expr->kind = ExprKind::kInline;
  expr->operands.clear();
  expr->inlined = std::move(inlined);
  return true;
}

// Positions of another file are for errors of the check alone: a program has one file, so what is
// made of the helper is where it is called.
void Checker::CheckHelperBody(const Helper& helper, Position call, Inlined& inlined) {
  const std::string& file = helper.file.empty() ? document_.file : helper.file;
  const std::string before = reporter_.set_file(file);
  CheckBodyOfHelper(inlined.body);
  reporter_.set_file(before);
  if (file == before) return;
  Place(inlined.arguments, call);
  Place(inlined.body, call);
  inlined.at = call;
}

// ---- Arguments

bool Checker::CheckArrayArgument(const Helper& helper, const KernelParameter& parameter,
                                 const Expr& expr, Names& names, Argument& argument) {
  const int found = expr.kind == ExprKind::kVar ? symbols().Find(expr.name) : -1;
  const bool is_array = found >= 0 && symbols().at(found).is_array();
  if (!is_array) {
    if (refused_arrays_.contains(expr.name)) return false;
    Error(expr.at, "parameter '" + parameter.name + "' of " + Quoted(helper.name) +
                       " is an array; pass the name of one");
    return false;
  }
  argument.symbol = found;
  const uint32_t rank = symbols().at(found).rank;
  if (parameter.is_array && parameter.rank != rank) {
    Error(expr.at, "'" + expr.name + "' has " + Counted(rank, "dimension") + "; " +
                       Quoted(helper.name) + " takes an array with " +
                       std::to_string(parameter.rank));
    return false;
  }
  const ValueType type = symbols().at(found).type;
  if (parameter.type.empty() || type.is_error()) return true;
  if (parameter.type == NameOf(type)) return true;
  std::optional<Type> wanted = ParseScalar(parameter.type);
  if (!wanted) {  // a type variable: the first argument decides
    const TypeVariable* variable = document_.FindTypeVariable(parameter.type);
    if (variable == nullptr || type.is_bool() || !variable->Has(type.number)) {
      Error(expr.at, "'" + expr.name + "' is an array of " + NameOf(type) + ", which " +
                         parameter.type + " of " + Quoted(helper.name) + " cannot be");
      return false;
    }
    wanted = names.types.try_emplace(parameter.type, type.number).first->second;
  }
  if (ValueType::Number(*wanted) == type) return true;
  Error(expr.at, "'" + expr.name + "' is an array of " + NameOf(type) + "; " + Quoted(helper.name) +
                     " takes an array of " + std::string(isa::NameOf(*wanted)));
  return false;
}

bool Checker::CheckArgument(const Helper& helper, const KernelParameter& parameter, ExprPtr& expr,
                            Names& names, Argument& argument, ArgumentsAre state) {
  const int named = expr->kind == ExprKind::kVar ? symbols().Find(expr->name) : -1;
  const bool is_array = named >= 0 && symbols().at(named).is_array();
  if (parameter.is_array || (parameter.type.empty() && is_array)) {
    return CheckArrayArgument(helper, parameter, *expr, names, argument);
  }
  if (state == ArgumentsAre::kAsRead) Check(expr);
  if (expr->type.is_error()) return false;
  const std::string what = "parameter '" + parameter.name + "' of " + Quoted(helper.name);
  if (parameter.is_constexpr) {
    if (expr->kind != ExprKind::kLiteral) {
      Error(expr->at, what + " is known at compile time; pass a number or a module constant");
      return false;
    }
    argument.literal = KnownLiteral{expr->constant, expr->type, expr->by_default};
    return true;
  }
  argument.type = ValueType::Bool();
  if (parameter.type.empty()) {
    Harden(expr);
    argument.type = expr->type;
  } else if (parameter.type != "bool") {
    std::optional<Type> type = ParseScalar(parameter.type);
    if (!type) {
      const TypeVariable* variable = document_.FindTypeVariable(parameter.type);
      const auto known = names.types.find(parameter.type);
      if (known != names.types.end()) {
        type = known->second;
      } else {
        Harden(expr);
        if (variable == nullptr || !expr->type.is_number() || !variable->Has(expr->type.number)) {
          Error(expr->at, "cannot pass " + NameOf(expr->type) + " as " + what + ": " +
                              parameter.type + " is " +
                              (variable == nullptr ? "no type" : variable->Choices()));
          return false;
        }
        type = names.types[parameter.type] = expr->type.number;
      }
    }
    argument.type = ValueType::Number(*type);
  }
  const size_t before = reporter_.count();
  ConvertSilently(expr, argument.type, "pass", "as " + what + ", of type " + NameOf(argument.type));
  if (reporter_.count() != before || expr->type.is_error()) return false;
  if (expr->kind == ExprKind::kLiteral) {
    const bool by_default = expr->by_default && parameter.type.empty();
    argument.literal = KnownLiteral{expr->constant, expr->type, by_default};
  }
  if (expr->kind == ExprKind::kVar) argument.symbol = expr->symbol;
  argument.value = std::move(expr);
  return true;
}

void Checker::BindArgument(const KernelParameter& parameter, Argument& argument, Inlined& inlined) {
  if (argument.literal) {
    symbols().names().literals[parameter.name] = *argument.literal;
    return;
  }
  if (argument.symbol >= 0) return symbols().Bind(parameter.name, argument.symbol);
  Symbol local;
  local.name = parameter.name;
  local.type = argument.type;
  local.stated = !parameter.type.empty();
  local.line = parameter.at.line;
  local.assignments = 1;
  Stmt assign;
  assign.kind = StmtKind::kAssign;
  assign.at = argument.value->at;
  assign.target = std::make_unique<Expr>();
  assign.target->kind = ExprKind::kVar;
  assign.target->name = parameter.name;
  assign.target->at = parameter.at;
  assign.value = std::move(argument.value);
  assign.symbol = symbols().Add(std::move(local));
  inlined.arguments.push_back(std::move(assign));
}

// ---- Results

void Checker::AddResult(ValueType type, bool stated) {
  Inlined& inlined = *calls_.back().inlined;
  Symbol result;
  // A name that no source can have: CheckUnpack reads the result by it.
  result.name = inlined.name + "(...)[" + std::to_string(inlined.results.size()) + "]";
  result.type = type;
  result.stated = stated;
  result.line = inlined.at.line;
  inlined.results.push_back(symbols().Add(std::move(result)));
}

void Checker::CheckHelperReturn(Stmt& stmt) {
  std::vector<ExprPtr*> values;
  if (stmt.value != nullptr && stmt.value->kind == ExprKind::kTuple) {
    for (ExprPtr& value : stmt.value->operands) values.push_back(&value);
  } else if (stmt.value != nullptr) {
    values.push_back(&stmt.value);
  }
  for (ExprPtr* value : values) Check(*value);  // may call helpers: `calls_` moves
  Inlined& inlined = *calls_.back().inlined;
  const bool declared = calls_.back().helper->has_returns;
  if (inlined.returns++ == 0 && !declared) {  // the first one decides
    for (ExprPtr* value : values) {
      Harden(*value);
      AddResult((*value)->type, false);
    }
  }
  if (values.size() != inlined.results.size()) {
    const auto count = [](size_t number) {
      return number == 0 ? "nothing" : Counted(number, "value");
    };
    return Error(stmt.at, Quoted(inlined.name) + " returns " + count(inlined.results.size()) +
                              " elsewhere and " + count(values.size()) + " here");
  }
  for (size_t i = 0; i < values.size(); ++i) {
    const Symbol& result = symbols().at(inlined.results[i]);
    ConvertSilently(*values[i], result.type, "return",
                    "from " + Quoted(inlined.name) + ", which returns " + NameOf(result.type));
  }
}

// a, b = b, a and a, b = f(x) and m, n = a.shape: all values first, then the assignments from the
// left.
void Checker::CheckUnpack(Stmt& stmt) {
  const ExprPtr target = std::move(stmt.target);
  const std::string wanted = std::to_string(target->operands.size()) + " targets";
  std::vector<ExprPtr> values;
  if (stmt.value->kind == ExprKind::kTuple) {
    values = std::move(stmt.value->operands);
    stmt.value.reset();
  } else if (stmt.value->kind == ExprKind::kShape && stmt.value->operands.empty()) {
    values = ShapeParts(*stmt.value);
    stmt.value.reset();
  } else if (stmt.value->kind != ExprKind::kCall || FindHelper(stmt.value->name) == nullptr) {
    return Error(stmt.value->at,
                 "only a tuple or a helper's result can be taken apart; give each "
                 "target its value, as in a, b = x, y");
  } else {
    const Helper& helper = *FindHelper(stmt.value->name);
    if (!WriteInPlace(stmt.value, helper, ArgumentsAre::kAsRead)) return;
    for (const int result : stmt.value->inlined->results) {
      auto value = std::make_unique<Expr>();
      value->kind = ExprKind::kVar;
      value->at = stmt.value->at;
      value->name = symbols().at(result).name;
      symbols().Bind(value->name, result);
      values.push_back(std::move(value));
    }
  }
  if (values.size() != target->operands.size()) {
    return Error(stmt.at, wanted + ", but " + Counted(values.size(), "value"));
  }
  for (size_t i = 0; i < values.size(); ++i) {
    Stmt part;
    part.kind = StmtKind::kAssign;
    part.at = target->operands[i]->at;
    part.path = stmt.path;
    part.target = std::move(target->operands[i]);
    part.value = std::move(values[i]);
    CheckAssign(part);
    stmt.body.push_back(std::move(part));
  }
}

}  // namespace hologram::frontend
