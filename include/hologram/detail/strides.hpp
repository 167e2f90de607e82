// What tensor.hpp computes with shapes and strides: how many elements they have, and how far they
// reach. Part of tensor.hpp, which tests it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>

#include "../dimensions.hpp"

namespace hologram::detail {

inline void check_dimension(std::size_t dimension, const Dimensions& shape) {
  if (dimension < shape.size()) return;
  refuse("dimension " + std::to_string(dimension) + " of a tensor with " +
         std::to_string(shape.size()));
}

// How many elements; throws if they are more than 2^62.
inline std::size_t count_elements(const Dimensions& shape) {
  std::size_t count = 1;
  bool large = false;
  for (const std::size_t extent : shape) {
    if (extent == 0) return 0;
    large |= count > (std::size_t{1} << 62) / extent;
    count *= extent;
  }
  if (large) refuse("a shape of " + to_string(shape) + " has more elements than memory can have");
  return count;
}

inline Dimensions row_major(const Dimensions& shape) {
  Dimensions strides = shape;
  std::size_t stride = 1;
  for (std::size_t d = shape.size(); d-- > 0;) {
    strides[d] = stride;
    stride *= std::max<std::size_t>(shape[d], 1);
  }
  return strides;
}

// How many elements lie between the ends; throws if that is beyond 2^62.
inline std::size_t span_of(const Dimensions& shape, const Dimensions& strides) {
  constexpr std::size_t most = std::size_t{1} << 62;
  std::size_t span = 1;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] == 0) return 0;
    if (strides[d] != 0 && shape[d] - 1 > (most - span) / strides[d]) {
      refuse("strides that lead beyond any memory");
    }
    span += (shape[d] - 1) * strides[d];
  }
  return span;
}

}  // namespace hologram::detail
