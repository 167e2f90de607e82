// Immediate values in text. Integers are decimal numbers (bits after 0x are read too); floats are
// bits in hexadecimal, so that NaN payloads survive (decimal numbers, inf and nan are read too).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "isa/type.h"

namespace hologram::text {

std::string PrintImmediate(uint64_t bits, isa::Type type);
// The decimal value of a float, for a comment; empty for integers.
std::string DescribeImmediate(uint64_t bits, isa::Type type);
// The canonical immediate: sign-extended for signed types, else zero-extended. Empty with *error
// set.
std::optional<uint64_t> ParseImmediate(std::string_view text, isa::Type type, std::string* error);

}  // namespace hologram::text
