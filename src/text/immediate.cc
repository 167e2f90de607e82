#include "text/immediate.h"

#include <bit>
#include <charconv>
#include <cmath>

#include "base/quote.h"
#include "isa/half.h"
#include "text/cursor.h"

namespace hologram::text {
namespace {

using isa::Type;

template <class Float>
std::string Decimal(Float value) {
  if (std::isnan(value)) return "nan";
  char buffer[64];
  const auto [end, error] = std::to_chars(buffer, buffer + sizeof(buffer), value);
  std::string text(buffer, end);
  if (text.find_first_not_of("-0123456789") == std::string::npos) text += ".0";
  return text;
}

bool HasHexPrefix(std::string_view text) {
  return text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
}

uint64_t MaskOf(Type type) {
  return ~uint64_t{0} >> (64 - isa::BitsOf(type));
}

std::string NameText(Type type) {
  return std::string(isa::NameOf(type));
}

std::string RangeText(Type type) {
  if (isa::IsUnsigned(type)) {
    return "0 to " + std::to_string(static_cast<uint64_t>(isa::MaxOf(type)));
  }
  return std::to_string(static_cast<int64_t>(isa::MinOf(type))) + " to " +
         std::to_string(static_cast<int64_t>(isa::MaxOf(type)));
}

std::optional<uint64_t> ParseBits(std::string_view text, Type type, std::string* error) {
  const std::optional<uint64_t> bits = ParseUnsigned(text);
  if (!bits || *bits > MaskOf(type)) {
    *error = "expected at most " + std::to_string(isa::BitsOf(type)) + " bits for " +
             NameText(type) + ", found " + Shown(text);
    return std::nullopt;
  }
  const bool negative = isa::IsSignedInteger(type) && (*bits >> (isa::BitsOf(type) - 1)) != 0;
  return negative ? *bits | ~MaskOf(type) : *bits;
}

std::optional<uint64_t> ParseInteger(std::string_view text, Type type, std::string* error) {
  const bool negative = !text.empty() && text[0] == '-';
  const std::string_view digits = negative ? text.substr(1) : text;
  if (digits.empty() || digits.find_first_not_of("0123456789") != std::string_view::npos) {
    *error = "expected an integer for " + NameText(type) + ", found " + Shown(text);
    return std::nullopt;
  }
  const std::optional<uint64_t> magnitude = ParseUnsigned(digits);
  const __int128 value = static_cast<__int128>(magnitude.value_or(0)) * (negative ? -1 : 1);
  if (!magnitude || value < isa::MinOf(type) || value > isa::MaxOf(type)) {
    *error = Shown(text) + " does not fit " + NameText(type) + ", allowed are " + RangeText(type);
    return std::nullopt;
  }
  return static_cast<uint64_t>(value);
}

template <class Float>
std::optional<Float> ParseFloat(std::string_view text, Type type, std::string* error) {
  Float value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, code] = std::from_chars(text.data(), end, value);
  if (code == std::errc() && stop == end) return value;
  if (code == std::errc::result_out_of_range && stop == end) {
    *error = Shown(text) + " does not fit " + NameText(type);
  } else {
    *error = "expected a number for " + NameText(type) + ", found " + Shown(text);
  }
  return std::nullopt;
}

// Through double: its own rounding could only matter for a decimal within 2^-53 of a tie.
std::optional<uint64_t> ParseHalf(std::string_view text, Type type, std::string* error) {
  const std::optional<double> value = ParseFloat<double>(text, type, error);
  if (!value) return std::nullopt;
  const uint64_t bits = isa::FloatBits(*value, type);
  if (std::isinf(isa::FloatValue(bits, type)) && !std::isinf(*value)) {
    *error = Shown(text) + " does not fit " + NameText(type);
    return std::nullopt;
  }
  return bits;
}

}  // namespace

std::string PrintImmediate(uint64_t bits, Type type) {
  if (isa::IsUnsigned(type)) return std::to_string(bits);
  if (isa::IsInteger(type)) return std::to_string(static_cast<int64_t>(bits));
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text = "0x";
  for (uint32_t shift = isa::BitsOf(type); shift > 0; shift -= 4) {
    text += kDigits[bits >> (shift - 4) & 15];
  }
  return text;
}

std::string DescribeImmediate(uint64_t bits, Type type) {
  const auto low = static_cast<uint32_t>(bits);
  if (isa::IsHalf(type)) return Decimal(isa::FloatValue(bits, type));
  if (type == Type::kF32) return Decimal(std::bit_cast<float>(low));
  if (type == Type::kF64) return Decimal(std::bit_cast<double>(bits));
  return "";
}

std::optional<uint64_t> ParseImmediate(std::string_view text, Type type, std::string* error) {
  if (HasHexPrefix(text)) return ParseBits(text, type, error);
  if (isa::IsInteger(type)) return ParseInteger(text, type, error);
  if (type == Type::kF32) {
    const std::optional<float> value = ParseFloat<float>(text, type, error);
    if (!value) return std::nullopt;
    return std::bit_cast<uint32_t>(*value);
  }
  if (type == Type::kF64) {
    const std::optional<double> value = ParseFloat<double>(text, type, error);
    if (!value) return std::nullopt;
    return std::bit_cast<uint64_t>(*value);
  }
  return ParseHalf(text, type, error);
}

}  // namespace hologram::text
