// Accesses whose index the compiler cannot follow, but which is computed from the numbers of lanes:
// with `//`, `%` or masks, as in x[t // width] and x[(t + 1) % width]. Most vectors of them read
// elements side by side, or one element, and two comparisons find that out: they cost far less than
// a gather. Indices that were loaded are not asked, but those of a row that begins at a number
// which was loaded for all lanes are: x[first[row] + lane]. Such a row is asked about under a mask
// too, where that costs nothing.
#pragma once

#include "codegen/instructions/launch_strides.h"

namespace hologram::codegen {

class Runs {
 public:
  Runs(FunctionState& f, Registers& registers, const Chunk& chunk, Places& places,
       LaunchStrides& strides)
      : f_(f),
        b_(f.builder()),
        plan_(f.plan()),
        registers_(registers),
        chunk_(chunk),
        places_(places),
        strides_(strides) {}

  bool CanAsk(uint32_t pc) const;
  // The elements may be those of records, a few elements long.
  bool AsksForRecords(uint32_t pc) const;
  // `others` is what is done otherwise, and gives what was loaded. Returns what was loaded, nothing
  // for a store.
  Values Access(uint32_t pc, const Place& place, const Values& stored,
                llvm::function_ref<Values()> others);

 private:
  struct Question {
    llvm::Value* side_by_side;
    llvm::Value* one_element;
    Values firsts;                    // by sub-vector
    llvm::Value* distance = nullptr;  // where `even` holds: from each index to the next
    llvm::Value* even = nullptr;
  };
  Question Ask(uint32_t pc);
  llvm::Value* MayBeRecords(uint32_t pc, Question& question);
  void AskForRecords(uint32_t pc, Question& question);
  llvm::Value* AllOf(const Values& masks);
  // The lanes that need not be part of a run: with masks that are free, those that do not run.
  llvm::Value* Among(uint32_t pc, llvm::Value* fits, unsigned u);
  bool MasksAreFree(uint32_t pc) const;
  llvm::Value* AddressOf(const Place& place, uint32_t pc, llvm::Value* first);
  Values LoadSideBySide(uint32_t pc, const Place& place, const Values& firsts);
  void StoreSideBySide(uint32_t pc, const Place& place, const Values& firsts, const Values& stored);
  Values LoadOne(uint32_t pc, const Place& place, const Values& firsts);
  Values AccessRecords(uint32_t pc, const Place& place, const Values& firsts, unsigned distance,
                       const Values& stored);

  FunctionState& f_;
  llvm::IRBuilder<>& b_;
  const Plan& plan_;
  Registers& registers_;
  const Chunk& chunk_;
  Places& places_;
  LaunchStrides& strides_;
};

}  // namespace hologram::codegen
