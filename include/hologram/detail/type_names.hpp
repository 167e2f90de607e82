// The names of the types and their bytes, by their numbers in hologram.h. Not for users.
#pragma once

#include <array>
#include <cstdint>

#include "../hologram.h"

namespace hologram::detail {

inline constexpr std::array<const char*, 12> type_names = {
    "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f16", "bf16", "f32", "f64"};
inline constexpr std::array<std::uint8_t, 12> type_sizes = {1, 2, 4, 8, 1, 2, 4, 8, 2, 2, 4, 8};
static_assert(HOLOGRAM_I8 == 0 && HOLOGRAM_U8 == 4 && HOLOGRAM_F16 == 8 && HOLOGRAM_F64 == 11);

}  // namespace hologram::detail
