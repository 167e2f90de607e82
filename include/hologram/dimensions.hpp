// Dimensions: the shape of a tensor, or its strides, and the rules by which shapes go together.
// Part of tensor.hpp, which tests it (tests/capi/tensor_test.cc).
//
//   hologram::Dimensions shape = {2, 3, 4};
//   shape.insert(0, 1);                                     // 1 x 2 x 3 x 4
//   auto both = hologram::broadcast_shapes(shape, {3, 1});  // 1 x 2 x 3 x 4
//
// Errors are thrown as hologram::Error with HOLOGRAM_ERROR_INVALID_ARGUMENT.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <initializer_list>
#include <span>
#include <string>

#include "error.hpp"

namespace hologram {

// A list of up to 8 numbers, outermost dimension first: a shape (extents in elements), strides (in
// elements), or an order of dimensions. It is a plain value of 72 bytes: copies are independent,
// and no memory is allocated.
//
//   Dimensions shape = {480, 640, 3};  // rows, columns, channels
//   shape.size();                      // 3
//   shape[1];                          // 640
//
// Threads: several may read one object; while one writes it, no other thread may use it.
class Dimensions {
 public:
  // How many dimensions there may be.
  static constexpr std::size_t max_size = 8;

  // No dimensions: the shape of a scalar, which has one element. It broadcasts to every shape.
  Dimensions() = default;

  // The numbers in order, outermost first; 0 is a valid extent. Throws if there are more than 8: "a
  // tensor has up to 8 dimensions, found 9".
  Dimensions(std::initializer_list<std::size_t> values)
      : Dimensions(std::span<const std::size_t>(values.begin(), values.size())) {}

  // The same from contiguous memory, which is copied and need not live on, as in
  // Dimensions(std::span(vector)). It throws the same.
  explicit Dimensions(std::span<const std::size_t> values) : size_(values.size()) {
    if (size_ > max_size) {
      detail::refuse("a tensor has up to 8 dimensions, found " + std::to_string(size_));
    }
    std::copy(values.begin(), values.end(), values_.begin());
  }

  // How many dimensions there are, 0 to 8. Not how many elements: that is Tensor::numel().
  std::size_t size() const { return size_; }

  // Whether there are none: size() == 0. A shape that has an extent of 0 is not empty in this
  // sense.
  bool empty() const { return size_ == 0; }
  // The number of dimension `d`, to read or to write. REQUIRES: d < size(); it is not checked.
  std::size_t operator[](std::size_t d) const { return values_[d]; }
  std::size_t& operator[](std::size_t d) { return values_[d]; }

  // A range over the numbers, for `for` and for algorithms. It is valid as long as the object is;
  // insert() and erase() move what it points to.
  //
  //   for (const std::size_t extent : shape) count *= extent;
  const std::size_t* begin() const { return values_.data(); }
  const std::size_t* end() const { return values_.data() + size_; }
  // Removes dimension `d`; those behind it move forward. REQUIRES: d < size(); it is not checked.
  void erase(std::size_t d) {
    std::copy(values_.begin() + d + 1, values_.begin() + size_, values_.begin() + d);
    --size_;
  }

  // Adds a dimension before `d`, or behind the last one where d == size(): {3, 4} with insert(1, 7)
  // is {3, 7, 4}. REQUIRES: d <= size(), which is not checked. Throws, and changes nothing, if
  // there are 8 already: "a tensor has up to 8 dimensions".
  void insert(std::size_t d, std::size_t value) {
    if (size_ == max_size) detail::refuse("a tensor has up to 8 dimensions");
    std::copy_backward(values_.begin() + d, values_.begin() + size_, values_.begin() + size_ + 1);
    values_[d] = value;
    ++size_;
  }

  // Whether both have the same numbers in the same order: {3} and {1, 3} differ, although as shapes
  // they hold the same elements.
  friend bool operator==(const Dimensions& a, const Dimensions& b) {
    // No std::equal, which calls memcmp for the few that there are.
    if (a.size_ != b.size_) return false;
    for (std::size_t d = 0; d < a.size_; ++d) {
      if (a.values_[d] != b.values_[d]) return false;
    }
    return true;
  }

  // For messages: "2 x 3"; of no dimensions "scalar". Found by its argument, without a namespace:
  // to_string(tensor.shape()).
  friend std::string to_string(const Dimensions& shape) {
    std::string text;
    for (const std::size_t extent : shape) {
      text += (text.empty() ? "" : " x ") + std::to_string(extent);
    }
    return text.empty() ? "scalar" : text;
  }

 private:
  std::array<std::size_t, max_size> values_{};
  std::size_t size_ = 0;
};

// The shape of a result of two operands, by NumPy's rules. Dimensions are compared from the last
// on: they are equal, or one of them is 1, or one operand lacks them; the result has the other
// extent.
//
//   8 x 1 x 6 x 1  and  7 x 1 x 5  give  8 x 7 x 6 x 5
//   2 x 3          and  scalar     give  2 x 3
//   0              and  1          give  0
//
// Throws for shapes that do not go together, with both of them and the extents that differ: "shapes
// 2 x 2 and 2 x 3 do not go together: 2 and 3". A tensor is repeated to the shape by
// Tensor::broadcast_to().
inline Dimensions broadcast_shapes(const Dimensions& a, const Dimensions& b) {
  const Dimensions& longer = a.size() < b.size() ? b : a;
  const Dimensions& shorter = a.size() < b.size() ? a : b;
  Dimensions shape = longer;
  for (std::size_t k = 1; k <= shorter.size(); ++k) {
    const std::size_t x = longer[longer.size() - k];
    const std::size_t y = shorter[shorter.size() - k];
    if (x != y && x != 1 && y != 1) {
      detail::refuse("shapes " + to_string(a) + " and " + to_string(b) +
                     " do not go together: " + std::to_string(x) + " and " + std::to_string(y));
    }
    shape[longer.size() - k] = x == 1 ? y : x;
  }
  return shape;
}

// Whether broadcast_shapes(a, b) gives a shape; (b, a) gives the same answer. Throws nothing, and
// is there for callers that have a way to go on if shapes do not fit.
inline bool are_broadcast_compatible(const Dimensions& a, const Dimensions& b) {
  for (std::size_t k = 1; k <= std::min(a.size(), b.size()); ++k) {
    const std::size_t x = a[a.size() - k];
    const std::size_t y = b[b.size() - k];
    if (x != y && x != 1 && y != 1) return false;
  }
  return true;
}

}  // namespace hologram
