#include "base/quote.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>

#include "base/bytes.h"

namespace hologram {
namespace {

bool IsLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}

uint8_t ByteAt(std::string_view text, size_t position) {
  return static_cast<uint8_t>(text[position]);
}

// Bytes of the valid UTF-8 sequence at the start of `text`, which is not empty; 0 if there is none.
// Overlong forms, surrogates and numbers past U+10FFFF are none. The number is in *value.
size_t Utf8Length(std::string_view text, uint32_t* value) {
  const uint8_t first = ByteAt(text, 0);
  *value = first;
  if (first < 0x80) return 1;
  const size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || length > text.size()) return 0;
  *value = first & (0xffu >> (length + 1));
  for (size_t i = 1; i < length; ++i) {
    const uint8_t byte = ByteAt(text, i);
    if ((byte & 0xc0) != 0x80) return 0;
    *value = *value << 6 | (byte & 0x3fu);
  }
  constexpr uint32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = *value >= 0xd800 && *value <= 0xdfff;
  return *value < kSmallest[length] || *value > 0x10ffff || surrogate ? 0 : length;
}

// Length of the printable UTF-8 character at `position`; 0 if there is none. Control characters
// (C0, DEL, C1) and line and paragraph separators are none.
size_t PlainLength(std::string_view text, size_t position) {
  uint32_t value = 0;
  const size_t length = Utf8Length(text.substr(position), &value);
  const bool control = value < 0x20 || (value >= 0x7f && value < 0xa0);
  return control || value == 0x2028 || value == 0x2029 ? 0 : length;
}

int HexDigit(char c) {
  if (IsDigit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

bool IsIdentifier(std::string_view text) {
  if (text.empty() || !IsLetter(text[0])) return false;
  for (char c : text) {
    if (!IsLetter(c) && !IsDigit(c)) return false;
  }
  return true;
}

bool IsPlain(std::string_view text) {
  for (size_t i = 0; i < text.size();) {
    const size_t length = PlainLength(text, i);
    if (length == 0) return false;
    i += length;
  }
  return true;
}

bool IsPlainLine(std::string_view text) {
  for (size_t begin = 0; begin <= text.size();) {
    const size_t tab = std::min(text.find('\t', begin), text.size());
    if (!IsPlain(text.substr(begin, tab - begin))) return false;
    begin = tab + 1;
  }
  return true;
}

std::string EscapeLine(std::string_view text) {
  std::string result;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t tab = std::min(text.find('\t', begin), text.size());
    if (begin != 0) result += '\t';
    result += Escape(text.substr(begin, tab - begin), false);
    begin = tab + 1;
  }
  return result;
}

std::string Escape(std::string_view text, bool in_quotes) {
  std::string result;
  for (size_t i = 0; i < text.size();) {
    const size_t length = PlainLength(text, i);
    if (length == 0) {
      const uint8_t byte = ByteAt(text, i++);
      result += "\\x" + ToHex({&byte, 1});
      continue;
    }
    if (in_quotes && (text[i] == '"' || text[i] == '\\')) result += '\\';
    result += text.substr(i, length);
    i += length;
  }
  return result;
}

std::string Shown(std::string_view text) {
  constexpr size_t kLongest = 40;
  if (text.size() <= kLongest) return "'" + Escape(text, false) + "'";
  return "'" + Escape(text.substr(0, kLongest), false) + "...'";
}

std::string Quote(std::string_view text) {
  return '"' + Escape(text, true) + '"';
}

std::string JsonString(std::string_view text) {
  std::string json = "\"";
  while (!text.empty()) {
    uint32_t value = 0;
    const size_t length = Utf8Length(text, &value);
    if (length == 0) {
      json += "\\ufffd";
    } else if (value < 0x20) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\u%04x", value);
      json += escape;
    } else {
      if (value == '"' || value == '\\') json += '\\';
      json += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return json + '"';
}

std::string PrintName(std::string_view name) {
  return IsIdentifier(name) ? std::string(name) : Quote(name);
}

std::string Counted(uint64_t count, std::string_view noun) {
  std::string text = std::to_string(count) + " ";
  text += noun;
  if (count != 1) text += "s";
  return text;
}

bool Unquote(std::string_view text, size_t* position, std::string* value, std::string* error) {
  value->clear();
  for (size_t i = *position + 1; i < text.size(); ++i) {
    if (text[i] == '"') {
      *position = i + 1;
      return true;
    }
    if (text[i] != '\\') {
      *value += text[i];
      continue;
    }
    const char escape = i + 1 < text.size() ? text[i + 1] : ' ';
    if (escape == '"' || escape == '\\') {
      *value += escape;
      ++i;
      continue;
    }
    const int high = escape == 'x' && i + 3 < text.size() ? HexDigit(text[i + 2]) : -1;
    const int low = high >= 0 ? HexDigit(text[i + 3]) : -1;
    if (low < 0) {
      *position = i;
      *error = "unknown escape; there are \\\", \\\\ and \\xNN";
      return false;
    }
    *value += static_cast<char>(high * 16 + low);
    i += 3;
  }
  *error = "missing closing '\"'";
  return false;
}

}  // namespace hologram
