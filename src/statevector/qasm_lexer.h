// Tokens of OpenQASM 2.0, one at a time. Linear in the text; tested with the parser.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace hologram::statevector {

struct QasmToken {
  enum class Kind : uint8_t { kEnd, kName, kInteger, kReal, kString, kSymbol };
  Kind kind = Kind::kEnd;
  std::string_view text;  // as it is in the file; of a string what is between the quotes
  uint32_t line = 1;
  uint32_t column = 1;  // in bytes
};

class QasmLexer {
 public:
  // The text has to outlive the lexer and its tokens.
  explicit QasmLexer(std::string_view text) : text_(text) {}

  // Allows the symbols that only OpenQASM 3 has, = and @.
  void set_version3() { is_version3_ = true; }

  // False at what is not a token: `token` has its place, `message` describes it.
  bool Next(QasmToken& token, std::string& message);

 private:
  void SkipBlanks();
  size_t DigitsFrom(size_t at) const;
  bool Number(QasmToken& token, std::string& message);
  bool String(QasmToken& token, std::string& message);

  std::string_view text_;
  size_t at_ = 0;
  size_t line_start_ = 0;
  uint32_t line_ = 1;
  bool is_version3_ = false;
};

// The token for a message: "'cx'", "the end".
std::string Described(const QasmToken& token);

}  // namespace hologram::statevector
