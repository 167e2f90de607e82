// Reductions of tensors, along axes or of all elements. Part of ops.hpp, which tests it: Ops
// inherits these functions.
//
//   hologram::Ops ops;
//   hologram::Tensor<float> x({4, 6});
//   float total = ops.sum(x);                    // of all elements
//   auto rows = ops.sum(x, 1);                   // 4 sums, one of each row
//   auto columns = ops.mean(x, 0, true);         // 1 x 6
//   ops.max(x, {0, 1}, out);                     // to a tensor that is there
#pragma once

#include <cstdint>
#include <type_traits>

#include "detail/reduction_calls.hpp"
#include "reduced_axes.hpp"
#include "tensor.hpp"

namespace hologram {

// The type of sums and products of elements of type T: T itself of floats; of integers 64 bits,
// std::int64_t or std::uint64_t, in which they wrap.
template <class T>
using SumOf =
    std::conditional_t<!std::is_integral_v<T>, T,
                       std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>>;
// The type of means: T itself of floats; of integers double, in which they are summed too.
template <class T>
using MeanOf = std::conditional_t<std::is_integral_v<T>, double, T>;

// The reductions. T is float, double or an integer of 8 to 64 bits. Each has three forms, as sum
// here:
//
//   T total = ops.sum(x);             // of all elements
//   Tensor<T> rows = ops.sum(x, -1);  // along one axis, or several: ops.sum(x, {0, 2}, true)
//   ops.sum(x, {0, 2}, out);          // to a tensor without gaps, with or without the axes
//
// The second gives a new tensor of the shape of x without the axes; with `keepdims` they stay, with
// size 1. The third takes either shape, and memory apart from x.
//
//   function        results         of no elements
//   sum             SumOf<T>        0
//   prod            SumOf<T>        1
//   mean            MeanOf<T>       NaN
//   norm            T, a float      0
//   min, max        T               an error
//   argmin, argmax  std::int64_t    an error
//   any             1 or 0          0
//   all             1 or 0          1
//
// Strides are honoured, nothing is copied. Sums are by fixed trees, so that they have the same bits
// on every machine and with any number of threads, but not for every layout: elements with gaps may
// be added in another order. Errors are given for n elements that make a result; eps is 2^-24 for
// float and 2^-53 for double.
//
// Refused with HOLOGRAM_ERROR_INVALID_ARGUMENT, thrown as hologram::Error:
//
// - axes that the shape does not have, and one that is named twice (ReducedAxes::of);
// - an `out` of another shape ("mean to 4, expected 6"), with gaps, or in the memory of x;
// - no elements where a result needs one ("min of no elements");
// - more than 2^32 - 1 elements along an axis, or a stride as large.
//
// Several threads may reduce at once, on memory that no other thread writes. `Derived` is Ops,
// which has the kernels.
template <class Derived>
class Reductions : public detail::ReductionCalls<Derived> {
  using typename detail::ReductionCalls<Derived>::Which;

 public:
  // The sum of the elements; 0 of none. |error| <= min(n, 512 + n / 512) * eps * sum of |x|. Sums
  // of integers are exact modulo 2^64.
  template <class T>
  SumOf<T> sum(const Tensor<T>& x) {
    return *sum(x, ReducedAxes::all()).data();
  }

  // The sums along `axes`, in a new tensor: of 4 x 6 along 1 one of 4 elements, with `keepdims` one
  // of 4 x 1.
  template <class T>
  Tensor<SumOf<T>> sum(const Tensor<T>& x, const ReducedAxes& axes, bool keepdims = false) {
    return this->template made<SumOf<T>>(Which::sum, x, axes, keepdims);
  }

  // The sums along `axes`, to `out`, which has either of these shapes, no gaps, and memory apart
  // from x.
  template <class T>
  void sum(const Tensor<T>& x, const ReducedAxes& axes, const Tensor<SumOf<T>>& out) {
    this->reduce(Which::sum, x, axes, out);
  }

