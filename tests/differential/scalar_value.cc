#include "scalar_value.h"

#include <cmath>
#include <cstring>

#include "base/check.h"
#include "isa/math/apply.h"
#include "isa/math/host_ops.h"

namespace hologram::tests {
namespace {

using isa::Opcode;
using isa::Type;

float F32Of(const Value& value) {
  const auto bits = static_cast<uint32_t>(value.bits);
  float result;
  std::memcpy(&result, &bits, sizeof result);
  return result;
}

double F64Of(const Value& value) {
  double result;
  std::memcpy(&result, &value.bits, sizeof result);
  return result;
}

Value FromF32(float number) {
  if (std::isnan(number)) return {Type::kF32, 0x7fc00000};
  uint32_t bits;
  std::memcpy(&bits, &number, sizeof bits);
  return {Type::kF32, bits};
}

Value FromF64(double number) {
  if (std::isnan(number)) return {Type::kF64, 0x7ff8000000000000};
  uint64_t bits;
  std::memcpy(&bits, &number, sizeof bits);
  return {Type::kF64, bits};
}

// Calls f(float...) or f(double...).
template <class Function>
Value OnFloats(Function f, const Value& a) {
  return a.type == Type::kF32 ? FromF32(f(F32Of(a))) : FromF64(f(F64Of(a)));
}
template <class Function>
Value OnFloats(Function f, const Value& a, const Value& b) {
  return a.type == Type::kF32 ? FromF32(f(F32Of(a), F32Of(b))) : FromF64(f(F64Of(a), F64Of(b)));
}

template <class T>
T PickNumber(bool smaller, T a, T b) {
  if (std::isnan(a)) return b;
  if (std::isnan(b)) return a;
  if (a == 0 && b == 0) return std::signbit(a) == smaller ? a : b;
  return (a < b) == smaller ? a : b;
}

Value BinaryFloat(Opcode op, const Value& a, const Value& b) {
  if (op == Opcode::kAdd) return OnFloats([](auto x, auto y) { return x + y; }, a, b);
  if (op == Opcode::kSub) return OnFloats([](auto x, auto y) { return x - y; }, a, b);
  if (op == Opcode::kMul) return OnFloats([](auto x, auto y) { return x * y; }, a, b);
  if (op == Opcode::kDiv) return OnFloats([](auto x, auto y) { return x / y; }, a, b);
  if (op == Opcode::kMin) {
    return OnFloats([](auto x, auto y) { return PickNumber(true, x, y); }, a, b);
  }
  HOLOGRAM_CHECK(op == Opcode::kMax);
  return OnFloats([](auto x, auto y) { return PickNumber(false, x, y); }, a, b);
}

// The low half of the product of two 64-bit numbers needs no more than unsigned arithmetic.
__int128 Product(__int128 x, __int128 y) {
  return static_cast<__int128>(static_cast<unsigned __int128>(x) *
                               static_cast<unsigned __int128>(y));
}

Value BinaryInteger(Opcode op, const Value& a, const Value& b) {
  const __int128 x = IntegerOf(a);
  const __int128 y = IntegerOf(b);
  if (op == Opcode::kAdd) return FromInteger(a.type, x + y);
  if (op == Opcode::kSub) return FromInteger(a.type, x - y);
  if (op == Opcode::kMul) return FromInteger(a.type, Product(x, y));
  if (op == Opcode::kDiv) return FromInteger(a.type, x / y);
  if (op == Opcode::kRem) return FromInteger(a.type, x % y);
  if (op == Opcode::kMin) return x < y ? a : b;
  if (op == Opcode::kMax) return x < y ? b : a;
  if (op == Opcode::kAnd) return {a.type, a.bits & b.bits};
  if (op == Opcode::kOr) return {a.type, a.bits | b.bits};
  HOLOGRAM_CHECK(op == Opcode::kXor);
  return {a.type, a.bits ^ b.bits};
}

template <isa::math::Function kFunction, bool kFast, class Ops, class T>
T Evaluate(T a, T b) {
  Ops ops;
  if constexpr (isa::math::InfoOf(kFunction).num_operands == 1) {
    return isa::math::Apply<kFunction, kFast>(ops, a);
  } else {
    return isa::math::Apply<kFunction, kFast>(ops, a, b);
  }
}

template <isa::math::Function kFunction, bool kFast>
Value Canonical(const Value& a, const Value& b) {
  namespace math = isa::math;
  if (a.type == Type::kF32) {
    return FromF32(Evaluate<kFunction, kFast, math::ScalarOps<math::Binary32>>(F32Of(a), F32Of(b)));
  }
  return FromF64(Evaluate<kFunction, kFast, math::ScalarOps<math::Binary64>>(F64Of(a), F64Of(b)));
}

// Truncates and saturates; NaN is 0. Exact for every double.
Value Saturate(Type to, double x) {
  if (std::isnan(x)) return {to, 0};
  const double truncated = std::trunc(x);
  if (truncated >= static_cast<double>(isa::MaxOf(to))) return FromInteger(to, isa::MaxOf(to));
  if (truncated <= static_cast<double>(isa::MinOf(to))) return FromInteger(to, isa::MinOf(to));
  return FromInteger(to, static_cast<__int128>(truncated));
}

}  // namespace

__int128 IntegerOf(const Value& value) {
  const uint32_t size = isa::BitsOf(value.type);
  const bool negative = isa::IsSignedInteger(value.type) && ((value.bits >> (size - 1)) & 1) != 0;
  return static_cast<__int128>(value.bits) - (negative ? static_cast<__int128>(1) << size : 0);
}

Value FromInteger(Type type, __int128 number) {
  const auto low = static_cast<uint64_t>(number);
  return {type, low & (~uint64_t{0} >> (64 - isa::BitsOf(type)))};
}

Value Binary(Opcode op, const Value& a, const Value& b) {
  return isa::IsFloat(a.type) ? BinaryFloat(op, a, b) : BinaryInteger(op, a, b);
}

Value Ternary(Opcode op, const Value& a, const Value& b, const Value& c) {
  if (op == Opcode::kMad) return Binary(Opcode::kAdd, Binary(Opcode::kMul, a, b), c);
  HOLOGRAM_CHECK(op == Opcode::kFma);
  return a.type == Type::kF32 ? FromF32(std::fma(F32Of(a), F32Of(b), F32Of(c)))
                              : FromF64(std::fma(F64Of(a), F64Of(b), F64Of(c)));
}

Value Unary(Opcode op, const Value& a) {
  const uint64_t sign = uint64_t{1} << (isa::BitsOf(a.type) - 1);
  const bool is_float = isa::IsFloat(a.type);
  if (op == Opcode::kAbs && is_float) return {a.type, a.bits & ~sign};
  if (op == Opcode::kNeg && is_float) return {a.type, a.bits ^ sign};
  if (op == Opcode::kAbs && IntegerOf(a) >= 0) return a;
  if (op == Opcode::kAbs || op == Opcode::kNeg) return FromInteger(a.type, -IntegerOf(a));
  if (op == Opcode::kNot) return FromInteger(a.type, ~IntegerOf(a));
  if (op == Opcode::kSqrt) return OnFloats([](auto x) { return std::sqrt(x); }, a);
  if (op == Opcode::kFloor) return OnFloats([](auto x) { return std::floor(x); }, a);
  if (op == Opcode::kCeil) return OnFloats([](auto x) { return std::ceil(x); }, a);
  if (op == Opcode::kTrunc) return OnFloats([](auto x) { return std::trunc(x); }, a);
  HOLOGRAM_CHECK(op == Opcode::kRound);
  return OnFloats([](auto x) { return std::nearbyint(x); }, a);
}

Value Mathematical(Opcode op, const Value& a, const Value& b, bool fast) {
  using isa::math::Function;
  const isa::math::FunctionInfo* info = isa::math::FindFunction(op);
  HOLOGRAM_CHECK(info != nullptr);
  switch (info->function) {
#define FUNCTION(Name, operands, has_fast)                     \
  case Function::k##Name:                                      \
    return fast ? Canonical<Function::k##Name, has_fast>(a, b) \
                : Canonical<Function::k##Name, false>(a, b);
#include "isa/math/functions.def"
  }
  HOLOGRAM_CHECK(false);
}

Value Shift(Opcode op, const Value& a, uint64_t amount) {
  const uint64_t masked = amount % isa::BitsOf(a.type);
  if (op == Opcode::kShl) return FromInteger(a.type, static_cast<__int128>(a.bits << masked));
  return FromInteger(a.type, IntegerOf(a) >> masked);
}

bool Compare(isa::Condition condition, const Value& a, const Value& b) {
  bool less = false;
  bool equal = false;
  bool ordered = true;
  if (isa::IsFloat(a.type)) {
    // Widening to double keeps order.
    const double x = a.type == Type::kF32 ? F32Of(a) : F64Of(a);
    const double y = a.type == Type::kF32 ? F32Of(b) : F64Of(b);
    ordered = !std::isnan(x) && !std::isnan(y);
    less = x < y;
    equal = x == y;
  } else {
    less = IntegerOf(a) < IntegerOf(b);
    equal = a.bits == b.bits;
  }
  switch (condition) {
    case isa::Condition::kEq:
      return equal;
    case isa::Condition::kNe:
      return !equal;
    case isa::Condition::kLt:
      return less;
    case isa::Condition::kLe:
      return less || equal;
    case isa::Condition::kGt:
      return ordered && !less && !equal;
    case isa::Condition::kGe:
      return ordered && !less;
  }
  return false;
}

Value Convert(Type to, const Value& a) {
  if (to == a.type) return a;
  if (isa::IsInteger(a.type)) {
    const __int128 number = IntegerOf(a);
    if (isa::IsInteger(to)) return FromInteger(to, number);
    const bool is_signed = isa::IsSignedInteger(a.type);
    const auto s = static_cast<int64_t>(number);
    const auto u = static_cast<uint64_t>(number);
    if (to == Type::kF32) return FromF32(is_signed ? static_cast<float>(s) : static_cast<float>(u));
    return FromF64(is_signed ? static_cast<double>(s) : static_cast<double>(u));
  }
  if (to == Type::kF32) return FromF32(static_cast<float>(F64Of(a)));
  const double x = a.type == Type::kF32 ? F32Of(a) : F64Of(a);
  return to == Type::kF64 ? FromF64(x) : Saturate(to, x);
}

Value AtomicResult(isa::AtomicOp op, const Value& old, const Value& value) {
  switch (op) {
    case isa::AtomicOp::kAdd:
      return Binary(Opcode::kAdd, old, value);
    case isa::AtomicOp::kMin:
      return Binary(Opcode::kMin, old, value);
    case isa::AtomicOp::kMax:
      return Binary(Opcode::kMax, old, value);
    case isa::AtomicOp::kAnd:
      return Binary(Opcode::kAnd, old, value);
    case isa::AtomicOp::kOr:
      return Binary(Opcode::kOr, old, value);
    case isa::AtomicOp::kXor:
      return Binary(Opcode::kXor, old, value);
    case isa::AtomicOp::kExchange:
      return value;
  }
  return value;
}

}  // namespace hologram::tests
