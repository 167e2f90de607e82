#include "isa/value_format.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "isa/half.h"
#include "isa/instruction.h"
#include "isa/value_text.h"

namespace hologram::isa {
namespace {

constexpr std::string_view kAlignments = "<>=^";
constexpr std::string_view kFloatTypes = "eEfFgG%";
constexpr std::string_view kIntegerTypes = "dxXob";

struct Format {
  char fill = ' ';
  char align = '>';
  char sign = '-';
  bool prefix = false;
  size_t width = 0;
  char grouping = 0;
  int precision = -1;
  char type = 0;
};

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  // No value if the text is not of the language.
  std::optional<Format> Parse() {
    Format format;
    bool aligned = false;
    bool filled = false;
    if (text_.size() >= 2 && IsOneOf(text_[1], kAlignments)) {
      format.fill = Take();
      filled = true;
      if (format.fill < ' ' || format.fill > '~') return std::nullopt;
    }
    if (Next(kAlignments)) {
      format.align = Take();
      aligned = true;
    }
    if (Next("+- ")) format.sign = Take();
    if (Next("#")) format.prefix = Take() == '#';
    if (!filled && Next("0")) {
      format.fill = Take();
      if (!aligned) format.align = '=';
    }
    const std::optional<size_t> width = Number();
    if (!width) return std::nullopt;
    format.width = *width;
    if (Next(",_")) format.grouping = Take();
    if (Next(".")) {
      Take();
      if (!Next("0123456789")) return std::nullopt;
      const std::optional<size_t> precision = Number();
      if (!precision) return std::nullopt;
      format.precision = static_cast<int>(*precision);
    }
    if (Next(kFloatTypes) || Next(kIntegerTypes)) format.type = Take();
    if (at_ != text_.size()) return std::nullopt;
    return format;
  }

 private:
  static bool IsOneOf(char c, std::string_view set) { return set.find(c) != set.npos; }
  bool Next(std::string_view set) const { return at_ < text_.size() && IsOneOf(text_[at_], set); }
  char Take() { return text_[at_++]; }

  // At most two digits; 0 where there are none.
  std::optional<size_t> Number() {
    constexpr size_t kMostDigits = 2;
    const size_t start = at_;
    size_t value = 0;
    while (Next("0123456789")) value = value * 10 + static_cast<size_t>(Take() - '0');
    if (at_ - start > kMostDigits) return std::nullopt;
    return value;
  }

  std::string_view text_;
  size_t at_ = 0;
};

// "-1234.5" in parts; the digits before the point are those that are grouped.
struct Parts {
  bool negative = false;
  std::string prefix;
  std::string text;
};

std::string Written(double value, std::chars_format form, int precision) {
  std::array<char, 512> buffer;  // 309 digits, a point and 99 more
  const auto end =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, form, precision);
  return {buffer.data(), end.ptr};
}

void ToUpper(std::string& text) {
  for (char& c : text) c = static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
}

// With a precision but no type: as many digits, and always one behind the point.
std::string Rounded(double value, int precision) {
  const int digits = std::max(precision, 1);
  const std::string scientific = Written(value, std::chars_format::scientific, digits - 1);
  const size_t mark = scientific.find('e');
  int exponent = 0;
  const char* first = scientific.data() + mark + (scientific[mark + 1] == '+' ? 2 : 1);
  std::from_chars(first, scientific.data() + scientific.size(), exponent);
  constexpr int kLowest = -4;
  const bool fixed = exponent >= kLowest && exponent < digits - 1;
  std::string text = fixed ? Written(value, std::chars_format::fixed, digits - 1 - exponent)
                           : scientific.substr(0, mark);
  if (text.find('.') != std::string::npos) {
    while (text.back() == '0') text.pop_back();
    if (text.back() == '.') text.pop_back();
  }
  if (!fixed) return text + scientific.substr(mark);
  return text.find('.') == std::string::npos ? text + ".0" : text;
}

std::string MagnitudeOf(double value, const Format& format) {
  constexpr int kUsual = 6;
  const int precision = format.precision < 0 ? kUsual : format.precision;
  constexpr double kPercent = 100;
  switch (format.type) {
    case 'e':
    case 'E':
      return Written(value, std::chars_format::scientific, precision);
    case 'g':
    case 'G':
      return Written(value, std::chars_format::general, std::max(precision, 1));
    case '%':
      value *= kPercent;
      if (std::isinf(value)) return "inf%";
      return Written(value, std::chars_format::fixed, precision) + "%";
    case 0:
      return Rounded(value, format.precision);
    default:
      return Written(value, std::chars_format::fixed, precision);
  }
}

