// The rules by which arrays of any shape and strides become loops for kernels over three
// dimensions: the one definition for tensors (walk.hpp) and for the Python module. Plain numbers,
// no memory is touched and nothing is thrown. Part of ops.hpp, which tests it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace hologram::detail {

inline constexpr std::size_t max_axes = 64;

// One dimension of several arrays: its extent, and how far apart neighbours are in each array, in
// elements. An array that is repeated along it has the stride 0.
template <std::size_t N>
struct Axis {
  std::int64_t extent;
  std::array<std::int64_t, N> strides;
};

// Dimensions, the outermost first. There is room for those that merge() adds.
template <std::size_t N>
struct Axes {
  std::array<Axis<N>, max_axes + 3> list;
  std::size_t count = 0;

  const Axis<N>* inner() const { return &list[count - 3]; }  // after merge()
};

// As few dimensions as the first `arrays` arrays allow, at least three, in the order of the memory
// of the last of them, which is written. Lanes are known to write different elements by strides
// that grow. REQUIRES: extents are at least 2, the strides of the last array are positive.
template <std::size_t N>
void merge(Axes<N>& axes, std::size_t arrays) {
  auto& list = axes.list;
  const std::size_t out = arrays - 1;
  for (std::size_t k = 1; k < axes.count; ++k) {
    const Axis<N> moved = list[k];
    std::size_t at = k;
    for (; at > 0 && list[at - 1].strides[out] < moved.strides[out]; --at) list[at] = list[at - 1];
    list[at] = moved;
  }
  std::size_t count = 0;
  for (std::size_t k = 0; k < axes.count; ++k) {
    bool one = count != 0;
    for (std::size_t j = 0; one && j < arrays; ++j) {
      one = list[count - 1].strides[j] == list[k].strides[j] * list[k].extent;
    }
    if (one) {
      list[count - 1].extent *= list[k].extent;
      list[count - 1].strides = list[k].strides;
    } else {
      list[count++] = list[k];
    }
  }
  while (count < 3) {
    for (std::size_t k = count++; k > 0; --k) list[k] = list[k - 1];
    list[0].extent = 1;
    list[0].strides.fill(0);
    list[0].strides[out] = count == 1 ? 1 : list[1].extent * list[1].strides[out];
  }
  axes.count = count;
}

// Whether merge() has left one row in which the elements of each array are adjacent.
template <std::size_t N>
bool is_flat(const Axes<N>& axes, std::size_t arrays) {
  const Axis<N>* inner = axes.inner();
  if (axes.count != 3 || inner[0].extent != 1 || inner[1].extent != 1) return false;
  for (std::size_t k = 0; k < arrays; ++k) {
    if (inner[2].strides[k] != 1 && inner[2].extent != 1) return false;
  }
  return true;
}

// Calls f(offsets) for each place in the dimensions before the last three, with the offset of each
// array there, in elements, until it gives false. Whether it never did.
template <std::size_t N, class F>
bool for_each_outer(const Axes<N>& axes, const F& f) {
  const std::size_t outer = axes.count - 3;
  std::array<std::int64_t, max_axes> place;
  for (std::size_t d = 0; d < outer; ++d) place[d] = 0;
  std::array<std::int64_t, N> offsets{};
  for (;;) {
    if (!f(offsets)) return false;
    std::size_t d = outer;
    for (; d > 0; --d) {
      const Axis<N>& axis = axes.list[d - 1];
      const bool ends = ++place[d - 1] == axis.extent;
      const std::int64_t way = ends ? 1 - axis.extent : 1;
      for (std::size_t k = 0; k < N; ++k) offsets[k] += way * axis.strides[k];
      if (!ends) break;
      place[d - 1] = 0;
    }
    if (d == 0) return true;
  }
}

// Blocks and lanes of them for that many columns.
inline std::array<std::uint32_t, 2> launch_width(std::uint32_t columns) {
  std::uint32_t lanes = 256;
  while (lanes >= 2 * columns && lanes > 16) lanes /= 2;
  return {columns / lanes + (columns % lanes != 0 ? 1 : 0), lanes};
}

}  // namespace hologram::detail
