#include "frontend/raise/rows.h"

#include <algorithm>
#include <utility>

#include "frontend/builtins.h"
#include "sigmatics/circuit.h"

namespace hologram::frontend {

using sigmatics::NodeId;

namespace {

// The locals that a body assigns, those of helpers excepted.
void AddAssigned(const std::vector<Stmt>& body, std::set<int>& locals) {
  for (const Stmt& stmt : body) {
    if (stmt.kind == StmtKind::kAssign || stmt.kind == StmtKind::kFor) locals.insert(stmt.symbol);
    AddAssigned(stmt.body, locals);
    AddAssigned(stmt.else_body, locals);
  }
}

std::set<int> AssignedIn(const Stmt& stmt) {
  std::set<int> locals;
  AddAssigned(stmt.body, locals);
  AddAssigned(stmt.else_body, locals);
  return locals;
}

bool IsAlone(const std::vector<Stmt>& body, StmtKind kind) {
  return body.size() == 1 && body[0].kind == kind;
}

}  // namespace

std::optional<Diagnostic> RowAnalysis::Run(const Roles* roles) {
  SetUp(roles);
  guarded_ = true;
  RunRest({kernel_.body});
  if (!obstacle_ && lanes_ == 0) {
    Fail(kernel_.at,
         "no loop in which the lanes of a block go over a row, as in for j in range(t, n, 256) "
         "with t = get_local_id() and a parameter n: u32");
  }
  if (!obstacle_ && size_ < 0)
    Fail(kernel_.at, "no parameter n: u32 says how many elements there are");
  if (!obstacle_) CheckOutputs();
  CheckStores();
  return obstacle_;
}

bool RowAnalysis::IsShared(int parameter) const {
  const auto use = uses_.find(parameter);
  if (use == uses_.end() || use->second != Use::kBare) return false;
  return std::any_of(uses_.begin(), uses_.end(),
                     [](const auto& entry) { return entry.second == Use::kRow; });
}

void RowAnalysis::CheckOutputs() {
  if (!faulting_.empty()) {
    Fail(kernel_.at, "a division of integers in a kernel whose lanes have rows");
  }
  const bool rows = std::any_of(uses_.begin(), uses_.end(),
                                [](const auto& entry) { return entry.second == Use::kRow; });
  if (first_at_ != 0 && first_at_ != cut_) {
    Fail(kernel_.at, "an element that is not the first of its row");
  }
  for (const auto& [array, element] : state_.elements) {
    if (obstacle_ || !element.stored) continue;
    const Position at = stored_at_.at(array);
    const std::string name = "'" + symbol(array).name + "'";
    if (const std::optional<Marker> marker = MarkerIn(element.value)) {
      constexpr const char* kWhat[] = {"the first element",
                                       "a partial result before its loop has ended",
                                       "a local of the loop over elements behind that loop",
                                       "a lane's part of a reduction, without block_reduce_*()"};
      Fail(at, name + " is assigned " + kWhat[static_cast<size_t>(*marker)]);
    } else if (IsShared(array)) {
      Fail(at, "a store to " + name + ", which all rows share");
    } else if (rows ? at_zero_.contains(array) : at_block_.contains(array)) {
      Fail(at, rows ? "one element of " + name + " for all rows"
                    : "an element of " + name + " for each block, of which all have one row");
    } else if ((uses_.at(array) == Use::kNumber) != graph_.IsNumber(element.value)) {
      Fail(at, uses_.at(array) == Use::kNumber ? "a number in " + name + " that is no reduction"
                                               : "the same number for all elements of " + name);
    }
  }
}

// ---- Places

std::optional<Subscript> RowAnalysis::SubscriptOf(const Expr& expr) {
  switch (expr.kind) {
    case ExprKind::kLiteral:
      if (!expr.type.is_integer() || expr.constant.integer < 0 ||
          expr.constant.integer > UINT32_MAX) {
        return std::nullopt;
      }
      return Subscript::Constant(static_cast<int64_t>(expr.constant.integer));
    case ExprKind::kVar: {
      const auto found = places_.find(expr.symbol);
      if (found != places_.end()) return found->second;
      const Symbol& variable = symbol(expr.symbol);
      if (variable.kind != Symbol::Kind::kScalar || variable.from_shape ||
          variable.type.register_type() != isa::Type::kU32) {
        return std::nullopt;
      }
      Subscript size;
      size.size = 1;
      size.size_parameter = expr.symbol;
      return size;
    }
    case ExprKind::kConvert: {
      const ValueType& from = expr.operands[0]->type;
      const isa::Type to = expr.type.register_type();
      if (!from.is_integer() || !isa::IsInteger(to)) return std::nullopt;
      const bool keeps =
          isa::BitsOf(to) > isa::BitsOf(from.register_type()) || (to == from.register_type());
      if (!keeps) return std::nullopt;
      return SubscriptOf(*expr.operands[0]);
    }
    case ExprKind::kCall:
      return SubscriptOfCall(expr);
    case ExprKind::kBinary: {
      const BinaryOp op = expr.binary;
      if (op != BinaryOp::kAdd && op != BinaryOp::kSub && op != BinaryOp::kMul &&
          op != BinaryOp::kFloorDiv) {
        return std::nullopt;
      }
      const std::optional<Subscript> a = SubscriptOf(*expr.operands[0]);
      const std::optional<Subscript> b = a ? SubscriptOf(*expr.operands[1]) : std::nullopt;
      if (!b) return std::nullopt;
      std::optional<Subscript> result;
      if (op == BinaryOp::kMul) {
        result = Product(*a, *b);
      } else if (op == BinaryOp::kFloorDiv) {
        if (b->IsConstant()) result = RoundsOf(*a, b->constant);
      } else {
        result = Sum(*a, *b, op == BinaryOp::kAdd ? 1 : -1);
      }
      // Numbers of narrow types, and large ones, wrap.
      const isa::Type type = expr.type.register_type();
      const bool wraps = !isa::IsInteger(type) || isa::BitsOf(type) < 32 ||
                         (result && result->constant > isa::MaxOf(type));
      return wraps ? std::nullopt : result;
    }
    default:
      return std::nullopt;
  }
}

std::optional<Subscript> RowAnalysis::SubscriptOfCall(const Expr& expr) {
  if (expr.builtin == nullptr || expr.builtin->kind != BuiltinKind::kId) return std::nullopt;
  if (!expr.operands.empty() && expr.operands[0]->constant.integer != 0) return std::nullopt;
  Subscript place;
  if (expr.builtin->sreg == isa::Sreg::kLaneX) {
    uses_lanes_ = true;
    place.lane = 1;
    return place;
  }
  if (expr.builtin->sreg == isa::Sreg::kGlobalX) uses_elements_ = true;
  if (expr.builtin->sreg != isa::Sreg::kBlockX) return std::nullopt;
  place.block = 1;
  return place;
}

bool RowAnalysis::IsSize(int parameter) {
  if (parameter < 0 || (size_ >= 0 && size_ != parameter)) return false;
  size_ = parameter;
  return true;
}

bool RowAnalysis::SetLanes(int64_t lanes) {
  if (lanes < 1 || lanes > sigmatics::kMaxRowLanes) return false;
  if (lanes_ != 0 && lanes_ != lanes) return false;
  lanes_ = static_cast<uint32_t>(lanes);
  return true;
}

// ---- Loops over the elements of a row

// `for k in range((n + B - 1) // B)`, `for first in range(0, n, B)`, `for j in range(t, n, B)`, the
// same from and to the ends of row `row`, and `for first in range(base, base + C, B)` with base = C
// times the block.
std::optional<RowAnalysis::LaneLoop> RowAnalysis::AsLaneLoop(const Stmt& stmt) {
  if (stmt.step->kind != ExprKind::kLiteral) return std::nullopt;
  const auto step = static_cast<int64_t>(stmt.step->constant.integer);
  const std::optional<Subscript> start = SubscriptOf(*stmt.start);
  const std::optional<Subscript> stop = SubscriptOf(*stmt.stop);
  if (!start || !stop || step < 1 || start->round != 0 || stop->round != 0) return std::nullopt;
  LaneLoop loop;
  if (stop->rounds_of != 0) {
    if (!(*start == Subscript()) || step != 1) return std::nullopt;
    if (!IsSize(stop->size_parameter) || !SetLanes(stop->rounds_of)) return std::nullopt;
    loop.counter.round = 1;
    return loop;
  }
  Subscript first = *start;
  if (first.lane > 1 || first.constant != 0) return std::nullopt;
  loop.is_element = first.lane == 1;
  first.lane = 0;
  const std::optional<Subscript> length = Sum(*stop, first, -1);
  if (!length || first.size != 0 || first.row > 1) return std::nullopt;
  Subscript size;
  size.size = 1;
  size.size_parameter = stop->size_parameter;
  Subscript length_of = *length;
  length_of.size_parameter = size.size_parameter;
  if (length_of == size && first.block == 0) {
    if (!IsSize(stop->size_parameter) || !SetLanes(step)) return std::nullopt;
  } else if (length->IsConstant() && first.row == 0 && first.block == length->constant &&
             length->constant % step == 0 && length->constant <= sigmatics::kMaxCut) {
    if (cut_ != 0 && cut_ != length->constant) return std::nullopt;
    if (!SetLanes(step)) return std::nullopt;
    cut_ = static_cast<uint32_t>(length->constant);
    loop.is_element = false;  // the last row may be shorter
  } else {
    return std::nullopt;
  }
  loop.counter = *start;
  loop.counter.round = step;
  return loop;
}

void RowAnalysis::RunFor(const Stmt& stmt) {
  places_.erase(stmt.symbol);
  const bool known =
      stmt.start->kind == ExprKind::kLiteral && stmt.stop->kind == ExprKind::kLiteral;
  const std::optional<LaneLoop> loop = known ? std::nullopt : AsLaneLoop(stmt);
  if (!loop) return KernelAnalysis::RunFor(stmt);
  if (in_loop_ || in_first_lane_ || conditions_ != 0) {
    Fail(stmt.at, "a loop over a row in a loop or under a condition");
    return;
  }
  RunLaneLoop(stmt, *loop);
}

void RowAnalysis::RunLaneLoop(const Stmt& stmt, const LaneLoop& loop) {
  // What the rounds change stands for what it was before the round.
  const std::map<int, Slot> before = state_.locals;
  const std::set<int> assigned = AssignedIn(stmt);
  std::map<int, NodeId> running;
  for (const int local : assigned) {
    places_.erase(local);
    const auto slot = before.find(local);
    if (slot == before.end()) continue;
    running[local] = NewMarker(Marker::kRunning, graph_.node(slot->second.value).type);
    state_.locals[local].value = running[local];
  }
  in_elements_.clear();
  in_loop_ = true;
  places_[stmt.symbol] = loop.counter;
  if (loop.is_element) {
    RunElements(stmt.body);
  } else {
    RunRound(stmt.body);
  }
  in_loop_ = false;
  if (obstacle_) return;
  for (const int local : assigned) places_.erase(local);
  places_.erase(stmt.symbol);
  std::map<int, Slot> after;
  for (const auto& [local, slot] : before) {
    const auto marker = running.find(local);
    const auto now = state_.locals.find(local);
    if (marker == running.end() ||
        (now != state_.locals.end() && now->second.value == marker->second)) {
      after[local] = slot;
      continue;
    }
    const auto changed = in_elements_.find(local);
    const auto fold = changed == in_elements_.end()
                          ? std::nullopt
                          : FoldOfRounds(marker->second, changed->second, slot.value);
    // What is no fold is not read any more, or that is an error.
    const NodeId part =
        NewMarker(fold ? Marker::kPart : Marker::kElement, graph_.node(slot.value).type);
    if (fold) parts_[part] = *fold;
    after[local] = {false, part};
  }
  state_.locals = std::move(after);
}

// Statements of a round: those for lanes with an element are guarded.
void RowAnalysis::RunRound(std::span<const Stmt> body) {
  for (size_t k = 0; k < body.size(); ++k) {
    const Stmt& stmt = body[k];
    if (obstacle_ || !MayRun(stmt)) return;
    // `if j < n and condition:`
    const bool joined = stmt.kind == StmtKind::kIf && stmt.condition->kind == ExprKind::kAnd;
    if (stmt.kind == StmtKind::kIf &&
        IsElementGuard(joined ? *stmt.condition->operands[0] : *stmt.condition, true)) {
      if (!stmt.else_body.empty()) {
        Fail(stmt.else_body[0].at, "statements for lanes without an element");
        return;
      }
      std::span<const ExprPtr> conditions;
      if (joined) conditions = std::span(stmt.condition->operands).subspan(1);
      RunElements(stmt.body, conditions);
    } else if (stmt.kind == StmtKind::kIf && stmt.else_body.empty() &&
               IsAlone(stmt.body, StmtKind::kContinue) && IsElementGuard(*stmt.condition, false)) {
      return RunElements(body.subspan(k + 1));
    } else {
      RunStatement(stmt);
    }
  }
}

void RowAnalysis::RunUnder(std::span<const ExprPtr> conditions, std::span<const Stmt> body) {
  if (conditions.empty()) return RunBody(body);
  const NodeId condition = Value(*conditions[0]);
  const State other = state_;
  ++conditions_;
  RunUnder(conditions.subspan(1), body);
  --conditions_;
  Merge(condition, other, conditions[0]->at);
}

void RowAnalysis::RunElements(std::span<const Stmt> body, std::span<const ExprPtr> conditions) {
  const std::map<int, Slot> before = state_.locals;
  in_element_ = true;
  RunUnder(conditions, body);
  if (!conditions.empty()) {
    for (const Stmt& stmt : body) {
      if (stmt.kind == StmtKind::kAssign) places_.erase(stmt.symbol);
      for (const int local : AssignedIn(stmt)) places_.erase(local);
    }
  }
  in_element_ = false;
  // Lanes without an element have what they had, so behind these statements nothing is known of
  // what they change.
  std::map<int, Slot> after;
  for (const auto& [local, slot] : state_.locals) {
    const auto old = before.find(local);
    if (old == before.end()) continue;
    after[local] = slot;
    if (old->second == slot) continue;
    in_elements_[local] = slot.value;
    after[local].value = NewMarker(Marker::kElement, graph_.node(slot.value).type);
  }
  state_.locals = std::move(after);
}

// j < n, where j is the number of the lane's element, or n of it and the row; in rows that were cut
// the number of the element in the array.
bool RowAnalysis::IsElementGuard(const Expr& condition, bool inside) {
  if (condition.kind == ExprKind::kUnary && condition.unary == UnaryOp::kNot) {
    return IsElementGuard(*condition.operands[0], !inside);
  }
  if (condition.kind != ExprKind::kBinary || !in_loop_ || in_element_) return false;
  const bool index_first = condition.binary == (inside ? BinaryOp::kLt : BinaryOp::kGe);
  if (!index_first && condition.binary != (inside ? BinaryOp::kGt : BinaryOp::kLe)) return false;
  const std::optional<Subscript> index = SubscriptOf(*condition.operands[index_first ? 0 : 1]);
  const std::optional<Subscript> bound = SubscriptOf(*condition.operands[index_first ? 1 : 0]);
  if (!index || !bound) return false;
  Subscript element = *index;
  Subscript size = *bound;
  if (element.row != size.row || element.row > 1) return false;
  element.row = size.row = 0;
  element.size_parameter = -1;
  Subscript wanted;
  wanted.lane = 1;
  wanted.round = lanes_;
  wanted.block = cut_;
  Subscript one;
  one.size = 1;
  one.size_parameter = bound->size_parameter;
  return element == wanted && size == one && IsSize(bound->size_parameter);
}

// ---- Conditions

// t == 0 (or t < 1, not t), or its opposite.
bool RowAnalysis::IsFirstLane(const Expr& condition, bool first) {
  if (condition.kind == ExprKind::kUnary && condition.unary == UnaryOp::kNot) {
    return IsFirstLane(*condition.operands[0], !first);
  }
  if (condition.kind != ExprKind::kBinary || !IsComparison(condition.binary)) return false;
  std::optional<Subscript> a = SubscriptOf(*condition.operands[0]);
  std::optional<Subscript> b = SubscriptOf(*condition.operands[1]);
  if (!a || !b) return false;
  Subscript lane;
  lane.lane = 1;
  BinaryOp op = condition.binary;
  if (*b == lane) {
    std::swap(a, b);
    op = op == BinaryOp::kLt   ? BinaryOp::kGt
         : op == BinaryOp::kGt ? BinaryOp::kLt
         : op == BinaryOp::kLe ? BinaryOp::kGe
         : op == BinaryOp::kGe ? BinaryOp::kLe
                               : op;
  }
  if (!(*a == lane)) return false;
  const bool zero = *b == Subscript();
  const bool one = *b == Subscript::Constant(1);
  if (first)
    return (zero && (op == BinaryOp::kEq || op == BinaryOp::kLe)) || (one && op == BinaryOp::kLt);
  return (zero && (op == BinaryOp::kNe || op == BinaryOp::kGt)) || (one && op == BinaryOp::kGe);
}

// `if t != 0: return`: what follows is for the first lane.
bool RowAnalysis::RunGuard(const Stmt& stmt, Rest& rest) {
  if (in_loop_ || conditions_ != 0 || !helpers_.empty() || !stmt.else_body.empty()) return false;
  if (!IsAlone(stmt.body, StmtKind::kReturn) || !IsFirstLane(*stmt.condition, false)) return false;
  in_first_lane_ = true;
  static_cast<void>(rest);
  return true;
}

void RowAnalysis::RunIf(const Stmt& stmt) {
  if (!in_loop_ && conditions_ == 0 && stmt.else_body.empty() && !in_first_lane_ &&
      IsFirstLane(*stmt.condition, true)) {
    const std::map<int, Slot> before = state_.locals;
    in_first_lane_ = true;
    RunBody(stmt.body);
    in_first_lane_ = false;
    // What only the first lane has is not read any more, or that is an error.
    std::map<int, Slot> after;
    for (const auto& [local, slot] : before) {
      const auto now = state_.locals.find(local);
      if (now != state_.locals.end() && now->second == slot) after[local] = slot;
    }
    state_.locals = std::move(after);
    for (const int local : AssignedIn(stmt)) places_.erase(local);
    return;
  }
  KernelAnalysis::RunIf(stmt);
  if (stmt.condition->kind == ExprKind::kLiteral) return;
  for (const int local : AssignedIn(stmt)) places_.erase(local);
}

// ---- Locals and elements

void RowAnalysis::AssignSubscript(int local, const Subscript& place, const Expr& expr) {
  state_.locals.erase(local);
  if (place.IsUniform()) {
    // It may be a number of the kernel too; as a place it is no operation.
    const size_t operations = operations_;
    const NodeId value = Value(expr);
    operations_ = operations;
    state_.locals[local] = {false, value};
  }
  places_.erase(local);
  if (conditions_ == 0) places_[local] = place;
}

void RowAnalysis::Assign(const Stmt& stmt) {
  if (!stmt.declares && stmt.target->kind == ExprKind::kVar) {
    const std::optional<Subscript> place = SubscriptOf(*stmt.value);
    const bool known = place && (place->IsUniform() || conditions_ == 0);
    if (known) return AssignSubscript(stmt.symbol, *place, *stmt.value);
    places_.erase(stmt.symbol);
  }
  KernelAnalysis::Assign(stmt);
}

void RowAnalysis::RunUnpack(const Stmt& stmt) {
  const bool places =
      stmt.value == nullptr && conditions_ == 0 &&
      std::any_of(stmt.body.begin(), stmt.body.end(), [&](const Stmt& part) {
        return !part.declares && SubscriptOf(*part.value) && !SubscriptOf(*part.value)->IsUniform();
      });
  if (!places) {
    KernelAnalysis::RunUnpack(stmt);
    for (const Stmt& part : stmt.body) places_.erase(part.symbol);
    return;
  }
  // All values are those before the assignments.
  std::vector<std::pair<std::optional<Subscript>, NodeId>> values;
  for (const Stmt& part : stmt.body) {
    if (part.declares || part.target->kind != ExprKind::kVar) {
      Fail(part.at, "an assignment of places and elements at once");
      return;
    }
    const std::optional<Subscript> place = SubscriptOf(*part.value);
    const bool uniform = !place || place->IsUniform();
    values.emplace_back(place, uniform ? Value(*part.value) : NodeId{0});
  }
  for (size_t k = 0; k < values.size(); ++k) {
    const int local = stmt.body[k].symbol;
    places_.erase(local);
    state_.locals.erase(local);
    if (values[k].first) places_[local] = *values[k].first;
    if (!values[k].first || values[k].first->IsUniform()) {
      state_.locals[local] = {false, values[k].second};
    }
  }
}

NodeId RowAnalysis::Variable(const Expr& expr) {
  const auto place = places_.find(expr.symbol);
  if (place != places_.end() && !place->second.IsUniform()) {
    return Fail(expr.at,
                "the number of a lane, a block or an element, '" + expr.name + "', as a value");
  }
  return KernelAnalysis::Variable(expr);
}

bool RowAnalysis::UseArray(int array, Use use) {
  return uses_.emplace(array, use).first->second == use;
}

bool RowAnalysis::IsElement(const Expr& access, const Subscript& place) {
  Subscript element = place;
  const bool by_row = element.row == 1;
  if (by_row) {
    if (!IsSize(element.size_parameter)) return false;
    element.row = 0;
    element.size_parameter = -1;
  }
  Subscript wanted;
  wanted.lane = 1;
  wanted.round = lanes_;
  wanted.block = cut_;
  if (!(element == wanted)) return false;
  // In rows that were cut every array has rows.
  return UseArray(access.symbol, by_row || cut_ != 0 ? Use::kRow : Use::kBare);
}

NodeId RowAnalysis::Load(const Expr& expr) {
  const Symbol& array = symbol(expr.symbol);
  if (array.kind != Symbol::Kind::kArray) return Fail(expr.at, "memory of a block or a lane");
  const std::optional<Subscript> place = SubscriptOf(*expr.operands[0]);
  const auto other = [&] {
    return Fail(expr.at, "another element than the lane's own, " + ToSource(expr));
  };
  if (!place) return other();
  const NodeId value = parameters_[static_cast<size_t>(expr.symbol)];
  if (in_loop_) {
    if (!in_element_) return Fail(expr.at, "an element that is read before the guard");
    if (!IsElement(expr, *place)) return other();
    const auto known = state_.elements.find(expr.symbol);
    if (known != state_.elements.end()) return known->second.value;
    loaded_.insert(expr.symbol);
    state_.elements[expr.symbol] = {value, false};
    return value;
  }
  // The first element of the row, which minima and maxima begin with.
  Subscript row;
  row.row = place->row;
  row.block = place->block;
  row.size_parameter = place->size_parameter;
  const bool by_row = row.row == 1 && row.block == 0 && IsSize(row.size_parameter);
  const bool by_cut = row.row == 0 && row.block > 1 && (first_at_ == 0 || first_at_ == row.block);
  const bool only = *place == Subscript();
  if (!(row == *place) || (!by_row && !by_cut && !only)) return other();
  const auto known = state_.elements.find(expr.symbol);
  if (known != state_.elements.end() && known->second.stored) return other();
  if (!UseArray(expr.symbol, only ? Use::kBare : Use::kRow)) return other();
  if (by_cut) first_at_ = row.block;
  loaded_.insert(expr.symbol);
  const NodeId first = NewMarker(Marker::kFirst, graph_.node(value).type);
  first_of_[first] = expr.symbol;
  return first;
}

void RowAnalysis::Store(const Expr& target, NodeId value) {
  const Symbol& array = symbol(target.symbol);
  const auto other = [&] {
    Fail(target.at, "a store to another element than the lane's own, " + ToSource(target));
  };
  if (array.kind != Symbol::Kind::kArray) {
    Fail(target.at, "memory of a block or a lane");
    return;
  }
  const std::optional<Subscript> place = SubscriptOf(*target.operands[0]);
  if (!place) return other();
  if (in_loop_) {
    if (!in_element_) {
      Fail(target.at, "a store before the guard");
      return;
    }
    if (!IsElement(target, *place)) return other();
  } else {
    Subscript block;
    block.block = 1;
    const bool zero = *place == Subscript();
    if (!zero && !(*place == block)) return other();
    if (!in_first_lane_) {
      Fail(target.at, "a store by all lanes, " + ToSource(target));
      return;
    }
    if (!UseArray(target.symbol, Use::kNumber)) return other();
    (zero ? at_zero_ : at_block_).insert(target.symbol);
  }
  state_.elements[target.symbol] = {value, true};
  stored_at_[target.symbol] = target.at;
}

NodeId RowAnalysis::CallOf(const Expr& expr) {
  switch (expr.builtin->kind) {
    case BuiltinKind::kBlockReduce:
      if (expr.builtin->op != isa::Opcode::kBlkRed || expr.builtin->of_warp) {
        return KernelAnalysis::CallOf(expr);
      }
      return Reduce(expr);
    case BuiltinKind::kBarrier:
      // Lanes read no elements but their own.
      return graph_.Bits(0, isa::Type::kU8);
    case BuiltinKind::kId:
      SubscriptOfCall(expr);
      return Fail(expr.at, "the number of a lane or a block, " + ToSource(expr) + ", as a value");
    default:
      return KernelAnalysis::CallOf(expr);
  }
}

}  // namespace hologram::frontend
