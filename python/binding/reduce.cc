#include "reduce.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <memory>
#include <optional>

#include "arrays.h"
#include "hologram/layout.hpp"
#include "isa/type.h"
#include "kernel_object.h"

namespace hologram::python {
namespace {

// Elements that one launch makes one of: along rows by a block of lanes, along columns by a lane.
// They decide the order of sums, so results depend on them.
constexpr int64_t kRowChunk = 4096;
constexpr int64_t kColumnChunk = 512;
constexpr uint32_t kBlock = 64;

uint32_t SizeOf(uint32_t code) {
  return isa::SizeOf(static_cast<isa::Type>(code));
}

// Elements [outer, n, columns], neighbours plane, stride and 1 apart. Without columns (1) n may
// have any stride.
struct Matrix {
  char* data = nullptr;
  uint32_t code = 0;
  int64_t outer = 1;
  int64_t n = 1;
  int64_t columns = 1;
  int64_t plane = 0;
  int64_t stride = 1;

  // What is reduced lies together.
  bool by_rows() const { return columns == 1 && (stride == 1 || n == 1); }
  int64_t chunks() const {
    const int64_t most = by_rows() ? kRowChunk : kColumnChunk;
    return (n + most - 1) / most;
  }
  hologram_buffer_ref memory() const {
    const int64_t last = (outer - 1) * plane + (n - 1) * stride + columns - 1;
    return {data, static_cast<uint64_t>(last + 1) * SizeOf(code)};
  }
  bool fits() const {
    int64_t most = 0;
    for (const int64_t number : {outer, n, columns, plane, stride}) most = std::max(most, number);
    return most <= UINT32_MAX;
  }
};

// Memory for what lies between launches.
class Scratch {
 public:
  char* Get(uint64_t bytes) {
    if (bytes <= sizeof(small_)) return small_;
    large_ = std::make_unique_for_overwrite<char[]>(bytes);
    return large_.get();
  }

 private:
  alignas(64) char small_[1024];
  std::unique_ptr<char[]> large_;
};

class Arguments {
 public:
  explicit Arguments(const hologram_kernel* kernel) : kernel_(kernel) {}
  void Buffer(hologram_buffer_ref memory) {
    list_[count_].code = hologram_kernel_plan(kernel_)->codes[count_];
    list_[count_++].buffer = memory;
  }
  void Number(uint64_t bits) {
    list_[count_].code = hologram_kernel_plan(kernel_)->codes[count_];
    list_[count_++].scalar = bits;
  }
  void Number(int64_t value) { Number(static_cast<uint64_t>(value)); }
  bool Launch(const std::array<uint32_t, 3>& grid, uint32_t lanes) {
    return RunShaped(kernel_, list_.data(), count_, grid, {lanes, 1, 1});
  }

 private:
  const hologram_kernel* kernel_;
  std::array<hologram_argument, 12> list_;
  size_t count_ = 0;
};

// (extent, stride in elements) of neighbouring dimensions as one; none if they are not one.
struct Line {
  int64_t extent = 1;
  int64_t stride = 0;
};
std::optional<Line> Merge(const Operand& x, int first, int last) {
  Line line;
  for (int d = first; d < last; ++d) {
    if (x.extents[d] == 1) continue;
    const int64_t step = x.strides[d] / static_cast<int64_t>(x.size);
    if (line.extent != 1 && line.stride != step * x.extents[d]) return std::nullopt;
    line = {line.extent * x.extents[d], step};
  }
  return line;
}

class Reducer {
 public:
  Reducer(const char* op, StepKernels& kernels, const Reduced& reduced)
      : op_(op), kernels_(kernels), reduced_(reduced) {}

  // Dimensions first to last (not included), which are one, to `out`, in the order of what is left.
  bool AlongLine(const Operand& x, int first, int last, bool rest, char* out) {
    const std::optional<Line> reduced = Merge(x, first, last);
    std::optional<Line> outer = Merge(x, 0, first);
    std::optional<Line> inner = Merge(x, last, x.rank);
    if (outer && inner && reduced) {
      if (inner->extent == 1 && outer->extent != 1 && outer->stride == 1 && reduced->stride != 1) {
        inner = outer;  // rows that lie side by side are columns
        outer = Line{};
      }
      if (inner->extent != 1 && inner->stride != 1 && outer->extent == 1) {
        outer = inner;
        inner = Line{};
      }
      if (inner->extent == 1 || inner->stride == 1) {
        const Matrix matrix{x.data,        x.code,        outer->extent,  reduced->extent,
                            inner->extent, outer->stride, reduced->stride};
        return Fold(matrix, rest, out);
      }
    }
    return OneByOne(x, first, last, rest, out);
  }

