// Arrays of C++ as arguments of pipelines. Part of pipeline.hpp, which tests it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>

#include "../hologram.hpp"
#include "../pipeline.h"

namespace hologram {

namespace detail {

// Tensor<T>, without its header.
template <class T>
concept shaped = requires(const T& value) {
  value.shape().size();
  value.is_contiguous();
  value.flat();
};

// An array of a pipeline as C has it: its elements, which must be side by side, and its shape.
template <class T>
struct pipeline_argument {
  // Throws INVALID_ARGUMENT for a tensor with gaps or with more than four dimensions.
  explicit pipeline_argument(T& value) {
    if constexpr (shaped<T>) {
      const auto flat = value.flat();
      take(flat);
      array.rank = static_cast<std::uint32_t>(value.shape().size());
      if (value.shape().size() > HOLOGRAM_MAX_RANK) {
        refuse("a tensor of a pipeline has up to 4 dimensions");
      }
      for (std::uint32_t d = 0; d < array.rank; ++d) array.extents[d] = value.shape()[d];
    } else {
      take(value);
      array.rank = 1;
      array.extents[0] = std::size(value);
    }
  }
  template <class C>
  void take(C& elements) {
    argument.code = detail::argument<C&>::code();
    argument.buffer = buffer_ref(elements);
    array.type = argument.code & 0xfU;
  }

  hologram_argument argument{};
  hologram_pipeline_array array{};
};

}  // namespace detail

}  // namespace hologram
