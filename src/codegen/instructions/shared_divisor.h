// Division of vectors of integers by a number that all lanes share: a multiplication and a shift
// (Granlund and Montgomery, "Division by invariant integers using multiplication", 1994). The
// multiplier is computed from the divisor without a branch and without a division of integers, so
// LLVM moves it out of every loop in which the divisor stays the same: of a scalar of the launch it
// is computed once.
#pragma once

#include "codegen/emit/function.h"

namespace hologram::codegen {

class SharedDivisor {
 public:
  // REQUIRES: `divisor` is a scalar, and not 0.
  SharedDivisor(FunctionState& f, llvm::Value* divisor, bool is_signed);

  // Rounded towards zero, in each lane; the smallest number by -1 is itself.
  llvm::Value* Quotient(llvm::Value* dividends);

 private:
  llvm::Value* OfUnsigned(llvm::Value* dividends);
  llvm::Value* OfSigned(llvm::Value* dividends);
  llvm::Value* HighProduct(llvm::Value* a);
  llvm::Value* HighProductNarrow(llvm::Value* a);
  llvm::Value* HighProductWide(llvm::Value* a);
  llvm::Value* Halves(llvm::Value* half);
  llvm::Value* Word(uint64_t value) const { return b_.getInt64(value); }
  llvm::Value* Lanes(llvm::Value* word);

  FunctionState& f_;
  llvm::IRBuilder<>& b_;
  bool is_signed_;
  unsigned bits_;                  // of the numbers that are computed with: 32 or 64
  llvm::Value* divisor_;           // with that many bits
  llvm::Value* multiplier_;        // i64, less than 2^bits_
  llvm::Value* shift_;             // i64, of the high product
  llvm::Value* first_shift_;       // i64, without sign only
  llvm::Value* is_one_ = nullptr;  // i1, the absolute value, with sign only
};

}  // namespace hologram::codegen
