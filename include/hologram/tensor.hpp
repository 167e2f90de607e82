// Tensor<T>: an array of several dimensions in a buffer: shape, strides and offset. Views share the
// memory; nothing is copied but by contiguous() and by reshape() of what is not contiguous.
//
//   hologram::Tensor<float> a({2, 3, 4});
//   auto rows = a.select(0, 1);          // 3 x 4, the same memory
//   auto turned = rows.transpose();      // 4 x 3
//   kernel(a.flat(), b.flat(), n);       // all elements, row by row
//   kernel2d(rows.view<2>());            // with its shape and strides
//
// Copies of a tensor share its elements. A tensor is no lock: threads may read one together, or
// write different elements. Errors are thrown as hologram::Error, HOLOGRAM_ERROR_INVALID_ARGUMENT.
// Tested by tests/capi/tensor_test.cc.
#pragma once

#include <algorithm>
#include <array>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "detail/strides.hpp"
#include "dimensions.hpp"
#include "hologram.hpp"

namespace hologram {

template <class T>
class Tensor {
 public:
  // Zeros, in memory of its own (64-byte aligned).
  explicit Tensor(const Dimensions& shape)
      : Tensor(std::make_shared<Buffer<T>>(detail::count_elements(shape)), shape,
               detail::row_major(shape), 0) {}
  Tensor(std::initializer_list<std::size_t> shape) : Tensor(Dimensions(shape)) {}
  // Copies share the elements. A move is a copy, so that there is no tensor without memory.
  Tensor(const Tensor&) = default;
  Tensor& operator=(const Tensor&) = default;

  // The elements of a buffer, which may be longer. A buffer that borrows stays its owner's.
  static Tensor from_buffer(Buffer<T> buffer, const Dimensions& shape) {
    return from_buffer(std::make_shared<Buffer<T>>(std::move(buffer)), shape);
  }
  static Tensor from_buffer(std::shared_ptr<Buffer<T>> buffer, const Dimensions& shape) {
    const std::size_t need = detail::count_elements(shape);
    check_size(buffer->size(), need);
    return Tensor(std::move(buffer), shape, detail::row_major(shape), 0);
  }
  // Stride 0 repeats elements.
  static Tensor from_buffer_with_strides(std::shared_ptr<Buffer<T>> buffer, const Dimensions& shape,
                                         const Dimensions& strides) {
    if (shape.size() != strides.size()) {
      detail::refuse("a shape of " + std::to_string(shape.size()) + " dimensions with " +
                     std::to_string(strides.size()) + " strides");
    }
    detail::count_elements(shape);
    check_size(buffer->size(), detail::span_of(shape, strides));
    return Tensor(std::move(buffer), shape, strides, 0);
  }
  // Memory of the caller, which must outlive the tensor and all views of it.
  static Tensor borrow(T* data, const Dimensions& shape) {
    return from_buffer(Buffer<T>::borrow(data, detail::count_elements(shape)), shape);
  }

  const Dimensions& shape() const { return shape_; }
  const Dimensions& strides() const { return strides_; }  // in elements
  std::size_t offset() const { return offset_; }          // of the first element, in elements
  std::size_t ndim() const { return shape_.size(); }
  std::size_t numel() const {
    std::size_t count = 1;
    for (const std::size_t extent : shape_) count *= extent;
    return count;
  }
  const std::shared_ptr<Buffer<T>>& buffer() const { return buffer_; }
  T* data() const { return buffer_->data() + offset_; }

  // Row by row without gaps. Strides of dimensions of size 1 do not count.
  bool is_contiguous() const {
    std::size_t stride = 1;
    for (std::size_t d = ndim(); d-- > 0;) {
      if (shape_[d] == 0) return true;
      if (shape_[d] != 1 && strides_[d] != stride) return false;
      stride *= shape_[d];
    }
    return true;
  }

  // t(1, 2): one element. Throws if an index is out of range.
  template <class... Index>
  T& operator()(Index... index) const {
    const std::size_t at[] = {static_cast<std::size_t>(index)..., 0};
    if (sizeof...(Index) != ndim()) {
      detail::refuse(std::to_string(sizeof...(Index)) + " indices for a tensor of " +
                     std::to_string(ndim()) + " dimensions");
    }
    std::size_t place = offset_;
    for (std::size_t d = 0; d < ndim(); ++d) {
      check_index(at[d], d);
      place += at[d] * strides_[d];
    }
    return buffer_->data()[place];
  }

