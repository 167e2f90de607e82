// Blocks, orders, dominators (the same code for both directions) and loops.
#include "verify/cfg.h"

#include <algorithm>

namespace hologram::verify {
namespace {

using isa::Instruction;
using isa::Opcode;

bool EndsBlock(Opcode op) {
  return isa::IsJump(op) || isa::IsBarrier(op);
}

void SplitBlocks(const isa::Program& program, Cfg& cfg) {
  const auto size = static_cast<uint32_t>(program.code.size());
  std::vector<bool> leader(size + 1, false);
  leader[0] = true;
  for (uint32_t pc = 0; pc < size; ++pc) {
    const Instruction& instruction = program.code[pc];
    if (EndsBlock(instruction.op)) leader[pc + 1] = true;
    if (isa::HasTarget(instruction.op)) leader[instruction.target()] = true;
  }
  cfg.block_of.resize(size);
  for (uint32_t pc = 0; pc < size; ++pc) {
    if (leader[pc]) {
      cfg.blocks.emplace_back();
      cfg.blocks.back().begin = pc;
    }
    cfg.blocks.back().end = pc + 1;
    cfg.block_of[pc] = cfg.num_blocks() - 1;
  }
}

void LinkBlocks(const isa::Program& program, Cfg& cfg) {
  const auto block_at = [&](uint32_t pc) {
    return pc < program.code.size() ? cfg.block_of[pc] : kExitBlock;
  };
  // Behind the calls: where a RET may go, whatever called.
  std::vector<uint32_t> returns;
  for (uint32_t pc = 0; pc < program.code.size(); ++pc) {
    if (program.code[pc].op == Opcode::kCall) returns.push_back(block_at(pc + 1));
  }
  std::sort(returns.begin(), returns.end());
  returns.erase(std::unique(returns.begin(), returns.end()), returns.end());
  for (BasicBlock& block : cfg.blocks) {
    const Instruction& last = program.code[block.end - 1];
    if (last.op == Opcode::kRet) {
      block.successors = returns;
      continue;
    }
    if (isa::HasTarget(last.op)) block.successors.push_back(block_at(last.target()));
    if (last.op == Opcode::kExit) {
      block.successors.push_back(kExitBlock);
    } else if (!isa::IsJump(last.op) || last.branches()) {
      const uint32_t next = block_at(block.end);
      // A branch to the next instruction is no branch.
      if (block.successors.empty() || block.successors[0] != next) block.successors.push_back(next);
    }
  }
}

// A depth-first walk from `root` over `edges`. Nodes that are not reached get position kNone.
struct Order {
  std::vector<uint32_t> nodes;     // in reverse post order
  std::vector<uint32_t> position;  // in `nodes`
  std::vector<uint32_t> walk;      // in the order in which they were met
  std::vector<uint32_t> parent;    // by position in `walk`: the same of who met it
};
Order ReversePostOrder(const std::vector<std::vector<uint32_t>>& edges, uint32_t root) {
  Order order;
  order.position.assign(edges.size(), kNone);
  struct Visit {
    uint32_t node;
    uint32_t number;  // in `walk`
    uint32_t next;
  };
  std::vector<Visit> stack = {{root, 0, 0}};
  std::vector<bool> seen(edges.size(), false);
  seen[root] = true;
  order.walk.push_back(root);
  order.parent.push_back(0);
  while (!stack.empty()) {
    auto& [node, number, next] = stack.back();
    if (next < edges[node].size()) {
      // Later successors first, so that the taken branch of structured code comes first in order.
      const uint32_t to = edges[node][edges[node].size() - 1 - next++];
      if (!seen[to]) {
        seen[to] = true;
        order.parent.push_back(number);
        order.walk.push_back(to);
        stack.push_back({to, static_cast<uint32_t>(order.walk.size() - 1), 0});
      }
    } else {
      order.nodes.push_back(node);
      stack.pop_back();
    }
  }
  std::reverse(order.nodes.begin(), order.nodes.end());
  for (uint32_t i = 0; i < order.nodes.size(); ++i) order.position[order.nodes[i]] = i;
  return order;
}

// Lengauer and Tarjan's algorithm: all but linear in the edges, whatever the graph. Nodes are
// numbered as the walk met them.
class DominatorFinder {
 public:
  DominatorFinder(const Order& order, const std::vector<std::vector<uint32_t>>& predecessors)
      : order_(order), predecessors_(predecessors) {}

