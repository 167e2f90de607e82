// Types of expressions and the rules between them: promotion, literals, silent conversions. These
// are the typing rules of the kernel language (docs/language.md). Tested by tests/frontend.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "isa/type.h"

namespace hologram::frontend {

// A value known at compile time. Integers are exact.
struct Constant {
  enum class Kind : uint8_t { kInt, kFloat, kBool };
  Kind kind = Kind::kInt;
  __int128 integer = 0;  // also 0 or 1 for a bool
  double real = 0;

  static Constant Int(__int128 value) { return {Kind::kInt, value, 0}; }
  static Constant Float(double value) { return {Kind::kFloat, 0, value}; }
  static Constant Bool(bool value) { return {Kind::kBool, value ? 1 : 0, 0}; }
  bool is_int() const { return kind == Kind::kInt; }
  bool is_float() const { return kind == Kind::kFloat; }
  bool is_bool() const { return kind == Kind::kBool; }
  double AsDouble() const { return is_float() ? real : static_cast<double>(integer); }
};
std::string ToString(const Constant& constant);

// The type of an expression. A soft type is that of literals, which take the type of what is
// beside them; kError marks an expression that was reported already.
struct ValueType {
  enum class Kind : uint8_t { kError, kBool, kNumber, kSoftInt, kSoftFloat };
  Kind kind = Kind::kError;
  isa::Type number = isa::Type::kI32;  // if kind is kNumber

  static ValueType Bool() { return {Kind::kBool, isa::Type::kU8}; }
  static ValueType Number(isa::Type type) { return {Kind::kNumber, type}; }
  static ValueType SoftInt() { return {Kind::kSoftInt, isa::Type::kI32}; }
  static ValueType SoftFloat() { return {Kind::kSoftFloat, isa::Type::kF32}; }
  bool operator==(const ValueType&) const = default;

  bool is_error() const { return kind == Kind::kError; }
  bool is_bool() const { return kind == Kind::kBool; }
  bool is_number() const { return kind == Kind::kNumber; }
  bool is_soft() const { return kind == Kind::kSoftInt || kind == Kind::kSoftFloat; }
  // The type that the value has in a register when nothing else decides: bool is u8, literals are
  // i32 or f32.
  isa::Type register_type() const { return number; }
  bool is_integer() const {
    return kind == Kind::kSoftInt || (is_number() && isa::IsInteger(number));
  }
  bool is_float() const {
    return kind == Kind::kSoftFloat || (is_number() && isa::IsFloat(number));
  }
};
std::string NameOf(ValueType type);

// "u32" -> type; "int", "float", "usize" have their other names. Empty if it is none.
std::optional<isa::Type> ParseScalar(const std::string& name);

// The type of `a op b`, by the table number_rules.txt. A soft type where both are literals, an
// error where the table has none.
struct NumberRule {
  ValueType type;
  bool rounds = false;  // NumPy computes in a wider type
};
NumberRule RuleOf(ValueType a, ValueType b);
// The same for `/` of two integers.
NumberRule QuotientRuleOf(ValueType a, ValueType b);

// The common type of two numbers; empty for u64 with a signed type.
std::optional<isa::Type> Promote(isa::Type a, isa::Type b);

// True if every value of `from` is a value of `to`, within integers or within floats.
bool ConvertsSilently(isa::Type from, isa::Type to);

// True if the type holds the constant: integers exactly, floats rounded but not to infinity.
// Infinities and NaN are constants of every float type.
bool Fits(const Constant& constant, isa::Type type);

// The constant as the immediate of the type, sign-extended if it is signed. REQUIRES:
// Fits(constant, type)
uint64_t BitsOf(const Constant& constant, isa::Type type);

// The value of a cast: saturates, NaN gives 0. Empty if a number would round to infinity.
std::optional<Constant> Cast(const Constant& constant, isa::Type type);

}  // namespace hologram::frontend
