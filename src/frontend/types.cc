#include "frontend/types.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "isa/half.h"

namespace hologram::frontend {

using isa::Type;

std::string ToString(const Constant& constant) {
  if (constant.is_bool()) return constant.integer != 0 ? "True" : "False";
  char digits[64];
  if (constant.is_float()) {
    if (std::isnan(constant.real)) return "nan";
    if (std::isinf(constant.real)) return constant.real < 0 ? "-inf" : "inf";
    const auto end = std::to_chars(digits, digits + sizeof digits, constant.real).ptr;
    std::string text(digits, end);
    if (text.find_first_not_of("-0123456789") == std::string::npos) text += ".0";
    return text;
  }
  std::string text;
  const bool negative = constant.integer < 0;
  auto rest = static_cast<unsigned __int128>(constant.integer);
  if (negative) rest = 0 - rest;
  do {
    text += static_cast<char>('0' + static_cast<int>(rest % 10));
    rest /= 10;
  } while (rest != 0);
  if (negative) text += '-';
  std::reverse(text.begin(), text.end());
  return text;
}

std::optional<Type> ParseScalar(const std::string& name) {
  if (name == "int") return Type::kI32;
  if (name == "float") return Type::kF32;
  if (name == "usize") return Type::kU64;
  return isa::ParseType(name);
}

std::string NameOf(ValueType type) {
  if (type.is_bool()) return "bool";
  return std::string(isa::NameOf(type.number));
}

namespace {

double Rounded(double value, Type type) {
  return isa::FloatValue(isa::FloatBits(value, type), type);
}

struct Rule {
  int number;  // of the type, then the literals; -1: none
  bool rounds;
};
constexpr int kIntLiteral = isa::kNumTypes;
constexpr int kFloatLiteral = isa::kNumTypes + 1;
#include "frontend/number_rules.inc"

// REQUIRES: a number or a literal.
size_t NumberOf(ValueType type) {
  if (type == ValueType::SoftInt()) return kIntLiteral;
  if (type == ValueType::SoftFloat()) return kFloatLiteral;
  return static_cast<size_t>(type.number);
}

NumberRule Meaning(Rule rule) {
  if (rule.number < 0) return {};
  if (rule.number == kIntLiteral) return {ValueType::SoftInt(), rule.rounds};
  if (rule.number == kFloatLiteral) return {ValueType::SoftFloat(), rule.rounds};
  return {ValueType::Number(static_cast<Type>(rule.number)), rule.rounds};
}

}  // namespace

NumberRule RuleOf(ValueType a, ValueType b) {
  return Meaning(kOperatorRules[NumberOf(a)][NumberOf(b)]);
}

NumberRule QuotientRuleOf(ValueType a, ValueType b) {
  return Meaning(kQuotientRules[NumberOf(a)][NumberOf(b)]);
}

std::optional<Type> Promote(Type a, Type b) {
  const ValueType common = RuleOf(ValueType::Number(a), ValueType::Number(b)).type;
  if (common.is_error()) return std::nullopt;
  return common.number;
}

bool ConvertsSilently(Type from, Type to) {
  if (from == to) return true;
  if (isa::IsInteger(from) && isa::IsInteger(to)) {
    return isa::MinOf(from) >= isa::MinOf(to) && isa::MaxOf(from) <= isa::MaxOf(to);
  }
  return isa::IsFloat(from) && isa::IsFloat(to) && isa::SizeOf(from) < isa::SizeOf(to);
}

bool Fits(const Constant& constant, Type type) {
  if (constant.is_bool()) return false;
  if (isa::IsInteger(type)) {
    return constant.is_int() && constant.integer >= isa::MinOf(type) &&
           constant.integer <= isa::MaxOf(type);
  }
  const double value = constant.AsDouble();
  if (!std::isfinite(value)) return true;
  const double rounded = Rounded(value, type);
  if (!std::isfinite(rounded)) return false;
  return !constant.is_int() || static_cast<__int128>(rounded) == constant.integer;
}

uint64_t BitsOf(const Constant& constant, Type type) {
  if (isa::IsFloat(type)) {
    const double value = constant.AsDouble();
    // As a literal NaN has no sign: `-nan` is folded with whatever sign the host gives it.
    return isa::FloatBits(std::isnan(value) ? std::numeric_limits<double>::quiet_NaN() : value,
                          type);
  }
  return static_cast<uint64_t>(static_cast<unsigned __int128>(constant.integer));
}

std::optional<Constant> Cast(const Constant& constant, Type type) {
  if (isa::IsFloat(type)) {
    const double exact = constant.AsDouble();
    const double value = Rounded(exact, type);
    if (!std::isfinite(value) && std::isfinite(exact)) return std::nullopt;
    return Constant::Float(value);
  }
  if (!constant.is_float()) {
    return Constant::Int(std::clamp(constant.integer, isa::MinOf(type), isa::MaxOf(type)));
  }
  if (std::isnan(constant.real)) return Constant::Int(0);
  // Both ends are exact in 128 bits, and so is every double in between.
  const double value = std::trunc(constant.real);
  if (value <= static_cast<double>(isa::MinOf(type))) return Constant::Int(isa::MinOf(type));
  if (value >= static_cast<double>(isa::MaxOf(type))) return Constant::Int(isa::MaxOf(type));
  return Constant::Int(static_cast<__int128>(value));
}

}  // namespace hologram::frontend
