#include "formats/scalar_text.h"

#include <bit>
#include <charconv>
#include <cmath>
#include <cstdlib>

#include "base/quote.h"
#include "isa/half.h"

namespace hologram::tool {
namespace {

using isa::Type;

Diagnostic Wrong(std::string message) {
  return Error(ErrorCode::kInvalidArgument, std::move(message));
}

std::string TypeName(Type type) {
  return std::string(NameOf(type));
}

Result<uint64_t> ParseInteger(Type type, const std::string& text) {
  const bool negative = text.starts_with('-');
  std::string_view digits = std::string_view(text).substr(negative ? 1 : 0);
  int base = 10;
  if (digits.starts_with("0x") || digits.starts_with("0X")) {
    digits.remove_prefix(2);
    base = 16;
  }
  uint64_t magnitude = 0;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), magnitude, base);
  if (digits.empty() || end != digits.data() + digits.size() ||
      error == std::errc::invalid_argument) {
    return Wrong("expected " + TypeName(type) + ", found " + Shown(text));
  }
  const __int128 value = negative ? -static_cast<__int128>(magnitude) : magnitude;
  if (error == std::errc::result_out_of_range || value < isa::MinOf(type) ||
      value > isa::MaxOf(type)) {
    const std::string low =
        isa::IsSignedInteger(type) ? std::to_string(static_cast<int64_t>(isa::MinOf(type))) : "0";
    return Wrong(Escape(text, false) + " does not fit " + TypeName(type) + " (" + low + " to " +
                 std::to_string(static_cast<uint64_t>(isa::MaxOf(type))) + ")");
  }
  const uint32_t unused = 64 - isa::BitsOf(type);
  return static_cast<uint64_t>(value) << unused >> unused;
}

// As a literal in a kernel: read as f64, rounded to the type; what is too small becomes 0, what is
// too large is an error.
template <class T>
Result<T> ParseFloat(Type type, const std::string& text) {
  double wide = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), wide);
  if (end != text.data() + text.size() || error == std::errc::invalid_argument) {
    return Wrong("expected " + TypeName(type) + ", found " + Shown(text));
  }
  const bool out_of_range = error == std::errc::result_out_of_range;
  if (out_of_range) wide = std::strtod(text.c_str(), nullptr);  // 0 or infinity; which, it knows
  const T value = static_cast<T>(wide);
  const bool meant_infinity = std::isinf(wide) && !out_of_range;
  if (std::isinf(value) && !meant_infinity) {
    return Wrong("literal " + Escape(text, false) + " does not fit " + TypeName(type));
  }
  return value;
}

template <class... Format>
void AppendNumber(std::string& text, Format... format) {
  char digits[64];
  const auto [end, error] = std::to_chars(digits, digits + sizeof digits, format...);
  text.append(digits, error == std::errc() ? end : digits);
}

}  // namespace

Result<uint64_t> ParseScalar(Type type, const std::string& text) {
  if (isa::IsInteger(type)) return ParseInteger(type, text);
  if (type == Type::kF32) {
    HOLOGRAM_ASSIGN_OR_RETURN(const float value, ParseFloat<float>(type, text));
    return uint64_t{std::bit_cast<uint32_t>(value)};
  }
  if (type == Type::kF64) {
    HOLOGRAM_ASSIGN_OR_RETURN(const double value, ParseFloat<double>(type, text));
    return std::bit_cast<uint64_t>(value);
  }
  HOLOGRAM_ASSIGN_OR_RETURN(const double value, ParseFloat<double>(type, text));
  const uint64_t bits = isa::FloatBits(value, type);
  if (std::isinf(isa::FloatValue(bits, type)) && !std::isinf(value)) {
    return Wrong("literal " + Escape(text, false) + " does not fit " + TypeName(type));
  }
  return bits;
}

void AppendScalar(std::string& text, Type type, uint64_t bits) {
  if (isa::IsSignedInteger(type)) {
    const uint32_t unused = 64 - isa::BitsOf(type);
    AppendNumber(text, static_cast<int64_t>(bits << unused) >> unused);
  } else if (isa::IsInteger(type)) {
    AppendNumber(text, bits);
  } else {
    const double value = type == Type::kF64   ? std::bit_cast<double>(bits)
                         : type == Type::kF32 ? std::bit_cast<float>(static_cast<uint32_t>(bits))
                                              : isa::FloatValue(bits, type);
    if (std::isnan(value)) {
      text += "nan";
    } else if (type == Type::kF64) {
      AppendNumber(text, value);
    } else {
      AppendNumber(text, static_cast<float>(value));
    }
  }
}

}  // namespace hologram::tool
