// A program some of whose loops are written twice, for code that lets lanes go round together as
// long as all of them do: the first copy comes before the second and is entered in its place. Each
// branch out of the first copy leads to a block of its own with the same branch, of which one side
// leaves the loop and the other goes on in the second copy. So it does not matter which of the
// lanes go there: those that leave must, others may, and what a lane computes is the same. The
// facts of the copies are those of what they are copies of. Tested by tests/verify/loops_test.cc
// and by tests/differential.
#pragma once

#include "verify/verified_program.h"

namespace hologram::verify {

struct LoopToCopy {
  std::vector<uint32_t> blocks;  // one after the other, header first
  std::vector<uint32_t> parts;   // of these: where lanes may leave the loop in different rounds, by
                                 // a conditional BRA of which one side stays in it
};

struct CopiedLoops {
  static constexpr uint32_t kNoBlock = UINT32_MAX;
  const VerifiedProgram* given = nullptr;
  VerifiedProgram program;
  // By block of `program`: of a block of a first copy, the same block of the second.
  std::vector<uint32_t> second;
  std::vector<bool> parts;         // blocks of first copies that branch out of the loop
  std::vector<bool> repeats;       // blocks that a first copy has as well
  std::vector<uint32_t> original;  // by instruction: its number in the given program
};

// REQUIRES: no block is in two of the loops; they are natural loops of the program, in the order of
// their blocks.
CopiedLoops CopyLoops(const VerifiedProgram& program, const std::vector<LoopToCopy>& loops);

// The blocks of a natural loop if they lie one after the other with its header first; else none.
std::vector<uint32_t> BlocksOf(const VerifiedProgram& program, const LoopFact& loop);

}  // namespace hologram::verify
