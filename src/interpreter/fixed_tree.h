// The order in which many values are combined, which depends on nothing but their numbers: the tree
// over 1,024 values of BLK.RED, and above it one over such blocks, for any number of values.
#pragma once

#include <cstddef>
#include <vector>

#include "interpreter/operations.h"
#include "isa/program.h"

namespace hologram::interpreter {

// Neighbouring rows of 16 first, slot by slot, then the slots of the row that is left. Overwrites
// the values, isa::kMaxLanesPerBlock of them.
template <class T, class Operation>
Computed<T> FoldTree(Computed<T>* values, Operation operation) {
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

// The sum of values of type T, a float type, that come in blocks. Blocks are added pairwise, the
// first of two halves being the largest power of two below their number.
template <class T>
class TreeSum {
 public:
  using V = Computed<T>;

  // Overwrites the values, isa::kMaxLanesPerBlock of them.
  void AddBlock(V* values) { Take(FoldTree<T>(values, Plus)); }
  // A block of nothing but -0.
  void AddEmptyBlock() { Take(V{-0.0F}); }

  // Of what has been added; -0 for nothing.
  V Total() const {
    if (blocks_.empty()) return V{-0.0F};
    V total = blocks_.back().sum;
    for (size_t i = blocks_.size() - 1; i-- > 0;) total = Combined(blocks_[i].sum, total);
    return total;
  }

 private:
  struct Part {
    V sum;
    uint64_t blocks;
  };
  static constexpr auto Plus = [](V a, V b) { return Sum(a, b); };
  static V Combined(V a, V b) { return Rounded<T>(Sum(a, b)); }

  void Take(V sum) {
    Part part{sum, 1};
    while (!blocks_.empty() && blocks_.back().blocks == part.blocks) {
      part = {Combined(blocks_.back().sum, part.sum), part.blocks * 2};
      blocks_.pop_back();
    }
    blocks_.push_back(part);
  }

  std::vector<Part> blocks_;
};

}  // namespace hologram::interpreter
