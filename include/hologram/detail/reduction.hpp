// How reductions along axes of arrays of any layout become launches: the one definition for tensors
// (ops.hpp) and for the Python module. Part of ops.hpp, which tests it.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <optional>

#include "../hologram.h"
#include "../pipeline.h"
#include "layout.hpp"

namespace hologram::detail {

// The kernels of a reduction: op_NAME_rows and _columns of the elements, and those of what they
// were reduced to. For argmin and argmax the row kernels return the winning value, whose index
// `pick` finds; reductions of two arrays (dot, mse) have row kernels only.
enum class ReductionStep : std::uint8_t { rows, columns, rest_rows, rest_columns, pick, count };
inline constexpr std::array<const char*, 5> reduction_steps = {"rows", "columns", "rest_rows",
                                                               "rest_columns", "pick"};

// One array. Strides are in bytes, whole elements, and lead forward.
struct ReducedArray {
  char* data = nullptr;
  std::uint32_t code = 0;
  std::uint32_t size = 0;  // bytes of an element
  int rank = 0;
  const std::int64_t* extents = nullptr;
  const std::int64_t* strides = nullptr;
};

// The input: one array, or two of one shape without gaps.
struct Reduction {
  ReducedArray x;
  const char* y = nullptr;
  std::array<std::uint64_t, 2> numbers{};  // of kernels of pairs
  std::size_t num_numbers = 0;
};

// Where the kernels come from, and who runs them.
class ReductionKernels {
 public:
  // Returns nullptr after reporting the error.
  virtual const hologram_kernel* find(ReductionStep step, std::uint32_t code) = 0;
  // Blocks of `lanes` lanes. Returns false after reporting the error.
  virtual bool launch(const hologram_kernel* kernel, const hologram_argument* arguments,
                      std::size_t count, const std::array<std::uint32_t, 3>& grid,
                      std::uint32_t lanes) = 0;
  // Says what is wrong with the array; gives false.
  virtual bool refuse(const char* what) = 0;
  // Whether results are indices.
  virtual bool finds_indices() const = 0;

 protected:
  ~ReductionKernels() = default;
};

// Elements that one launch makes one of: along rows by a block of lanes, along columns by a lane.
// They decide the order of sums, so results depend on them.
inline constexpr std::int64_t row_chunk = 4096;
inline constexpr std::int64_t column_chunk = 512;
inline constexpr std::uint32_t reduction_block = 64;

inline constexpr std::array<std::uint8_t, 12> element_sizes = {1, 2, 4, 8, 1, 2, 4, 8, 2, 2, 4, 8};
inline std::uint32_t element_size(std::uint32_t code) {
  static_assert(HOLOGRAM_I8 == 0 && HOLOGRAM_U8 == 4 && HOLOGRAM_F16 == 8 && HOLOGRAM_F64 == 11);
  return element_sizes[code];
}

// Elements [outer, n, columns], neighbours plane, stride and 1 apart. Without columns (1) n may
// have any stride.
struct ReducedMatrix {
  char* data = nullptr;
  std::uint32_t code = 0;
  std::int64_t outer = 1;
  std::int64_t n = 1;
  std::int64_t columns = 1;
  std::int64_t plane = 0;
  std::int64_t stride = 1;

  // The input is contiguous.
  bool by_rows() const { return columns == 1 && (stride == 1 || n == 1); }
  std::int64_t chunks() const {
    const std::int64_t most = by_rows() ? row_chunk : column_chunk;
    return (n + most - 1) / most;
  }
  hologram_buffer_ref memory() const {
    const std::int64_t last = (outer - 1) * plane + (n - 1) * stride + columns - 1;
    return {data, static_cast<std::uint64_t>(last + 1) * element_size(code)};
  }
  bool fits() const {
    std::int64_t most = 0;
    for (const std::int64_t number : {outer, n, columns, plane, stride})
      most = std::max(most, number);
    return most <= UINT32_MAX;
  }
};

// Memory of an operation, as a capture of its launches sees it: a result while this lives.
class ScratchUse {
 public:
  ScratchUse() = default;
  ScratchUse(const ScratchUse&) = delete;
  ScratchUse& operator=(const ScratchUse&) = delete;
  ~ScratchUse() { end(); }
  void begin(const void* data, std::uint64_t bytes) {
    end();
    data_ = data;
    bytes_ = bytes;
    hologram_capture_scratch(data_, bytes_, 1);
  }
  void end() {
    if (bytes_ != 0) hologram_capture_scratch(data_, bytes_, 0);
    bytes_ = 0;
  }

