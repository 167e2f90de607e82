#include "sigmatics/lexer.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include "base/quote.h"

namespace hologram::sigmatics {
namespace {

bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}
bool IsLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool IsWordPart(char c) {
  return IsLetter(c) || IsDigit(c) || c == '_';
}

bool IsFloatText(std::string_view text) {
  return text.find_first_of(".eEn") != std::string_view::npos;
}

// Of decimal text that no double is near: true if it is below all of them, not above.
bool IsTiny(std::string_view text) {
  // The power of ten of the first digit that counts, as far as it fits.
  const size_t mark = text.find_first_of("eE");
  const std::string_view digits = text.substr(0, mark);
  const size_t first = digits.find_first_of("123456789");
  const size_t point = std::min(digits.find('.'), digits.size());
  if (first == std::string_view::npos) return true;
  const int64_t place = static_cast<int64_t>(point) - static_cast<int64_t>(first);
  if (mark == std::string_view::npos) return place <= 0;
  std::string_view power = text.substr(mark + 1);
  if (power[0] == '+') power.remove_prefix(1);
  int64_t exponent = 0;
  const auto read = std::from_chars(power.data(), power.data() + power.size(), exponent);
  if (read.ec != std::errc{}) return power[0] == '-';
  return exponent < -place;
}

// The nearest double; what is too small for one is a zero. Nothing if it is too large.
std::optional<double> DoubleOf(std::string_view text) {
  double value = 0;
  const std::errc error = std::from_chars(text.data(), text.data() + text.size(), value).ec;
  if (error == std::errc{}) {
    // Some libraries give an infinity instead of an error.
    const bool is_word = text.ends_with("inf") || text.ends_with("nan");
    return is_word || std::isfinite(value) ? std::optional(value) : std::nullopt;
  }
  if (!IsTiny(text)) return std::nullopt;
  return text[0] == '-' ? -0.0 : 0.0;
}

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  Checked<std::vector<Token>> Run() {
    while (SkipBlank()) {
      if (auto error = Next()) return *error;
    }
    Add(TokenKind::kEnd, text_.size());
    return std::move(tokens_);
  }

 private:
  char At(size_t offset) const { return offset < text_.size() ? text_[offset] : '\0'; }

