// Which values differ between lanes, and which blocks only some lanes may reach. Tested by
// tests/verify.
#pragma once

#include "verify/ssa.h"

namespace hologram::verify {

// Between whom: neighbours in x of one row of lanes, or all lanes of a block of lanes.
enum class Among : uint8_t { kRow, kBlock };

struct Variation {
  std::vector<bool> varying;    // by value
  std::vector<bool> divergent;  // by block: lanes may disagree about being here
  std::vector<bool> leaving;    // by loop: lanes may leave it in different rounds
  std::vector<bool> joins;      // by block: lanes may come here on different ways

  // A value varies where it is used if it does where it is made, or if lanes leave a loop between
  // the two in different rounds.
  bool VariesAt(const Cfg& cfg, const Ssa& ssa, ValueId v, uint32_t block) const;

  // How often lanes that are at `block` together have come to the loop header `header` since they
  // entered the loop: whether that may differ between them. It is what a counter from 0 in steps of
  // 1 would hold.
  bool RoundsVary(const Cfg& cfg, uint32_t header, uint32_t block) const;
};

// Sound for every control-flow graph: where control is irreducible, or the program too large for
// SSA, everything varies. A lane that has returned never disagrees. `shared`: by value, what is
// known to be the same in all lanes for other reasons, where instructions make it; may be null.
Variation ComputeVariation(const isa::Program& program, const Cfg& cfg, const Ssa& ssa, Among among,
                           const std::vector<bool>* shared = nullptr);

// Blocks reachable from a successor of `branch` without passing its immediate post-dominator.
std::vector<uint32_t> RegionOf(const Cfg& cfg, uint32_t branch);

}  // namespace hologram::verify
