#include "frontend/row_plan.h"

#include <algorithm>
#include <map>
#include <utility>

namespace hologram::frontend {

using sigmatics::Node;
using sigmatics::NodeId;
using sigmatics::NodeKind;
using sigmatics::ValueGraph;

std::vector<NodeId> NeededBy(const ValueGraph& graph, const std::vector<NodeId>& roots) {
  std::vector<NodeId> order;
  std::set<NodeId> seen;
  for (NodeId root : roots) {
    std::vector<std::pair<NodeId, size_t>> path = {{root, 0}};
    while (!path.empty()) {
      auto& [id, next] = path.back();
      if (next == 0 && seen.contains(id)) {
        path.pop_back();
      } else if (next < graph.node(id).sources.size()) {
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

// What is computed for each element of a pass with these roots, where `there` are loaded.
std::set<NodeId> PerElement(const ValueGraph& graph, const std::vector<NodeId>& roots,
                            const std::set<NodeId>& there) {
  std::set<NodeId> seen;
  std::vector<NodeId> open = roots;
  while (!open.empty()) {
    const NodeId id = open.back();
    open.pop_back();
    const Node& node = graph.node(id);
    if (there.contains(id) || node.is_number || node.is_constant ||
        node.kind == NodeKind::kReduce || !seen.insert(id).second) {
      continue;
    }
    open.insert(open.end(), node.sources.begin(), node.sources.end());
  }
  return seen;
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

void RowPlan::FindKept(const std::vector<size_t>& inputs, const std::vector<NodeId>& outputs,
                       const std::vector<size_t>& parameters) {
  std::vector<NodeId> last;
  for (NodeId id : outputs) {
    if (!graph_->IsNumber(id)) last.push_back(id);
  }
  const std::vector<NodeId> needed = NeededBy(*graph_, outputs);
  for (size_t k = 0; k < outputs.size(); ++k) {
    const isa::Type type = graph_->node(outputs[k]).type;
    if (graph_->IsNumber(outputs[k]) || !isa::IsFloat(type)) continue;
    // The largest first.
    for (auto at = needed.rbegin(); at != needed.rend(); ++at) {
      if (graph_->node(*at).type != type) continue;
      const std::optional<size_t> stage = StageToKeep(*at, inputs, last, parameters[k]);
      if (!stage) continue;
      kept_.push_back({*at, *stage, parameters[k]});
      break;
    }
  }
}

std::optional<size_t> RowPlan::StageToKeep(NodeId id, const std::vector<size_t>& inputs,
                                           const std::vector<NodeId>& last,
                                           size_t parameter) const {
  const Node& node = graph_->node(id);
  if (node.kind != NodeKind::kOp || node.is_number || node.is_constant) return std::nullopt;
  std::set<NodeId> there;
  for (const Kept& other : kept_) there.insert(other.id);
  if (!PerElement(*graph_, last, there).contains(id)) return std::nullopt;
  const std::set<NodeId> made_of = PerElement(*graph_, {id}, there);
  const bool costly = std::any_of(made_of.begin(), made_of.end(),
                                  [&](NodeId part) { return IsCostly(graph_->node(part)); });
  if (!costly) return std::nullopt;
  size_t stage = 1;
  while (stage < stages_.size() && !PerElement(*graph_, RootsOf(stage), {}).contains(id)) {
    ++stage;
  }
  if (stage >= stages_.size()) return std::nullopt;
  const auto reads_array = [&](const std::vector<NodeId>& roots) {
    const std::set<NodeId> parts = PerElement(*graph_, roots, {id});
    return std::any_of(parts.begin(), parts.end(), [&](NodeId part) {
      const Node& input = graph_->node(part);
      return input.kind == NodeKind::kInput && inputs[input.number] == parameter;
    });
  };
  for (size_t later = stage + 1; later < stages_.size(); ++later) {
    if (reads_array(RootsOf(later))) return std::nullopt;
  }
  if (reads_array(last)) return std::nullopt;
  return stage;
}

}  // namespace hologram::frontend
