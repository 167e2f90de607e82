#include "statevector/qasm_lexer.h"

#include "base/quote.h"

namespace hologram::statevector {
namespace {

bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}

bool IsLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool IsNameByte(char c) {
  return IsLetter(c) || IsDigit(c) || c == '_';
}

constexpr std::string_view kSymbols = ";,()[]{}+-*/^";

}  // namespace

std::string Described(const QasmToken& token) {
  if (token.kind == QasmToken::Kind::kEnd) return "the end";
  if (token.kind == QasmToken::Kind::kString) return "the string " + Shown(token.text);
  return Shown(token.text);
}

void QasmLexer::SkipBlanks() {
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (c == '\n') {
      ++line_;
      line_start_ = at_ + 1;
    } else if (c == '/' && text_.substr(at_, 2) == "//") {
      const size_t end = text_.find('\n', at_);
      at_ = end == std::string_view::npos ? text_.size() : end;
      continue;
    } else if (c != ' ' && c != '\t' && c != '\r') {
      return;
    }
    ++at_;
  }
}

size_t QasmLexer::DigitsFrom(size_t at) const {
  while (at < text_.size() && IsDigit(text_[at])) ++at;
  return at;
}

// Digits, then perhaps a point with digits, then perhaps an exponent; a digit at either side of the
// point is enough.
bool QasmLexer::Number(QasmToken& token, std::string& message) {
  size_t end = DigitsFrom(at_);
  token.kind = QasmToken::Kind::kInteger;
  if (end < text_.size() && text_[end] == '.') {
    token.kind = QasmToken::Kind::kReal;
    end = DigitsFrom(end + 1);
  }
  if (end < text_.size() && (text_[end] == 'e' || text_[end] == 'E')) {
    token.kind = QasmToken::Kind::kReal;
    size_t digits = end + 1;
    if (digits < text_.size() && (text_[digits] == '+' || text_[digits] == '-')) ++digits;
    end = DigitsFrom(digits);
    if (end == digits) {
      message = "expected digits behind the exponent of " + Shown(text_.substr(at_, end - at_));
      return false;
    }
  }
  token.text = text_.substr(at_, end - at_);
  if (end < text_.size() && IsNameByte(text_[end])) {
    message = "a name cannot begin with digits: " + Shown(text_.substr(at_, end + 1 - at_));
    return false;
  }
  if (token.kind == QasmToken::Kind::kInteger && token.text.size() > 1 && token.text[0] == '0') {
    message = "the number " + Shown(token.text) + " begins with 0";
    return false;
  }
  at_ = end;
  return true;
}

bool QasmLexer::String(QasmToken& token, std::string& message) {
  const size_t end = text_.find_first_of("\"\n", at_ + 1);
  if (end == std::string_view::npos || text_[end] == '\n') {
    message = "the string does not end on its line";
    return false;
  }
  token.kind = QasmToken::Kind::kString;
  token.text = text_.substr(at_ + 1, end - at_ - 1);
  at_ = end + 1;
  return true;
}

bool QasmLexer::Next(QasmToken& token, std::string& message) {
  SkipBlanks();
  token = QasmToken{};
  token.line = line_;
  token.column = static_cast<uint32_t>(at_ - line_start_ + 1);
  if (at_ == text_.size()) return true;
  const char c = text_[at_];
  const char next = at_ + 1 < text_.size() ? text_[at_ + 1] : '\0';
  if (IsLetter(c)) {
    size_t end = at_;
    while (end < text_.size() && IsNameByte(text_[end])) ++end;
    token.kind = QasmToken::Kind::kName;
    token.text = text_.substr(at_, end - at_);
    at_ = end;
    return true;
  }
  if (IsDigit(c) || (c == '.' && IsDigit(next))) return Number(token, message);
  if (c == '"') return String(token, message);
  const bool is_pair = (c == '-' && next == '>') || (c == '=' && next == '=');
  const bool is_new = is_version3_ && (c == '=' || c == '@');
  if (!is_pair && !is_new && kSymbols.find(c) == std::string_view::npos) {
    message = "unexpected " + Shown(text_.substr(at_, 1));
    return false;
  }
  token.kind = QasmToken::Kind::kSymbol;
  token.text = text_.substr(at_, is_pair ? 2 : 1);
  at_ += token.text.size();
  return true;
}

}  // namespace hologram::statevector
