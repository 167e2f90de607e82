// Control flow of the lanes of a block between the same two barriers. Tested by tests/verify.
#pragma once

#include <vector>

#include "verify/divergence.h"
#include "verify/symbolic.h"

namespace hologram::verify {

class Intervals {
 public:
  // `work` grows by the blocks that are walked. The arguments outlive it.
  Intervals(const isa::Program& program, const Cfg& cfg, const Ssa& ssa, size_t* work);

  // Blocks at which intervals begin: the first one and those behind barriers, ascending.
  const std::vector<uint32_t>& starts() const { return starts_; }
  // The questions below are about the interval that begins there.
  void Enter(uint32_t start);

  uint32_t start() const { return start_; }
  const Variation& lanes() const { return lanes_; }

  bool Has(uint32_t pc) const { return inside_[cfg_.block_of[pc]]; }
  // A branch on which all lanes of a block agree, passed at most once, leads to one of the two
  // instructions or to the other.
  bool Exclusive(uint32_t a, uint32_t b) const;
  // Lanes that go the same way at every branch come to one of the two or to the other: neither is
  // behind the other, and branches that lead to both, by different edges, are the same for all.
  bool OnOtherWays(uint32_t a, uint32_t b) const;
  // The atom has one value for all lanes of a block at both instructions.
  bool HasOneValue(const Atom& atom, uint32_t a, uint32_t b) const;

 private:
  // Blocks on paths without barriers from `from`, not passing `without`.
  std::vector<bool> Reach(uint32_t from, uint32_t without = kNone) const;
  // None if `b` is the exit.
  std::vector<bool> ReachFrom(uint32_t b) const;
  bool EndsWithBarrier(uint32_t b) const;
  // All lanes of a block that are at the end of `b` go the same way.
  bool BranchesTogether(uint32_t b) const;
  bool IsMadeAgain(uint32_t block) const;

  const isa::Program& program_;
  const Cfg& cfg_;
  const Ssa& ssa_;
  size_t* work_;
  Variation lanes_;
  std::vector<uint32_t> starts_;
  uint32_t start_ = 0;
  std::vector<bool> inside_;  // by block
};

}  // namespace hologram::verify
