// How a call of a kernel in C++ passes its arguments: the code of each type, its memory or its
// bits.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <type_traits>

#include "hologram/hologram.h"

namespace hologram {

// The bits of a 16-bit float: elements of buffers and scalars of kernels with f16 (IEEE 754
// binary16) and bf16 (the upper half of a float). They are storage: there is no arithmetic, and
// nothing converts them. f16{0x3c00} and bf16{0x3f80} are 1.
struct f16 {
  std::uint16_t bits;
};
// The same of bf16: the range of float, 8 bits of precision.
struct bf16 {
  std::uint16_t bits;
};

namespace detail {

// The element type of a C++ type, HOLOGRAM_I8 to HOLOGRAM_F64; `long` and `long long` map to 32 or
// 64 bits by their size. Other types, as long double, do not compile.
template <class T>
constexpr std::uint32_t type_code() {
  using U = std::remove_cv_t<T>;
  constexpr bool is_half = std::is_same_v<U, f16> || std::is_same_v<U, bf16>;
  static_assert(is_half || (std::is_arithmetic_v<U> && sizeof(U) <= 8 &&
                            (std::is_integral_v<U> || sizeof(U) >= 4)),
                "expected an integer of 8 to 64 bits, hologram::f16, hologram::bf16, float or "
                "double");
  if constexpr (is_half) {
    return std::is_same_v<U, f16> ? HOLOGRAM_F16 : HOLOGRAM_BF16;
  } else if constexpr (std::is_floating_point_v<U>) {
    return sizeof(U) == 4 ? HOLOGRAM_F32 : HOLOGRAM_F64;
  } else {
    constexpr std::uint32_t log2 = sizeof(U) == 1 ? 0 : sizeof(U) == 2 ? 1 : sizeof(U) == 4 ? 2 : 3;
    return log2 + (std::is_signed_v<U> ? HOLOGRAM_I8 : HOLOGRAM_U8);
  }
}

// A buffer argument is anything with std::data and std::size.
template <class T>
concept contiguous = requires(T& value) {
  std::data(value);
  std::size(value);
};

// Or memory on a device (device.hpp), which goes to the library, never to code of the processor.
template <class T>
concept on_device = requires(T& value) { value.device_memory(); };

// How a launch takes an argument of type T (deduced as T&&): a buffer, if it is one of these, or a
// scalar.
template <class T>
struct argument {
  using plain = std::remove_cvref_t<T>;
  static constexpr bool is_buffer =
      contiguous<std::remove_reference_t<T>> || on_device<std::remove_reference_t<T>>;

  // As hologram_argument has it: the element type, that it is a buffer, and that it may be written,
  // which it is unless its elements are const.
  static constexpr std::uint32_t code() {
    if constexpr (on_device<std::remove_reference_t<T>>) {
      return type_code<typename plain::element_type>() | HOLOGRAM_ARGUMENT_BUFFER |
             HOLOGRAM_ARGUMENT_WRITABLE | HOLOGRAM_ARGUMENT_DEVICE;
    } else if constexpr (is_buffer) {
      using element =
          std::remove_pointer_t<decltype(std::data(std::declval<std::remove_reference_t<T>&>()))>;
      return type_code<element>() | HOLOGRAM_ARGUMENT_BUFFER |
             (std::is_const_v<element> ? 0u : unsigned{HOLOGRAM_ARGUMENT_WRITABLE});
    } else {
      return type_code<plain>();
    }
  }
};

// The memory of such an argument. Whether it may be written is said by argument<T>::code().
template <class T>
hologram_buffer_ref buffer_ref(T& value) {
  if constexpr (on_device<T>) {
    return value.device_memory();
  } else {
    auto* data = std::data(value);
    return {const_cast<void*>(static_cast<const void*>(data)), std::size(value) * sizeof(*data)};
  }
}

// The bits of a number in the low part of a word; a signed one is not extended beyond its type.
template <class T>
std::uint64_t scalar_bits(T value) {
  if constexpr (std::is_floating_point_v<T> || std::is_class_v<T>) {  // class: f16 or bf16
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof value);
    return bits;
  } else {
    return static_cast<
        std::make_unsigned_t<std::conditional_t<std::is_same_v<T, bool>, unsigned char, T>>>(value);
  }
}

// The codes of a call, made when the program is compiled, in words of eight that can be compared
// with those of the plan.
template <class... Args>
struct call_codes {
  static constexpr std::size_t num_words = (sizeof...(Args) + 7) / 8;
  std::array<std::uint64_t, num_words> words{};

  // Those of the types of the call, in order.
  constexpr call_codes() {
    std::size_t k = 0;
    ((words[k / 8] |= std::uint64_t{argument<Args>::code()} << (k % 8 * 8), ++k), ...);
  }

  // Whether a call with these codes may go to the code of a plan at once: as many arguments, of the
  // same types, and writable where the kernel writes. If not, hologram.h has a conversion or the
  // message.
  bool match(const hologram_launch_plan& plan) const {
    constexpr std::uint64_t ones = 0x0101010101010101u;
    std::uint64_t wrong = plan.num_parameters ^ sizeof...(Args);
    for (std::size_t w = 0; w < num_words; ++w) {
      std::uint64_t expected;
      std::memcpy(&expected, plan.codes + 8 * w, 8);
      wrong |= (expected ^ words[w]) & (ones * 0x5f);
      wrong |= expected & ~words[w] & (ones * HOLOGRAM_ARGUMENT_WRITABLE);
    }
    return wrong == 0;
  }
};

}  // namespace detail
}  // namespace hologram