 private:
  const void* data_ = nullptr;
  std::uint64_t bytes_ = 0;
};

// Memory for intermediate results between launches.
class ReductionScratch {
 public:
  char* get(std::uint64_t bytes) {
    use_.end();
    char* data = small_;
    if (bytes > sizeof(small_)) {
      large_ = std::make_unique_for_overwrite<char[]>(bytes);
      data = large_.get();
    }
    use_.begin(data, bytes);
    return data;
  }

 private:
  alignas(64) char small_[1024];
  std::unique_ptr<char[]> large_;
  ScratchUse use_;  // ends before the memory does
};

class ReductionArguments {
 public:
  explicit ReductionArguments(const hologram_kernel* kernel)
      : kernel_(kernel), codes_(hologram_kernel_plan(kernel)->codes) {}
  void buffer(hologram_buffer_ref memory) {
    list_[count_].code = codes_[count_];
    list_[count_++].buffer = memory;
  }
  void number(std::uint64_t bits) {
    list_[count_].code = codes_[count_];
    list_[count_++].scalar = bits;
  }
  void number(std::int64_t value) { number(static_cast<std::uint64_t>(value)); }
  bool launch(ReductionKernels& kernels, const std::array<std::uint32_t, 3>& grid,
              std::uint32_t lanes) const {
    return kernels.launch(kernel_, list_.data(), count_, grid, lanes);
  }

 private:
  const hologram_kernel* kernel_;
  const std::uint8_t* codes_;
  std::array<hologram_argument, 12> list_;
  std::size_t count_ = 0;
};

// (extent, stride in elements) of neighbouring dimensions as one; none if they are not one.
struct ReducedLine {
  std::int64_t extent = 1;
  std::int64_t stride = 0;
};
inline std::optional<ReducedLine> merge_line(const ReducedArray& x, int first, int last) {
  ReducedLine line;
  for (int d = first; d < last; ++d) {
    if (x.extents[d] == 1) continue;
    const std::int64_t step = x.strides[d] >> std::countr_zero(x.size);
    if (line.extent != 1 && line.stride != step * x.extents[d]) return std::nullopt;
    line = {line.extent * x.extents[d], step};
  }
  return line;
}

// The type of the results of `code`. False: `kernels` has reported the error.
inline bool result_code(ReductionKernels& kernels, std::uint32_t code, std::uint32_t& result) {
  const hologram_kernel* kernel = kernels.find(ReductionStep::rows, code);
  if (kernel == nullptr) return false;
  const hologram_launch_plan& plan = *hologram_kernel_plan(kernel);
  std::size_t last = 0;
  for (std::size_t k = 0; k < plan.num_parameters; ++k) {
    if ((plan.codes[k] & HOLOGRAM_ARGUMENT_BUFFER) != 0) last = k;
  }
  result = plan.codes[last] & 0xf;
  return true;
}

class Reducer {
 public:
  Reducer(ReductionKernels& kernels, const Reduction& reduced)
      : kernels_(kernels), reduced_(reduced) {}

  // Dimensions first to last (not included), which are one, to `out`, in the order of what is left.
  bool along_line(const ReducedArray& x, int first, int last, bool rest, char* out) {
    const std::optional<ReducedLine> reduced = merge_line(x, first, last);
    std::optional<ReducedLine> outer = merge_line(x, 0, first);
    std::optional<ReducedLine> inner = merge_line(x, last, x.rank);
    if (outer && inner && reduced) {
      if (inner->extent == 1 && outer->extent != 1 && outer->stride == 1 && reduced->stride != 1) {
        inner = outer;  // rows that are adjacent are columns
        outer = ReducedLine{};
      }
      if (inner->extent != 1 && inner->stride != 1 && outer->extent == 1) {
        outer = inner;
        inner = ReducedLine{};
      }
      if (inner->extent == 1 || inner->stride == 1) {
        const ReducedMatrix matrix{x.data,        x.code,        outer->extent,  reduced->extent,
                                   inner->extent, outer->stride, reduced->stride};
        return fold(matrix, rest, out);
      }
    }
    return one_by_one(x, first, last, rest, out);
  }

  // To one element for each row or column.
  bool fold(ReducedMatrix matrix, bool rest, char* out) {
    if (!matrix.fits())
      return kernels_.refuse("an array has more than 2^32 elements along an axis");
    if (kernels_.finds_indices()) return fold_indices(matrix, out);
    ReductionScratch scratch[2];
    for (int turn = 0;; turn ^= 1) {
      const std::int64_t chunks = matrix.chunks();
      const bool by_rows = matrix.by_rows();
      const ReductionStep step =
          rest ? (by_rows ? ReductionStep::rest_rows : ReductionStep::rest_columns)
               : (by_rows ? ReductionStep::rows : ReductionStep::columns);
      const hologram_kernel* kernel = kernels_.find(step, matrix.code);
      if (kernel == nullptr) return false;
      const bool pairs = reduced_.y != nullptr && !rest;
      const std::uint32_t to = hologram_kernel_plan(kernel)->codes[pairs ? 2 : 1] & 0xf;
      const std::uint64_t bytes =
          static_cast<std::uint64_t>(matrix.outer * chunks * matrix.columns) * element_size(to);
      char* partial = chunks == 1 ? out : scratch[turn].get(bytes);
      if (!(pairs ? launch_pairs(kernel, matrix, chunks, {partial, bytes})
                  : launch(kernel, matrix, chunks, {partial, bytes}))) {
        return false;
      }
      if (chunks == 1) return true;
      const std::int64_t columns = matrix.columns;
      matrix = {partial, to, matrix.outer, chunks, columns, chunks * columns, columns};
      rest = true;
    }
  }

