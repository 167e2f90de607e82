// How tensors of any layout are laid out for kernels over three dimensions. Part of ops.hpp, which
// tests it.
#pragma once

#include <algorithm>

#include "tensor.hpp"

namespace hologram::detail {

// What kernels take as sizes and strides: throws beyond 2^31 - 1.
inline std::uint32_t index_number(std::size_t value) {
  if (value > INT32_MAX) {
    refuse("a size or stride of " + std::to_string(value) + " elements; up to " +
           std::to_string(INT32_MAX) + " are possible");
  }
  return static_cast<std::uint32_t>(value);
}
// Blocks and lanes of them for so many columns.
inline std::array<std::uint32_t, 2> launch_width(std::uint32_t columns) {
  std::uint32_t lanes = 256;
  while (lanes >= 2 * columns && lanes > 16) lanes /= 2;
  return {columns / lanes + (columns % lanes != 0 ? 1 : 0), lanes};
}

// Tensors of one shape, the last of which is written, as launches over up to three dimensions.
// Neighbouring dimensions that are one for all tensors become one.
template <std::size_t N, class T, class F>
void walk(const std::array<const Tensor<T>*, N>& tensors, const F& launch) {
  const Dimensions& shape = tensors[N - 1]->shape();
  if (tensors[N - 1]->numel() == 0) return;
  // In the order of the result's memory: that is how lanes are known to keep apart.
  Dimensions order = shape;
  for (std::size_t d = 0; d < shape.size(); ++d) order[d] = d;
  std::sort(&order[0], &order[0] + order.size(), [&](std::size_t a, std::size_t b) {
    const Dimensions& strides = tensors[N - 1]->strides();
    return strides[a] != strides[b] ? strides[a] > strides[b] : a < b;
  });
  Dimensions sizes;
  std::array<Dimensions, N> strides;
  for (const std::size_t d : order) {
    if (shape[d] == 1) continue;
    if (tensors[N - 1]->strides()[d] == 0) refuse("the result repeats its elements");
    bool joins = !sizes.empty();
    for (std::size_t k = 0; k < N && joins; ++k) {
      joins = strides[k][sizes.size() - 1] == tensors[k]->strides()[d] * shape[d];
    }
    if (!joins) {
      sizes.insert(sizes.size(), 1);
      for (Dimensions& list : strides) list.insert(list.size(), 0);
    }
    const std::size_t last = sizes.size() - 1;
    sizes[last] *= shape[d];
    for (std::size_t k = 0; k < N; ++k) strides[k][last] = tensors[k]->strides()[d];
  }
  while (sizes.size() < 3) {
    const std::size_t inner = sizes.empty() ? 1 : sizes[0];
    for (Dimensions& list : strides) list.insert(0, inner * (list.empty() ? 1 : list[0]));
    sizes.insert(0, 1);
  }
  const std::size_t outer = sizes.size() - 3;
  std::array<std::uint32_t, 3> size;
  std::array<std::array<std::uint32_t, 3>, N> stride;
  std::array<std::size_t, N> span;
  for (std::size_t d = 0; d < 3; ++d) size[d] = index_number(sizes[outer + d]);
  for (std::size_t k = 0; k < N; ++k) {
    span[k] = 1;
    for (std::size_t d = 0; d < 3; ++d) {
      stride[k][d] = index_number(strides[k][outer + d]);
      span[k] += (sizes[outer + d] - 1) * strides[k][outer + d];
    }
  }
  const auto [columns, lanes] = launch_width(size[2]);
  const LaunchConfig config = {.grid = {columns, size[1], size[0]}, .block = {lanes, 1, 1}};
  Dimensions at = sizes;
  for (std::size_t d = 0; d < outer; ++d) at[d] = 0;
  for (;;) {
    std::array<std::span<T>, N> memory;
    for (std::size_t k = 0; k < N; ++k) {
      std::size_t offset = 0;
      for (std::size_t d = 0; d < outer; ++d) offset += at[d] * strides[k][d];
      memory[k] = {tensors[k]->data() + offset, span[k]};
    }
    launch(config, memory, size, stride);
    std::size_t d = outer;
    while (d-- > 0 && ++at[d] == sizes[d]) at[d] = 0;
    if (d == SIZE_MAX) return;
  }
}

}  // namespace hologram::detail
