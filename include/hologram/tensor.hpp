// Tensor<T>: an array of several dimensions in a buffer: shape, strides and offset. Views share the
// memory; nothing is copied but by copy(), to_vector(), and by contiguous() and reshape() of
// elements with gaps.
//
//   hologram::Tensor<float> a({2, 3, 4});
//   auto rows = a.select(0, 1);          // 3 x 4, the same memory
//   auto turned = rows.transpose();      // 4 x 3
//   kernel(a.flat(), b.flat(), n);       // all elements, row by row
//   kernel2d(rows.view<2>());            // with its shape and strides
//
// Errors are thrown as hologram::Error with HOLOGRAM_ERROR_INVALID_ARGUMENT, before anything is
// changed; memory that cannot be had is std::bad_alloc. Tested by tests/capi/tensor_test.cc.
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

// A handle on elements of type T, row by row or with strides, in a Buffer<T> that copies and views
// of the tensor share. T is any trivially copyable type; kernels take the integers of 8 to 64 bits,
// hologram::f16, hologram::bf16, float and double.
//
// A tensor is always usable: there is none without memory, not even after a move. As with a
// pointer, a const Tensor is a constant handle, its elements can be written. There are 0 to 8
// dimensions (none: a scalar, one element), extents may be 0.
//
// Threads: a tensor is not a lock. Several threads may use one tensor, or copies and views of it,
// to read elements together or to write different ones. To assign a tensor while another thread
// uses the same object needs the caller's own locking.
template <class T>
class Tensor {
 public:
  // Zeros, in memory of its own that starts at a multiple of 64 bytes. Throws for more than 2^62
  // elements; std::bad_alloc where there is no memory.
  explicit Tensor(const Dimensions& shape)
      : buffer_(std::make_shared<Buffer<T>>(detail::count_elements(shape))),
        layout_{shape, detail::row_major(shape)} {}
  // Tensor<float> a({2, 3}) or a{2, 3}: two rows of three zeros, not the elements 2 and 3.
  Tensor(std::initializer_list<std::size_t> shape) : Tensor(Dimensions(shape)) {}

  // Copies share the elements: a copy costs the count of a shared pointer, and the memory lives as
  // long as the last of them; copy() makes elements of their own. A move is a copy, so that there
  // is not a tensor without memory.
  Tensor(const Tensor&) = default;
  Tensor& operator=(const Tensor&) = default;

  // The first elements of a buffer, row by row, which the tensor takes over; a buffer that borrows
  // stays its owner's, one of a class keeps the class. Throws if the buffer has fewer elements than
  // the shape; it may have more.
  static Tensor from_buffer(Buffer<T> buffer, const Dimensions& shape) {
    return from_buffer(std::make_shared<Buffer<T>>(std::move(buffer)), shape);
  }

  // The same of a buffer that others use too: all of them see one memory. REQUIRES: buffer !=
  // nullptr.
  static Tensor from_buffer(std::shared_ptr<Buffer<T>> buffer, const Dimensions& shape) {
    const std::size_t need = detail::count_elements(shape);
    check_size(buffer->size(), need);
    return Tensor(std::move(buffer), {shape, detail::row_major(shape)});
  }

  // The same with strides, in elements: the element at (i, j) is buffer[i * strides[0] + j *
  // strides[1]]. Stride 0 repeats elements; strides may also make elements overlap, which is for
  // reading. Throws if shape and strides have different sizes, or an element would be behind the
  // end of the buffer. REQUIRES: buffer != nullptr.
  static Tensor from_buffer_with_strides(std::shared_ptr<Buffer<T>> buffer, const Dimensions& shape,
                                         const Dimensions& strides) {
    if (shape.size() != strides.size()) {
      detail::refuse("a shape of " + std::to_string(shape.size()) + " dimensions with " +
                     std::to_string(strides.size()) + " strides");
    }
    detail::count_elements(shape);
    check_size(buffer->size(), detail::span_of(shape, strides));
    return Tensor(std::move(buffer), {shape, strides});
  }

