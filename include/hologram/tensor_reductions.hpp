// Reductions of tensors, along axes or of all elements. Part of ops.hpp, which tests it: Ops
// inherits these functions.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <initializer_list>
#include <limits>
#include <string>
#include <type_traits>

#include "detail/reduction.hpp"
#include "tensor.hpp"

namespace hologram {

// Which dimensions are reduced: one, several, or all; negative numbers count from the last.
class ReducedAxes {
 public:
  ReducedAxes() = default;                        // none: each element by itself
  ReducedAxes(int axis) : ReducedAxes({axis}) {}  // NOLINT: sum(x, 1)
  ReducedAxes(std::initializer_list<int> axes) : size_(axes.size()) {
    if (size_ > axes_.size()) detail::refuse("more than 8 axes");
    std::copy(axes.begin(), axes.end(), axes_.begin());
  }
  static ReducedAxes all() {
    ReducedAxes axes;
    axes.all_ = true;
    return axes;
  }

  // Bit d: dimension d of `shape`.
  std::uint64_t of(const char* op, const Dimensions& shape) const {
    const auto rank = static_cast<int>(shape.size());
    if (all_) return (std::uint64_t{1} << rank) - 1;
    std::uint64_t found = 0;
    for (std::size_t k = 0; k < size_; ++k) {
      const int axis = axes_[k] < 0 ? axes_[k] + rank : axes_[k];
      if (axis < 0 || axis >= rank || (found >> axis & 1) != 0) {
        detail::refuse(std::string(op) + ": axis " + std::to_string(axes_[k]) +
                       (axis < 0 || axis >= rank ? " of " : " twice of ") + to_string(shape));
      }
      found |= std::uint64_t{1} << axis;
    }
    return found;
  }

 private:
  std::array<int, Dimensions::max_size> axes_{};
  std::size_t size_ = 0;
  bool all_ = false;
};

// Of integers sums and products are 64 bits wide and wrap, and means are double.
template <class T>
using SumOf =
    std::conditional_t<!std::is_integral_v<T>, T,
                       std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>>;
template <class T>
using MeanOf = std::conditional_t<std::is_integral_v<T>, double, T>;

// T is float, double or an integer. Each reduction has three forms, as sum here:
//   T total = ops.sum(x);                   of all elements
//   Tensor<T> rows = ops.sum(x, -1);        along one axis, or several: ops.sum(x, {0, 2}, true)
//   ops.sum(x, {0, 2}, out);                to a tensor of that shape, without or with axes of size
//   1
// `keepdims` leaves the axes in the result, with size 1. Strides are honoured, nothing is copied.
// Sums are by fixed trees (docs/ops.md has their errors); `Derived` is Ops.
template <class Derived>
class Reductions {
 public:
  // 0 for nothing.
  template <class T>
  SumOf<T> sum(const Tensor<T>& x) {
    return *sum(x, ReducedAxes::all()).data();
  }
  template <class T>
  Tensor<SumOf<T>> sum(const Tensor<T>& x, const ReducedAxes& axes, bool keepdims = false) {
    return made<SumOf<T>>(Which::sum, x, axes, keepdims);
  }
  template <class T>
  void sum(const Tensor<T>& x, const ReducedAxes& axes, const Tensor<SumOf<T>>& out) {
    reduce(Which::sum, x, axes, out);
  }

  // 1 for nothing.
  template <class T>
  SumOf<T> prod(const Tensor<T>& x) {
    return *prod(x, ReducedAxes::all()).data();
  }
  template <class T>
  Tensor<SumOf<T>> prod(const Tensor<T>& x, const ReducedAxes& axes, bool keepdims = false) {
    return made<SumOf<T>>(Which::prod, x, axes, keepdims);
  }
  template <class T>
  void prod(const Tensor<T>& x, const ReducedAxes& axes, const Tensor<SumOf<T>>& out) {
    reduce(Which::prod, x, axes, out);
  }

  // NaN for nothing.
  template <class T>
  MeanOf<T> mean(const Tensor<T>& x) {
    return *mean(x, ReducedAxes::all()).data();
  }
  template <class T>
  Tensor<MeanOf<T>> mean(const Tensor<T>& x, const ReducedAxes& axes, bool keepdims = false) {
    return made<MeanOf<T>>(Which::mean, x, axes, keepdims);
  }
  template <class T>
  void mean(const Tensor<T>& x, const ReducedAxes& axes, const Tensor<MeanOf<T>>& out) {
    reduce(Which::mean, x, axes, out);
  }

