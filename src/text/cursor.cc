#include "text/cursor.h"

#include <algorithm>
#include <charconv>
#include <tuple>

#include "base/quote.h"

namespace hologram::text {
namespace {

bool IsSpace(char c) {
  return c == ' ' || c == '\t';
}

bool IsWordCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '.';
}

bool EndsToken(char c) {
  return IsSpace(c) || c == ',' || c == ']' || c == ';';
}

}  // namespace

void ErrorList::Add(uint32_t line, size_t column, std::string message) {
  if (errors_.size() > kMaxErrors) return;
  if (errors_.size() == kMaxErrors) message = "too many errors, stopped here";
  errors_.push_back(
      {ErrorCode::kInvalidText, {file_, line, static_cast<uint32_t>(column)}, std::move(message)});
}

Diagnostics ErrorList::Take() && {
  const auto end =
      errors_.begin() + static_cast<std::ptrdiff_t>(std::min(errors_.size(), kMaxErrors));
  std::sort(errors_.begin(), end, [](const Diagnostic& a, const Diagnostic& b) {
    return std::tie(a.where.line, a.where.column, a.message) <
           std::tie(b.where.line, b.where.column, b.message);
  });
  return std::move(errors_);
}

size_t Cursor::SkipSpace() {
  while (position_ < line_.size() && IsSpace(line_[position_])) ++position_;
  return position_;
}

bool Cursor::AtEnd() {
  SkipSpace();
  return position_ == line_.size() || line_[position_] == ';';
}

char Cursor::Peek() {
  SkipSpace();
  return position_ < line_.size() ? line_[position_] : ' ';
}

bool Cursor::Take(char c) {
  if (Peek() != c) return false;
  ++position_;
  return true;
}

bool Cursor::Expect(char c) {
  if (Take(c)) return true;
  return FailExpected(std::string("'") + c + "'");
}

std::string_view Cursor::Word() {
  const size_t start = SkipSpace();
  while (position_ < line_.size() && IsWordCharacter(line_[position_])) ++position_;
  return line_.substr(start, position_ - start);
}

std::string_view Cursor::Token() {
  const size_t start = SkipSpace();
  while (position_ < line_.size() && !EndsToken(line_[position_])) ++position_;
  return line_.substr(start, position_ - start);
}

std::optional<std::string> Cursor::Name() {
  if (Peek() == '"') {
    std::string name;
    std::string error;
    if (Unquote(line_, &position_, &name, &error)) return name;
    Fail(error);
    return std::nullopt;
  }
  const size_t start = position_;
  const std::string_view word = Word();
  if (IsIdentifier(word)) return std::string(word);
  position_ = start;
  FailExpected("a name (quote it if it is no identifier)");
  return std::nullopt;
}

bool Cursor::FailExpected(std::string_view what) {
  std::string found = "end of line";
  if (!AtEnd()) {
    const size_t start = position_;
    std::string_view token = Word();
    if (token.empty()) token = line_.substr(start, 1);
    position_ = start;
    found = Shown(token);
  }
  return Fail("expected " + std::string(what) + ", found " + found);
}

bool Cursor::ExpectEnd() {
  return AtEnd() || FailExpected("end of line");
}

std::string ToLower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

std::optional<uint64_t> ParseUnsigned(std::string_view text) {
  int base = 10;
  if (text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
    base = 16;
    text.remove_prefix(2);
  }
  uint64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value, base);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

}  // namespace hologram::text
