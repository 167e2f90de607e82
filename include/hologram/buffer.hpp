// Buffer<T>: elements of one type in memory of its own, of the caller, or of a class; and the facts
// about classes. Part of hologram.hpp. Tested by tests/capi/buffer_test.cc.
//
//   hologram::Buffer<float> a(1000);                            // zeros, 64-byte aligned
//   auto b = hologram::Buffer<float>::borrow(data, 1000);       // the caller's memory
//   auto c = exec.allocate_boundary<float>(7);                  // all of class 7: 3072 elements
//
// A buffer is no lock: threads may read one together, or write different elements.
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

inline constexpr std::uint32_t any_class = HOLOGRAM_ANY_CLASS;  // the lowest one that is free

// How many elements the memory of a class holds: 3072 of 4 bytes.
template <class T>
constexpr std::size_t max_elements_per_class() {
  return HOLOGRAM_BYTES_PER_CLASS / sizeof(T);
}
template <class T>
constexpr bool fits_in_class(std::size_t elements) {
  return elements <= max_elements_per_class<T>();
}

// A byte of a class: page 0 to 47, byte 0 to 255.
struct Phi {
  std::uint32_t page;
  std::uint32_t byte;
  friend bool operator==(const Phi&, const Phi&) = default;
};
// Of byte `offset` of a class. Throws: no class, or no byte of it.
inline Phi offset_to_phi(std::uint32_t class_index, std::uint64_t offset) {
  Phi phi{};
  detail::check(hologram_class_offset_to_phi(class_index, offset, &phi.page, &phi.byte));
  return phi;
}
inline std::uint32_t phi_to_offset(std::uint32_t class_index, Phi phi) {
  std::uint32_t offset = 0;
  detail::check(hologram_class_phi_to_offset(class_index, phi.page, phi.byte, &offset));
  return offset;
}

enum class Pool { linear, boundary };  // memory as any other; memory of a class

template <class T>
class Buffer {
  static_assert(std::is_trivially_copyable_v<T>, "elements are plain data");

 public:
  static constexpr std::size_t alignment = 64;  // of memory that is not borrowed

  // Zeros, in memory of its own.
  explicit Buffer(std::size_t size) : size_(size) {
    if (size > (SIZE_MAX - 2 * alignment) / sizeof(T)) throw std::bad_alloc();
    const std::size_t bytes = (size * sizeof(T) / alignment + 1) * alignment;
    owned_ = std::aligned_alloc(alignment, bytes);
    if (owned_ == nullptr) throw std::bad_alloc();
    std::memset(owned_, 0, bytes);
    data_ = static_cast<T*>(owned_);
  }
  // Takes over a class; as many elements as its bytes have room for.
  static Buffer take(hologram_boundary* boundary) {
    Buffer buffer(static_cast<T*>(hologram_boundary_data(boundary)),
                  hologram_boundary_size(boundary) / sizeof(T));
    buffer.owned_ = boundary;
    buffer.class_index_ = hologram_boundary_class(boundary);
    return buffer;
  }
  // The memory stays the caller's and must outlive the buffer.
  static Buffer borrow(T* data, std::size_t size) { return Buffer(data, size); }
  static Buffer borrow(std::span<T> elements) { return Buffer(elements.data(), elements.size()); }

  Buffer(Buffer&& other) noexcept { swap(other); }
  Buffer& operator=(Buffer&& other) noexcept {
    Buffer(std::move(other)).swap(*this);
    return *this;
  }
  ~Buffer() {
    if (is_boundary()) {
      hologram_boundary_destroy(static_cast<hologram_boundary*>(owned_));
    } else {
      std::free(owned_);
    }
  }

  T* data() { return data_; }
  const T* data() const { return data_; }
  std::size_t size() const { return size_; }
  T& operator[](std::size_t i) { return data_[i]; }
  const T& operator[](std::size_t i) const { return data_[i]; }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }

  // ---- What it is

  std::size_t len() const { return size_; }
  bool is_empty() const { return size_ == 0; }
  static constexpr std::size_t element_size() { return sizeof(T); }
  std::size_t size_bytes() const { return size_ * sizeof(T); }
  Pool pool() const { return is_boundary() ? Pool::boundary : Pool::linear; }
  bool is_linear() const { return !is_boundary(); }
  bool is_boundary() const { return class_index_ != any_class; }
  // The class whose memory it is. Throws for a linear buffer, which has none.
  std::uint32_t class_index() const {
    if (is_linear()) {
      throw Error(HOLOGRAM_ERROR_INVALID_ARGUMENT, "a linear buffer has no class");
    }
    return class_index_;
  }

  // The same memory as elements of another type. Throws if they are no whole number, or the memory
  // is not aligned for them.
  template <class U>
  std::span<U> as() {
    check_view<U>();
    return {reinterpret_cast<U*>(data_), size_bytes() / sizeof(U)};
  }
  template <class U>
  std::span<const U> as() const {
    check_view<U>();
    return {reinterpret_cast<const U*>(data_), size_bytes() / sizeof(U)};
  }

  // ---- Copies. The other side must have as many elements, or they throw.

  void copy_from_slice(std::span<const T> src) {
    check_size("src", src.size());
    if (!src.empty()) std::memmove(data_, src.data(), src.size_bytes());
  }
  void copy_to_slice(std::span<T> dst) const {
    check_size("dst", dst.size());
    if (!dst.empty()) std::memmove(dst.data(), data_, dst.size_bytes());
  }
  std::vector<T> to_vec() const { return std::vector<T>(begin(), end()); }
  void fill(T value) { std::fill(begin(), end(), value); }

  // ---- Canonical bytes: the lowest bit of each is 0. To make numbers so changes them; nothing
  // here does it unless it is asked to.

  void copy_from_canonical_slice(std::span<const T> src) {
    copy_from_slice(src);
    canonicalize_all();
  }
  void canonicalize_all() { hologram_canonicalize(data_, size_bytes()); }
  bool verify_canonical() const { return hologram_is_canonical(data_, size_bytes()) != 0; }

 private:
  Buffer(T* data, std::size_t size) : data_(data), size_(size) {}

  void swap(Buffer& other) noexcept {
    std::swap(owned_, other.owned_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(class_index_, other.class_index_);
  }

  void check_size(const char* name, std::size_t found) const {
    if (found == size_) return;
    throw Error(HOLOGRAM_ERROR_INVALID_ARGUMENT, std::string(name) + ": expected " +
                                                     std::to_string(size_) + " elements, found " +
                                                     std::to_string(found));
  }

  template <class U>
  void check_view() const {
    static_assert(std::is_trivially_copyable_v<U>, "elements are plain data");
    if (size_bytes() % sizeof(U) == 0 &&
        reinterpret_cast<std::uintptr_t>(data_) % alignof(U) == 0) {
      return;
    }
    throw Error(HOLOGRAM_ERROR_INVALID_ARGUMENT,
                std::to_string(size_bytes()) + " bytes of this buffer are no whole, aligned " +
                    "elements of " + std::to_string(sizeof(U)) + " bytes");
  }

  void* owned_ = nullptr;  // memory; of a boundary buffer the hologram_boundary; null: borrowed
  T* data_ = nullptr;
  std::size_t size_ = 0;
  std::uint32_t class_index_ = any_class;
};

}  // namespace hologram
