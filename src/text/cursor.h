// A position in one line of assembly text, and the list of errors found so far. Tested through
// Assemble by tests/text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace hologram::text {

// Collects errors; after kMaxErrors it is full and the assembler stops.
class ErrorList {
 public:
  explicit ErrorList(std::string file) : file_(std::move(file)) {}

  void Add(uint32_t line, size_t column, std::string message);
  bool full() const { return errors_.size() > kMaxErrors; }
  size_t size() const { return errors_.size(); }
  const std::string& file() const { return file_; }
  // In the order of the text.
  Diagnostics Take() &&;

 private:
  static constexpr size_t kMaxErrors = 100;
  std::string file_;
  Diagnostics errors_;
};

class Cursor {
 public:
  Cursor(std::string_view line, uint32_t number, ErrorList& errors)
      : line_(line), number_(number), errors_(errors) {}

  std::string_view line() const { return line_; }
  uint32_t number() const { return number_; }
  size_t position() const { return position_; }
  void MoveTo(size_t position) { position_ = position; }

  // All of these skip spaces and tabs first.
  bool AtEnd();       // nothing more, or only a comment
  char Peek();        // the next character; a space at the end
  bool Take(char c);  // takes it if it is next
  bool Expect(char c);
  std::string_view Word();            // letters, digits, '_' and '.'; possibly empty
  std::string_view Token();           // up to a space, ',', ']' or ';'; possibly empty
  std::optional<std::string> Name();  // an identifier or a quoted text

  // Report at the next token, or at a byte of the line. Always false.
  bool Fail(std::string message) { return FailAt(SkipSpace(), std::move(message)); }
  bool FailAt(size_t position, std::string message) {
    errors_.Add(number_, position + 1, std::move(message));
    return false;
  }
  // "expected <what>, found <what is next>"
  bool FailExpected(std::string_view what);
  // Fails unless the line ends here.
  bool ExpectEnd();

 private:
  size_t SkipSpace();

  std::string_view line_;
  uint32_t number_;
  ErrorList& errors_;
  size_t position_ = 0;
};

std::string ToLower(std::string_view text);
// Decimal, or hexadecimal after 0x; empty for anything else and for what needs more than 64 bits.
std::optional<uint64_t> ParseUnsigned(std::string_view text);

}  // namespace hologram::text
