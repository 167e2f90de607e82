// The control-flow graph of a program: blocks, reachability, dominators, post-dominators and loops,
// and the operands of every instruction decoded once. Tested by tests/verify.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "isa/program.h"
#include "verify/verified_program.h"

namespace hologram::verify {

inline constexpr uint32_t kNone = UINT32_MAX;

// Registers are numbered 0..255, predicates 256..271.
inline constexpr uint32_t kFirstPredicate = isa::kNumRegisters;
inline constexpr uint32_t kNumSlots = isa::kNumRegisters + isa::kNumPredicates;
using SlotSet = std::array<uint64_t, (kNumSlots + 63) / 64>;

// All retreating edges to one block. Natural if the block dominates all their sources.
struct Loop {
  uint32_t header = 0;
  std::vector<uint32_t> latches;
  std::vector<uint32_t> blocks;  // of a natural loop, header first
  bool natural = false;
};

struct Cfg {
  std::vector<isa::Uses> uses;  // by instruction
  std::vector<BasicBlock> blocks;
  std::vector<uint32_t> block_of;
  std::vector<uint32_t> order;       // reachable blocks in reverse post order
  std::vector<uint32_t> position;    // in `order`; kNone: unreachable
  std::vector<uint32_t> idom;        // immediate dominator; of block 0: kNone
  std::vector<uint32_t> tree_begin;  // number in a walk over the dominator tree
  std::vector<uint32_t> tree_size;   // blocks that the block dominates
  // Immediate post-dominator. end_node(): the end of the program, reached by falling off or by
  // branching there; kNone: the lane returns, or no path ends.
  std::vector<uint32_t> ipdom;
  std::vector<Loop> loops;
  bool reducible = true;
  std::vector<uint32_t> source_pc;  // places in the program that was given, where they differ

  uint32_t SourcePc(uint32_t pc) const { return source_pc.empty() ? pc : source_pc[pc]; }
  uint32_t num_blocks() const { return static_cast<uint32_t>(blocks.size()); }
  uint32_t end_node() const { return num_blocks(); }
  bool Reachable(uint32_t block) const { return position[block] != kNone; }
  // REQUIRES: both reachable.
  bool Dominates(uint32_t a, uint32_t b) const {
    return tree_begin[b] - tree_begin[a] < tree_size[a];
  }
  bool InLoop(const Loop& loop, uint32_t block) const;
  // Where the edge comes from that every way to `block` takes first; kNone if there is none.
  uint32_t EntryOf(uint32_t block) const;
  // Successor that is reached by the branch at the end of `block` when its predicate holds
  // (`taken`) or not; end_node() for the end of the program.
  uint32_t Target(const isa::Program& program, uint32_t block, bool taken) const;
};

// REQUIRES: the program is well formed and has instructions.
Cfg BuildCfg(const isa::Program& program);

// Immediate post-dominators of a graph with one `exit`, by node; of nodes that do not get there,
// and of the exit: kNone. `successors[exit]` is empty.
std::vector<uint32_t> PostDominators(const std::vector<std::vector<uint32_t>>& successors,
                                     uint32_t exit);

// Registers and predicates that may be read before they are written again, on entry of each block.
// Empty if loops are nested too deeply to find out in reasonable time.
std::optional<std::vector<SlotSet>> ComputeLiveIn(const Cfg& cfg);

// The error for control flow that would take too long to analyse, `what` being what is not found
// out.
Diagnostic TooComplex(const isa::Program& program, const std::string& what);

inline bool Has(const SlotSet& set, uint32_t slot) {
  return ((set[slot / 64] >> (slot % 64)) & 1) != 0;
}
inline void Insert(SlotSet& set, uint32_t slot) {
  set[slot / 64] |= uint64_t{1} << (slot % 64);
}
inline void Erase(SlotSet& set, uint32_t slot) {
  set[slot / 64] &= ~(uint64_t{1} << (slot % 64));
}

}  // namespace hologram::verify
