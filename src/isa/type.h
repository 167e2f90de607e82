// The twelve element types of the ISA and what is true of each.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace hologram::isa {

// Ordinals are part of the file format.
enum class Type : uint8_t { kI8, kI16, kI32, kI64, kU8, kU16, kU32, kU64, kF16, kBF16, kF32, kF64 };

inline constexpr int kNumTypes = 12;

constexpr bool IsFloat(Type type) {
  return type >= Type::kF16;
}
// The floats of 16 bits, which are computed in f32 (isa/half.h).
constexpr bool IsHalf(Type type) {
  return type == Type::kF16 || type == Type::kBF16;
}
constexpr bool IsInteger(Type type) {
  return type < Type::kF16;
}
constexpr bool IsSignedInteger(Type type) {
  return type <= Type::kI64;
}
constexpr bool IsUnsigned(Type type) {
  return type >= Type::kU8 && type <= Type::kU64;
}

inline constexpr uint8_t kSizes[kNumTypes] = {1, 2, 4, 8, 1, 2, 4, 8, 2, 2, 4, 8};

constexpr uint32_t SizeOf(Type type) {
  return kSizes[static_cast<uint8_t>(type)];
}

constexpr uint32_t BitsOf(Type type) {
  return SizeOf(type) * 8;
}

constexpr std::string_view NameOf(Type type) {
  constexpr std::string_view kNames[kNumTypes] = {"i8",  "i16", "i32", "i64",  "u8",  "u16",
                                                  "u32", "u64", "f16", "bf16", "f32", "f64"};
  return kNames[static_cast<uint8_t>(type)];
}

constexpr std::optional<Type> ParseType(std::string_view name) {
  for (int i = 0; i < kNumTypes; ++i) {
    if (NameOf(static_cast<Type>(i)) == name) return static_cast<Type>(i);
  }
  return std::nullopt;
}

// Smallest and largest value of an integer type, exact in 128 bits.
constexpr __int128 MinOf(Type type) {
  return IsSignedInteger(type) ? -(static_cast<__int128>(1) << (BitsOf(type) - 1)) : 0;
}
constexpr __int128 MaxOf(Type type) {
  return (static_cast<__int128>(1) << (BitsOf(type) - (IsSignedInteger(type) ? 1 : 0))) - 1;
}

}  // namespace hologram::isa
