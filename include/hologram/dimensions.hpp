// Dimensions: the shape of a tensor, and the rules by which shapes go together.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <initializer_list>
#include <span>
#include <string>

#include "error.hpp"

namespace hologram {

// Up to 8 sizes, outermost first: a shape, or strides in elements.
class Dimensions {
 public:
  static constexpr std::size_t max_size = 8;

  Dimensions() = default;
  Dimensions(std::initializer_list<std::size_t> values)
      : Dimensions(std::span<const std::size_t>(values.begin(), values.size())) {}
  explicit Dimensions(std::span<const std::size_t> values) : size_(values.size()) {
    if (size_ > max_size) {
      detail::refuse("a tensor has up to 8 dimensions, found " + std::to_string(size_));
    }
    std::copy(values.begin(), values.end(), values_.begin());
  }

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  std::size_t operator[](std::size_t d) const { return values_[d]; }
  std::size_t& operator[](std::size_t d) { return values_[d]; }
  const std::size_t* begin() const { return values_.data(); }
  const std::size_t* end() const { return values_.data() + size_; }
  void erase(std::size_t d) {
    std::copy(values_.begin() + d + 1, values_.begin() + size_, values_.begin() + d);
    --size_;
  }
  void insert(std::size_t d, std::size_t value) {
    if (size_ == max_size) detail::refuse("a tensor has up to 8 dimensions");
    std::copy_backward(values_.begin() + d, values_.begin() + size_, values_.begin() + size_ + 1);
    values_[d] = value;
    ++size_;
  }
  friend bool operator==(const Dimensions& a, const Dimensions& b) {
    // No std::equal, which calls memcmp for the few that there are.
    if (a.size_ != b.size_) return false;
    for (std::size_t d = 0; d < a.size_; ++d) {
      if (a.values_[d] != b.values_[d]) return false;
    }
    return true;
  }
  // "2 x 3"; of none "scalar"
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

// The shape of both: dimensions from the last on are equal, or 1, or not there. Throws if not.
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

inline bool are_broadcast_compatible(const Dimensions& a, const Dimensions& b) {
  for (std::size_t k = 1; k <= std::min(a.size(), b.size()); ++k) {
    const std::size_t x = a[a.size() - k];
    const std::size_t y = b[b.size() - k];
    if (x != y && x != 1 && y != 1) return false;
  }
  return true;
}

}  // namespace hologram
