// Formats of values in what kernels print: the format language of Python's f-strings, for numbers.
// [[fill]align][sign][#][0][width][,|_][.precision][type], at most kMaxTextBytes bytes. Tested by
// tests/isa/value_format_test.cc and, beside Python, by tests/language/printed_test.py.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "isa/type.h"

namespace hologram::isa {

// What is wrong with `format` for values of `type`: "... is not a format of integers"; no value if
// it is a format. An empty one is: that of ValueText.
std::optional<std::string> FormatError(Type type, std::string_view format);

// The text of Python's format(value, format), of an f32 that of the f64 with its value; without a
// type or precision the digits of ValueText. REQUIRES: !FormatError(type, format)
std::string FormattedText(Type type, uint64_t bits, std::string_view format);

}  // namespace hologram::isa
