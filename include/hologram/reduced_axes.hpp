// ReducedAxes: the dimensions that a reduction reduces. Part of ops.hpp, which tests it.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>

#include "dimensions.hpp"

namespace hologram {

// Dimensions of a tensor: one, several, or all. Negative numbers count from the last, which is -1.
// Functions take it where they reduce, so that numbers and lists can be written. For x of 4 x 6 x
// 8:
//
//   ops.sum(x, 1);                             // the second dimension: 4 x 8
//   ops.sum(x, {0, -1});                       // the first and the last: 6
//   ops.sum(x, {0, -1}, true);                 // the same with keepdims: 1 x 6 x 1
//   ops.sum(x, {});                            // none, each element by itself: 4 x 6 x 8
//   ops.sum(x, hologram::ReducedAxes::all());  // all of them: a scalar
//
// A plain value, which any thread may read. It knows no shape: what does not fit the shape of a
// tensor is found by of(), when the tensor is reduced.
class ReducedAxes {
 public:
  // No dimensions: nothing is reduced, and a result has the shape of its tensor.
  ReducedAxes() = default;

  // One dimension, counted from the first, 0, or from the last, -1. It is implicit, so that sum(x,
  // 1) can be written.
  ReducedAxes(int axis) : ReducedAxes({axis}) {}  // NOLINT(google-explicit-constructor)

  // The dimensions of a list, in any order, which does not matter for results. Throws
  // HOLOGRAM_ERROR_INVALID_ARGUMENT for more than 8: "more than 8 axes".
  ReducedAxes(std::initializer_list<int> axes) : size_(axes.size()) {
    if (size_ > axes_.size()) detail::refuse("more than 8 axes");
    std::copy(axes.begin(), axes.end(), axes_.begin());
  }

  // All dimensions, however many a shape has: the result is a scalar, or with keepdims one element
  // in as many dimensions.
  static ReducedAxes all() {
    ReducedAxes axes;
    axes.all_ = true;
    return axes;
  }

  // The dimensions of `shape` as bits: bit d is dimension d. `op` is the name that messages begin
  // with. Throws HOLOGRAM_ERROR_INVALID_ARGUMENT for a dimension that the shape does not have,
  // "sum: axis 2 of 4 x 6", and for one that is named twice, by either number, "sum: axis -1 twice
  // of 4 x 6".
  std::uint64_t of(const char* op, const Dimensions& shape) const {
    const auto rank = static_cast<int>(shape.size());
    if (all_) return (std::uint64_t{1} << rank) - 1;
    std::uint64_t found = 0;
    for (std::size_t k = 0; k < size_; ++k) {
      const int axis = axes_[k] < 0 ? axes_[k] + rank : axes_[k];
      if (axis < 0 || axis >= rank || (found >> axis & 1) != 0) {
        detail::refuse(std::string(op) + ": axis " + std::to_string(axes_[k]) +
                       (axis < 0 || axis >= rank ? " of " : " twice of ") + to_string(shape));
      }
      found |= std::uint64_t{1} << axis;
    }
    return found;
  }

 private:
  // As they were given: negative numbers are resolved by of(), which knows the shape, and numbers
  // that are too large found there.
  std::array<int, Dimensions::max_size> axes_{};
  // How many there are in axes_, if all_ is false.
  std::size_t size_ = 0;
  // All dimensions of whatever shape; axes_ has none.
  bool all_ = false;
};

}  // namespace hologram
