// Shared by the groups of figures: arrays with contents, kernels that run natively.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "fill.h"
#include "groups.h"
#include "hologram/hologram.hpp"
#include "report.h"

namespace hologram::bench {

using Floats = Buffer<float>;

template <class T = float>
Buffer<T> Filled(size_t n, double low, double high) {
  Buffer<T> buffer(n);
  Fill(buffer, low, high);
  return buffer;
}

// Two inputs and an output for both sides of a comparison, at chosen places: a load that follows a
// store 4 KiB, or a multiple of that, away waits as if it read what was stored. Where malloc puts
// three arrays of 1,000 floats just that happens from case to case, and moved the C loop between 24
// and 46 ns. Here addresses differ by 1,344 and 2,688 bytes modulo 4 KiB.
struct Operands {
  explicit Operands(size_t n) : memory(4 * kPage + 3 * n), a(At(0, n)), b(At(1, n)), c(At(2, n)) {
    Fill(a, -1, 1);
    Fill(b, -1, 1);
  }

  static constexpr size_t kPage = 4096 / sizeof(float);

  Floats At(size_t k, size_t n) {
    const size_t misplaced = reinterpret_cast<uintptr_t>(memory.data()) / sizeof(float) % kPage;
    const size_t pages = (k * n + kPage - 1) / kPage;
    return Floats::borrow(memory.data() + (kPage - misplaced) + pages * kPage + k * 336, n);
  }

  Floats memory, a, b, c;
};

// The kernel of this name, or its instance for f32 where it is there for several types. Exits when
// it is missing or would not run natively: a figure of another engine would be wrong.
Kernel Native(Executor& executor, const std::string& name);

// The same, with its parameter types compared here, once.
template <class... Parameters>
TypedKernel<Parameters...> NativeOf(Executor& executor, const std::string& name) {
  return TypedKernel<Parameters...>(Native(executor, name));
}

inline std::string SizeName(uint32_t n) {
  if (n >= (1u << 20) && n % (1u << 20) == 0) return "n=" + std::to_string(n >> 20) + "M";
  return "n=" + std::to_string(n);
}

}  // namespace hologram::bench
