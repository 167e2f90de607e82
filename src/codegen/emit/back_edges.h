// Back edges that lanes take are counted where loops need not end, on the budget of the launch, and
// where they may go round very often, on the limit of rounds. A lane that has spent either faults.
#pragma once

#include "codegen/emit/arguments.h"
#include "codegen/emit/faults.h"

namespace hologram::codegen {

class BackEdges {
 public:
  BackEdges(FunctionState& f, const Arguments& arguments, Chunk& chunk, Faults& faults)
      : f_(f),
        b_(f.builder()),
        plan_(f.plan()),
        chunk_(chunk),
        faults_(faults),
        budget_(arguments.budget),
        most_rounds_(arguments.most_rounds) {}

  // For another chunk: no lane has taken any.
  void Begin();
  // A counted edge is taken in the lanes of `mask`; returns those that go on.
  Values Count(uint32_t from, uint32_t to, const Values& mask);
  void CountScalar(uint32_t from, uint32_t to);

  // ---- By what they count on: the limit of rounds, or the budget
  bool Counts(bool limited) const { return !SlotsOf(limited).empty(); }
  Values CountOn(bool limited, uint32_t from, const Values& mask);
  void CountScalarOn(bool limited, uint32_t from);
  // Counts of the lanes, i64.
  const Slots& SlotsOf(bool limited) const { return limited ? rounds_taken_ : budget_taken_; }

 private:
  llvm::Value* MostOf(bool limited) const { return limited ? most_rounds_ : budget_; }

  FunctionState& f_;
  llvm::IRBuilder<>& b_;
  const Plan& plan_;
  Chunk& chunk_;
  Faults& faults_;
  llvm::Value* budget_;
  llvm::Value* most_rounds_;
  Slots budget_taken_;
  Slots rounds_taken_;
};

}  // namespace hologram::codegen
