// Which accesses are in bounds, and under which conditions on the launch. Tested by tests/verify.
#pragma once

#include "verify/symbolic.h"

namespace hologram::verify {

class Pieces;

struct AccessProof {
  uint32_t pc = 0;
  bool proved = false;
  const char* why = "";  // not proved
  Form index;            // element index, with the displacement
  PolyId low = kZero;    // its range, if proved
  PolyId high = kZero;
  std::vector<uint32_t> conditions;  // of the Symbolic
};

ValueId IndexOf(const isa::Program& program, const Ssa& ssa, uint32_t pc);
AccessProof ProveAccess(Symbolic& symbolic, const isa::Program& program, const Cfg& cfg,
                        const Ssa& ssa, uint32_t pc);
// The number of elements of what the access at `pc` accesses.
PolyId ExtentOf(Symbolic& symbolic, const isa::Program& program, uint32_t pc);

// The form grows by this from one lane to its neighbour in x, where block `block` uses it; empty if
// not by a constant. Lanes in one round of a loop have made the same steps, so a counter grows as
// the value that it started with; what that rests on is appended to `facts`.
// `pieces`: of the same piece of a row; else null.
std::optional<int64_t> StrideOf(Symbolic& symbolic, const Cfg& cfg, const Ssa& ssa,
                                const Variation& row, const Form& form, uint32_t block,
                                Facts& facts, const Pieces* pieces = nullptr);
// Whether a form is the same in all lanes of a piece, where lanes agree about all other values as
// in `row`.
bool IsSharedIn(const Pieces& pieces, const Symbolic& symbolic, const Cfg& cfg, const Ssa& ssa,
                const Variation& row, const Form& form, uint32_t block);

// The loop ends in every launch, whatever the data; with `rests_on`, in those in which these facts
// hold, which are appended.
bool LoopEnds(Symbolic& symbolic, const isa::Program& program, const Cfg& cfg, const Ssa& ssa,
              const Loop& loop, Facts* rests_on = nullptr);

// How often a loop that ends goes round, each time that a lane gets to it.
struct LoopRounds {
  Wide machine = kHuge;  // at most, in every launch in which it ends
  struct Known {
    PolyId most = kNoPoly;
    Facts facts;  // what that rests on
  };
  std::vector<Known> known;
};
LoopRounds RoundsOf(Symbolic& symbolic, const isa::Program& program, const Cfg& cfg, const Ssa& ssa,
                    const Loop& loop, Facts* rests_on = nullptr);

// One error for every barrier that some lanes of a block may reach without the others.
void CheckBarriers(const isa::Program& program, const Cfg& cfg, const Ssa& ssa,
                   Diagnostics& errors);

}  // namespace hologram::verify
