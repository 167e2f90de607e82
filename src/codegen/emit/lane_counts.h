// Instrumented code: how many lanes ran each block of the program, and in how many vectors. It adds
// to counters outside of the object, whose address the loader writes (hologram_jit_counts in
// plugin/code.h). Instructions of a block run in the same lanes, so this counts each of them. Code
// without counters is not changed. Tested by tests/profile/native_counts_test.py.
#pragma once

#include "codegen/emit/alias_scopes.h"
#include "codegen/emit/chunk.h"

namespace hologram::codegen {

class LaneCounts {
 public:
  LaneCounts(FunctionState& f, const Chunk& chunk)
      : f_(f), b_(f.builder()), plan_(f.plan()), chunk_(chunk) {}

  // The running lanes of the chunk begin a block.
  void Add(uint32_t block);

 private:
  bool IsParting(uint32_t block) const;
  llvm::Value* Counters();
  void AddTo(uint32_t counter, llvm::Value* more);

  FunctionState& f_;
  llvm::IRBuilder<>& b_;
  const Plan& plan_;
  const Chunk& chunk_;
  llvm::Value* counters_ = nullptr;  // their address; null until it is needed
};

}  // namespace hologram::codegen