  // ---- What a kernel is given

  // All elements in a row, for kernels with arrays without rank. Throws if not contiguous.
  std::span<T> flat() const {
    if (!is_contiguous()) detail::refuse("a tensor with gaps has no flat form; use contiguous()");
    return {data(), numel()};
  }
  // With shape and strides, for kernels with arrays of `Rank` dimensions.
  template <std::size_t Rank>
  View<T, Rank> view() const {
    if (Rank != ndim()) {
      detail::refuse("a view of " + std::to_string(Rank) + " dimensions of a tensor of " +
                     std::to_string(ndim()));
    }
    typename View<T, Rank>::Extents extents{};
    typename View<T, Rank>::Extents strides{};
    std::copy(shape_.begin(), shape_.end(), extents.begin());
    std::copy(strides_.begin(), strides_.end(), strides.begin());
    return View<T, Rank>(data(), detail::span_of(shape_, strides_), extents, strides);
  }

  // ---- Views of the same memory

  // The same elements in another shape; a copy if they are not contiguous.
  Tensor reshape(const Dimensions& shape) const {
    if (detail::count_elements(shape) != numel()) {
      detail::refuse("a tensor of " + to_string(shape_) + " cannot be reshaped to " +
                     to_string(shape) + ": " + std::to_string(numel()) + " elements, not " +
                     std::to_string(detail::count_elements(shape)));
    }
    const Tensor base = contiguous();
    return Tensor(base.buffer_, shape, detail::row_major(shape), base.offset_);
  }
  // One dimension. Throws if not contiguous.
  Tensor view_1d() const {
    flat();
    return Tensor(buffer_, {numel()}, {1}, offset_);
  }
  // Of two dimensions.
  Tensor transpose() const {
    if (ndim() != 2) {
      detail::refuse("transpose() of a tensor of " + std::to_string(ndim()) +
                     " dimensions; use permute()");
    }
    return permute({1, 0});
  }
  // Dimension d of the result is dimension order[d] of this.
  Tensor permute(const Dimensions& order) const {
    bool seen[Dimensions::max_size] = {};
    bool wrong = order.size() != ndim();
    for (const std::size_t d : order) {
      wrong = wrong || d >= ndim() || seen[d];
      if (!wrong) seen[d] = true;
    }
    if (wrong) {
      detail::refuse("permute() needs each of the " + std::to_string(ndim()) + " dimensions once");
    }
    Tensor result = *this;
    for (std::size_t d = 0; d < ndim(); ++d) {
      result.shape_[d] = shape_[order[d]];
      result.strides_[d] = strides_[order[d]];
    }
    return result;
  }
  // Without one dimension, at `index` of it.
  Tensor select(std::size_t dimension, std::size_t index) const {
    detail::check_dimension(dimension, shape_);
    check_index(index, dimension);
    Tensor result = *this;
    result.offset_ += index * strides_[dimension];
    result.shape_.erase(dimension);
    result.strides_.erase(dimension);
    return result;
  }
  // `length` elements of one dimension, from `start` on.
  Tensor narrow(std::size_t dimension, std::size_t start, std::size_t length) const {
    detail::check_dimension(dimension, shape_);
    if (start > shape_[dimension] || length > shape_[dimension] - start) {
      detail::refuse("narrow(" + std::to_string(dimension) + ", " + std::to_string(start) + ", " +
                     std::to_string(length) + ") of " + std::to_string(shape_[dimension]) +
                     " elements");
    }
    return slice(dimension, start, start + length);
  }
  // Elements start, start + step, ... before `end`, which is cut to the size. An end before the
  // start gives none.
  Tensor slice(std::size_t dimension, std::optional<std::size_t> start = {},
               std::optional<std::size_t> end = {}, std::size_t step = 1) const {
    detail::check_dimension(dimension, shape_);
    const std::size_t size = shape_[dimension];
    const std::size_t first = start.value_or(0);
    const std::size_t last = std::min(end.value_or(size), size);
    if (step == 0) detail::refuse("a slice with step 0");
    if (first > size) {
      detail::refuse("a slice from " + std::to_string(first) + " of " + std::to_string(size) +
                     " elements");
    }
    Tensor result = *this;
    result.shape_[dimension] = last <= first ? 0 : (last - first - 1) / step + 1;
    if (result.shape_[dimension] == 0) return result;
    result.offset_ += first * strides_[dimension];
    // Of one element the stride does not matter, and the product might be too large.
    if (result.shape_[dimension] > 1) result.strides_[dimension] *= step;
    return result;
  }
  // With one more dimension of size 1, before `dimension`.
  Tensor unsqueeze(std::size_t dimension) const {
    if (dimension > ndim()) detail::check_dimension(dimension, shape_);
    Tensor result = *this;
    result.shape_.insert(dimension, 1);
    result.strides_.insert(dimension, 0);
    return result;
  }
  // Without a dimension of size 1.
  Tensor squeeze(std::size_t dimension) const {
    detail::check_dimension(dimension, shape_);
    if (shape_[dimension] != 1) {
      detail::refuse("squeeze() of a dimension of size " + std::to_string(shape_[dimension]));
    }
    return select(dimension, 0);
  }
  // Whether broadcast_shapes() of both gives a shape.
  template <class U>
  bool is_broadcast_compatible_with(const Tensor<U>& other) const {
    return are_broadcast_compatible(shape_, other.shape());
  }
  // Elements repeated, by stride 0, to a larger shape. What is written to one is written to all.
  Tensor broadcast_to(const Dimensions& shape) const {
    if (!(broadcast_shapes(shape_, shape) == shape)) {
      detail::refuse("a tensor of " + to_string(shape_) + " does not broadcast to " +
                     to_string(shape));
    }
    detail::count_elements(shape);
    Tensor result(buffer_, shape, shape, offset_);
    const std::size_t missing = shape.size() - ndim();
    for (std::size_t d = 0; d < shape.size(); ++d) {
      const bool repeated = d < missing || shape_[d - missing] != shape[d];
      result.strides_[d] = repeated ? 0 : strides_[d - missing];
    }
    return result;
  }

