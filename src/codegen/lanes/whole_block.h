// Blocks of exactly as many lanes as one chunk takes: the few that a kernel with barriers declares,
// else those that reduce rows, or scan, in the standard kernels. All their lanes are in flight at
// once, so nothing goes to memory at a barrier: what lives across it stays in registers, reductions
// and scans work on registers, and the regions become one piece of code. Launches with blocks of
// other sizes follow regions (block_mode.h), with the same bits; so do all blocks from one with a
// fault on, if what it has done may be done twice (codegen/plan/accesses.h).
#pragma once

#include "codegen/emit/barriers.h"
#include "codegen/emit/registers.h"

namespace hologram::codegen {

class WholeBlock : public Barriers {
 public:
  WholeBlock(FunctionState& f, const Chunk& chunk, Registers& registers)
      : f_(f), b_(f.builder()), plan_(f.plan()), chunk_(chunk), registers_(registers) {}

  bool Emit(uint32_t block) override;

 private:
  void Reduce(uint32_t pc);
  void Scan(uint32_t pc);

  FunctionState& f_;
  llvm::IRBuilder<>& b_;
  const Plan& plan_;
  const Chunk& chunk_;
  Registers& registers_;
};

}  // namespace hologram::codegen