  // The root of the sum of squares, of float and double; 0 for nothing.
  template <class T>
  T norm(const Tensor<T>& x) {
    return *norm(x, ReducedAxes::all()).data();
  }
  template <class T>
  Tensor<T> norm(const Tensor<T>& x, const ReducedAxes& axes, bool keepdims = false) {
    static_assert(std::is_floating_point_v<T>, "expected float or double");
    return made<T>(Which::norm, x, axes, keepdims);
  }
  template <class T>
  void norm(const Tensor<T>& x, const ReducedAxes& axes, const Tensor<T>& out) {
    static_assert(std::is_floating_point_v<T>, "expected float or double");
    reduce(Which::norm, x, axes, out);
  }

  // A number comes before NaN. Of nothing there is none.
  template <class T>
  T min(const Tensor<T>& x) {
    return *min(x, ReducedAxes::all()).data();
  }
  template <class T>
  Tensor<T> min(const Tensor<T>& x, const ReducedAxes& axes, bool keepdims = false) {
    return made<T>(Which::min, x, axes, keepdims);
  }
  template <class T>
  void min(const Tensor<T>& x, const ReducedAxes& axes, const Tensor<T>& out) {
    reduce(Which::min, x, axes, out);
  }
  template <class T>
  T max(const Tensor<T>& x) {
    return *max(x, ReducedAxes::all()).data();
  }
  template <class T>
  Tensor<T> max(const Tensor<T>& x, const ReducedAxes& axes, bool keepdims = false) {
    return made<T>(Which::max, x, axes, keepdims);
  }
  template <class T>
  void max(const Tensor<T>& x, const ReducedAxes& axes, const Tensor<T>& out) {
    reduce(Which::max, x, axes, out);
  }

  // The index of the first of the best, along one axis; without one that among all elements, row by
  // row, of a tensor without gaps. 0 if all are NaN. Of nothing there is none.
  template <class T>
  std::int64_t argmin(const Tensor<T>& x) {
    return *made<std::int64_t>(Which::argmin, x, ReducedAxes::all(), false).data();
  }
  template <class T>
  Tensor<std::int64_t> argmin(const Tensor<T>& x, int axis, bool keepdims = false) {
    return made<std::int64_t>(Which::argmin, x, axis, keepdims);
  }
  template <class T>
  void argmin(const Tensor<T>& x, int axis, const Tensor<std::int64_t>& out) {
    reduce(Which::argmin, x, axis, out);
  }
  template <class T>
  std::int64_t argmax(const Tensor<T>& x) {
    return *made<std::int64_t>(Which::argmax, x, ReducedAxes::all(), false).data();
  }
  template <class T>
  Tensor<std::int64_t> argmax(const Tensor<T>& x, int axis, bool keepdims = false) {
    return made<std::int64_t>(Which::argmax, x, axis, keepdims);
  }
  template <class T>
  void argmax(const Tensor<T>& x, int axis, const Tensor<std::int64_t>& out) {
    reduce(Which::argmax, x, axis, out);
  }

  // Whether an element is not 0 (NaN is not, -0 is), or none is: 1 or 0.
  template <class T>
  bool any(const Tensor<T>& x) {
    return *any(x, ReducedAxes::all()).data() != 0;
  }
  template <class T>
  Tensor<std::uint8_t> any(const Tensor<T>& x, const ReducedAxes& axes, bool keepdims = false) {
    return made<std::uint8_t>(Which::any, x, axes, keepdims);
  }
  template <class T>
  void any(const Tensor<T>& x, const ReducedAxes& axes, const Tensor<std::uint8_t>& out) {
    reduce(Which::any, x, axes, out);
  }
  template <class T>
  bool all(const Tensor<T>& x) {
    return *all(x, ReducedAxes::all()).data() != 0;
  }
  template <class T>
  Tensor<std::uint8_t> all(const Tensor<T>& x, const ReducedAxes& axes, bool keepdims = false) {
    return made<std::uint8_t>(Which::all, x, axes, keepdims);
  }
  template <class T>
  void all(const Tensor<T>& x, const ReducedAxes& axes, const Tensor<std::uint8_t>& out) {
    reduce(Which::all, x, axes, out);
  }

