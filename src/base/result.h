// Result<T>: a value, or the diagnostics that explain why there is none. Wrong input of any kind
// travels as a Result; only our own bugs end in HOLOGRAM_CHECK.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"

namespace hologram {

enum class ErrorCode : uint8_t {
  kInvalidText,      // text, JSON, assembly or options that do not parse
  kInvalidKernel,    // parses, but breaks a rule of the kernel language
  kInvalidProgram,   // decodes, but the verifier rejects it
  kInvalidBundle,    // not a bundle, truncated, altered or hostile
  kInvalidArgument,  // a launch argument, buffer or name that does not fit
  kFault,            // the program faulted while it ran
  kNotFound,         // a file, kernel or parameter that does not exist
  kUnsupported,      // legal, but this build or machine cannot do it
  kResourceLimit,    // a documented limit was exceeded
  kInternal,         // a mistake of this library
  kCancelled,        // a launch that was stopped from outside
};

// Where a message points. An empty file means: no place.
struct Location {
  std::string file;
  uint32_t line = 0;    // 1-based; 0: the whole file
  uint32_t column = 0;  // 1-based, in bytes
};

// A register that an instruction read: "i", 7, "i32", 0x64, "100". `name` is that of the source
// variable, or empty.
struct OperandRecord {
  std::string name;
  uint32_t reg = 0;
  std::string type;
  uint64_t bits = 0;  // zero-extended
  std::string value;
};

// A fault of a lane: the content of the message, as data.
struct FaultRecord {
  uint32_t code = 0;         // HOLOGRAM_FAULT_* of native_abi.h
  uint32_t instruction = 0;  // of the program
  uint64_t lane = 0;         // linear, in the launch
  std::array<uint32_t, 3> block{};
  std::array<uint32_t, 3> lane_in_block{};
  int64_t index = 0;                    // of an access out of bounds: its element
  uint64_t extent = 0;                  // and how many there are
  std::vector<OperandRecord> operands;  // that decided about the fault
};

struct Diagnostic {
  ErrorCode code = ErrorCode::kInvalidArgument;
  Location where;
  std::string message;
  std::shared_ptr<const FaultRecord> fault = nullptr;  // of kFault where a lane faulted
};

using Diagnostics = std::vector<Diagnostic>;

inline Diagnostic Error(ErrorCode code, std::string message) {
  return {code, {}, std::move(message), nullptr};
}

// "file:line:col: error: message", "hologram: error: file: message" without a line, "hologram:
// error: message" without a place.
std::string ToString(const Diagnostic& diagnostic);

// The value of a result, if it has one.
template <class T>
class ValueHolder {
 public:
  bool ok() const { return value_.has_value(); }
  // REQUIRES: ok()
  T& value() & {
    HOLOGRAM_CHECK(ok());
    return *value_;
  }
  const T& value() const& {
    HOLOGRAM_CHECK(ok());
    return *value_;
  }
  T value() && {  // not by reference: a loop over it is safe
    HOLOGRAM_CHECK(ok());
    return *std::move(value_);
  }

 protected:
  ValueHolder() = default;
  explicit ValueHolder(T value) : value_(std::move(value)) {}

 private:
  std::optional<T> value_;
};

template <class T>
class [[nodiscard]] Result : public ValueHolder<T> {
 public:
  // Implicit, so that a function can return either a value or an error.
  // NOLINTBEGIN(google-explicit-constructor)
  Result(T value) : ValueHolder<T>(std::move(value)) {}
  Result(Diagnostic error) { errors_.push_back(std::move(error)); }
  Result(Diagnostics errors) : errors_(std::move(errors)) { HOLOGRAM_CHECK(!errors_.empty()); }
  // NOLINTEND(google-explicit-constructor)

  // Empty if and only if ok().
  const Diagnostics& errors() const { return errors_; }

 private:
  Diagnostics errors_;
};

// A value, or one error of type E: of a part whose callers look at the kind of an error.
template <class T, class E>
class [[nodiscard]] Checked : public ValueHolder<T> {
 public:
  // NOLINTBEGIN(google-explicit-constructor)
  Checked(T value) : ValueHolder<T>(std::move(value)) {}
  Checked(E error) : error_(std::move(error)) {}
  // NOLINTEND(google-explicit-constructor)

  // REQUIRES: !ok()
  const E& error() const {
    HOLOGRAM_CHECK(!this->ok());
    return error_;
  }
  const E& errors() const { return error(); }  // for the macros below

 private:
  E error_;
};

// The result of a function that has nothing to return but success.
struct Success {};
using Status = Result<Success>;

}  // namespace hologram

// Declares `lhs` from a Result, or returns its errors from this function.
#define HOLOGRAM_ASSIGN_OR_RETURN(lhs, expr) \
  HOLOGRAM_ASSIGN_OR_RETURN_IMPL(HOLOGRAM_CONCAT(result_, __LINE__), lhs, expr)
#define HOLOGRAM_ASSIGN_OR_RETURN_IMPL(tmp, lhs, expr) \
  auto tmp = (expr);                                   \
  if (!tmp.ok()) return tmp.errors();                  \
  lhs = std::move(tmp).value()
#define HOLOGRAM_RETURN_IF_ERROR(expr)                          \
  do {                                                          \
    const auto& hologram_status = (expr);                       \
    if (!hologram_status.ok()) return hologram_status.errors(); \
  } while (false)
#define HOLOGRAM_CONCAT(a, b) HOLOGRAM_CONCAT_IMPL(a, b)
#define HOLOGRAM_CONCAT_IMPL(a, b) a##b