  // To one element for each row or column.
  bool Fold(Matrix matrix, bool rest, char* out) {
    if (!matrix.fits()) return Refuse(op_, "an array has more than 2^32 elements along an axis");
    if (kernels_.finds_indices()) return FoldIndices(matrix, out);
    Scratch scratch[2];
    for (int turn = 0;; turn ^= 1) {
      const int64_t chunks = matrix.chunks();
      const bool by_rows = matrix.by_rows();
      const Step step = rest ? (by_rows ? Step::kRestRows : Step::kRestColumns)
                             : (by_rows ? Step::kRows : Step::kColumns);
      const hologram_kernel* kernel = kernels_.Find(step, matrix.code);
      if (kernel == nullptr) return false;
      const bool pairs = reduced_.y != nullptr && !rest;
      const uint32_t to = hologram_kernel_plan(kernel)->codes[pairs ? 2 : 1] & 0xf;
      const uint64_t bytes =
          static_cast<uint64_t>(matrix.outer * chunks * matrix.columns) * SizeOf(to);
      char* partial = chunks == 1 ? out : scratch[turn].Get(bytes);
      if (!(pairs ? LaunchPairs(kernel, matrix, chunks, {partial, bytes})
                  : Launch(kernel, matrix, chunks, {partial, bytes}))) {
        return false;
      }
      if (chunks == 1) return true;
      const int64_t columns = matrix.columns;
      matrix = {partial, to, matrix.outer, chunks, columns, chunks * columns, columns};
      rest = true;
    }
  }

 private:
  static bool Launch(const hologram_kernel* kernel, const Matrix& matrix, int64_t chunks,
                     hologram_buffer_ref to) {
    Arguments arguments(kernel);
    arguments.Buffer(matrix.memory());
    arguments.Buffer(to);
    arguments.Number(matrix.n);
    const auto outer = static_cast<uint32_t>(matrix.outer);
    const auto parts = static_cast<uint32_t>(chunks);
    if (matrix.by_rows()) {
      arguments.Number(matrix.plane);
      arguments.Number(std::min(kRowChunk, matrix.n));
      return arguments.Launch({parts, outer, 1}, kBlock);
    }
    arguments.Number(matrix.outer);
    arguments.Number(matrix.columns);
    arguments.Number(matrix.plane);
    arguments.Number(matrix.stride);
    arguments.Number(kColumnChunk);
    const auto [width, lanes] = detail::launch_width(static_cast<uint32_t>(matrix.columns));
    return arguments.Launch({width, outer, parts}, lanes);
  }

  bool LaunchPairs(const hologram_kernel* kernel, const Matrix& matrix, int64_t chunks,
                   hologram_buffer_ref to) const {
    Arguments arguments(kernel);
    arguments.Buffer(matrix.memory());
    arguments.Buffer({const_cast<char*>(reduced_.y), matrix.memory().bytes});
    arguments.Buffer(to);
    for (size_t k = 0; k < reduced_.num_numbers; ++k) arguments.Number(reduced_.numbers[k]);
    arguments.Number(matrix.n);
    arguments.Number(std::min(kRowChunk, matrix.n));
    return arguments.Launch({static_cast<uint32_t>(chunks), 1, 1}, kBlock);
  }

  bool FoldIndices(const Matrix& matrix, char* out) {
    const Step step = matrix.by_rows() ? Step::kRows : Step::kColumns;
    const hologram_kernel* kernel = kernels_.Find(step, matrix.code);
    if (kernel == nullptr) return false;
    Arguments arguments(kernel);
    arguments.Buffer(matrix.memory());
    const auto outer = static_cast<uint32_t>(matrix.outer);
    if (!matrix.by_rows()) {
      const auto results = static_cast<uint64_t>(matrix.outer * matrix.columns);
      arguments.Buffer({out, results * sizeof(int64_t)});
      for (const int64_t number :
           {matrix.n, matrix.outer, matrix.columns, matrix.plane, matrix.stride}) {
        arguments.Number(number);
      }
      const auto [width, lanes] = detail::launch_width(static_cast<uint32_t>(matrix.columns));
      return arguments.Launch({width, outer, 1}, lanes);
    }
    // The best of each chunk; then the place of the best of them, in its chunk alone.
    const int64_t chunks = matrix.chunks();
    const int64_t chunk = std::min(kRowChunk, matrix.n);
    const uint64_t bytes = static_cast<uint64_t>(matrix.outer * chunks) * SizeOf(matrix.code);
    Scratch scratch;
    const hologram_buffer_ref values = {scratch.Get(bytes), bytes};
    arguments.Buffer(values);
    arguments.Number(matrix.n);
    arguments.Number(matrix.plane);
    arguments.Number(chunk);
    if (!arguments.Launch({static_cast<uint32_t>(chunks), outer, 1}, kBlock)) return false;
    const hologram_kernel* pick = kernels_.Find(Step::kPick, matrix.code);
    if (pick == nullptr) return false;
    Arguments places(pick);
    places.Buffer(matrix.memory());
    places.Buffer(values);
    places.Buffer({out, static_cast<uint64_t>(matrix.outer) * sizeof(int64_t)});
    for (const int64_t number : {matrix.n, matrix.plane, chunk, chunks}) places.Number(number);
    return places.Launch({outer, 1, 1}, kBlock);
  }

