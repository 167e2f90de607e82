// The passes over a row in which a circuit with reductions is computed, and what is kept between
// them. For lower_rows.cc.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "sigmatics/values/value_graph.h"

namespace hologram::frontend {

// All nodes that the roots need, sources first; of those that are there nothing below.
std::vector<sigmatics::NodeId> NeededBy(
    const sigmatics::ValueGraph& graph, const std::vector<sigmatics::NodeId>& roots,
    const std::function<bool(sigmatics::NodeId)>& is_there = [](sigmatics::NodeId) {
      return false;
    });

class RowPlan {
 public:
  using NodeId = sigmatics::NodeId;
  using NodeFlags = std::vector<bool>;  // by node

  // A vector that a pass computes for a reduction and the last one needs again. If that is costly,
  // it is kept in the output until then, which holds nothing else yet: e^(x - max) of a softmax.
  struct Kept {
    NodeId id;
    size_t stage;  // that computes it first
    size_t parameter;
  };

  RowPlan() = default;
  // `inputs` are the parameters of the graph's inputs, `parameters` those of the outputs.
  RowPlan(const sigmatics::ValueGraph& graph, const std::vector<size_t>& inputs,
          const std::vector<NodeId>& outputs, const std::vector<size_t>& parameters);

  // Reductions by how many others they wait for, from 1 on: each stage is a pass.
  const std::vector<std::vector<NodeId>>& stages() const { return stages_; }
  // Inputs of a pass's reductions.
  std::vector<NodeId> RootsOf(size_t stage) const;
  const std::vector<Kept>& kept() const { return kept_; }

 private:
  void FindStages(const std::vector<NodeId>& outputs);
  void FindKept(const std::vector<size_t>& inputs, const std::vector<NodeId>& outputs,
                const std::vector<size_t>& parameters);
  // Of each vector the first pass that computes it, 0 if only the last one does.
  std::vector<size_t> FirstStages(size_t num_nodes) const;
  // Vectors that take many instructions where those that are `there` are loaded.
  NodeFlags Costly(const std::vector<NodeId>& needed, const NodeFlags& there) const;
  // True if a pass after `stage` reads what the array of `parameter` held before, `id` being loaded
  // from there.
  bool IsReadAfter(NodeId id, size_t stage, const std::vector<size_t>& inputs,
                   const std::vector<NodeId>& last, size_t parameter) const;

  const sigmatics::ValueGraph* graph_ = nullptr;
  std::vector<std::vector<NodeId>> stages_;
  std::vector<Kept> kept_;
};

}  // namespace hologram::frontend