  // Memory of the caller, row by row, which must outlive the tensor and all copies and views of it.
  // REQUIRES: `data` has as many elements as the shape, and is not null unless that is 0.
  static Tensor borrow(T* data, const Dimensions& shape) {
    return from_buffer(Buffer<T>::borrow(data, detail::count_elements(shape)), shape);
  }

  // How many elements each dimension has, outermost first.
  const Dimensions& shape() const { return layout_.shape; }
  // How far apart neighbours along each dimension are, in elements; 0 where elements repeat.
  const Dimensions& strides() const { return layout_.strides; }
  // Where in buffer() the first element is, in elements.
  std::size_t offset() const { return layout_.offset; }
  // The number of dimensions, 0 to 8.
  std::size_t ndim() const { return shape().size(); }
  // The number of elements: the product of the extents, so 1 for a scalar and 0 if an extent is 0.
  std::size_t numel() const { return layout_.numel(); }

  // The memory, never null. It may be larger than the tensor, and other tensors may use it. To hold
  // a copy of the pointer keeps the elements alive.
  const std::shared_ptr<Buffer<T>>& buffer() const { return buffer_; }

  // The address of the first element, valid as long as a tensor has the buffer. The elements follow
  // it without gaps only if is_contiguous(). Of no elements it is not to be read.
  T* data() const { return buffer_->data() + offset(); }

  // Whether the elements are row by row without gaps, as flat() and expressions want them. Strides
  // of dimensions of size 1 do not count; a tensor of no elements is contiguous.
  bool is_contiguous() const { return layout_.is_contiguous(); }

  // t(1, 2): one element, to read or to write. Throws if there are not ndim() indices, or one is
  // not below its extent; a negative one never is. Slow for loops over all elements: data() or
  // flat() is for these.
  template <class... Index>
  T& operator()(Index... index) const {
    const std::array<std::size_t, sizeof...(Index)> at = {static_cast<std::size_t>(index)...};
    return buffer_->data()[layout_.place(at)];
  }

  // ---- As a kernel argument

  // All elements in a row, for kernels with arrays without rank. Valid as long as a tensor has the
  // buffer. Throws if the tensor is not contiguous.
  std::span<T> flat() const {
    if (!is_contiguous()) detail::refuse("a tensor with gaps has no flat form; use contiguous()");
    return {data(), numel()};
  }

  // With shape and strides, for kernels with arrays of `Rank` dimensions, 1 to 4. The View borrows:
  // a tensor must have the buffer as long as it is used. Throws if Rank is not ndim(). A kernel
  // refuses a view whose last stride is not 1 (a transposed one), and reads a repeated tensor whose
  // strides are all 0 as one without gaps: pass contiguous() of these.
  template <std::size_t Rank>
  View<T, Rank> view() const {
    if (Rank != ndim()) {
      detail::refuse("a view of " + std::to_string(Rank) + " dimensions of a tensor of " +
                     std::to_string(ndim()));
    }
    typename View<T, Rank>::Extents extents{};
    typename View<T, Rank>::Extents strides{};
    std::copy(shape().begin(), shape().end(), extents.begin());
    std::copy(this->strides().begin(), this->strides().end(), strides.begin());
    return View<T, Rank>(data(), detail::span_of(shape(), this->strides()), extents, strides);
  }

  // ---- Views of the same memory

  // The same elements, row by row, in another shape: a view if is_contiguous(), else a copy in
  // memory of its own. Throws if the shape has another number of elements.
  Tensor reshape(const Dimensions& shape) const {
    const Tensor base = contiguous();
    return base.with(base.layout_.reshape(shape));
  }
  // As one dimension, always a view. Throws if the tensor is not contiguous.
  Tensor view_1d() const {
    flat();
    return with({{numel()}, {1}, offset()});
  }
  // Rows as columns: element (i, j) is (j, i) of this. Throws if there are not two dimensions.
  Tensor transpose() const {
    if (ndim() != 2) {
      detail::refuse("transpose() of a tensor of " + std::to_string(ndim()) +
                     " dimensions; use permute()");
    }
    return permute({1, 0});
  }

  // Dimension d of the result is dimension order[d] of this. Throws unless `order` has each
  // dimension once.
  Tensor permute(const Dimensions& order) const { return with(layout_.permute(order)); }

