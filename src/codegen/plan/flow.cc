// Control flow: immediate post-dominators (the iterative algorithm of Cooper, Harvey and Kennedy on
// the reversed graph) and small questions about instructions and blocks.
#include <algorithm>

#include "codegen/plan/instruction_facts.h"
#include "codegen/plan/plan.h"

namespace hologram::codegen {
namespace {

using isa::Opcode;

class PostDominatorFinder {
 public:
  explicit PostDominatorFinder(const Plan& plan)
      : plan_(plan), size_(static_cast<uint32_t>(plan.successors.size())) {}

  std::vector<uint32_t> Run() {
    BuildPredecessors();
    NumberFromExit();
    // `size_` stands for the exit. Order numbers grow towards it.
    dominator_.assign(size_ + 1, kUnknown);
    dominator_[size_] = size_;
    for (bool changed = true; changed;) {
      changed = false;
      for (size_t i = post_order_.size() - 1; i-- > 0;) changed |= Update(post_order_[i]);
    }
    std::vector<uint32_t> result(size_, verify::kExitBlock);
    for (uint32_t b = 0; b < size_; ++b) {
      if (dominator_[b] != kUnknown && dominator_[b] != size_) result[b] = dominator_[b];
    }
    return result;
  }

 private:
  static constexpr uint32_t kUnknown = UINT32_MAX;

  uint32_t NodeOf(uint32_t block) const { return block == verify::kExitBlock ? size_ : block; }

  void BuildPredecessors() {
    predecessors_.assign(size_ + 1, {});
    for (uint32_t b = 0; b < size_; ++b) {
      if (!plan_.block(b).reachable) continue;
      for (uint32_t s : plan_.successors[b]) predecessors_[NodeOf(s)].push_back(b);
    }
  }

  void NumberFromExit() {
    order_.assign(size_ + 1, kUnknown);
    std::vector<char> seen(size_ + 1, 0);
    std::vector<std::pair<uint32_t, size_t>> stack{{size_, 0}};
    seen[size_] = 1;
    while (!stack.empty()) {
      auto& [node, next] = stack.back();
      if (next < predecessors_[node].size()) {
        const uint32_t p = predecessors_[node][next++];
        if (seen[p] == 0) {
          seen[p] = 1;
          stack.emplace_back(p, 0);
        }
        continue;
      }
      order_[node] = static_cast<uint32_t>(post_order_.size());
      post_order_.push_back(node);
      stack.pop_back();
    }
  }

  uint32_t Meet(uint32_t a, uint32_t b) const {
    while (a != b) {
      while (order_[a] < order_[b]) a = dominator_[a];
      while (order_[b] < order_[a]) b = dominator_[b];
    }
    return a;
  }

  bool Update(uint32_t b) {
    uint32_t found = kUnknown;
    for (uint32_t s : plan_.successors[b]) {
      const uint32_t node = NodeOf(s);
      if (dominator_[node] == kUnknown) continue;
      found = found == kUnknown ? node : Meet(found, node);
    }
    if (found == dominator_[b]) return false;
    dominator_[b] = found;
    return true;
  }

  const Plan& plan_;
  uint32_t size_;
  std::vector<std::vector<uint32_t>> predecessors_;
  std::vector<uint32_t> order_;
  std::vector<uint32_t> post_order_;
  std::vector<uint32_t> dominator_;
};

}  // namespace

std::vector<uint32_t> PostDominators(const Plan& plan) {
  return PostDominatorFinder(plan).Run();
}

bool OnlyExits(const Plan& plan, uint32_t b) {
  for (uint32_t steps = 0; steps <= plan.successors.size(); ++steps) {
    if (b == verify::kExitBlock) return true;
    const verify::BasicBlock& block = plan.block(b);
    for (uint32_t pc = block.begin; pc < block.end; ++pc) {
      const isa::Instruction& in = plan.program().code[pc];
      const bool jump = in.op == Opcode::kExit || (in.op == Opcode::kBra && !in.conditional());
      if (!jump && !IsPure(in)) return false;
    }
    if (plan.successors[b].size() != 1) return plan.successors[b].empty();
    if (plan.successors[b][0] <= b) return false;
    b = plan.successors[b][0];
  }
  return false;
}

bool IsPure(const isa::Instruction& in) {
  const Effect effect = FactsOf(in.op).effect;
  return effect == Effect::kNone || (effect == Effect::kIntegersFault && isa::IsFloat(in.type));
}

bool IsPureAt(const Plan& plan, uint32_t pc) {
  const isa::Instruction& in = plan.program().code[pc];
  if (IsPure(in)) return true;
  const bool divides = in.op == Opcode::kDiv || in.op == Opcode::kRem;
  if (!divides || !plan.verified->NeverFaults(pc)) return false;
  const std::optional<uint32_t> divisor = plan.DefinitionOf(plan.operands[pc].reads[1]);
  return divisor && plan.program().code[*divisor].op == Opcode::kMovImm;
}

// Each RET has an edge to each place behind a call. Where they are many, code for each of them
// would take long to compile: all lanes that return then go to one block, which sends them to their
// places.
bool SharesReturns(const Plan& plan) {
  constexpr size_t kMaxEdges = 64;
  size_t edges = 0;
  for (uint32_t b = 0; b < plan.successors.size(); ++b) {
    if (plan.block(b).reachable && plan.Returns(b)) edges += plan.successors[b].size();
  }
  return edges > kMaxEdges;
}

}  // namespace hologram::codegen
