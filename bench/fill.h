// The contents of arrays, for groups with and without the C++ API.
#pragma once

#include <cstdint>
#include <type_traits>

namespace hologram::bench {

// Numbers from low to high, the same in each run.
template <class Array>
void Fill(Array& array, double low, double high) {
  uint32_t state = 12345;
  for (auto& x : array) {
    state = state * 1664525u + 1013904223u;
    x = static_cast<std::remove_reference_t<decltype(x)>>(
        low + (high - low) * (static_cast<double>(state >> 8) * 0x1p-24));
  }
}

}  // namespace hologram::bench