  // ---- Copies

  // Itself if it is contiguous, else a copy, row by row, in memory of its own.
  Tensor contiguous() const { return is_contiguous() ? *this : copy(); }
  Tensor copy() const {
    Tensor result(shape_);
    std::size_t k = 0;
    for_each([&](const T& value) { result.data()[k++] = value; });
    return result;
  }
  std::vector<T> to_vector() const {
    std::vector<T> values;
    values.reserve(numel());
    for_each([&](const T& value) { values.push_back(value); });
    return values;
  }
  // All elements, row by row. Throws if there are not so many.
  void copy_from(std::span<const T> values) const {
    if (values.size() != numel()) {
      detail::refuse(std::to_string(values.size()) + " values for a tensor of " +
                     std::to_string(numel()));
    }
    std::size_t k = 0;
    for_each([&](T& value) { value = values[k++]; });
  }

 private:
  Tensor(std::shared_ptr<Buffer<T>> buffer, const Dimensions& shape, const Dimensions& strides,
         std::size_t offset)
      : buffer_(std::move(buffer)), shape_(shape), strides_(strides), offset_(offset) {}

  static void check_size(std::size_t size, std::size_t need) {
    if (size >= need) return;
    detail::refuse("a buffer of " + std::to_string(size) + " elements for a tensor that needs " +
                   std::to_string(need));
  }

  void check_index(std::size_t index, std::size_t dimension) const {
    if (index < shape_[dimension]) return;
    detail::refuse("index " + std::to_string(index) + " of " + std::to_string(shape_[dimension]) +
                   " in dimension " + std::to_string(dimension));
  }

  // In the order of the rows.
  template <class F>
  void for_each(const F& f) const {
    const std::size_t count = numel();
    if (count == 0) return;
    std::array<std::size_t, Dimensions::max_size> at{};
    std::size_t place = offset_;
    for (std::size_t k = 0; k < count; ++k) {
      f(buffer_->data()[place]);
      for (std::size_t d = ndim(); d-- > 0;) {
        place += strides_[d];
        if (++at[d] < shape_[d]) break;
        place -= shape_[d] * strides_[d];
        at[d] = 0;
      }
    }
  }

  std::shared_ptr<Buffer<T>> buffer_;
  Dimensions shape_;
  Dimensions strides_;
  std::size_t offset_ = 0;
};

}  // namespace hologram
