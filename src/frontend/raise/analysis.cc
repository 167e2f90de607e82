#include "frontend/raise/analysis.h"

#include <algorithm>
#include <utility>

#include "frontend/builtins.h"
#include "frontend/lower/rules.h"
#include "frontend/raise/circuit.h"

namespace hologram::frontend {

using sigmatics::NodeId;

namespace {

bool AnyReturns(const std::vector<Stmt>& body) {
  return std::any_of(body.begin(), body.end(), [](const Stmt& stmt) {
    return stmt.kind == StmtKind::kReturn || AnyReturns(stmt.body) || AnyReturns(stmt.else_body);
  });
}

bool IsReturnAlone(const std::vector<Stmt>& body) {
  return body.size() == 1 && body[0].kind == StmtKind::kReturn;
}

}  // namespace

KernelAnalysis::KernelAnalysis(const Kernel& kernel, const CheckedKernel& checked, std::string file)
    : kernel_(kernel), checked_(checked), file_(std::move(file)) {}

void KernelAnalysis::SetUp(const Roles* roles) {
  uint64_t inputs = 0;
  uint64_t scalars = 0;
  for (size_t k = 0; k < kernel_.parameters.size(); ++k) {
    const Symbol& parameter = symbol(static_cast<int>(k));
    const isa::Type type = parameter.type.register_type();
    const bool is_number =
        !parameter.is_array() && (roles == nullptr || roles->size != static_cast<int>(k));
    const bool is_input = parameter.is_array() && (roles == nullptr || roles->is_input[k]);
    NodeId value = 0;
    if (is_number) value = graph_.Scalar(scalars++, type);
    if (is_input) value = graph_.Input(inputs++, type);
    parameters_.push_back(value);
  }
  if (roles != nullptr) size_ = roles->size;
}

void KernelAnalysis::CheckStores() {
  const bool stores = std::any_of(state_.elements.begin(), state_.elements.end(),
                                  [](const auto& entry) { return entry.second.stored; });
  if (!obstacle_ && !stores) Fail(kernel_.at, "nothing is stored in an array");
}

std::optional<Diagnostic> KernelAnalysis::Run(const Roles* roles) {
  SetUp(roles);
  RunRest({kernel_.body});
  if (!obstacle_ && !guarded_) {
    Fail(kernel_.at,
         "no guard says how many elements there are, as in if i < n with i = "
         "get_global_id() and a parameter n: u32");
  }
  CheckStores();
  return obstacle_;
}

std::optional<NodeId> KernelAnalysis::StoredIn(int parameter) const {
  const auto found = state_.elements.find(parameter);
  if (found == state_.elements.end() || !found->second.stored) return std::nullopt;
  return found->second.value;
}

NodeId KernelAnalysis::Fail(Position at, std::string message) {
  if (!obstacle_) {
    obstacle_ = Diagnostic{ErrorCode::kUnsupported,
                           {file_, at.line, at.column},
                           "kernel '" + kernel_.name + "' is no circuit: " + std::move(message)};
  }
  return graph_.Bits(0, isa::Type::kU8);
}

// ---- The guard

bool KernelAnalysis::IsIndex(const Expr& expr) const {
  if (expr.kind == ExprKind::kCall) {
    const bool first = expr.operands.empty() || expr.operands[0]->constant.integer == 0;
    return expr.builtin->kind == BuiltinKind::kId && expr.builtin->sreg == isa::Sreg::kGlobalX &&
           first;
  }
  if (expr.kind != ExprKind::kVar) return false;
  const auto local = state_.locals.find(expr.symbol);
  return local != state_.locals.end() && local->second.is_index;
}

// i < n and n > i say that the lane has an element, i >= n and n <= i that it has none.
bool KernelAnalysis::IsGuard(const Expr& condition, bool inside) {
  if (condition.kind == ExprKind::kUnary && condition.unary == UnaryOp::kNot) {
    return IsGuard(*condition.operands[0], !inside);
  }
  if (condition.kind != ExprKind::kBinary) return false;
  const bool index_first = IsIndex(*condition.operands[0]);
  const BinaryOp wanted = inside ? (index_first ? BinaryOp::kLt : BinaryOp::kGt)
                                 : (index_first ? BinaryOp::kGe : BinaryOp::kLe);
  if (condition.binary != wanted) return false;
  const Expr& index = *condition.operands[index_first ? 0 : 1];
  const Expr& bound = *condition.operands[index_first ? 1 : 0];
  if (!IsIndex(index) || bound.kind != ExprKind::kVar) return false;
  const Symbol& size = symbol(bound.symbol);
  if (size.kind != Symbol::Kind::kScalar || size.from_shape) return false;
  if (size_ >= 0 && size_ != bound.symbol) return false;
  size_ = bound.symbol;
  return true;
}

// True if the statement is the guard, and everything that it guards has been dealt with or is left
// in `rest`.
bool KernelAnalysis::RunGuard(const Stmt& stmt, Rest& rest) {
  if (guarded_ || conditions_ != 0 || !helpers_.empty()) return false;
  if (IsReturnAlone(stmt.body) && IsGuard(*stmt.condition, false)) {
    guarded_ = true;
    rest.emplace_back(stmt.else_body);
    return true;
  }
  if (!IsGuard(*stmt.condition, true)) return false;
  if (!stmt.else_body.empty() && !IsReturnAlone(stmt.else_body)) {
    Fail(stmt.else_body[0].at, "statements for lanes without an element");
    return true;
  }
  for (const std::span<const Stmt>& left : rest) {
    if (!left.empty() && left[0].kind != StmtKind::kReturn) {
      Fail(left[0].at, "a statement behind the guard");
      return true;
    }
  }
  guarded_ = true;
  rest = {stmt.body};
  return true;
}

// ---- Statements

void KernelAnalysis::RunRest(Rest rest) {
  while (!rest.empty() && !obstacle_) {
    if (rest.back().empty()) {
      rest.pop_back();
      continue;
    }
    const Stmt& stmt = rest.back()[0];
    rest.back() = rest.back().subspan(1);
    if (!MayRun(stmt)) return;
    if (stmt.kind == StmtKind::kReturn) return Return(stmt);
    if (stmt.kind != StmtKind::kIf) {
      RunStatement(stmt);
      continue;
    }
    if (RunGuard(stmt, rest)) continue;
    if (stmt.condition->kind == ExprKind::kLiteral) {
      rest.emplace_back(stmt.condition->constant.integer != 0 ? stmt.body : stmt.else_body);
      continue;
    }
    if (!AnyReturns(stmt.body) && !AnyReturns(stmt.else_body)) {
      RunIf(stmt);
      continue;
    }
    // Each side goes on to the end of the function by itself.
    const NodeId condition = Value(*stmt.condition);
    ++conditions_;
    const State before = state_;
    Rest other = rest;
    other.emplace_back(stmt.else_body);
    RunRest(std::move(other));
    State without = std::exchange(state_, before);
    rest.emplace_back(stmt.body);
    RunRest(std::move(rest));
    --conditions_;
    return Merge(condition, without, stmt.at);
  }
}

void KernelAnalysis::RunBody(std::span<const Stmt> body) {
  for (const Stmt& stmt : body) {
    if (obstacle_ || !MayRun(stmt)) return;
    RunStatement(stmt);
  }
}

bool KernelAnalysis::MayRun(const Stmt& stmt) {
  if (++statements_ > kMaxCircuitStatements) {
    Fail(stmt.at, "more than " + std::to_string(kMaxCircuitStatements) + " statements");
  } else if (conditions_ > kMaxCircuitConditions) {
    Fail(stmt.at,
         "more than " + std::to_string(kMaxCircuitConditions) + " conditions inside each other");
  }
  return !obstacle_;
}

void KernelAnalysis::RunStatement(const Stmt& stmt) {
  switch (stmt.kind) {
    case StmtKind::kAssign:
      return Assign(stmt);
    case StmtKind::kAugAssign: {
      const NodeId old = Load(*stmt.target);
      const auto outer = std::exchange(old_element_, old);
      const NodeId value = Value(*stmt.value);
      old_element_ = outer;
      return Store(*stmt.target, value);
    }
    case StmtKind::kIf:
      return RunIf(stmt);
    case StmtKind::kFor:
      return RunFor(stmt);
    case StmtKind::kUnpack:
      return RunUnpack(stmt);
    case StmtKind::kCall:
      if (stmt.value->kind == ExprKind::kInline) return RunHelper(*stmt.value->inlined);
      Value(*stmt.value);
      return;
    case StmtKind::kWhile:
      Fail(stmt.at, "a while loop");
      return;
    case StmtKind::kBreak:
      Fail(stmt.at, "break");
      return;
    case StmtKind::kContinue:
      Fail(stmt.at, "continue");
      return;
    case StmtKind::kAssert:
      Fail(stmt.at, "an assertion");
      return;
    case StmtKind::kPrint:
      Fail(stmt.at, "print");
      return;
    case StmtKind::kReturn:
      Fail(stmt.at, "return in a loop");
      return;
    default:
      Fail(stmt.at, "this statement");
      return;
  }
}

void KernelAnalysis::RunIf(const Stmt& stmt) {
  if (stmt.condition->kind == ExprKind::kLiteral) {
    return RunBody(stmt.condition->constant.integer != 0 ? stmt.body : stmt.else_body);
  }
  const NodeId condition = Value(*stmt.condition);
  const State before = state_;
  ++conditions_;
  RunBody(stmt.else_body);
  const State other = std::exchange(state_, before);
  RunBody(stmt.body);
  --conditions_;
  Merge(condition, other, stmt.at);
}

void KernelAnalysis::Merge(NodeId condition, const State& other, Position at) {
  if (obstacle_) return;
  std::map<int, Slot> locals;
  for (const auto& [index, slot] : state_.locals) {
    const auto found = other.locals.find(index);
    // A local that one side alone assigns is not read any more.
    if (found == other.locals.end()) continue;
    if (slot == found->second) {
      locals[index] = slot;
    } else if (slot.is_index || found->second.is_index) {
      Fail(at, "a local that is the element number on one side of a condition only");
      return;
    } else {
      locals[index] = {false, Select(condition, slot.value, found->second.value, at)};
    }
  }
  state_.locals = std::move(locals);
  MergeElements(condition, other, at);
}

void KernelAnalysis::MergeElements(NodeId condition, const State& other, Position at) {
  std::set<int> arrays;
  for (const auto& [array, element] : state_.elements) arrays.insert(array);
  for (const auto& [array, element] : other.elements) arrays.insert(array);
  for (const int array : arrays) {
    // Where a side does not touch an array that the kernel reads, it keeps what it had.
    const auto in = [&](const State& state) -> std::optional<Element> {
      const auto found = state.elements.find(array);
      if (found != state.elements.end()) return found->second;
      if (!loaded_.contains(array)) return std::nullopt;
      return Element{parameters_[static_cast<size_t>(array)], false};
    };
    const std::optional<Element> mine = in(state_);
    const std::optional<Element> others = in(other);
    if (!mine || !others) {
      Fail(at, "'" + symbol(array).name +
                   "' is stored on one side of a condition only; give it a value on both sides");
      return;
    }
    state_.elements[array] = {Select(condition, mine->value, others->value, at),
                              mine->stored || others->stored};
  }
}

void KernelAnalysis::RunFor(const Stmt& stmt) {
  const bool known =
      stmt.start->kind == ExprKind::kLiteral && stmt.stop->kind == ExprKind::kLiteral;
  if (!known) {
    Fail(stmt.at, "a loop whose count is not known");
    return;
  }
  if (AnyReturns(stmt.body)) {
    Fail(stmt.at, "a loop with a return in it");
    return;
  }
  const isa::Type type = symbol(stmt.symbol).type.number;
  const __int128 step = stmt.step->constant.integer;
  const __int128 stop = stmt.stop->constant.integer;
  size_t rounds = 0;
  for (__int128 k = stmt.start->constant.integer; step > 0 ? k < stop : k > stop; k += step) {
    if (obstacle_) return;
    if (++rounds > kMaxCircuitOperations) {
      Fail(stmt.at, "a loop of more than " + std::to_string(kMaxCircuitOperations) + " rounds");
      return;
    }
    state_.locals[stmt.symbol] = {false, Number(type, Constant::Int(k))};
    RunBody(stmt.body);
  }
}

void KernelAnalysis::RunHelper(const Inlined& call) {
  RunBody(call.arguments);
  helpers_.push_back(&call);
  RunRest({call.body});
  helpers_.pop_back();
}

void KernelAnalysis::Return(const Stmt& stmt) {
  if (helpers_.empty()) {
    if (!guarded_) Fail(stmt.at, "return before the guard");
    return;
  }
  const std::vector<int>& results = helpers_.back()->results;
  if (stmt.value == nullptr) return;
  std::vector<NodeId> values;
  if (stmt.value->kind == ExprKind::kTuple) {
    for (const ExprPtr& part : stmt.value->operands) values.push_back(Value(*part));
  } else {
    values.push_back(Value(*stmt.value));
  }
  for (size_t k = 0; k < values.size(); ++k) state_.locals[results[k]] = {false, values[k]};
}

void KernelAnalysis::RunUnpack(const Stmt& stmt) {
  if (stmt.value != nullptr) RunHelper(*stmt.value->inlined);
  if (obstacle_) return;
  std::vector<Slot> values;
  for (const Stmt& part : stmt.body) {
    if (part.declares) {
      Fail(part.at, "memory of a block or a lane");
      return;
    }
    const bool is_index = IsIndex(*part.value);
    values.push_back({is_index, is_index ? NodeId{0} : Value(*part.value)});
  }
  for (size_t k = 0; k < values.size(); ++k) {
    const Stmt& part = stmt.body[k];
    if (part.target->kind == ExprKind::kVar) {
      state_.locals[part.symbol] = values[k];
    } else if (values[k].is_index) {
      Value(*part.value);  // says what is wrong with it
    } else {
      Store(*part.target, values[k].value);
    }
  }
}

void KernelAnalysis::Assign(const Stmt& stmt) {
  if (stmt.declares) {
    Fail(stmt.at, "memory of a block or a lane");
    return;
  }
  if (stmt.target->kind != ExprKind::kVar) return Store(*stmt.target, Value(*stmt.value));
  if (IsIndex(*stmt.value)) {
    state_.locals[stmt.symbol] = {true, 0};
  } else {
    const NodeId value = Value(*stmt.value);
    state_.locals[stmt.symbol] = {false, value};
  }
}

void KernelAnalysis::Store(const Expr& target, NodeId value) {
  const Symbol& array = symbol(target.symbol);
  if (array.kind != Symbol::Kind::kArray) {
    Fail(target.at, "memory of a block or a lane");
  } else if (!IsIndex(*target.operands[0])) {
    Fail(target.at, "a store to another element than the lane's own, " + ToSource(target));
  } else if (!guarded_) {
    Fail(target.at, "a store before the guard");
  } else {
    state_.elements[target.symbol] = {value, true};
  }
}

}  // namespace hologram::frontend