Parts PartsOfFloat(Type type, uint64_t bits, const Format& format) {
  Parts parts;
  const double value = IsFloat(type)           ? FloatValue(bits, type)
                       : IsSignedInteger(type) ? static_cast<double>(static_cast<int64_t>(bits))
                                               : static_cast<double>(bits);
  parts.negative = std::signbit(value) && !std::isnan(value);
  if (!std::isfinite(value)) {
    parts.text = std::isnan(value) ? "nan" : "inf";
    if (format.type == '%') parts.text += "%";
  } else if (format.type == 0 && format.precision < 0) {
    parts.text = ValueText(type, bits);
    if (parts.negative) parts.text.erase(0, 1);
  } else {
    parts.text = MagnitudeOf(std::abs(value), format);
  }
  if (format.type == 'E' || format.type == 'F' || format.type == 'G') ToUpper(parts.text);
  return parts;
}

Parts PartsOfInteger(Type type, uint64_t bits, const Format& format) {
  Parts parts;
  parts.negative = IsSignedInteger(type) && static_cast<int64_t>(bits) < 0;
  const uint64_t magnitude = parts.negative ? ~bits + 1 : bits;
  const int base = format.type == 'b' ? 2 : format.type == 'o' ? 8 : format.type == 'd' ? 10 : 16;
  std::array<char, 64> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), magnitude,
                                 format.type == 0 ? 10 : base);
  parts.text.assign(buffer.data(), end.ptr);
  if (format.prefix && format.type != 0 && format.type != 'd') {
    parts.prefix = {'0', format.type};
  }
  if (format.type == 'X') ToUpper(parts.text);
  return parts;
}

void Group(std::string& text, const Format& format) {
  constexpr size_t kThree = 3;
  constexpr size_t kFour = 4;
  const bool is_decimal =
      format.type != 'x' && format.type != 'X' && format.type != 'o' && format.type != 'b';
  const size_t size = is_decimal ? kThree : kFour;
  size_t end =
      is_decimal ? std::min(text.find_first_not_of("0123456789"), text.size()) : text.size();
  for (; end > size; end -= size) text.insert(end - size, 1, format.grouping);
}

// The low bits of a register as 64 bits: with the sign of signed integers.
uint64_t Widened(Type type, uint64_t bits) {
  const uint32_t unused = 64 - BitsOf(type);
  if (IsSignedInteger(type)) {
    return static_cast<uint64_t>(static_cast<int64_t>(bits << unused) >> unused);
  }
  return bits << unused >> unused;
}

bool IsOfFloats(Type type, const Format& format) {
  return IsFloat(type) || (format.type != 0 && kFloatTypes.find(format.type) != kFloatTypes.npos);
}

bool Fits(Type type, const Format& format) {
  const bool of_integers = kIntegerTypes.find(format.type) != kIntegerTypes.npos;
  if (IsFloat(type) && format.type != 0 && of_integers) return false;
  if (IsOfFloats(type, format)) {
    if (format.prefix) return false;
  } else if (format.precision >= 0) {
    return false;
  }
  if (format.grouping == 0) return true;
  const bool in_fours = format.type != 0 && format.type != 'd' && of_integers;
  // Python groups the zeros of the padding too.
  return !(format.align == '=' && format.fill == '0') && !(in_fours && format.grouping == ',');
}

}  // namespace

std::optional<std::string> FormatError(Type type, std::string_view format) {
  if (format.empty()) return std::nullopt;
  const std::optional<Format> parsed = Parser(format).Parse();
  if (parsed && format.size() <= kMaxTextBytes && Fits(type, *parsed)) return std::nullopt;
  const bool is_float = IsFloat(type);
  return "':" + std::string(format) + "' is not a format of " + std::string(NameOf(type)) +
         " here; write one of at most 8 characters such as " +
         (is_float ? ":.3f, :10.3e, :g or :+.1%" : ":5d, :08x, :#b or :,");
}

std::string FormattedText(Type type, uint64_t bits, std::string_view format) {
  if (format.empty()) return ValueText(type, bits);
  const Format parsed = *Parser(format).Parse();
  const uint64_t wide = Widened(type, bits);
  Parts parts = IsOfFloats(type, parsed) ? PartsOfFloat(type, wide, parsed)
                                         : PartsOfInteger(type, wide, parsed);
  if (parsed.grouping != 0) Group(parts.text, parsed);
  std::string before = parts.negative ? "-" : parsed.sign == '-' ? "" : std::string{parsed.sign};
  before += parts.prefix;
  const size_t size = before.size() + parts.text.size();
  const size_t missing = parsed.width > size ? parsed.width - size : 0;
  const size_t left = parsed.align == '<' ? 0 : parsed.align == '^' ? missing / 2 : missing;
  const std::string padding(left, parsed.fill);
  const std::string rest(missing - left, parsed.fill);
  if (parsed.align == '=') return before + padding + parts.text;
  return padding + before + parts.text + rest;
}

}  // namespace hologram::isa
