// Element operations shared by several families of instructions. Integers wrap: they are computed
// as unsigned numbers of at least 32 bits (a product of two promoted 16-bit numbers would overflow
// int). Floats round to nearest even, and a NaN that is computed is the canonical one.
#pragma once

#include <type_traits>

#include "interpreter/columns.h"

namespace hologram::interpreter {

// Wide enough that C++ does not promote it to a signed type.
template <class T>
using Wide = std::conditional_t<sizeof(T) <= 4, uint32_t, uint64_t>;

template <class T>
T Sum(T a, T b) {
  if constexpr (std::is_floating_point_v<T>)
    return Canonical(a + b);
  else
    return static_cast<T>(static_cast<Wide<T>>(a) + static_cast<Wide<T>>(b));
}

template <class T>
T Product(T a, T b) {
  if constexpr (std::is_floating_point_v<T>)
    return Canonical(a * b);
  else
    return static_cast<T>(static_cast<Wide<T>>(a) * static_cast<Wide<T>>(b));
}

// A result of two steps, after the first: the value that a register of type T would hold.
template <class T>
Computed<T> Rounded(Computed<T> value) {
  if constexpr (isa::kIsHalf<T>) {
    return isa::Widen(isa::Narrow<T>(value));
  } else {
    return value;
  }
}

// A number beats NaN, and -0 < +0: for equal numbers, which differ at most in the sign of zero, the
// bits are combined.
template <class T>
T Smaller(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    using Bits = BitsOfFloat<T>;
    const T merged =
        __builtin_bit_cast(T, __builtin_bit_cast(Bits, a) | __builtin_bit_cast(Bits, b));
    const T less = a < b ? a : b;
    const T number = b != b ? a : less;
    return Canonical(a == b ? merged : number);
  } else {
    return a < b ? a : b;
  }
}

template <class T>
T Larger(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    using Bits = BitsOfFloat<T>;
    const T merged =
        __builtin_bit_cast(T, __builtin_bit_cast(Bits, a) & __builtin_bit_cast(Bits, b));
    const T greater = a > b ? a : b;
    const T number = b != b ? a : greater;
    return Canonical(a == b ? merged : number);
  } else {
    return a > b ? a : b;
  }
}

// One element of a column, as operations see it, and back.
template <class T>
Computed<T> Widened(T value) {
  if constexpr (isa::kIsHalf<T>) {
    return isa::Widen(value);
  } else {
    return value;
  }
}

template <class T>
T Stored(Computed<T> value) {
  if constexpr (isa::kIsHalf<T>) {
    return isa::Narrow<T>(value);
  } else if constexpr (std::is_floating_point_v<T>) {
    return Canonical(value);
  } else {
    return value;
  }
}

}  // namespace hologram::interpreter
