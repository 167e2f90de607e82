// Buffer<T>: elements of one type in memory of its own, of the caller, or of a class; and the facts
// about classes. Part of hologram.hpp. Tested by tests/capi/buffer_test.cc.
//
//   hologram::Buffer<float> a(1000);                            // zeros, 64-byte aligned
//   auto b = hologram::Buffer<float>::borrow(data, 1000);       // the caller's memory
//   auto c = exec.allocate_boundary<float>(7);                  // all of class 7: 3072 elements
//
// A buffer is not a lock: threads may read one together, or write different elements.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "error.hpp"
#include "hologram.h"

namespace hologram {

// For Executor::allocate_boundary: the lowest class that is free. It is not a class itself:
// class_index() never gives it.
inline constexpr std::uint32_t any_class = HOLOGRAM_ANY_CLASS;

// How many whole elements the memory of a class holds, 12,288 bytes: 3072 of float, 1536 of double.
// Known at compile time; of any type with a size.
template <class T>
constexpr std::size_t max_elements_per_class() {
  return HOLOGRAM_BYTES_PER_CLASS / sizeof(T);
}

// Whether that many elements fit the memory of one class, so that a buffer of
// Executor::allocate_boundary() could hold them:
//
//   static_assert(fits_in_class<float>(3072) && !fits_in_class<float>(3073));
template <class T>
constexpr bool fits_in_class(std::size_t elements) {
  return elements <= max_elements_per_class<T>();
}

// The address of a byte in a class: page 0 to 47, byte 0 to 255. Its offset from the first byte of
// the class is 256 * page + byte. Nothing checks a Phi that is made by hand until it is used.
struct Phi {
  std::uint32_t page;
  std::uint32_t byte;
  friend bool operator==(const Phi&, const Phi&) = default;
};

// The page and byte of byte `offset` of a class; they do not depend on the class, which is checked.
// Throws HOLOGRAM_ERROR_INVALID_ARGUMENT if there is no such class (0 to 95), or `offset` is not
// below 12,288: "offset: expected 0 to 12287, found 12288". Any thread may call this.
inline Phi offset_to_phi(std::uint32_t class_index, std::uint64_t offset) {
  Phi phi{};
  detail::check(hologram_class_offset_to_phi(class_index, offset, &phi.page, &phi.byte));
  return phi;
}

// The other direction: 0 to 12,287. Throws the same for no class, page 48 and more, and byte 256
// and more. Any thread may call this.
inline std::uint32_t phi_to_offset(std::uint32_t class_index, Phi phi) {
  std::uint32_t offset = 0;
  detail::check(hologram_class_phi_to_offset(class_index, phi.page, phi.byte, &offset));
  return offset;
}

// The kind of memory that a buffer has: any memory, its own or borrowed (linear), or that of a
// class (boundary). Launches take either.
enum class Pool { linear, boundary };

// `size` elements of type T at one address, which does not change while the buffer lives. T is any
// trivially copyable type; kernels take integers of 8 to 64 bits, hologram::f16, hologram::bf16,
// float and double.
//
//   hologram::Buffer<float> x(1000);
//   x.copy_from_slice(values);          // a vector of 1000
//   scale(2.0f, x, x, 1000u);           // an argument of a kernel, read and written
//   std::span<int> bits = x.as<int>();  // the same memory
//
// The memory is one of three kinds: its own (given back by the destructor), the caller's (borrow:
// it must outlive the buffer), or that of a class of an executor (Executor::allocate_boundary: the
// class is free again when the buffer goes, which may be after the executor). A buffer moves and is
// not copied; to_vec() copies elements. One that was moved from has no elements.
//
// Indices are not checked: operator[] and iterators are those of an array. Functions that throw
// give hologram::Error with HOLOGRAM_ERROR_INVALID_ARGUMENT and change nothing.
//
// Threads: a buffer is not a lock. Several may read it together, or write different elements; any
// thread may let it go. While a kernel runs that uses class memory by addresses, other threads
// leave buffers of that executor's classes alone.
template <class T>
class Buffer {
  static_assert(std::is_trivially_copyable_v<T>, "elements are plain data");