 private:
  enum class Which : std::uint8_t {
    sum,
    prod,
    mean,
    norm,
    min,
    max,
    argmin,
    argmax,
    any,
    all,
    count
  };
  // How a reduction is called, its kernels of elements along rows, and those of the rest.
  struct Names {
    const char* op;
    const char* first;
    const char* rest;
  };
  static constexpr std::array<Names, static_cast<std::size_t>(Which::count)> names = {
      Names{"sum", "sum", "sum"},     {"prod", "prod", "prod"},    {"mean", "sum", "sum"},
      {"norm", "sum_squares", "sum"}, {"min", "min", "min"},       {"max", "max", "max"},
      {"argmin", "min", "argmin"},    {"argmax", "max", "argmax"}, {"any", "any", "any"},
      {"all", "all", "all"}};
  static constexpr std::array<const char*, 12> types = {"i8",  "i16", "i32", "i64",  "u8",  "u16",
                                                        "u32", "u64", "f16", "bf16", "f32", "f64"};
  static constexpr std::size_t steps = static_cast<std::size_t>(detail::ReductionStep::count);

  static constexpr bool finds_indices(Which which) {
    return which == Which::argmin || which == Which::argmax;
  }
  // Of nothing there is none.
  static constexpr bool needs_elements(Which which) {
    return which == Which::min || which == Which::max || finds_indices(which);
  }

  // The kernels of one call.
  class Source final : public detail::ReductionKernels {
   public:
    Source(Reductions& owner, Which which) : owner_(owner), which_(which) {}
    const hologram_kernel* find(detail::ReductionStep step, std::uint32_t code) override {
      return owner_.find(which_, step, code);
    }
    bool launch(const hologram_kernel* kernel, const hologram_argument* arguments,
                std::size_t count, const std::array<std::uint32_t, 3>& grid,
                std::uint32_t lanes) override {
      hologram_launch_config config{};
      std::copy(grid.begin(), grid.end(), config.grid);
      config.block[0] = lanes;
      config.block[1] = config.block[2] = 1;
      detail::check(hologram_kernel_launch(kernel, arguments, count, &config));
      return true;
    }
    bool refuse(const char* what) override {
      detail::refuse(std::string(names[static_cast<std::size_t>(which_)].op) + ": " + what);
    }
    bool finds_indices() const override { return Reductions::finds_indices(which_); }

   private:
    Reductions& owner_;
    Which which_;
  };

  // Kernels are looked for once; afterwards this is a load.
  const hologram_kernel* find(Which which, detail::ReductionStep step, std::uint32_t code) {
    const std::size_t slot =
        (static_cast<std::size_t>(which) * steps + static_cast<std::size_t>(step)) * types.size() +
        code;
    const hologram_kernel* kernel = found_[slot].load(std::memory_order_acquire);
    if (kernel == nullptr) [[unlikely]] {
      kernel = static_cast<Derived*>(this)->kernel_of(kernel_name(which, step, code));
      found_[slot].store(kernel, std::memory_order_release);
    }
    return kernel;
  }

  // Kernels that accumulate in another type are named by the kind of the type; rows of integers
  // have simpler smallest and largest elements.
  static std::string kernel_name(Which which, detail::ReductionStep step, std::uint32_t code) {
    const bool whole = code < HOLOGRAM_F16;
    const bool is_signed = code < HOLOGRAM_U8;
    const std::string& steps_name = detail::reduction_steps[static_cast<std::size_t>(step)];
    const bool by_rows = steps_name.ends_with("rows");
    const char* suffix = "";
    if (which <= Which::norm) {
      const char* integers = which == Which::mean ? "_wide" : is_signed ? "_signed" : "_unsigned";
      suffix = whole ? integers : code == HOLOGRAM_F64 ? "_double" : "";
    } else if (by_rows && which <= Which::argmax) {
      suffix = whole ? "_whole" : "";
    }
    const Names& name = names[static_cast<std::size_t>(which)];
    const bool elements = step == detail::ReductionStep::rows ||
                          (step == detail::ReductionStep::columns && !finds_indices(which));
    const std::size_t rest = steps_name.starts_with("rest_") ? 5 : 0;
    return std::string("op_") + (elements ? name.first : name.rest) + "_" +
           steps_name.substr(rest) + suffix + "_" + types[code];
  }

