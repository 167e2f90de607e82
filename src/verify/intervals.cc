#include "verify/intervals.h"

#include <algorithm>

namespace hologram::verify {

Intervals::Intervals(const isa::Program& program, const Cfg& cfg, const Ssa& ssa, size_t* work)
    : program_(program),
      cfg_(cfg),
      ssa_(ssa),
      work_(work),
      lanes_(ComputeVariation(program, cfg, ssa, Among::kBlock)),
      starts_{0} {
  for (const uint32_t b : cfg.order) {
    if (!EndsWithBarrier(b)) continue;
    const uint32_t next = cfg.blocks[b].successors[0];
    if (next != kExitBlock) starts_.push_back(next);
  }
  std::sort(starts_.begin(), starts_.end());
  starts_.erase(std::unique(starts_.begin(), starts_.end()), starts_.end());
}

void Intervals::Enter(uint32_t start) {
  start_ = start;
  inside_ = Reach(start);
}

bool Intervals::EndsWithBarrier(uint32_t b) const {
  return isa::IsBarrier(program_.code[cfg_.blocks[b].end - 1].op);
}

std::vector<bool> Intervals::Reach(uint32_t from, uint32_t without) const {
  std::vector<bool> seen(cfg_.num_blocks(), false);
  std::vector<uint32_t> stack;
  *work_ += cfg_.num_blocks() / 16;
  const auto visit = [&](uint32_t b) {
    if (b == kExitBlock || b == without || seen[b]) return;
    seen[b] = true;
    stack.push_back(b);
  };
  visit(from);
  while (!stack.empty()) {
    const uint32_t b = stack.back();
    stack.pop_back();
    ++*work_;
    if (EndsWithBarrier(b)) continue;
    for (const uint32_t to : cfg_.blocks[b].successors) visit(to);
  }
  return seen;
}

std::vector<bool> Intervals::ReachFrom(uint32_t b) const {
  return b == kExitBlock ? std::vector<bool>(cfg_.num_blocks(), false) : Reach(b);
}

bool Intervals::BranchesTogether(uint32_t b) const {
  const ValueId predicate = ssa_.predicate_reads[cfg_.blocks[b].end - 1][0];
  if (predicate == kNone) return false;  // a counter, which changes from round to round
  return !lanes_.divergent[b] && !lanes_.varying[predicate] &&
         !lanes_.divergent[ssa_.BlockOf(cfg_, predicate)];
}

bool Intervals::Exclusive(uint32_t a, uint32_t b) const {
  const uint32_t block_a = cfg_.block_of[a];
  const uint32_t block_b = cfg_.block_of[b];
  if (block_a == block_b) return false;
  for (uint32_t u = 0; u < cfg_.num_blocks(); ++u) {
    if (!inside_[u] || cfg_.blocks[u].successors.size() != 2 || !BranchesTogether(u)) continue;
    if (u == block_a || u == block_b) continue;
    const std::vector<bool> around = Reach(start_, u);
    if (around[block_a] || around[block_b]) continue;
    const std::vector<bool> one = ReachFrom(cfg_.blocks[u].successors[0]);
    const std::vector<bool> two = ReachFrom(cfg_.blocks[u].successors[1]);
    if (one[u] || two[u]) continue;
    if (one[block_a] != one[block_b] && two[block_a] != two[block_b] &&
        one[block_a] != two[block_a]) {
      return true;
    }
  }
  return false;
}

bool Intervals::OnOtherWays(uint32_t a, uint32_t b) const {
  const uint32_t block_a = cfg_.block_of[a];
  const uint32_t block_b = cfg_.block_of[b];
  if (Reach(block_a)[block_b] || Reach(block_b)[block_a]) return false;
  for (uint32_t u = 0; u < cfg_.num_blocks(); ++u) {
    if (!inside_[u] || cfg_.blocks[u].successors.size() != 2) continue;
    const std::vector<bool> one = ReachFrom(cfg_.blocks[u].successors[0]);
    const std::vector<bool> two = ReachFrom(cfg_.blocks[u].successors[1]);
    const bool parts = (one[block_a] && two[block_b]) || (one[block_b] && two[block_a]);
    if (parts && !BranchesTogether(u)) return false;
  }
  return true;
}

bool Intervals::HasOneValue(const Atom& atom, uint32_t a, uint32_t b) const {
  if (atom.kind == AtomKind::kBlock) return true;
  if (atom.kind != AtomKind::kLoop && atom.kind != AtomKind::kOpaque) return false;
  if (atom.value == kNone || lanes_.varying[atom.value]) return false;
  const uint32_t made = ssa_.BlockOf(cfg_, atom.value);
  if (lanes_.divergent[made]) return false;
  if (!inside_[made]) return true;
  // Made once in the interval, before both accesses.
  const std::vector<bool> around = Reach(start_, made);
  if (around[cfg_.block_of[a]] || around[cfg_.block_of[b]]) return false;
  // All lanes make it as often; nobody does behind an access, so the last one is what counts.
  return !IsMadeAgain(made) || (!Reach(cfg_.block_of[a])[made] && !Reach(cfg_.block_of[b])[made]);
}

bool Intervals::IsMadeAgain(uint32_t block) const {
  if (EndsWithBarrier(block)) return false;
  for (const uint32_t to : cfg_.blocks[block].successors) {
    if (ReachFrom(to)[block]) return true;
  }
  return false;
}

}  // namespace hologram::verify