 public:
  // Memory of its own, and that of classes, starts at a multiple of that many bytes.
  static constexpr std::size_t alignment = 64;

  // `size` zeros, in memory of its own, which takes no class; 0 is a valid size. Throws
  // std::bad_alloc if there is no memory.
  explicit Buffer(std::size_t size) : size_(size) {
    if (size > (SIZE_MAX - 2 * alignment) / sizeof(T)) throw std::bad_alloc();
    const std::size_t bytes = (size * sizeof(T) / alignment + 1) * alignment;
    owned_ = std::aligned_alloc(alignment, bytes);
    if (owned_ == nullptr) throw std::bad_alloc();
    std::memset(owned_, 0, bytes);
    data_ = static_cast<T*>(owned_);
  }

  // Takes over a class, which the buffer destroys; it has as many elements as its bytes have room
  // for. REQUIRES: boundary != nullptr. Executor::allocate_boundary does this.
  static Buffer take(hologram_boundary* boundary) {
    Buffer buffer(static_cast<T*>(hologram_boundary_data(boundary)),
                  hologram_boundary_size(boundary) / sizeof(T));
    buffer.owned_ = boundary;
    buffer.class_index_ = hologram_boundary_class(boundary);
    return buffer;
  }

  // Memory of the caller, which stays the caller's and must outlive the buffer. REQUIRES: `data`
  // has `size` elements and is aligned for T. T is not const: what is only read is passed to
  // kernels as a span of const elements.
  //
  //   float row[256];
  //   auto a = hologram::Buffer<float>::borrow(row, 256);
  static Buffer borrow(T* data, std::size_t size) { return Buffer(data, size); }
  static Buffer borrow(std::span<T> elements) { return Buffer(elements.data(), elements.size()); }

  // Moves take the memory along, whatever its kind: addresses of elements stay valid. `other` is
  // left with no elements; what a buffer held before an assignment is given back.
  Buffer(Buffer&& other) noexcept { swap(other); }
  Buffer& operator=(Buffer&& other) noexcept {
    Buffer(std::move(other)).swap(*this);
    return *this;
  }

  // Gives back memory of its own, or the class, whose bytes stay as they are; borrowed memory is
  // left alone. REQUIRES: no launch uses the memory.
  ~Buffer() {
    if (is_boundary()) {
      hologram_boundary_destroy(static_cast<hologram_boundary*>(owned_));
    } else {
      std::free(owned_);
    }
  }

  // The first element. Null for a buffer that was moved from, or that borrows null; not null for
  // one of 0 elements in memory of its own.
  T* data() { return data_; }
  const T* data() const { return data_; }
  // How many elements there are; it never changes, but for moves.
  std::size_t size() const { return size_; }
  // REQUIRES: i < size(); it is not checked.
  T& operator[](std::size_t i) { return data_[i]; }
  const T& operator[](std::size_t i) const { return data_[i]; }

  // All elements in order, for `for` and for algorithms: ranges of plain pointers, valid as long as
  // the memory is.
  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }

  // ---- Properties

  // The number of elements; the same as size(). The names of this section are those of Python's
  // buffers (docs/python.md).
  std::size_t len() const { return size_; }
  // Whether there are none: size() == 0.
  bool is_empty() const { return size_ == 0; }
  // Bytes of one element.
  static constexpr std::size_t element_size() { return sizeof(T); }
  // Bytes of all elements.
  std::size_t size_bytes() const { return size_ * sizeof(T); }
  // The kind of memory: that of a class (boundary), or any other, its own or borrowed (linear).
  Pool pool() const { return is_boundary() ? Pool::boundary : Pool::linear; }
  // Whether the memory is that of no class: pool() == Pool::linear.
  bool is_linear() const { return !is_boundary(); }
  // Whether it is that of a class, as allocate_boundary() gives it.
  bool is_boundary() const { return class_index_ != any_class; }
  // The class whose memory it is, 0 to 95. Throws for a linear buffer, which has none.
  std::uint32_t class_index() const {
    if (is_linear()) detail::refuse("a linear buffer has no class");
    return class_index_;
  }

