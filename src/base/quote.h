// Names and arbitrary bytes in text: bare where that is unambiguous, else quoted with escapes. What
// is printed is valid UTF-8 on one line, whatever the bytes are. Tested by tests/base.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace hologram {

// A letter or '_', then letters, digits and '_'; ASCII only.
bool IsIdentifier(std::string_view text);

// Valid UTF-8 without control characters: can be printed as it is.
bool IsPlain(std::string_view text);

// The same with tabs: a line of a source.
bool IsPlainLine(std::string_view text);

// Bytes that are not plain become \xNN; `"` and `\` are escaped too when `in_quotes`.
std::string Escape(std::string_view text, bool in_quotes);
// As without quotes, but tabs stay.
std::string EscapeLine(std::string_view text);
std::string Quote(std::string_view text);
// A JSON string with its quotes; bytes that are not UTF-8 become U+FFFD.
std::string JsonString(std::string_view text);
// 'text' for a message: on one line, cut after 40 bytes.
std::string Shown(std::string_view text);
// An identifier as it is, anything else quoted.
std::string PrintName(std::string_view name);

// "1 operand", "2 operands".
std::string Counted(uint64_t count, std::string_view noun);

// Reads what Quote printed, from text[*position], which must be '"', to behind the closing quote.
// False, with *position at the offending byte and *error set, when it does not end or has an
// unknown escape.
bool Unquote(std::string_view text, size_t* position, std::string* value, std::string* error);

}  // namespace hologram
