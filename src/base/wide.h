// Products of 128 bits that may overflow. Tested by tests/base/wide_test.cc.
#pragma once

#include <cstdint>

namespace hologram {

// As ProductOverflows, by products of 64 bits.
constexpr bool ProductOverflowsByParts(__int128 a, __int128 b, __int128& product) {
  using Unsigned = unsigned __int128;
  const Unsigned x = a < 0 ? -static_cast<Unsigned>(a) : static_cast<Unsigned>(a);
  const Unsigned y = b < 0 ? -static_cast<Unsigned>(b) : static_cast<Unsigned>(b);
  const uint64_t x_high = static_cast<uint64_t>(x >> 64);
  const uint64_t y_high = static_cast<uint64_t>(y >> 64);
  const bool negative = (a < 0) != (b < 0);
  // The product above its low 64 bits, without the carry of these.
  const Unsigned high =
      Unsigned{x_high} * static_cast<uint64_t>(y) + Unsigned{y_high} * static_cast<uint64_t>(x);
  const Unsigned low = Unsigned{static_cast<uint64_t>(x)} * static_cast<uint64_t>(y);
  const Unsigned size = low + (high << 64);
  product = static_cast<__int128>(negative ? -size : size);
  const Unsigned most = (Unsigned{1} << 127) - (negative ? 0 : 1);
  return (x_high != 0 && y_high != 0) || (high >> 64) != 0 || size < low || size > most;
}

// True if a * b does not fit; `product` is what is left of it. GCC's and Clang's
// __builtin_mul_overflow, which in Clang's code for AArch64 calls a function that libgcc lacks.
constexpr bool ProductOverflows(__int128 a, __int128 b, __int128& product) {
#if defined(__clang__) && defined(__aarch64__)
  return ProductOverflowsByParts(a, b, product);
#else
  return __builtin_mul_overflow(a, b, &product);
#endif
}

}  // namespace hologram
