// Blocks, orders, dominators (Cooper, Harvey and Kennedy's iteration over a reverse post order, the
// same code for both directions) and loops.
#include "verify/cfg.h"

#include <algorithm>

namespace hologram::verify {
namespace {

using isa::Instruction;
using isa::Opcode;

bool EndsBlock(Opcode op) {
  return op == Opcode::kBra || op == Opcode::kExit || op == Opcode::kBarSync;
}

void SplitBlocks(const isa::Program& program, Cfg& cfg) {
  const auto size = static_cast<uint32_t>(program.code.size());
  std::vector<bool> leader(size + 1, false);
  leader[0] = true;
  for (uint32_t pc = 0; pc < size; ++pc) {
    const Instruction& instruction = program.code[pc];
    if (EndsBlock(instruction.op)) leader[pc + 1] = true;
    if (instruction.op == Opcode::kBra) leader[instruction.target()] = true;
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
  for (BasicBlock& block : cfg.blocks) {
    const Instruction& last = program.code[block.end - 1];
    if (last.op == Opcode::kBra) block.successors.push_back(block_at(last.target()));
    if (last.op == Opcode::kExit) {
      block.successors.push_back(kExitBlock);
    } else if (last.op != Opcode::kBra || last.conditional()) {
      const uint32_t next = block_at(block.end);
      // A branch to the next instruction is no branch.
      if (block.successors.empty() || block.successors[0] != next) block.successors.push_back(next);
    }
  }
}

// Reverse post order from `root` over `edges`; nodes that are not reached get position kNone.
struct Order {
  std::vector<uint32_t> nodes;
  std::vector<uint32_t> position;
};
Order ReversePostOrder(const std::vector<std::vector<uint32_t>>& edges, uint32_t root) {
  Order order;
  order.position.assign(edges.size(), kNone);
  std::vector<std::pair<uint32_t, uint32_t>> stack = {{root, 0}};
  std::vector<bool> seen(edges.size(), false);
  seen[root] = true;
  while (!stack.empty()) {
    auto& [node, next] = stack.back();
    if (next < edges[node].size()) {
      // Later successors first, so that the taken branch of structured code comes first in order.
      const uint32_t to = edges[node][edges[node].size() - 1 - next++];
      if (!seen[to]) {
        seen[to] = true;
        stack.emplace_back(to, 0);
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

std::vector<uint32_t> Dominators(const Order& order,
                                 const std::vector<std::vector<uint32_t>>& predecessors) {
  std::vector<uint32_t> idom(predecessors.size(), kNone);
  const uint32_t root = order.nodes[0];
  idom[root] = root;
  const auto meet = [&](uint32_t a, uint32_t b) {
    while (a != b) {
      while (order.position[a] > order.position[b]) a = idom[a];
      while (order.position[b] > order.position[a]) b = idom[b];
    }
    return a;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = 1; i < order.nodes.size(); ++i) {
      const uint32_t node = order.nodes[i];
      uint32_t best = kNone;
      for (const uint32_t from : predecessors[node]) {
        if (order.position[from] == kNone || idom[from] == kNone) continue;
        best = best == kNone ? from : meet(best, from);
      }
      if (best != idom[node]) {
        idom[node] = best;
        changed = true;
      }
    }
  }
  idom[root] = kNone;
  return idom;
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
  return cfg;
}

std::vector<SlotSet> ComputeLiveIn(const Cfg& cfg) {
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
      for (int i = 0; i < uses.num_reads; ++i) {
        Insert(live[b], uses.reads[static_cast<size_t>(i)].reg);
      }
      for (int i = 0; i < uses.num_predicate_reads; ++i) {
        Insert(live[b], kFirstPredicate + uses.predicate_reads[static_cast<size_t>(i)]);
      }
    }
  }
  for (bool changed = true; changed;) {
    changed = false;
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