 private:
  bool launch(const hologram_kernel* kernel, const ReducedMatrix& matrix, std::int64_t chunks,
              hologram_buffer_ref to) const {
    ReductionArguments arguments(kernel);
    arguments.buffer(matrix.memory());
    arguments.buffer(to);
    arguments.number(matrix.n);
    const auto outer = static_cast<std::uint32_t>(matrix.outer);
    const auto parts = static_cast<std::uint32_t>(chunks);
    if (matrix.by_rows()) {
      arguments.number(matrix.plane);
      arguments.number(std::min(row_chunk, matrix.n));
      return arguments.launch(kernels_, {parts, outer, 1}, reduction_block);
    }
    arguments.number(matrix.outer);
    arguments.number(matrix.columns);
    arguments.number(matrix.plane);
    arguments.number(matrix.stride);
    arguments.number(column_chunk);
    const auto [width, lanes] = launch_width(static_cast<std::uint32_t>(matrix.columns));
    return arguments.launch(kernels_, {width, outer, parts}, lanes);
  }

  bool launch_pairs(const hologram_kernel* kernel, const ReducedMatrix& matrix, std::int64_t chunks,
                    hologram_buffer_ref to) const {
    ReductionArguments arguments(kernel);
    arguments.buffer(matrix.memory());
    arguments.buffer({const_cast<char*>(reduced_.y), matrix.memory().bytes});
    arguments.buffer(to);
    for (std::size_t k = 0; k < reduced_.num_numbers; ++k) arguments.number(reduced_.numbers[k]);
    arguments.number(matrix.n);
    arguments.number(std::min(row_chunk, matrix.n));
    return arguments.launch(kernels_, {static_cast<std::uint32_t>(chunks), 1, 1}, reduction_block);
  }

  bool fold_indices(const ReducedMatrix& matrix, char* out) const {
    const ReductionStep step = matrix.by_rows() ? ReductionStep::rows : ReductionStep::columns;
    const hologram_kernel* kernel = kernels_.find(step, matrix.code);
    if (kernel == nullptr) return false;
    ReductionArguments arguments(kernel);
    arguments.buffer(matrix.memory());
    const auto outer = static_cast<std::uint32_t>(matrix.outer);
    if (!matrix.by_rows()) {
      const auto results = static_cast<std::uint64_t>(matrix.outer * matrix.columns);
      arguments.buffer({out, results * sizeof(std::int64_t)});
      for (const std::int64_t number :
           {matrix.n, matrix.outer, matrix.columns, matrix.plane, matrix.stride}) {
        arguments.number(number);
      }
      const auto [width, lanes] = launch_width(static_cast<std::uint32_t>(matrix.columns));
      return arguments.launch(kernels_, {width, outer, 1}, lanes);
    }
    // The best of each chunk; then the place of the best of them, in its chunk alone.
    const std::int64_t chunks = matrix.chunks();
    const std::int64_t chunk = std::min(row_chunk, matrix.n);
    const std::uint64_t bytes =
        static_cast<std::uint64_t>(matrix.outer * chunks) * element_size(matrix.code);
    ReductionScratch scratch;
    const hologram_buffer_ref values = {scratch.get(bytes), bytes};
    arguments.buffer(values);
    arguments.number(matrix.n);
    arguments.number(matrix.plane);
    arguments.number(chunk);
    if (!arguments.launch(kernels_, {static_cast<std::uint32_t>(chunks), outer, 1},
                          reduction_block))
      return false;
    const hologram_kernel* pick = kernels_.find(ReductionStep::pick, matrix.code);
    if (pick == nullptr) return false;
    ReductionArguments places(pick);
    places.buffer(matrix.memory());
    places.buffer(values);
    places.buffer({out, static_cast<std::uint64_t>(matrix.outer) * sizeof(std::int64_t)});
    for (const std::int64_t number : {matrix.n, matrix.plane, chunk, chunks}) places.number(number);
    return places.launch(kernels_, {outer, 1, 1}, reduction_block);
  }

