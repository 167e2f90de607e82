#include "frontend/circuit/row_plan.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace hologram::frontend {

using sigmatics::Node;
using sigmatics::NodeId;
using sigmatics::NodeKind;
using sigmatics::ValueGraph;
using NodeFlags = RowPlan::NodeFlags;

std::vector<NodeId> NeededBy(const ValueGraph& graph, const std::vector<NodeId>& roots,
                             const std::function<bool(NodeId)>& is_there) {
  std::vector<NodeId> order;
  std::set<NodeId> seen;
  for (NodeId root : roots) {
    std::vector<std::pair<NodeId, size_t>> path = {{root, 0}};
    while (!path.empty()) {
      auto& [id, next] = path.back();
      if (next == 0 && seen.contains(id)) {
        path.pop_back();
      } else if (next < graph.node(id).sources.size() && !is_there(id)) {
        path.emplace_back(graph.node(id).sources[next++], 0);
      } else {
        if (seen.insert(id).second) order.push_back(id);
        path.pop_back();
      }
    }
  }
  return order;
}

namespace {

// What is worth a store and a load instead of being computed again: one of the functions that take
// many instructions.
bool IsCostly(const Node& node) {
  if (node.kind != NodeKind::kOp) return false;
  switch (node.variant.kind) {
    case sigmatics::VariantKind::kGelu:
    case sigmatics::VariantKind::kGeluErf:
      return true;
    case sigmatics::VariantKind::kInstruction:
      break;
    default:
      return false;
  }
  if (node.variant.op == isa::Opcode::kTan) return true;  // alone without a fast form
  const auto& operands = isa::InfoOf(node.variant.op).operands;
  return std::any_of(operands.begin(), operands.end(), [](const isa::Operand& operand) {
    return operand.kind == isa::OperandKind::kAccuracy;
  });
}

// Computed for each element: no number, which is computed once, and no reduction.
bool IsVector(const Node& node) {
  return !node.is_number && !node.is_constant && node.kind != NodeKind::kReduce;
}

// Adds what a pass with these roots computes for each element, without what is `seen` already.
template <class F>
void VisitPerElement(const ValueGraph& graph, std::vector<NodeId> open, NodeFlags& seen, F visit) {
  while (!open.empty()) {
    const NodeId id = open.back();
    open.pop_back();
    const Node& node = graph.node(id);
    if (!IsVector(node) || seen[id]) continue;
    seen[id] = true;
    visit(id);
    open.insert(open.end(), node.sources.begin(), node.sources.end());
  }
}

}  // namespace

RowPlan::RowPlan(const ValueGraph& graph, const std::vector<size_t>& inputs,
                 const std::vector<NodeId>& outputs, const std::vector<size_t>& parameters)
    : graph_(&graph) {
  FindStages(outputs);
  FindKept(inputs, outputs, parameters);
}

std::vector<NodeId> RowPlan::RootsOf(size_t stage) const {
  std::vector<NodeId> roots;
  for (NodeId id : stages_[stage]) {
    const std::vector<NodeId>& sources = graph_->node(id).sources;
    roots.insert(roots.end(), sources.begin(), sources.end());
  }
  return roots;
}

void RowPlan::FindStages(const std::vector<NodeId>& outputs) {
  std::map<NodeId, size_t> stage_of;
  for (NodeId id : NeededBy(*graph_, outputs)) {
    size_t stage = 0;
    for (NodeId source : graph_->node(id).sources) stage = std::max(stage, stage_of.at(source));
    if (graph_->node(id).kind == NodeKind::kReduce) {
      if (stages_.size() <= ++stage) stages_.resize(stage + 1);
      stages_[stage].push_back(id);
    }
    stage_of[id] = stage;
  }
}

// All of it is linear in the graph for each output: a circuit has up to 96 of them, and as many
// nodes as fit its text.
void RowPlan::FindKept(const std::vector<size_t>& inputs, const std::vector<NodeId>& outputs,
                       const std::vector<size_t>& parameters) {
  constexpr size_t kMostTried = 8;  // of vectors that a later pass may not leave room for
  std::vector<NodeId> last;
  for (NodeId id : outputs) {
    if (!graph_->IsNumber(id)) last.push_back(id);
  }
  const std::vector<NodeId> needed = NeededBy(*graph_, outputs);
  if (needed.empty()) return;
  const size_t num_nodes = size_t{*std::max_element(needed.begin(), needed.end())} + 1;
  const std::vector<size_t> first_stage = FirstStages(num_nodes);
  for (size_t k = 0; k < outputs.size(); ++k) {
    const isa::Type type = graph_->node(outputs[k]).type;
    if (graph_->IsNumber(outputs[k]) || !isa::IsFloat(type)) continue;
    NodeFlags there(num_nodes);
    for (const Kept& other : kept_) there[other.id] = true;
    const NodeFlags costly = Costly(needed, there);
    NodeFlags in_last = there;
    VisitPerElement(*graph_, last, in_last, [](NodeId) {});
    size_t tried = 0;
    // The largest first.
    for (auto at = needed.rbegin(); at != needed.rend() && tried < kMostTried; ++at) {
      const Node& node = graph_->node(*at);
      const bool fits = node.type == type && node.kind == NodeKind::kOp && IsVector(node);
      if (!fits || there[*at] || !in_last[*at] || !costly[*at] || first_stage[*at] == 0) continue;
      ++tried;
      if (IsReadAfter(*at, first_stage[*at], inputs, last, parameters[k])) continue;
      kept_.push_back({*at, first_stage[*at], parameters[k]});
      break;
    }
  }
}

std::vector<size_t> RowPlan::FirstStages(size_t num_nodes) const {
  std::vector<size_t> first(num_nodes);
  NodeFlags seen(num_nodes);
  for (size_t stage = 1; stage < stages_.size(); ++stage) {
    VisitPerElement(*graph_, RootsOf(stage), seen, [&](NodeId id) { first[id] = stage; });
  }
  return first;
}

RowPlan::NodeFlags RowPlan::Costly(const std::vector<NodeId>& needed,
                                   const NodeFlags& there) const {
  NodeFlags costly(there.size());
  for (NodeId id : needed) {
    const Node& node = graph_->node(id);
    if (there[id] || !IsVector(node)) continue;
    costly[id] =
        IsCostly(node) || std::any_of(node.sources.begin(), node.sources.end(),
                                      [&](NodeId source) -> bool { return costly[source]; });
  }
  return costly;
}

bool RowPlan::IsReadAfter(NodeId id, size_t stage, const std::vector<size_t>& inputs,
                          const std::vector<NodeId>& last, size_t parameter) const {
  if (std::find(inputs.begin(), inputs.end(), parameter) == inputs.end()) return false;
  std::vector<NodeId> roots = last;
  for (size_t later = stage + 1; later < stages_.size(); ++later) {
    const std::vector<NodeId> more = RootsOf(later);
    roots.insert(roots.end(), more.begin(), more.end());
  }
  NodeFlags seen(size_t{*std::max_element(roots.begin(), roots.end())} + 1);
  seen[id] = true;  // it is loaded
  bool reads = false;
  VisitPerElement(*graph_, std::move(roots), seen, [&](NodeId part) {
    const Node& node = graph_->node(part);
    reads = reads || (node.kind == NodeKind::kInput && inputs[node.number] == parameter);
  });
  return reads;
}

}  // namespace hologram::frontend
