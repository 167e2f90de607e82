// What the rounds of a loop over a row make of a local, in terms of what it was before the round.
#include <cmath>
#include <set>
#include <utility>

#include "frontend/builtins.h"
#include "frontend/raise/circuit.h"
#include "frontend/raise/rows.h"

namespace hologram::frontend {

using isa::Opcode;
using isa::Type;
using sigmatics::CallKind;
using sigmatics::Node;
using sigmatics::NodeId;
using sigmatics::NodeKind;

namespace {

std::optional<CallKind> ReductionBy(const sigmatics::Variant& variant) {
  for (const CallKind kind :
       {CallKind::kReduceSum, CallKind::kReduceProd, CallKind::kReduceMin, CallKind::kReduceMax,
        CallKind::kReduceAnd, CallKind::kReduceOr, CallKind::kReduceXor}) {
    if (variant.Is(FoldOf(kind))) return kind;
  }
  return std::nullopt;
}

std::optional<CallKind> ReductionBy(isa::BlockOp op) {
  switch (op) {
    case isa::BlockOp::kAdd:
      return CallKind::kReduceSum;
    case isa::BlockOp::kMul:
      return CallKind::kReduceProd;
    case isa::BlockOp::kMin:
      return CallKind::kReduceMin;
    case isa::BlockOp::kMax:
      return CallKind::kReduceMax;
    case isa::BlockOp::kAnd:
      return CallKind::kReduceAnd;
    case isa::BlockOp::kOr:
      return CallKind::kReduceOr;
    case isa::BlockOp::kXor:
      return CallKind::kReduceXor;
  }
  return std::nullopt;
}

}  // namespace

NodeId RowAnalysis::NewMarker(Marker marker, Type type) {
  // Numbers that no scalar of a kernel has.
  constexpr uint64_t kFirstNumber = uint64_t{1} << 32;
  const NodeId id = graph_.Scalar(kFirstNumber + markers_.size(), type);
  markers_[id] = marker;
  return id;
}

bool RowAnalysis::IsMarker(NodeId id, Marker marker) const {
  const auto found = markers_.find(id);
  return found != markers_.end() && found->second == marker;
}

std::optional<RowAnalysis::Marker> RowAnalysis::MarkerIn(NodeId root) const {
  std::set<NodeId> seen;
  std::vector<NodeId> left = {root};
  while (!left.empty()) {
    const NodeId id = left.back();
    left.pop_back();
    if (!seen.insert(id).second) continue;
    const auto marker = markers_.find(id);
    if (marker != markers_.end()) return marker->second;
    const std::vector<NodeId>& sources = graph_.node(id).sources;
    left.insert(left.end(), sources.begin(), sources.end());
  }
  return std::nullopt;
}

std::optional<RowAnalysis::Fold> RowAnalysis::FoldOfRounds(NodeId running, NodeId value,
                                                           NodeId start) {
  steps_.clear();
  std::optional<Fold> fold = StepOf(running, value, 0);
  if (!fold) return std::nullopt;
  fold->start = start;
  if (!MayStart(*fold)) return std::nullopt;
  return fold;
}

std::optional<RowAnalysis::Fold> RowAnalysis::StepOf(NodeId running, NodeId value, int depth) {
  // A value may be reached in many ways.
  const auto known = steps_.find(value);
  if (known != steps_.end()) return known->second;
  const std::optional<Fold> step =
      depth < kMaxCircuitConditions ? NewStepOf(running, value, depth) : std::nullopt;
  steps_[value] = step;
  return step;
}

std::optional<RowAnalysis::Fold> RowAnalysis::NewStepOf(NodeId running, NodeId value, int depth) {
  const Node node = graph_.node(value);
  if (node.kind != NodeKind::kOp) return std::nullopt;
  const std::vector<NodeId>& x = node.sources;
  Fold fold;
  if (node.variant.kind == sigmatics::VariantKind::kSelect) {
    // Where the condition does not choose a step, the value that changes nothing is folded.
    const auto step = [&](NodeId side) -> std::optional<Fold> {
      return side == running ? std::nullopt : StepOf(running, side, depth + 1);
    };
    const std::optional<Fold> yes = step(x[1]);
    const std::optional<Fold> no = step(x[2]);
    if ((!yes && x[1] != running) || (!no && x[2] != running)) return std::nullopt;
    if (!yes && !no) return std::nullopt;
    const CallKind kind = yes ? yes->reduction : no->reduction;
    if (kind == CallKind::kReduceFma || (yes && no && no->reduction != kind)) return std::nullopt;
    const NodeId nothing = graph_.Bits(sigmatics::IdentityOf(kind, node.type), node.type);
    fold.reduction = kind;
    fold.value = graph_.Apply(sigmatics::SelectVariant(), node.type,
                              {x[0], yes ? yes->value : nothing, no ? no->value : nothing});
    return fold;
  }
  if (node.variant.Is(Opcode::kFma) && x[2] == running) {
    fold.reduction = CallKind::kReduceFma;
    fold.value = x[0];
    fold.other = x[1];
    return fold;
  }
  if (node.variant.Is(Opcode::kSub) && x[0] == running) {
    fold.value = isa::IsFloat(node.type)
                     ? graph_.Apply(sigmatics::VariantOf(Opcode::kNeg), node.type, {x[1]})
                     : graph_.Apply(sigmatics::VariantOf(Opcode::kSub), node.type,
                                    {graph_.Bits(0, node.type), x[1]});
    return fold;
  }
  const std::optional<CallKind> reduction = ReductionBy(node.variant);
  if (!reduction || (x[0] != running && x[1] != running)) return std::nullopt;
  fold.reduction = *reduction;
  fold.value = x[0] == running ? x[1] : x[0];
  return fold;
}

// Each lane begins with `start`, so it must change nothing, or be folded any number of times.
bool RowAnalysis::MayStart(const Fold& fold) const {
  const Node& start = graph_.node(fold.start);
  switch (fold.reduction) {
    case CallKind::kReduceMin:
    case CallKind::kReduceMax:
    case CallKind::kReduceAnd:
    case CallKind::kReduceOr: {
      const auto first = first_of_.find(fold.start);
      // The first element is one of those that are folded.
      if (first != first_of_.end()) {
        return fold.value == parameters_[static_cast<size_t>(first->second)];
      }
      // Of nothing a circuit has an infinity, and no NaN may come before it.
      if (isa::IsFloat(start.type)) {
        return start.kind == NodeKind::kLiteral &&
               !std::isnan(sigmatics::ValueOfBits(start.number, start.type));
      }
      return !MarkerIn(fold.start).has_value();
    }
    case CallKind::kReduceProd:
      return start.kind == NodeKind::kLiteral &&
             start.number == sigmatics::IdentityOf(fold.reduction, start.type);
    default:
      // +0, as the lanes of a circuit begin with.
      return start.kind == NodeKind::kLiteral && start.number == 0;
  }
}

NodeId RowAnalysis::Reduce(const Expr& expr) {
  if (in_loop_ || in_first_lane_) {
    return Fail(expr.at, expr.name + "() in a loop over a row or by one lane");
  }
  combines_lanes_ = true;
  const auto other = [&] {
    return Fail(expr.at, expr.name +
                             "() of something else than what each lane folded of its elements, one "
                             "by one");
  };
  if (expr.operands[0]->kind != ExprKind::kVar) return other();
  const NodeId operand = Value(*expr.operands[0]);
  if (obstacle_) return operand;
  const auto part = parts_.find(operand);
  if (part == parts_.end()) return other();
  const Fold& fold = part->second;
  const bool products = fold.reduction == CallKind::kReduceFma;
  const CallKind kind = products ? CallKind::kReduceSum : fold.reduction;
  if (ReductionBy(expr.builtin->block_op) != kind) {
    return Fail(expr.at, expr.name + "() of what lanes folded by another operation");
  }
  const auto is_number = [&](NodeId id) {
    return graph_.IsNumber(id) || graph_.node(id).is_constant;
  };
  if (is_number(fold.value) || (products && is_number(fold.other))) {
    return Fail(expr.at, expr.name + "() of the same number for each element");
  }
  if (products) return graph_.ReducedProducts(fold.value, fold.other);
  const NodeId reduced = graph_.Reduced(kind, fold.value, std::nullopt, 0);
  const Node& start = graph_.node(fold.start);
  const bool idempotent = kind == CallKind::kReduceMin || kind == CallKind::kReduceMax ||
                          kind == CallKind::kReduceAnd || kind == CallKind::kReduceOr;
  const bool neutral = isa::IsInteger(start.type) && start.kind == NodeKind::kLiteral &&
                       start.number == sigmatics::IdentityOf(kind, start.type);
  if (!idempotent || neutral || first_of_.contains(fold.start)) return reduced;
  return Apply(FoldOf(kind), start.type, {reduced, fold.start}, expr.at);
}

}  // namespace hologram::frontend