  // Where neither what is before the line nor what is behind it is one: one after another along the
  // first dimension that is left.
  bool one_by_one(const ReducedArray& x, int first, int last, bool rest, char* out) {
    int along = 0;
    while ((along >= first && along < last) || x.extents[along] == 1) ++along;
    std::array<std::int64_t, max_axes> extents;
    std::copy(x.extents, x.extents + x.rank, extents.begin());
    extents[static_cast<std::size_t>(along)] = 1;
    ReducedArray part = x;
    part.extents = extents.data();
    std::uint64_t left = 1;
    for (int d = 0; d < x.rank; ++d) {
      if (d < first || d >= last)
        left *= static_cast<std::uint64_t>(extents[static_cast<std::size_t>(d)]);
    }
    std::uint32_t to = HOLOGRAM_I64;
    if (!kernels_.finds_indices() && !result_code(kernels_, x.code, to)) return false;
    for (std::int64_t k = 0; k < x.extents[along]; ++k) {
      if (!along_line(part, first, last, rest, out)) return false;
      part.data += x.strides[along];
      out += left * element_size(to);
    }
    return true;
  }

  ReductionKernels& kernels_;
  const Reduction& reduced_;
};

// Reduces the axes of `axes` (bit d: dimension d) to `out`, which has an element for each place in
// the others, in C order. REQUIRES: no extent is 0, no stride negative; of indices and of pairs,
// the axes are one dimension in memory. False: `kernels` has reported the error.
inline bool reduce(ReductionKernels& kernels, const Reduction& reduced, std::uint64_t axes,
                   char* out) {
  Reducer reducer(kernels, reduced);
  if (axes != 0 && reduced.y == nullptr) {  // the usual: neighbouring axes, in one go
    const int last = 64 - std::countl_zero(axes);
    const int first = std::countr_zero(axes);
    const bool neighbours = std::popcount(axes) == last - first;
    if (neighbours && (last - first == 1 || merge_line(reduced.x, first, last)))
      return reducer.along_line(reduced.x, first, last, false, out);
  }
  ReducedArray x = reduced.x;
  if (reduced.y != nullptr) {
    ReducedMatrix matrix{x.data, x.code};
    for (int d = 0; d < x.rank; ++d) matrix.n *= x.extents[d];
    return reducer.fold(matrix, false, out);
  }
  // The remainder of x after a group of axes, without gaps.
  std::array<std::int64_t, max_axes> extents;
  std::array<std::int64_t, max_axes> strides;
  ReductionScratch scratch[2];
  if (axes == 0) {
    std::copy(x.extents, x.extents + x.rank, extents.begin());
    std::copy(x.strides, x.strides + x.rank, strides.begin());
    if (static_cast<std::size_t>(x.rank) == max_axes)
      return kernels.refuse("an array has more than 63 dimensions");
    extents[static_cast<std::size_t>(x.rank)] = 1;
    strides[static_cast<std::size_t>(x.rank)] = static_cast<std::int64_t>(x.size);
    x.extents = extents.data();
    x.strides = strides.data();
    ++x.rank;
    return reducer.along_line(x, x.rank - 1, x.rank, false, out);
  }
  for (int turn = 0; axes != 0; turn ^= 1) {
    const int last = 63 - std::countl_zero(axes);
    int first = last;
    axes &= ~(std::uint64_t{1} << last);
    while (first > 0 && (axes >> (first - 1) & 1) != 0 && merge_line(x, first - 1, last + 1)) {
      axes &= ~(std::uint64_t{1} << --first);
    }
    const bool rest = turn != 0 || x.data != reduced.x.data;
    std::uint32_t to = HOLOGRAM_I64;
    if (!kernels.finds_indices() && !result_code(kernels, reduced.x.code, to)) return false;
    if (x.extents != extents.data()) std::copy(x.extents, x.extents + x.rank, extents.begin());
    std::uint64_t bytes = element_size(to);
    std::array<std::int64_t, max_axes> left = extents;
    for (int d = first; d <= last; ++d) left[static_cast<std::size_t>(d)] = 1;
    for (int d = 0; d < x.rank; ++d)
      bytes *= static_cast<std::uint64_t>(left[static_cast<std::size_t>(d)]);
    char* made = axes == 0 ? out : scratch[turn].get(bytes);
    if (!reducer.along_line(x, first, last + 1, rest, made)) return false;
    extents = left;
    std::int64_t stride = element_size(to);
    for (int d = x.rank - 1; d >= 0; --d) {
      strides[static_cast<std::size_t>(d)] = stride;
      stride *= extents[static_cast<std::size_t>(d)];
    }
    x = {made, to, element_size(to), x.rank, extents.data(), strides.data()};
  }
  return true;
}

}  // namespace hologram::detail
