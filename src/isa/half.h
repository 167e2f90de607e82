// The two float types of 16 bits. Every f16 and bf16 value is an f32 value, so instructions widen
// exactly, compute in f32 and round once: for + - * / and square root that is the correctly rounded
// result, because f32 has more than twice the bits. Where f32 is not enough (FMA, conversions from
// wider types) the intermediate result is *rounded to odd*: an inexact one gets a set last bit,
// which a later rounding to fewer bits sees as "a little more" or "a little less", so it rounds as
// if the value were exact. Everything here is branch-free so that loops vectorise, and the batches
// use the machine's own conversions where it has them, with the same bits.
// Tested by tests/isa/half_test.cc.
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>

#include "isa/type.h"

namespace hologram::isa {

struct F16 {
  uint16_t bits;
};
struct BF16 {
  uint16_t bits;
};

template <class T>
inline constexpr bool kIsHalf = std::same_as<T, F16> || std::same_as<T, BF16>;

inline constexpr uint16_t kCanonicalNanF16 = 0x7e00;
inline constexpr uint16_t kCanonicalNanBF16 = 0x7fc0;

// ---- Exact; a NaN stays a NaN, with any payload.
constexpr float Widen(BF16 value) {
  return std::bit_cast<float>(uint32_t{value.bits} << 16);
}

constexpr float Widen(F16 value) {
  constexpr uint32_t kInfinity = 0x7c00U << 13;
  constexpr uint32_t kRebias = 112U << 23;
  const uint32_t magnitude = (value.bits & 0x7fffU) << 13;
  // A subnormal is the fraction of a number with exponent -14, less that number's leading one.
  const float below = std::bit_cast<float>(magnitude + kRebias + (1U << 23)) - 0x1p-14F;
  const uint32_t normal = magnitude + (magnitude >= kInfinity ? 2 * kRebias : kRebias);
  const uint32_t bits = magnitude < (1U << 23) ? std::bit_cast<uint32_t>(below) : normal;
  return std::bit_cast<float>(bits | (value.bits & 0x8000U) << 16);
}

// ---- One rounding, to nearest even; overflow gives an infinity, every NaN the canonical one.
template <class T>
constexpr T Narrow(float value);

template <>
constexpr BF16 Narrow<BF16>(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  const uint32_t rounded = (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
  const bool nan = (bits & 0x7fffffff) > 0x7f800000;
  return {static_cast<uint16_t>(nan ? kCanonicalNanBF16 : rounded)};
}

template <>
constexpr F16 Narrow<F16>(float value) {
  constexpr uint32_t kSmallestNormal = 113U << 23;  // 2^-14
  constexpr uint32_t kTooLarge = 143U << 23;        // 2^16; from 65,520 on, rounding carries
  const auto bits = std::bit_cast<uint32_t>(value);
  const uint32_t magnitude = bits & 0x7fffffff;
  const uint32_t normal = (magnitude - (112U << 23) + 0xfff + ((magnitude >> 13) & 1)) >> 13;
  // The last bit of numbers in [0.5, 1) is 2^-24, that of f16's subnormals.
  const uint32_t safe = magnitude < kSmallestNormal ? magnitude : 0;
  const uint32_t small = std::bit_cast<uint32_t>(std::bit_cast<float>(safe) + 0.5F) - (126U << 23);
  const uint32_t finite = magnitude < kSmallestNormal ? small : normal;
  const uint32_t rounded = (magnitude >= kTooLarge ? 0x7c00 : finite) | (bits >> 16 & 0x8000);
  return {static_cast<uint16_t>(magnitude > 0x7f800000 ? kCanonicalNanF16 : rounded)};
}

// ---- Rounded to odd
constexpr float RoundToOdd(double value) {
  const auto nearest = static_cast<float>(value);
  const auto back = static_cast<double>(nearest);
  const auto bits = std::bit_cast<uint32_t>(nearest);
  constexpr uint64_t kMagnitude = ~uint64_t{0} >> 1;
  const uint64_t have = std::bit_cast<uint64_t>(back) & kMagnitude;
  const uint64_t want = std::bit_cast<uint64_t>(value) & kMagnitude;
  const bool change = have != want && (bits & 1) == 0 && value == value;
  const uint32_t toward = have < want ? bits + 1 : bits - 1;
  return std::bit_cast<float>(change ? toward : bits);
}

// A double that every rounding to at most 24 bits rounds as if it were the integer.
template <std::integral T>
constexpr double ToOddDouble(T value) {
  if constexpr (sizeof(T) < 8) {
    return static_cast<double>(value);
  } else {
    constexpr T kLow = 0xfff;
    constexpr T kExact = T{1} << 52;
    bool exact = value < kExact;
    if constexpr (std::signed_integral<T>) exact = exact && value > -kExact;
    const T lost = (value & kLow) != 0 ? T{0x800} : T{0};
    const T sticky = static_cast<T>((value & static_cast<T>(~kLow)) | lost);
    return static_cast<double>(exact ? value : sticky);
  }
}

// a * b + c for widened values of 16 bits, rounded to odd. The product is exact in f64; the error
// of the sum, found by Knuth's TwoSum, shows in which direction it was rounded.
constexpr float FusedToOdd(float a, float b, float c) {
  const double product = static_cast<double>(a) * static_cast<double>(b);
  const auto addend = static_cast<double>(c);
  const double sum = product + addend;
  const double part = sum - product;
  const double error = (product - (sum - part)) + (addend - part);
  const auto bits = std::bit_cast<uint64_t>(sum);
  const bool change = (error < 0 || error > 0) && (bits & 1) == 0;
  const bool same_sign = ((bits ^ std::bit_cast<uint64_t>(error)) >> 63) == 0;
  const uint64_t toward = same_sign ? bits + 1 : bits - 1;
  return RoundToOdd(std::bit_cast<double>(change ? toward : bits));
}

// ---- Single values of any float type. A rounding to nearest even; every bit pattern's value.
uint64_t FloatBits(double value, Type type);
double FloatValue(uint64_t bits, Type type);

// ---- Arrays
void WidenBatch(const F16* in, float* out, std::size_t n);
void WidenBatch(const BF16* in, float* out, std::size_t n);
void NarrowBatch(const float* in, F16* out, std::size_t n);
void NarrowBatch(const float* in, BF16* out, std::size_t n);

}  // namespace hologram::isa
