// Tensors of any layout as launches over three dimensions, by the rules of layout.hpp. Part of
// ops.hpp, which tests it.
#pragma once

#include "../tensor.hpp"
#include "layout.hpp"

namespace hologram::detail {

// Sizes and strides as kernels take them: throws beyond 2^31 - 1.
inline std::uint32_t index_number(std::size_t value) {
  if (value > INT32_MAX) {
    refuse("a size or stride of " + std::to_string(value) + " elements; up to " +
           std::to_string(INT32_MAX) + " are possible");
  }
  return static_cast<std::uint32_t>(value);
}

// Tensors of one shape, the last of which is written, as launches over up to three dimensions.
// Neighbouring dimensions that are one for all tensors become one.
template <std::size_t N, class T, class F>
void walk(const std::array<const Tensor<T>*, N>& tensors, const F& launch) {
  const Dimensions& shape = tensors[N - 1]->shape();
  if (tensors[N - 1]->numel() == 0) return;
  Axes<N> axes;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] == 1) continue;
    if (tensors[N - 1]->strides()[d] == 0) refuse("the result repeats its elements");
    Axis<N>& axis = axes.list[axes.count++];
    axis.extent = static_cast<std::int64_t>(shape[d]);
    for (std::size_t k = 0; k < N; ++k) {
      axis.strides[k] = static_cast<std::int64_t>(tensors[k]->strides()[d]);
    }
  }
  merge(axes, N);
  const Axis<N>* inner = axes.inner();
  std::array<std::uint32_t, 3> size;
  std::array<std::array<std::uint32_t, 3>, N> stride;
  std::array<std::size_t, N> span;
  span.fill(1);
  for (std::size_t d = 0; d < 3; ++d) {
    size[d] = index_number(static_cast<std::size_t>(inner[d].extent));
    for (std::size_t k = 0; k < N; ++k) {
      const auto step = static_cast<std::size_t>(inner[d].strides[k]);
      stride[k][d] = index_number(step);
      span[k] += (size[d] - 1) * step;
    }
  }
  const auto [columns, lanes] = launch_width(size[2]);
  const LaunchConfig config = {.grid = {columns, size[1], size[0]}, .block = {lanes, 1, 1}};
  for_each_outer(axes, [&](const std::array<std::int64_t, N>& offsets) {
    std::array<std::span<T>, N> memory;
    for (std::size_t k = 0; k < N; ++k) memory[k] = {tensors[k]->data() + offsets[k], span[k]};
    launch(config, memory, size, stride);
    return true;
  });
}

}  // namespace hologram::detail
