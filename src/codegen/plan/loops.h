// The blocks of a loop.
#pragma once

#include "codegen/plan/plan.h"

namespace hologram::codegen {

// Its header first.
std::vector<uint32_t> BlocksOfLoop(const Plan& plan, const verify::LoopFact& loop);
bool Contains(const std::vector<uint32_t>& blocks, uint32_t block);

}  // namespace hologram::codegen