  // False at the end of the text.
  bool SkipBlank() {
    while (position_ < text_.size()) {
      const char c = text_[position_];
      if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
        ++position_;
      } else if (c == '/' && At(position_ + 1) == '/') {
        const size_t end = text_.find('\n', position_);
        position_ = end == std::string_view::npos ? text_.size() : end + 1;
      } else {
        return true;
      }
    }
    return false;
  }

  // A token from position_ to `end`, where reading goes on.
  Token& Add(TokenKind kind, size_t end) {
    Token token;
    token.kind = kind;
    token.offset = static_cast<uint32_t>(position_);
    token.size = static_cast<uint32_t>(end - position_);
    tokens_.push_back(token);
    position_ = end;
    return tokens_.back();
  }

  std::optional<CircuitError> Next() {
    const char c = text_[position_];
    if (c == 'c' && (IsDigit(At(position_ + 1)) || At(position_ + 1) == '[')) return ClassToken();
    if (IsLetter(c)) return Word();
    if (IsDigit(c)) {
      Number(TokenKind::kNumber, position_);
      return std::nullopt;
    }
    if (c == '$') return ScalarToken();
    if (c == '#') return LiteralToken();
    return Symbol(c);
  }

  CircuitError Wrong(size_t offset, std::string message) const {
    return {ErrorKind::kLexical, offset + 1, std::move(message)};
  }

  std::optional<CircuitError> Symbol(char c) {
    const char next = At(position_ + 1);
    const auto add = [&](TokenKind kind, size_t size) {
      Add(kind, position_ + size);
      return std::nullopt;
    };
    switch (c) {
      case '.':
        return next == '.' ? add(TokenKind::kDots, 2) : add(TokenKind::kDot, 1);
      case '(':
        return add(TokenKind::kOpen, 1);
      case ')':
        return add(TokenKind::kClose, 1);
      case '[':
        return add(TokenKind::kOpenBracket, 1);
      case ']':
        return add(TokenKind::kCloseBracket, 1);
      case ',':
        return add(TokenKind::kComma, 1);
      case ':':
        return add(TokenKind::kColon, 1);
      case '@':
        return add(TokenKind::kAt, 1);
      case '^':
        return add(TokenKind::kCaret, 1);
      case '~':
        return add(TokenKind::kTilde, 1);
      case '+':
        return add(TokenKind::kPlus, 1);
      case '-':
        return next == '>' ? add(TokenKind::kArrow, 2) : add(TokenKind::kMinus, 1);
      case '|':
        if (next == '|') return add(TokenKind::kBars, 2);
        return Wrong(position_, "'|' alone; parallel branches are separated by '||'");
      case '<':
        if (next == '-' && At(position_ + 2) == '>') return add(TokenKind::kExchange, 3);
        return Wrong(position_, "'<' alone; the classes of a swap are separated by '<->'");
      case '/':
        return Wrong(position_, "'/' alone; a comment begins with '//'");
      default:
        return Wrong(position_, "unexpected character " + Shown(text_.substr(position_, 1)));
    }
  }

  // Decimal digits from `begin`; the token begins at position_.
  void Number(TokenKind kind, size_t begin) {
    uint64_t value = 0;
    bool too_large = false;
    size_t end = begin;
    for (; IsDigit(At(end)); ++end) {
      const uint64_t digit = static_cast<uint64_t>(text_[end] - '0');
      too_large |= value > (std::numeric_limits<uint64_t>::max() - digit) / 10;
      if (!too_large) value = value * 10 + digit;
    }
    Token& token = Add(kind, end);
    token.number = value;
    token.too_large = too_large;
  }

  std::optional<CircuitError> ClassToken() {
    if (At(position_ + 1) == '[') {
      Add(TokenKind::kRangeStart, position_ + 2);
      return std::nullopt;
    }
    const size_t begin = position_;
    Number(TokenKind::kClass, position_ + 1);
    if (!IsWordPart(At(position_))) return std::nullopt;
    return Wrong(position_, "the class " + Shown(text_.substr(begin, position_ - begin)) +
                                " runs into " + Shown(text_.substr(position_, 1)));
  }

  std::optional<CircuitError> Word() {
    size_t end = position_;
    while (IsWordPart(At(end))) ++end;
    const std::string_view word = text_.substr(position_, end - position_);
    if (!tokens_.empty() &&
        (tokens_.back().kind == TokenKind::kColon || tokens_.back().kind == TokenKind::kOver)) {
      Add(TokenKind::kName, end);
      return std::nullopt;
    }
    for (int i = 0; i < kNumGenerators; ++i) {
      if (NameOf(static_cast<Generator>(i)) != word) continue;
      Add(TokenKind::kGenerator, end).number = static_cast<uint64_t>(i);
      return std::nullopt;
    }
    if (word == "R" || word == "D" || word == "T") {
      Add(TokenKind::kLetter, end).number = static_cast<uint64_t>(word[0]);
      return std::nullopt;
    }
    if (const std::optional<isa::Type> type = isa::ParseType(word)) {
      Add(TokenKind::kType, end).number = static_cast<uint64_t>(*type);
      return std::nullopt;
    }
    constexpr std::pair<std::string_view, TokenKind> kWords[] = {{"over", TokenKind::kOver},
                                                                 {"by", TokenKind::kBy},
                                                                 {"cut", TokenKind::kCut},
                                                                 {"shared", TokenKind::kShared},
                                                                 {"column", TokenKind::kColumn}};
    for (const auto& [text, kind] : kWords) {
      if (word != text) continue;
      Add(kind, end);
      return std::nullopt;
    }
    if (word == "c") return Wrong(position_, "'c' alone; a class is c0 to c95, a range c[0..9]");
    return Wrong(position_, "unknown word " + Shown(word));
  }

  std::optional<CircuitError> ScalarToken() {
    size_t end = position_ + 1;
    if (!IsLetter(At(end)) && At(end) != '_') {
      return Wrong(position_, "'$' alone; a scalar is written $name");
    }
    while (IsWordPart(At(end))) ++end;
    Add(TokenKind::kScalar, end);
    return std::nullopt;
  }

  std::optional<CircuitError> LiteralToken() {
    size_t end = position_ + 1;
    if (At(end) == '-') ++end;
    const size_t digits = end;
    if (text_.substr(end, 3) == "inf" || text_.substr(end, 3) == "nan") {
      end += 3;
    } else {
      while (IsDigit(At(end))) ++end;
      if (end > digits && At(end) == '.' && IsDigit(At(end + 1))) {
        ++end;
        while (IsDigit(At(end))) ++end;
      }
      if (end > digits && (At(end) == 'e' || At(end) == 'E')) {
        size_t exponent = end + 1;
        if (At(exponent) == '+' || At(exponent) == '-') ++exponent;
        if (IsDigit(At(exponent))) {
          end = exponent;
          while (IsDigit(At(end))) ++end;
        }
      }
    }
    if (end == digits) {
      return Wrong(position_, "'#' alone; a literal is written #2, #-2.5, #1e-3, #inf or #nan");
    }
    if (IsWordPart(At(end))) {
      return Wrong(end, "the literal " + Shown(text_.substr(position_, end - position_)) +
                            " runs into " + Shown(text_.substr(end, 1)));
    }
    const std::string_view value = text_.substr(position_ + 1, end - position_ - 1);
    Add(TokenKind::kLiteral, end).too_large = !Fits(value);
    return std::nullopt;
  }

  static bool Fits(std::string_view text) {
    if (IsFloatText(text)) return DoubleOf(text).has_value();
    if (text[0] == '-') text.remove_prefix(1);
    uint64_t value = 0;
    return std::from_chars(text.data(), text.data() + text.size(), value).ec == std::errc{};
  }

  std::string_view text_;
  size_t position_ = 0;
  std::vector<Token> tokens_;
};

}  // namespace

Checked<std::vector<Token>> Tokenize(std::string_view text) {
  return Lexer(text).Run();
}

Literal ParseLiteral(std::string_view text) {
  text.remove_prefix(1);  // the '#'
  if (IsFloatText(text)) return Literal::OfDouble(*DoubleOf(text));
  Literal literal;
  literal.negative = text[0] == '-';
  if (literal.negative) text.remove_prefix(1);
  std::from_chars(text.data(), text.data() + text.size(), literal.magnitude);
  // There is one integer zero.
  if (literal.magnitude == 0) literal.negative = false;
  return literal;
}

}  // namespace hologram::sigmatics
