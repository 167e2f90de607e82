// Memory of amplitudes: zeros from the system, in large pages where it has them, so that threads
// touch first what they work on.
#pragma once

#include <complex>
#include <cstddef>
#include <utility>

namespace hologram::statevector {

template <class Real>
class Amplitudes {
 public:
  // null() if there is no memory.
  explicit Amplitudes(size_t size);
  Amplitudes(Amplitudes&& other) noexcept : data_(other.data_), size_(other.size_) {
    other.data_ = nullptr;
  }
  Amplitudes& operator=(Amplitudes&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~Amplitudes();

  bool null() const { return data_ == nullptr; }
  size_t size() const { return size_; }
  std::complex<Real>* get() const { return data_; }
  std::complex<Real>& operator[](size_t i) const { return data_[i]; }

 private:
  std::complex<Real>* data_;
  size_t size_;
};

}  // namespace hologram::statevector
