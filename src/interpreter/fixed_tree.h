// The order in which many values are combined, which depends on nothing but their numbers: the tree
// over 1,024 values of BLK.RED, and above it one over such blocks, for any number of values.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "interpreter/operations.h"
#include "isa/program.h"

namespace hologram::interpreter {

// Neighbouring rows of 16 first, slot by slot, then the slots of the row that is left. Overwrites
// the values.
template <class T, class Operation>
Computed<T> FoldTree(std::array<Computed<T>, isa::kMaxLanesPerBlock>& values, Operation operation) {
  constexpr size_t kSlots = 16;
  constexpr size_t kRows = isa::kMaxLanesPerBlock / kSlots;
  for (size_t step = 1; step < kRows; step *= 2) {
    for (size_t row = 0; row < kRows; row += 2 * step) {
      for (size_t slot = 0; slot < kSlots; ++slot) {
        Computed<T>& value = values[row * kSlots + slot];
        value = Rounded<T>(operation(value, values[(row + step) * kSlots + slot]));
      }
    }
  }
  for (size_t half = kSlots / 2; half > 0; half /= 2) {
    for (size_t slot = 0; slot < half; ++slot) {
      values[slot] = Rounded<T>(operation(values[slot], values[slot + half]));
    }
  }
  return values[0];
}

// The sum of values that come one after the other. Blocks are added pairwise, the first of two
// halves being the largest power of two below their number. T is float or double.
template <class T>
class TreeSum {
 public:
  TreeSum() { values_.fill(T{-0.0}); }

  void Add(T value) {
    values_[count_++] = value;
    if (count_ == values_.size()) FinishBlock();
  }

  // Of what has been added; -0 for nothing.
  T Total() {
    if (count_ != 0) FinishBlock();
    if (blocks_.empty()) return T{-0.0};
    T total = blocks_.back().sum;
    for (size_t i = blocks_.size() - 1; i-- > 0;) total = Sum(blocks_[i].sum, total);
    return total;
  }

 private:
  struct Part {
    T sum;
    uint64_t blocks;
  };

  void FinishBlock() {
    const auto add = [](T a, T b) { return Sum(a, b); };
    Part part{FoldTree<T>(values_, add), 1};
    while (!blocks_.empty() && blocks_.back().blocks == part.blocks) {
      part = {Sum(blocks_.back().sum, part.sum), part.blocks * 2};
      blocks_.pop_back();
    }
    blocks_.push_back(part);
    values_.fill(T{-0.0});
    count_ = 0;
  }

  std::array<T, isa::kMaxLanesPerBlock> values_;
  size_t count_ = 0;
  std::vector<Part> blocks_;
};

}  // namespace hologram::interpreter
