// After a comparison of integers that differ by a constant from lane to lane: what the first and
// the last lane of the chunk have decides for all between, so that a branch can ask whether they
// agree. `i < n` holds in all lanes of a chunk but for the last one of an array.
#pragma once

#include "codegen/emit/registers.h"

namespace hologram::codegen {

class Agreement {
 public:
  Agreement(FunctionState& f, Registers& registers, const Chunk& chunk)
      : f_(f), b_(f.builder()), plan_(f.plan()), registers_(registers), chunk_(chunk) {}

  void Forget() { predicate_ = kNoOperand; }
  // Of the SET at `pc`.
  void Note(uint32_t pc);
  bool IsKnown(OperandId predicate) const {
    return predicate_ != kNoOperand && predicate_ == predicate;
  }
  // The value of the predicate in the first lane of the chunk and in the last; all lanes between
  // have one of them.
  llvm::Value* first() const { return first_; }
  llvm::Value* last() const { return last_; }

 private:
  FunctionState& f_;
  llvm::IRBuilder<>& b_;
  const Plan& plan_;
  Registers& registers_;
  const Chunk& chunk_;
  OperandId predicate_ = kNoOperand;
  llvm::Value* first_ = nullptr;
  llvm::Value* last_ = nullptr;
};

}  // namespace hologram::codegen
