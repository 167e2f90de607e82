// Text of a circuit -> tokens. Only `:`, `$`, `#` and `over` make the next token mean something
// else, so that a word is either known or an error, at any position.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "sigmatics/circuit.h"
#include "sigmatics/error.h"

namespace hologram::sigmatics {

enum class TokenKind : uint8_t {
  kEnd,
  kDot,
  kDots,
  kOpen,
  kClose,
  kOpenBracket,
  kCloseBracket,
  kComma,
  kColon,
  kAt,
  kCaret,
  kTilde,
  kPlus,
  kMinus,
  kBars,
  kArrow,     // ->
  kExchange,  // <->
  kNumber,
  kClass,       // c42
  kRangeStart,  // c[
  kGenerator,
  kLetter,  // R, D or T
  kType,    // f32
  kOver,
  kBy,
  kCut,
  kShared,
  kColumn,
  kName,     // behind `:` or `over`
  kScalar,   // $name
  kLiteral,  // #2.5
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  bool too_large = false;  // of numbers and literals: does not fit
  uint32_t offset = 0;
  uint32_t size = 0;
  uint64_t number = 0;  // value of a number or class; which generator, letter or type
};

// The last token is kEnd, behind the text. REQUIRES: text.size() <= kMaxTextBytes.
Checked<std::vector<Token>> Tokenize(std::string_view text);
// REQUIRES: the text of a literal token that is not too large.
Literal ParseLiteral(std::string_view text);

}  // namespace hologram::sigmatics
