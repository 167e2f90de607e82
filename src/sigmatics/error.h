// Errors of circuits: a kind, a message and the column. Checked<T> is a value or one such
// error; unlike base's Result it keeps the kind, which callers print.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "base/check.h"

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
class [[nodiscard]] Checked {
 public:
  // Implicit, so that a function can return either.
  // NOLINTBEGIN(google-explicit-constructor)
  Checked(T value) : state_(std::move(value)) {}
  Checked(CircuitError error) : state_(std::move(error)) {}
  // NOLINTEND(google-explicit-constructor)

  bool ok() const { return state_.index() == 0; }
  // REQUIRES: ok()
  const T& value() const& {
    HOLOGRAM_CHECK(ok());
    return std::get<0>(state_);
  }
  T value() && {  // by value: a loop over it is safe
    HOLOGRAM_CHECK(ok());
    return std::get<0>(std::move(state_));
  }
  // REQUIRES: !ok()
  const CircuitError& error() const {
    HOLOGRAM_CHECK(!ok());
    return std::get<1>(state_);
  }

 private:
  std::variant<T, CircuitError> state_;
};

}  // namespace hologram::sigmatics

#define SIGMATICS_ASSIGN_OR_RETURN(lhs, expr) \
  SIGMATICS_ASSIGN_OR_RETURN_IMPL(SIGMATICS_CONCAT(checked_, __LINE__), lhs, expr)
#define SIGMATICS_ASSIGN_OR_RETURN_IMPL(tmp, lhs, expr) \
  auto tmp = (expr);                                    \
  if (!tmp.ok()) return tmp.error();                    \
  lhs = std::move(tmp).value()
#define SIGMATICS_CONCAT(a, b) SIGMATICS_CONCAT_IMPL(a, b)
#define SIGMATICS_CONCAT_IMPL(a, b) a##b
