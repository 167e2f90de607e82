#include "statevector/amplitudes.h"

#include <sys/mman.h>

namespace hologram::statevector {

template <class Real>
Amplitudes<Real>::Amplitudes(size_t size) : data_(nullptr), size_(size) {
  const size_t bytes = size * sizeof(std::complex<Real>);
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return;
  madvise(memory, bytes, MADV_HUGEPAGE);  // a hint: small pages do as well
  data_ = static_cast<std::complex<Real>*>(memory);
}

template <class Real>
Amplitudes<Real>::~Amplitudes() {
  if (data_ != nullptr) munmap(data_, size_ * sizeof(std::complex<Real>));
}

template class Amplitudes<float>;
template class Amplitudes<double>;

}  // namespace hologram::statevector
