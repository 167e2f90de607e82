// How often the loops of a lane go round together: what the launch can compute, and where it has to
// count (docs/language.md, "Budget"). Tested by tests/verify/rounds_test.cc.
#pragma once

#include <vector>

#include "verify/lowering.h"
#include "verify/proofs.h"

namespace hologram::verify {

// Sets the rounds of `loops`, which has a fact for each loop of `cfg`, and what the launch checks.
// `emitted`: the conditions of `symbolic` that are in the launch check.
void FillRounds(Symbolic& symbolic, Lowering& lowering, const Cfg& cfg, const Ssa& ssa,
                const std::vector<bool>& emitted, const isa::Program& program,
                std::vector<LoopFact>& loops, LaunchCheck& check);

}  // namespace hologram::verify