  // Where neither what is before the line nor what is behind it is one: one after another along the
  // first dimension that is left.
  bool OneByOne(const Operand& x, int first, int last, bool rest, char* out) {
    int along = 0;
    while ((along >= first && along < last) || x.extents[along] == 1) ++along;
    std::array<Py_ssize_t, kMostRank> extents;
    std::copy(x.extents, x.extents + x.rank, extents.begin());
    extents[static_cast<size_t>(along)] = 1;
    Operand part = x;
    part.extents = extents.data();
    uint64_t left = 1;
    for (int d = 0; d < x.rank; ++d) {
      if (d < first || d >= last) left *= static_cast<uint64_t>(extents[static_cast<size_t>(d)]);
    }
    uint32_t to = HOLOGRAM_I64;
    if (!kernels_.finds_indices() && !ResultCode(kernels_, x.code, to)) return false;
    for (Py_ssize_t k = 0; k < x.extents[along]; ++k) {
      if (!AlongLine(part, first, last, rest, out)) return false;
      part.data += x.strides[along];
      out += left * SizeOf(to);
    }
    return true;
  }

  const char* op_;
  StepKernels& kernels_;
  const Reduced& reduced_;
};

}  // namespace

const char* NameOf(Step step) {
  static constexpr std::array<const char*, kSteps> kNames = {"rows", "columns", "rest_rows",
                                                             "rest_columns", "pick"};
  return kNames[static_cast<size_t>(step)];
}

bool ResultCode(StepKernels& kernels, uint32_t code, uint32_t& result) {
  const hologram_kernel* kernel = kernels.Find(Step::kRows, code);
  if (kernel == nullptr) return false;
  const hologram_launch_plan& plan = *hologram_kernel_plan(kernel);
  size_t last = 0;
  for (size_t k = 0; k < plan.num_parameters; ++k) {
    if ((plan.codes[k] & kBuffer) != 0) last = k;
  }
  result = plan.codes[last] & 0xf;
  return true;
}

bool Reduce(const char* op, StepKernels& kernels, const Reduced& reduced, uint64_t axes,
            char* out) {
  Operand x = reduced.x;
  Reducer reducer(op, kernels, reduced);
  if (reduced.y != nullptr) {
    Matrix matrix{x.data, x.code};
    for (int d = 0; d < x.rank; ++d) matrix.n *= x.extents[d];
    return reducer.Fold(matrix, false, out);
  }
  // What is left of x after a group of axes, without gaps.
  std::array<Py_ssize_t, kMostRank> extents;
  std::array<Py_ssize_t, kMostRank> strides;
  Scratch scratch[2];
  if (axes == 0) {
    std::copy(x.extents, x.extents + x.rank, extents.begin());
    std::copy(x.strides, x.strides + x.rank, strides.begin());
    if (x.rank == kMostRank) return Refuse(op, "an array has more than 63 dimensions");
    extents[static_cast<size_t>(x.rank)] = 1;
    strides[static_cast<size_t>(x.rank)] = static_cast<Py_ssize_t>(x.size);
    x.extents = extents.data();
    x.strides = strides.data();
    ++x.rank;
    return reducer.AlongLine(x, x.rank - 1, x.rank, false, out);
  }
  for (int turn = 0; axes != 0; turn ^= 1) {
    const int last = 63 - std::countl_zero(axes);
    int first = last;
    axes &= ~(uint64_t{1} << last);
    while (first > 0 && (axes >> (first - 1) & 1) != 0 && Merge(x, first - 1, last + 1)) {
      axes &= ~(uint64_t{1} << --first);
    }
    const bool rest = turn != 0 || x.data != reduced.x.data;
    uint32_t to = HOLOGRAM_I64;
    if (!kernels.finds_indices() && !ResultCode(kernels, reduced.x.code, to)) return false;
    if (x.extents != extents.data()) std::copy(x.extents, x.extents + x.rank, extents.begin());
    uint64_t bytes = SizeOf(to);
    std::array<Py_ssize_t, kMostRank> left = extents;
    for (int d = first; d <= last; ++d) left[static_cast<size_t>(d)] = 1;
    for (int d = 0; d < x.rank; ++d) bytes *= static_cast<uint64_t>(left[static_cast<size_t>(d)]);
    char* made = axes == 0 ? out : scratch[turn].Get(bytes);
    if (!reducer.AlongLine(x, first, last + 1, rest, made)) return false;
    extents = left;
    Py_ssize_t stride = SizeOf(to);
    for (int d = x.rank - 1; d >= 0; --d) {
      strides[static_cast<size_t>(d)] = stride;
      stride *= extents[static_cast<size_t>(d)];
    }
    x = {made, to, SizeOf(to), x.rank, extents.data(), strides.data()};
  }
  return true;
}

}  // namespace hologram::python
