// How large a body is, and in which forms it is worth writing.
#pragma once

#include "codegen/plan/plan.h"
#include "codegen/target.h"

namespace hologram::codegen {

using Blocks = std::vector<uint32_t>;  // of the program, in layout order

// Compile cost of a copy of the body, in simple instructions.
size_t BodySize(const Plan& plan, const Blocks& blocks);
bool HasLoop(const Plan& plan, const Blocks& blocks);
// How many vectors are written at once.
unsigned UnrollFactor(const Plan& plan, const Target& target, const Blocks& blocks);
// How many are written at once, where that leaves fewer.
unsigned FewerVectors(const Plan& plan, const Target& target, const Blocks& blocks,
                      unsigned unroll);
// Vectors that are left by the unrolled loop go under a mask, for one copy less.
bool MasksRest(const Plan& plan, const Target& target, const Blocks& blocks);
// A copy for whole vectors would hardly be cheaper than the one under a mask.
bool MasksAll(const Plan& plan, const Target& target, const Blocks& blocks);
// Lanes of a row that take about as long as a launch may run without a look at what stops it.
uint64_t LanesOfPiece(const Plan& plan, const Blocks& blocks);
// A block that is worth a test whether any lane runs it.
bool NeedsAnyCheck(const Plan& plan, uint32_t block);

// ---- Launches that are stopped from outside (codegen/emit/polls.h)
// The header of a loop in which the word is read.
bool PollsAt(const Plan& plan, uint32_t block);
bool HasPolls(const Plan& plan);

}  // namespace hologram::codegen