  // The product of the elements; 1 of none. |error| <= n * eps * |result|, while nothing overflows
  // or underflows on the way. Products of integers are exact modulo 2^64.
  template <class T>
  SumOf<T> prod(const Tensor<T>& x) {
    return *prod(x, ReducedAxes::all()).data();
  }

  // The products along `axes`, in a new tensor of the shape of x without them, or with `keepdims`
  // with size 1 there.
  template <class T>
  Tensor<SumOf<T>> prod(const Tensor<T>& x, const ReducedAxes& axes, bool keepdims = false) {
    return this->template made<SumOf<T>>(Which::prod, x, axes, keepdims);
  }
  // The products along `axes`, to `out`.
  template <class T>
  void prod(const Tensor<T>& x, const ReducedAxes& axes, const Tensor<SumOf<T>>& out) {
    this->reduce(Which::prod, x, axes, out);
  }

  // The sum of the elements divided by their number; NaN of none. |error| <= (min(n, 512 + n / 512)
  // + 2) * eps * mean of |x|. Of integers it is computed in double.
  template <class T>
  MeanOf<T> mean(const Tensor<T>& x) {
    return *mean(x, ReducedAxes::all()).data();
  }

  // The means along `axes`, in a new tensor. Results that no element makes are NaN, as those of 0 x
  // 3 along 0.
  template <class T>
  Tensor<MeanOf<T>> mean(const Tensor<T>& x, const ReducedAxes& axes, bool keepdims = false) {
    return this->template made<MeanOf<T>>(Which::mean, x, axes, keepdims);
  }
  // The means along `axes`, to `out`.
  template <class T>
  void mean(const Tensor<T>& x, const ReducedAxes& axes, const Tensor<MeanOf<T>>& out) {
    this->reduce(Which::mean, x, axes, out);
  }

  // The square root of the sum of squares; 0 of none. float and double alone, integers do not
  // compile. |error| <= (min(n, 512 + n / 512) + 2) * eps * result, if the square of the result is
  // a normal number.
  template <class T>
  T norm(const Tensor<T>& x) {
    return *norm(x, ReducedAxes::all()).data();
  }

  // The norms along `axes`, in a new tensor: of each row for -1. Of a matrix, {0, 1}, it is the
  // Frobenius norm.
  template <class T>
  Tensor<T> norm(const Tensor<T>& x, const ReducedAxes& axes, bool keepdims = false) {
    static_assert(std::is_floating_point_v<T>, "expected float or double");
    return this->template made<T>(Which::norm, x, axes, keepdims);
  }
  // The norms along `axes`, to `out`.
  template <class T>
  void norm(const Tensor<T>& x, const ReducedAxes& axes, const Tensor<T>& out) {
    static_assert(std::is_floating_point_v<T>, "expected float or double");
    this->reduce(Which::norm, x, axes, out);
  }

  // The smallest element, exactly; a number comes before NaN, so NaN is given only if all are.
  // Throws for no elements: "min of no elements". Along axes it does so only where a result would
  // have none.
  template <class T>
  T min(const Tensor<T>& x) {
    return *min(x, ReducedAxes::all()).data();
  }
  // The smallest elements along `axes`, in a new tensor.
  template <class T>
  Tensor<T> min(const Tensor<T>& x, const ReducedAxes& axes, bool keepdims = false) {
    return this->template made<T>(Which::min, x, axes, keepdims);
  }
  // The smallest elements along `axes`, to `out`.
  template <class T>
  void min(const Tensor<T>& x, const ReducedAxes& axes, const Tensor<T>& out) {
    this->reduce(Which::min, x, axes, out);
  }

  // The largest element, exactly; a number comes before NaN, so NaN is given only if all are.
  // Throws for no elements: "max of no elements".
  template <class T>
  T max(const Tensor<T>& x) {
    return *max(x, ReducedAxes::all()).data();
  }
  // The largest elements along `axes`, in a new tensor.
  template <class T>
  Tensor<T> max(const Tensor<T>& x, const ReducedAxes& axes, bool keepdims = false) {
    return this->template made<T>(Which::max, x, axes, keepdims);
  }
  // The largest elements along `axes`, to `out`.
  template <class T>
  void max(const Tensor<T>& x, const ReducedAxes& axes, const Tensor<T>& out) {
    this->reduce(Which::max, x, axes, out);
  }

