#include "isa/value_text.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <string_view>

#include "isa/half.h"

namespace hologram::isa {
namespace {

// "-1.25e-07", with as many digits as it takes.
using Buffer = std::array<char, 64>;

template <class Float>
std::string_view Shortest(Float value, Buffer& buffer) {
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                 std::chars_format::scientific);
  return {buffer.data(), static_cast<size_t>(end.ptr - buffer.data())};
}

// The fewest digits that a rounding to 16 bits takes back to the same value.
template <class Half>
std::string_view ShortestHalf(Half value, Buffer& buffer) {
  constexpr int kEnough = 6;
  const auto exact = static_cast<double>(Widen(value));
  std::string_view text;
  for (int digits = 0; digits < kEnough; ++digits) {
    const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), exact,
                                   std::chars_format::scientific, digits);
    text = {buffer.data(), static_cast<size_t>(end.ptr - buffer.data())};
    double back = 0;
    std::from_chars(text.data(), text.data() + text.size(), back);
    const Type type = std::is_same_v<Half, F16> ? Type::kF16 : Type::kBF16;
    if (FloatBits(back, type) == value.bits) break;
  }
  return text;
}

// From the scientific form to that of Python: no exponent from 1e-4 on and below 1e16.
std::string Written(std::string_view scientific, double value) {
  constexpr double kSmallest = 1e-4;
  constexpr double kLargest = 1e16;
  const size_t mark = scientific.find('e');
  int exponent = 0;
  const char* first = scientific.data() + mark + 1;
  if (*first == '+') ++first;
  std::from_chars(first, scientific.data() + scientific.size(), exponent);
  std::string digits;
  for (const char c : scientific.substr(0, mark)) {
    if (c >= '0' && c <= '9') digits += c;
  }
  while (digits.size() > 1 && digits.back() == '0') digits.pop_back();
  std::string text = std::signbit(value) ? "-" : "";
  const double magnitude = std::abs(value);
  if (magnitude != 0 && (magnitude < kSmallest || magnitude >= kLargest)) {
    text += digits[0];
    if (digits.size() > 1) text.append(".").append(digits, 1);
    const std::string power = std::to_string(std::abs(exponent));
    return text + (exponent < 0 ? "e-" : "e+") + (power.size() < 2 ? "0" : "") + power;
  }
  if (exponent < 0) {
    return text + "0." + std::string(static_cast<size_t>(-exponent - 1), '0') + digits;
  }
  const auto whole = static_cast<size_t>(exponent) + 1;
  if (digits.size() < whole) digits.resize(whole, '0');
  text.append(digits, 0, whole).append(".");
  return text + (digits.size() > whole ? digits.substr(whole) : "0");
}

std::string FloatText(Type type, uint64_t bits) {
  const double value = FloatValue(bits & (~uint64_t{0} >> (64 - BitsOf(type))), type);
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  Buffer buffer;
  switch (type) {
    case Type::kF16:
      return Written(ShortestHalf(F16{static_cast<uint16_t>(bits)}, buffer), value);
    case Type::kBF16:
      return Written(ShortestHalf(BF16{static_cast<uint16_t>(bits)}, buffer), value);
    case Type::kF32:
      return Written(Shortest(static_cast<float>(value), buffer), value);
    default:
      return Written(Shortest(value, buffer), value);
  }
}

}  // namespace

std::string ValueText(Type type, uint64_t bits) {
  if (IsFloat(type)) return FloatText(type, bits);
  const uint32_t unused = 64 - BitsOf(type);
  if (IsSignedInteger(type)) return std::to_string(static_cast<int64_t>(bits << unused) >> unused);
  return std::to_string(bits << unused >> unused);
}

}  // namespace hologram::isa
