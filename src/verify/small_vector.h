// A vector of small plain values that keeps the first few in itself: the analyses make very many
// lists, nearly all of them of a few elements. Tested by tests/verify.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <type_traits>

namespace hologram::verify {

template <class T, uint32_t kInline>
class SmallVector {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  SmallVector() {}
  SmallVector(std::initializer_list<T> values) { Append(values.begin(), values.size()); }
  SmallVector(const SmallVector& other) { Append(other.data(), other.size_); }
  SmallVector(SmallVector&& other) noexcept { Take(other); }
  SmallVector& operator=(const SmallVector& other) {
    if (this == &other) return *this;
    size_ = 0;
    Append(other.data(), other.size_);
    return *this;
  }
  SmallVector& operator=(SmallVector&& other) noexcept {
    if (this != &other) Take(other);
    return *this;
  }

  uint32_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const T* data() const { return heap_ ? heap_.get() : inline_; }
  const T* begin() const { return data(); }
  const T* end() const { return data() + size_; }
  const T& operator[](uint32_t i) const { return data()[i]; }
  void clear() { size_ = 0; }
  void push_back(T value) { Append(&value, 1); }
  void Append(const SmallVector& other) {
    // A list may be appended to itself.
    if (size_ + other.size_ > capacity_) Grow(size_ + other.size_);
    Append(other.data(), other.size_);
  }

 private:
  // `values` may not be part of this vector.
  void Append(const T* values, size_t count) {
    const auto size = size_ + static_cast<uint32_t>(count);
    if (size > capacity_) Grow(size);
    std::copy_n(values, count, (heap_ ? heap_.get() : inline_) + size_);
    size_ = size;
  }
  void Grow(uint32_t least) {
    capacity_ = std::max(least, capacity_ * 2);
    auto heap = std::make_unique_for_overwrite<T[]>(capacity_);
    std::copy_n(data(), size_, heap.get());
    heap_ = std::move(heap);
  }
  void Take(SmallVector& other) {
    size_ = other.size_;
    capacity_ = other.capacity_;
    heap_ = std::move(other.heap_);
    if (!heap_) std::copy_n(other.inline_, size_, inline_);
    other.size_ = 0;
    other.capacity_ = kInline;
  }

  uint32_t size_ = 0;
  uint32_t capacity_ = kInline;
  std::unique_ptr<T[]> heap_;
  T inline_[kInline];
};

}  // namespace hologram::verify