  // The index of the smallest element, the first of equals; 0 if all are NaN, which numbers come
  // before. Without an axis it counts all elements, row by row, and the tensor must have no gaps:
  // "argmin of all elements, with gaps". Throws for no elements.
  template <class T>
  std::int64_t argmin(const Tensor<T>& x) {
    return *this->template made<std::int64_t>(Which::argmin, x, ReducedAxes::all(), false).data();
  }
  // The indices along one axis, 0 for its first element, in a new tensor. Gaps do not matter.
  template <class T>
  Tensor<std::int64_t> argmin(const Tensor<T>& x, int axis, bool keepdims = false) {
    return this->template made<std::int64_t>(Which::argmin, x, axis, keepdims);
  }
  // The indices along `axis`, to `out`.
  template <class T>
  void argmin(const Tensor<T>& x, int axis, const Tensor<std::int64_t>& out) {
    this->reduce(Which::argmin, x, axis, out);
  }

  // The index of the largest element, the first of equals; 0 if all are NaN, which numbers come
  // before. Without an axis it counts all elements, row by row, and the tensor must have no gaps:
  // "argmax of all elements, with gaps". Throws for no elements.
  template <class T>
  std::int64_t argmax(const Tensor<T>& x) {
    return *this->template made<std::int64_t>(Which::argmax, x, ReducedAxes::all(), false).data();
  }
  // The indices along one axis, 0 for its first element, in a new tensor. Gaps do not matter.
  template <class T>
  Tensor<std::int64_t> argmax(const Tensor<T>& x, int axis, bool keepdims = false) {
    return this->template made<std::int64_t>(Which::argmax, x, axis, keepdims);
  }
  // The indices along `axis`, to `out`, a tensor of std::int64_t without gaps in memory of its own.
  template <class T>
  void argmax(const Tensor<T>& x, int axis, const Tensor<std::int64_t>& out) {
    this->reduce(Which::argmax, x, axis, out);
  }

  // Whether an element is not 0; NaN is not 0, -0 is. Of none false. Tensors of answers hold 1 or
  // 0.
  template <class T>
  bool any(const Tensor<T>& x) {
    return *any(x, ReducedAxes::all()).data() != 0;
  }
  // The answers along `axes` in a new tensor: 1 where an element of the group is not 0, else 0.
  template <class T>
  Tensor<std::uint8_t> any(const Tensor<T>& x, const ReducedAxes& axes, bool keepdims = false) {
    return this->template made<std::uint8_t>(Which::any, x, axes, keepdims);
  }
  // The answers along `axes`, 1 or 0, to `out`.
  template <class T>
  void any(const Tensor<T>& x, const ReducedAxes& axes, const Tensor<std::uint8_t>& out) {
    this->reduce(Which::any, x, axes, out);
  }
  // Whether no element is 0; NaN is not 0, -0 is. Of none true. Tensors hold 1 or 0.
  template <class T>
  bool all(const Tensor<T>& x) {
    return *all(x, ReducedAxes::all()).data() != 0;
  }
  // The answers along `axes` in a new tensor: 1 where no element of the group is 0, else 0.
  template <class T>
  Tensor<std::uint8_t> all(const Tensor<T>& x, const ReducedAxes& axes, bool keepdims = false) {
    return this->template made<std::uint8_t>(Which::all, x, axes, keepdims);
  }
  // The answers along `axes`, 1 or 0, to `out`.
  template <class T>
  void all(const Tensor<T>& x, const ReducedAxes& axes, const Tensor<std::uint8_t>& out) {
    this->reduce(Which::all, x, axes, out);
  }
};

}  // namespace hologram