  // Without one dimension, at `index` of it: a.select(0, 1) is the second row of a matrix. Throws
  // if there is no such dimension, or `index` is not below its extent.
  Tensor select(std::size_t dimension, std::size_t index) const {
    return with(layout_.select(dimension, index));
  }

  // `length` elements of one dimension, from `start` on. Throws if there is no such dimension, or
  // start + length is beyond its extent.
  Tensor narrow(std::size_t dimension, std::size_t start, std::size_t length) const {
    return with(layout_.narrow(dimension, start, length));
  }

  // Elements start, start + step, ... of one dimension before `end`. Left out, `start` is 0 and
  // `end` the extent; a larger end is cut to it, one that is not behind the start gives none.
  // Throws if there is no such dimension, for a start beyond the extent, and for step 0.
  Tensor slice(std::size_t dimension, std::optional<std::size_t> start = {},
               std::optional<std::size_t> end = {}, std::size_t step = 1) const {
    return with(layout_.slice(dimension, start.value_or(0), end, step));
  }

  // With one more dimension of size 1, before `dimension`, or behind the last one where that is
  // ndim(). Throws if `dimension` is larger, or there are 8 dimensions already.
  Tensor unsqueeze(std::size_t dimension) const { return with(layout_.unsqueeze(dimension)); }
  // Without a dimension of size 1. Throws if there is no such dimension, or its extent is not 1.
  Tensor squeeze(std::size_t dimension) const { return with(layout_.squeeze(dimension)); }
  // Whether broadcast_shapes() of both gives a shape. Throws nothing.
  template <class U>
  bool is_broadcast_compatible_with(const Tensor<U>& other) const {
    return are_broadcast_compatible(shape(), other.shape());
  }

  // Elements repeated, by stride 0, to a larger shape: an element that is written changes wherever
  // it is repeated.
  //
  //   row.broadcast_to({100, 3})    // 3 elements as 100 equal rows
  //
  // Throws unless broadcast_shapes() of both is `shape`, and for more than 2^62 elements.
  Tensor broadcast_to(const Dimensions& shape) const { return with(layout_.broadcast_to(shape)); }

  // ---- Copies

  // Itself, sharing its memory, if it is contiguous, else copy().
  Tensor contiguous() const { return is_contiguous() ? *this : copy(); }

  // All elements, row by row, in memory of their own: no view of this, and contiguous. Throws
  // std::bad_alloc where there is no memory for them.
  Tensor copy() const {
    Tensor result(shape());
    std::size_t k = 0;
    layout_.for_each_place([&](std::size_t p) { result.data()[k++] = buffer_->data()[p]; });
    return result;
  }
  // The same as a vector.
  std::vector<T> to_vector() const {
    std::vector<T> values;
    values.reserve(numel());
    layout_.for_each_place([&](std::size_t p) { values.push_back(buffer_->data()[p]); });
    return values;
  }

  // Writes all elements, in the order of the rows, strides honoured. Throws, and writes nothing,
  // unless there are numel() values. REQUIRES: `values` do not overlap the tensor, unless they are
  // its own elements in place.
  void copy_from(std::span<const T> values) const {
    if (values.size() != numel()) {
      detail::refuse(std::to_string(values.size()) + " values for a tensor of " +
                     std::to_string(numel()));
    }
    std::size_t k = 0;
    layout_.for_each_place([&](std::size_t p) { buffer_->data()[p] = values[k++]; });
  }

 private:
  // On memory that is there. REQUIRES: all elements are in the buffer.
  Tensor(std::shared_ptr<Buffer<T>> buffer, const detail::StridedShape& layout)
      : buffer_(std::move(buffer)), layout_(layout) {}

  // A view of the same memory. REQUIRES: its elements are some of this.
  Tensor with(const detail::StridedShape& layout) const { return Tensor(buffer_, layout); }

  static void check_size(std::size_t size, std::size_t need) {
    if (size >= need) return;
    detail::refuse("a buffer of " + std::to_string(size) + " elements for a tensor that needs " +
                   std::to_string(need));
  }

  std::shared_ptr<Buffer<T>> buffer_;
  detail::StridedShape layout_;
};

}  // namespace hologram
