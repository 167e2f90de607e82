// Arithmetic of tensor.hpp on shapes and strides, whatever the type of the elements: how many
// there are, where they are, and the views of them. Part of tensor.hpp, which tests it.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <span>
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

// How many elements are between the ends; throws if that is beyond 2^62.
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

inline void check_index(std::size_t index, std::size_t extent, std::size_t dimension) {
  if (index < extent) return;
  refuse("index " + std::to_string(index) + " of " + std::to_string(extent) + " in dimension " +
         std::to_string(dimension));
}

// Where the elements of a tensor are in its memory, in elements, and the views that have others of
// them or another order. Functions throw what Tensor's functions of these names say, and leave this
// alone.
struct StridedShape {
  Dimensions shape;
  Dimensions strides;
  std::size_t offset = 0;

  std::size_t numel() const {
    std::size_t count = 1;
    for (const std::size_t extent : shape) count *= extent;
    return count;
  }
  bool is_contiguous() const {
    std::size_t stride = 1;
    for (std::size_t d = shape.size(); d-- > 0;) {
      if (shape[d] == 0) return true;
      if (shape[d] != 1 && strides[d] != stride) return false;
      stride *= shape[d];
    }
    return true;
  }

  // Of one element.
  std::size_t place(std::span<const std::size_t> indices) const {
    if (indices.size() != shape.size()) {
      refuse(std::to_string(indices.size()) + " indices for a tensor of " +
             std::to_string(shape.size()) + " dimensions");
    }
    std::size_t place = offset;
    for (std::size_t d = 0; d < shape.size(); ++d) {
      check_index(indices[d], shape[d], d);
      place += indices[d] * strides[d];
    }
    return place;
  }
  // f(place) of each element, in the order of the rows.
  template <class F>
  void for_each_place(const F& f) const {
    const std::size_t count = numel();
    std::array<std::size_t, Dimensions::max_size> at{};
    std::size_t place = offset;
    for (std::size_t k = 0; k < count; ++k) {
      f(place);
      for (std::size_t d = shape.size(); d-- > 0;) {
        place += strides[d];
        if (++at[d] < shape[d]) break;
        place -= shape[d] * strides[d];
        at[d] = 0;
      }
    }
  }

  // REQUIRES: is_contiguous()
  StridedShape reshape(const Dimensions& to) const {
    if (count_elements(to) != numel()) {
      refuse("a tensor of " + to_string(shape) + " cannot be reshaped to " + to_string(to) + ": " +
             std::to_string(numel()) + " elements, not " + std::to_string(count_elements(to)));
    }
    return {to, row_major(to), offset};
  }
  StridedShape permute(const Dimensions& order) const {
    bool seen[Dimensions::max_size] = {};
    bool wrong = order.size() != shape.size();
    for (const std::size_t d : order) {
      wrong = wrong || d >= shape.size() || seen[d];
      if (!wrong) seen[d] = true;
    }
    if (wrong) {
      refuse("permute() needs each of the " + std::to_string(shape.size()) + " dimensions once");
    }
    StridedShape result = *this;
    for (std::size_t d = 0; d < shape.size(); ++d) {
      result.shape[d] = shape[order[d]];
      result.strides[d] = strides[order[d]];
    }
    return result;
  }
  StridedShape select(std::size_t dimension, std::size_t index) const {
    check_dimension(dimension, shape);
    check_index(index, shape[dimension], dimension);
    StridedShape result = *this;
    result.offset += index * strides[dimension];
    result.shape.erase(dimension);
    result.strides.erase(dimension);
    return result;
  }
  StridedShape narrow(std::size_t dimension, std::size_t start, std::size_t length) const {
    check_dimension(dimension, shape);
    if (start > shape[dimension] || length > shape[dimension] - start) {
      refuse("narrow(" + std::to_string(dimension) + ", " + std::to_string(start) + ", " +
             std::to_string(length) + ") of " + std::to_string(shape[dimension]) + " elements");
    }
    return slice(dimension, start, start + length, 1);
  }
  StridedShape slice(std::size_t dimension, std::size_t first, std::optional<std::size_t> end,
                     std::size_t step) const {
    check_dimension(dimension, shape);
    const std::size_t size = shape[dimension];
    const std::size_t last = std::min(end.value_or(size), size);
    if (step == 0) refuse("a slice with step 0");
    if (first > size) {
      refuse("a slice from " + std::to_string(first) + " of " + std::to_string(size) + " elements");
    }
    StridedShape result = *this;
    result.shape[dimension] = last <= first ? 0 : (last - first - 1) / step + 1;
    if (result.shape[dimension] == 0) return result;
    result.offset += first * strides[dimension];
    // Of one element the stride does not matter, and the product might be too large.
    if (result.shape[dimension] > 1) result.strides[dimension] *= step;
    return result;
  }
  StridedShape unsqueeze(std::size_t dimension) const {
    if (dimension > shape.size()) check_dimension(dimension, shape);
    StridedShape result = *this;
    result.shape.insert(dimension, 1);
    result.strides.insert(dimension, 0);
    return result;
  }
  StridedShape squeeze(std::size_t dimension) const {
    check_dimension(dimension, shape);
    if (shape[dimension] != 1) {
      refuse("squeeze() of a dimension of size " + std::to_string(shape[dimension]));
    }
    return select(dimension, 0);
  }
  StridedShape broadcast_to(const Dimensions& to) const {
    if (!(broadcast_shapes(shape, to) == to)) {
      refuse("a tensor of " + to_string(shape) + " does not broadcast to " + to_string(to));
    }
    count_elements(to);
    StridedShape result{to, to, offset};
    const std::size_t missing = to.size() - shape.size();
    for (std::size_t d = 0; d < to.size(); ++d) {
      const bool repeated = d < missing || shape[d - missing] != to[d];
      result.strides[d] = repeated ? 0 : strides[d - missing];
    }
    return result;
  }
};

}  // namespace hologram::detail