  // Immediate dominators by node.
  std::vector<uint32_t> Run() {
    const auto count = static_cast<uint32_t>(order_.walk.size());
    number_.assign(predecessors_.size(), kNone);
    for (uint32_t w = 0; w < count; ++w) number_[order_.walk[w]] = w;
    semi_.resize(count);
    for (uint32_t w = 0; w < count; ++w) semi_[w] = w;
    best_ = semi_;
    ancestor_.assign(count, kNone);
    idom_.assign(count, 0);
    std::vector<uint32_t> first(count, kNone);  // of those with one semidominator, a list
    std::vector<uint32_t> next(count, kNone);
    for (uint32_t w = count; w-- > 1;) {
      for (const uint32_t from : predecessors_[order_.walk[w]]) {
        const uint32_t v = number_[from];
        if (v != kNone) semi_[w] = std::min(semi_[w], semi_[Best(v)]);
      }
      next[w] = first[semi_[w]];
      first[semi_[w]] = w;
      const uint32_t parent = order_.parent[w];
      ancestor_[w] = parent;
      for (uint32_t v = first[parent]; v != kNone; v = next[v]) {
        const uint32_t u = Best(v);
        idom_[v] = semi_[u] < semi_[v] ? u : parent;
      }
      first[parent] = kNone;
    }
    std::vector<uint32_t> result(predecessors_.size(), kNone);
    for (uint32_t w = 1; w < count; ++w) {
      if (idom_[w] != semi_[w]) idom_[w] = idom_[idom_[w]];
      result[order_.walk[w]] = order_.walk[idom_[w]];
    }
    return result;
  }

 private:
  // The node with the least semidominator on the way up from `v` in the forest so far.
  uint32_t Best(uint32_t v) {
    if (ancestor_[v] == kNone) return v;
    path_.clear();
    for (uint32_t u = v; ancestor_[ancestor_[u]] != kNone; u = ancestor_[u]) path_.push_back(u);
    while (!path_.empty()) {
      const uint32_t u = path_.back();
      path_.pop_back();
      const uint32_t above = ancestor_[u];
      if (semi_[best_[above]] < semi_[best_[u]]) best_[u] = best_[above];
      ancestor_[u] = ancestor_[above];
    }
    return best_[v];
  }