  // The shape without the axes, or with 1 for each.
  static Dimensions left(const Dimensions& shape, std::uint64_t axes, bool keepdims) {
    Dimensions kept = shape;
    for (std::size_t d = shape.size(); d-- > 0;) {
      if ((axes >> d & 1) == 0) continue;
      kept[d] = 1;
      if (!keepdims) kept.erase(d);
    }
    return kept;
  }

  template <class R, class T>
  Tensor<R> made(Which which, const Tensor<T>& x, const ReducedAxes& axes, bool keepdims) {
    const std::uint64_t bits = axes.of(names[static_cast<std::size_t>(which)].op, x.shape());
    Tensor<R> out(left(x.shape(), bits, keepdims));
    compute(which, x, bits, out);
    return out;
  }
  template <class R, class T>
  void reduce(Which which, const Tensor<T>& x, const ReducedAxes& axes, const Tensor<R>& out) {
    const char* op = names[static_cast<std::size_t>(which)].op;
    const std::uint64_t bits = axes.of(op, x.shape());
    const Dimensions shape = left(x.shape(), bits, false);
    if (!(out.shape() == shape) && !(out.shape() == left(x.shape(), bits, true))) {
      detail::refuse(std::string(op) + " to " + to_string(out.shape()) + ", expected " +
                     to_string(shape));
    }
    if (!out.is_contiguous()) detail::refuse(std::string(op) + " to elements with gaps");
    compute(which, x, bits, out);
  }

  template <class R, class T>
  void compute(Which which, const Tensor<T>& x, std::uint64_t axes, const Tensor<R>& out) {
    static_assert(std::is_arithmetic_v<T> && !std::is_same_v<T, bool>,
                  "expected float, double or an integer");
    const char* op = names[static_cast<std::size_t>(which)].op;
    if (out.numel() == 0) return;
    if (x.numel() == 0) {
      of_nothing(which, op, out);
      return;
    }
    std::array<std::int64_t, Dimensions::max_size> extents;
    std::array<std::int64_t, Dimensions::max_size> strides;
    std::size_t reduced = 1;
    for (std::size_t d = 0; d < x.ndim(); ++d) {
      extents[d] = static_cast<std::int64_t>(x.shape()[d]);
      strides[d] = static_cast<std::int64_t>(x.strides()[d] * sizeof(T));
      if ((axes >> d & 1) != 0) reduced *= x.shape()[d];
    }
    std::uint64_t along = axes;
    detail::Reduction reduction;
    reduction.x = {reinterpret_cast<char*>(x.data()), detail::type_code<T>(), sizeof(T),
                   static_cast<int>(x.ndim()),        extents.data(),         strides.data()};
    if (finds_indices(which) && std::popcount(axes) != 1) {
      // One axis, of all elements.
      if (!x.is_contiguous()) detail::refuse(std::string(op) + " of all elements, with gaps");
      extents[0] = static_cast<std::int64_t>(x.numel());
      strides[0] = sizeof(T);
      reduction.x.rank = 1;
      along = 1;
    }
    Source source(*this, which);
    detail::reduce(source, reduction, along, reinterpret_cast<char*>(out.data()));
    if constexpr (std::is_floating_point_v<R>) {
      if (which == Which::mean) divide(out, reduced);
      if (which == Which::norm) static_cast<Derived*>(this)->apply(Derived::Unary::sqrt, out, out);
    }
  }

  template <class R>
  static void of_nothing(Which which, const char* op, const Tensor<R>& out) {
    if (needs_elements(which)) detail::refuse(std::string(op) + " of no elements");
    const bool one = which == Which::prod || which == Which::all;
    const R value = which == Which::mean ? std::numeric_limits<R>::quiet_NaN() : R(one ? 1 : 0);
    std::fill(out.flat().begin(), out.flat().end(), value);
  }

  template <class R>
  void divide(const Tensor<R>& sums, std::size_t count) {
    // The kernel that repeats one number does not take an operand as its result.
    Tensor<R> counts(sums.shape());
    std::fill(counts.flat().begin(), counts.flat().end(), static_cast<R>(count));
    static_cast<Derived*>(this)->div(sums, counts, sums);
  }

  std::array<std::atomic<const hologram_kernel*>,
             static_cast<std::size_t>(Which::count) * steps * types.size()>
      found_{};
};

}  // namespace hologram