  // The same memory as elements of another type, valid as long as the memory is; nothing is
  // converted. Throws if size_bytes() is not a multiple of sizeof(U), or the memory is not aligned
  // for U: "6 bytes of this buffer are not whole, aligned elements of 4 bytes". U is a trivially
  // copyable type.
  template <class U>
  std::span<U> as() {
    check_view<U>();
    return {reinterpret_cast<U*>(data_), size_bytes() / sizeof(U)};
  }
  // The same of a constant buffer, to read.
  template <class U>
  std::span<const U> as() const {
    check_view<U>();
    return {reinterpret_cast<const U*>(data_), size_bytes() / sizeof(U)};
  }

  // ---- Copies. The other side must have as many elements, or they throw.

  // Writes all elements. Throws unless there are size() of them: "src: expected 1024 elements,
  // found 512". The two may overlap.
  void copy_from_slice(std::span<const T> src) {
    check_size("src", src.size());
    if (!src.empty()) std::memmove(data_, src.data(), src.size_bytes());
  }

  // Reads all elements into `dst`. Throws unless that has size() of them, with the same message of
  // `dst`. The two may overlap.
  void copy_to_slice(std::span<T> dst) const {
    check_size("dst", dst.size());
    if (!dst.empty()) std::memmove(dst.data(), data_, dst.size_bytes());
  }
  // All elements in a vector, in memory of its own.
  std::vector<T> to_vec() const { return std::vector<T>(begin(), end()); }
  // Sets every element to `value`. Nothing is written if there are none.
  void fill(T value) { std::fill(begin(), end(), value); }

  // ---- Canonical bytes: the lowest bit of each is 0. To make numbers so changes them; nothing
  // here does it unless it is asked to.

  // copy_from_slice(), then canonicalize_all(): numbers that are read back may differ from `src`.
  // Throws as copy_from_slice() does.
  void copy_from_canonical_slice(std::span<const T> src) {
    copy_from_slice(src);
    canonicalize_all();
  }
  // Sets the lowest bit of every byte to 0, which changes numbers: 1.0f becomes 0.25f.
  void canonicalize_all() { hologram_canonicalize(data_, size_bytes()); }
  // Whether the lowest bit of every byte is 0, as after canonicalize_all(); true for no elements.
  bool verify_canonical() const { return hologram_is_canonical(data_, size_bytes()) != 0; }

 private:
  // Borrows. take() makes of it the memory of a class.
  Buffer(T* data, std::size_t size) : data_(data), size_(size) {}

  // Exchanges memory and kind; no element is touched.
  void swap(Buffer& other) noexcept {
    std::swap(owned_, other.owned_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(class_index_, other.class_index_);
  }

  // Throws unless the other side of a copy, which messages call `name`, has as many elements.
  void check_size(const char* name, std::size_t found) const {
    if (found == size_) return;
    detail::refuse(std::string(name) + ": expected " + std::to_string(size_) + " elements, found " +
                   std::to_string(found));
  }

  // Throws unless the bytes are whole, aligned elements of U.
  template <class U>
  void check_view() const {
    static_assert(std::is_trivially_copyable_v<U>, "elements are plain data");
    if (size_bytes() % sizeof(U) == 0 &&
        reinterpret_cast<std::uintptr_t>(data_) % alignof(U) == 0) {
      return;
    }
    detail::refuse(std::to_string(size_bytes()) + " bytes of this buffer are no whole, aligned " +
                   "elements of " + std::to_string(sizeof(U)) + " bytes");
  }

  // Memory of aligned_alloc, a hologram_boundary if class_index_ names a class, null if it is
  // borrowed.
  void* owned_ = nullptr;
  T* data_ = nullptr;
  std::size_t size_ = 0;
  std::uint32_t class_index_ = any_class;
};

}  // namespace hologram