  const Order& order_;
  const std::vector<std::vector<uint32_t>>& predecessors_;
  std::vector<uint32_t> number_;  // by node; everything else by number
  std::vector<uint32_t> semi_;
  std::vector<uint32_t> best_;
  std::vector<uint32_t> ancestor_;
  std::vector<uint32_t> idom_;
  std::vector<uint32_t> path_;
};

std::vector<uint32_t> Dominators(const Order& order,
                                 const std::vector<std::vector<uint32_t>>& predecessors) {
  return DominatorFinder(order, predecessors).Run();
}

// Intervals of a walk over the dominator tree, for questions in constant time.
void NumberDominatorTree(Cfg& cfg) {
  // Blocks come after their dominators in reverse post order, so sizes add up from the end.
  cfg.tree_size.assign(cfg.num_blocks(), 1);
  for (size_t i = cfg.order.size(); i-- > 1;) {
    cfg.tree_size[cfg.idom[cfg.order[i]]] += cfg.tree_size[cfg.order[i]];
  }
  cfg.tree_begin.assign(cfg.num_blocks(), 0);
  std::vector<uint32_t> next(cfg.num_blocks(), 1);
  for (size_t i = 1; i < cfg.order.size(); ++i) {
    const uint32_t b = cfg.order[i];
    const uint32_t parent = cfg.idom[b];
    cfg.tree_begin[b] = cfg.tree_begin[parent] + next[parent];
    next[parent] += cfg.tree_size[b];
  }
}

// Forward edges over blocks and reverse edges over blocks, the end node and the virtual exit.
void OrderAndDominate(const isa::Program& program, Cfg& cfg) {
  const uint32_t count = cfg.num_blocks();
  const uint32_t end = cfg.end_node();
  const uint32_t exit = count + 1;
  std::vector<std::vector<uint32_t>> forward(count);
  for (uint32_t b = 0; b < count; ++b) {
    for (const uint32_t to : cfg.blocks[b].successors) {
      if (to != kExitBlock) forward[b].push_back(to);
    }
  }
  Order order = ReversePostOrder(forward, 0);
  std::vector<std::vector<uint32_t>> after(count + 2);  // successors, with both ends
  std::vector<std::vector<uint32_t>> before(count + 2);
  after[end] = {exit};
  for (const uint32_t b : order.nodes) {
    const bool returns = program.code[cfg.blocks[b].end - 1].op == Opcode::kExit;
    for (const uint32_t to : cfg.blocks[b].successors) {
      after[b].push_back(to != kExitBlock ? to : returns ? exit : end);
    }
  }
  for (uint32_t node = 0; node < count + 1; ++node) {
    for (const uint32_t to : after[node]) before[to].push_back(node);
  }
  before[exit].push_back(end);
  for (const uint32_t b : order.nodes) {
    cfg.blocks[b].reachable = true;
    cfg.blocks[b].predecessors.assign(before[b].begin(), before[b].end());
  }
  cfg.idom = Dominators(order, before);
  cfg.idom.resize(count);
  const Order reverse = ReversePostOrder(before, exit);
  cfg.ipdom = Dominators(reverse, after);
  cfg.ipdom.resize(count);
  for (uint32_t& node : cfg.ipdom) {
    if (node == exit) node = kNone;
  }
  cfg.order = std::move(order.nodes);
  cfg.position = std::move(order.position);
  NumberDominatorTree(cfg);
}

void FindLoops(Cfg& cfg) {
  std::vector<uint32_t> loop_at(cfg.num_blocks(), kNone);
  for (const uint32_t from : cfg.order) {
    for (const uint32_t to : cfg.blocks[from].successors) {
      if (to == kExitBlock || cfg.position[to] > cfg.position[from]) continue;
      if (loop_at[to] == kNone) {
        loop_at[to] = static_cast<uint32_t>(cfg.loops.size());
        cfg.loops.push_back({to, {}, {}, true});
      }
      Loop& loop = cfg.loops[loop_at[to]];
      loop.latches.push_back(from);
      if (!cfg.Dominates(to, from)) loop.natural = cfg.reducible = false;
    }
  }
  std::vector<uint32_t> mark(cfg.num_blocks(), kNone);
  size_t work = 0;
  for (uint32_t l = 0; l < cfg.loops.size(); ++l) {
    Loop& loop = cfg.loops[l];
    // Very deep nests would make this quadratic: what is left is treated as unstructured.
    constexpr size_t kMaxWork = 1 << 21;
    if (!loop.natural || work > kMaxWork) {
      loop.natural = cfg.reducible = false;
      continue;
    }
    loop.blocks.push_back(loop.header);
    mark[loop.header] = l;
    std::vector<uint32_t> stack = loop.latches;
    while (!stack.empty()) {
      const uint32_t b = stack.back();
      stack.pop_back();
      if (mark[b] == l) continue;
      mark[b] = l;
      loop.blocks.push_back(b);
      work += 1 + cfg.blocks[b].predecessors.size();
      for (const uint32_t p : cfg.blocks[b].predecessors) stack.push_back(p);
    }
    std::sort(loop.blocks.begin() + 1, loop.blocks.end());
  }
}

}  // namespace

bool Cfg::InLoop(const Loop& loop, uint32_t block) const {
  return block == loop.header ||
         std::binary_search(loop.blocks.begin() + 1, loop.blocks.end(), block);
}

uint32_t Cfg::EntryOf(uint32_t block) const {
  uint32_t entry = kNone;
  if (block == 0) return kNone;
  for (const uint32_t from : blocks[block].predecessors) {
    if (Dominates(block, from)) continue;
    if (entry != kNone) return kNone;
    entry = from;
  }
  return entry;
}

uint32_t Cfg::Target(const isa::Program& program, uint32_t block, bool taken) const {
  const Instruction& last = program.code[blocks[block].end - 1];
  const uint32_t pc = taken ? last.target() : blocks[block].end;
  return pc < program.code.size() ? block_of[pc] : end_node();
}

std::vector<uint32_t> PostDominators(const std::vector<std::vector<uint32_t>>& successors,
                                     uint32_t exit) {
  std::vector<std::vector<uint32_t>> before(successors.size());
  for (uint32_t node = 0; node < successors.size(); ++node) {
    for (const uint32_t to : successors[node]) before[to].push_back(node);
  }
  return Dominators(ReversePostOrder(before, exit), successors);
}

Cfg BuildCfg(const isa::Program& program) {
  Cfg cfg;
  cfg.uses.reserve(program.code.size());
  for (const Instruction& instruction : program.code) cfg.uses.push_back(isa::UsesOf(instruction));
  SplitBlocks(program, cfg);
  LinkBlocks(program, cfg);
  OrderAndDominate(program, cfg);
  FindLoops(cfg);
  // The edges of a recursive program say little about the ways that a lane can take.
  for (const Instruction& i : program.code) cfg.reducible &= i.op != Opcode::kCall;
  return cfg;
}

Diagnostic TooComplex(const isa::Program& program, const std::string& what) {
  return Error(ErrorCode::kUnsupported, "'" + program.name + "' is too complex to verify: " + what +
                                            " is not found out in the steps that are allowed");
}

std::optional<std::vector<SlotSet>> ComputeLiveIn(const Cfg& cfg) {
  std::vector<SlotSet> live(cfg.num_blocks(), SlotSet{});
  std::vector<SlotSet> written(cfg.num_blocks(), SlotSet{});
  for (const uint32_t b : cfg.order) {
    for (uint32_t pc = cfg.blocks[b].end; pc-- > cfg.blocks[b].begin;) {
      const isa::Uses& uses = cfg.uses[pc];
      if (uses.write) Erase(live[b], uses.write->reg), Insert(written[b], uses.write->reg);
      if (uses.predicate_write) {
        Erase(live[b], kFirstPredicate + *uses.predicate_write);
        Insert(written[b], kFirstPredicate + *uses.predicate_write);
      }
      uses.ForEachRead([&](const isa::RegisterUse& use) { Insert(live[b], use.reg); });
      for (int i = 0; i < uses.num_predicate_reads; ++i) {
        Insert(live[b], kFirstPredicate + uses.predicate_reads[static_cast<size_t>(i)]);
      }
    }
  }
  constexpr size_t kMaxPasses = 100;
  size_t passes = 0;
  for (bool changed = true; changed;) {
    changed = false;
    if (++passes > kMaxPasses) return std::nullopt;
    for (size_t i = cfg.order.size(); i-- > 0;) {
      const uint32_t b = cfg.order[i];
      for (const uint32_t to : cfg.blocks[b].successors) {
        if (to == kExitBlock) continue;
        for (size_t w = 0; w < live[b].size(); ++w) {
          const uint64_t more = live[to][w] & ~written[b][w] & ~live[b][w];
          live[b][w] |= more;
          changed |= more != 0;
        }
      }
    }
  }
  return live;
}

}  // namespace hologram::verify
