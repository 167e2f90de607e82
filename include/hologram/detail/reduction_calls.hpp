// How reductions of tensors become launches: their kernels, by name, and the shapes of results.
// Part of ops.hpp, which tests it.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

#include "../reduced_axes.hpp"
#include "../tensor.hpp"
#include "reduction.hpp"
#include "type_names.hpp"

namespace hologram::detail {

// The launches of Reductions<Derived>, which has a function for each of `Which`. `Derived` is Ops.
// Thread-safe, on memory that no other thread writes.
template <class Derived>
class ReductionCalls {
 protected:
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
  // To a new tensor, or to `out`, which is checked.
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
      refuse(std::string(op) + " to " + to_string(out.shape()) + ", expected " + to_string(shape));
    }
    if (!out.is_contiguous()) refuse(std::string(op) + " to elements with gaps");
    compute(which, x, bits, out);
  }

 private:
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
  static constexpr std::size_t steps = static_cast<std::size_t>(ReductionStep::count);

  static constexpr bool finds_indices(Which which) {
    return which == Which::argmin || which == Which::argmax;
  }
  // Of nothing there is none.
  static constexpr bool needs_elements(Which which) {
    return which == Which::min || which == Which::max || finds_indices(which);
  }

  // The kernels of one call.
  class Source final : public ReductionKernels {
   public:
    Source(ReductionCalls& owner, Which which) : owner_(owner), which_(which) {}
    const hologram_kernel* find(ReductionStep step, std::uint32_t code) override {
      return owner_.find(which_, step, code);
    }
    bool launch(const hologram_kernel* kernel, const hologram_argument* arguments,
                std::size_t count, const std::array<std::uint32_t, 3>& grid,
                std::uint32_t lanes) override {
      hologram_launch_config config{};
      std::copy(grid.begin(), grid.end(), config.grid);
      config.block[0] = lanes;
      config.block[1] = config.block[2] = 1;
      check(hologram_kernel_launch(kernel, arguments, count, &config));
      return true;
    }
    bool refuse(const char* what) override {
      detail::refuse(std::string(names[static_cast<std::size_t>(which_)].op) + ": " + what);
    }
    bool finds_indices() const override { return ReductionCalls::finds_indices(which_); }

   private:
    ReductionCalls& owner_;
    Which which_;
  };

  // Kernels are looked for once; afterwards this is a load.
  const hologram_kernel* find(Which which, ReductionStep step, std::uint32_t code) {
    const std::size_t slot =
        (static_cast<std::size_t>(which) * steps + static_cast<std::size_t>(step)) *
            type_names.size() +
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
  static std::string kernel_name(Which which, ReductionStep step, std::uint32_t code) {
    const bool whole = code < HOLOGRAM_F16;
    const bool is_signed = code < HOLOGRAM_U8;
    const std::string& steps_name = reduction_steps[static_cast<std::size_t>(step)];
    const bool by_rows = steps_name.ends_with("rows");
    const char* suffix = "";
    if (which <= Which::norm) {
      const char* integers = which == Which::mean ? "_wide" : is_signed ? "_signed" : "_unsigned";
      suffix = whole ? integers : code == HOLOGRAM_F64 ? "_double" : "";
    } else if (by_rows && which <= Which::argmax) {
      suffix = whole ? "_whole" : "";
    }
    const Names& name = names[static_cast<std::size_t>(which)];
    const bool elements =
        step == ReductionStep::rows || (step == ReductionStep::columns && !finds_indices(which));
    const std::size_t rest = steps_name.starts_with("rest_") ? 5 : 0;
    return std::string("op_") + (elements ? name.first : name.rest) + "_" +
           steps_name.substr(rest) + suffix + "_" + type_names[code];
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
    Reduction reduction;
    reduction.x = {reinterpret_cast<char*>(x.data()), type_code<T>(), sizeof(T),
                   static_cast<int>(x.ndim()),        extents.data(), strides.data()};
    if (finds_indices(which) && std::popcount(axes) != 1) {
      // One axis, of all elements.
      if (!x.is_contiguous()) refuse(std::string(op) + " of all elements, with gaps");
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
    if (needs_elements(which)) refuse(std::string(op) + " of no elements");
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
             static_cast<std::size_t>(Which::count) * steps * type_names.size()>
      found_{};
};

}  // namespace hologram::detail
