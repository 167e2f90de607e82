// Errors of circuits: a kind, which callers print, a message and the column. Checked<T> is a value
// or one such error.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace hologram::sigmatics {

enum class ErrorKind : uint8_t {
  kLexical,   // bytes that are not a token; found first, for the whole text
  kSyntax,    // tokens that are not a circuit
  kRange,     // a number above its bound: class, page, amount
  kSemantic,  // a circuit without the meaning that was asked for
  kLimit,     // a documented limit was exceeded
};

constexpr std::string_view NameOf(ErrorKind kind) {
  constexpr std::string_view kNames[] = {"lexical", "syntax", "range", "semantic", "limit"};
  return kNames[static_cast<size_t>(kind)];
}

struct CircuitError {
  ErrorKind kind = ErrorKind::kSyntax;
  size_t column = 0;  // 1-based, in bytes of the text; 0: the circuit as a whole
  std::string message;
  bool operator==(const CircuitError&) const = default;
};

template <class T>
using Checked = hologram::Checked<T, CircuitError>;

}  // namespace hologram::sigmatics
