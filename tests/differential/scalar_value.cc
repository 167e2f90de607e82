#include "scalar_value.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/check.h"
#include "math/apply.h"
#include "math/host_ops.h"

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

// f16 and bf16, by their definition: mantissa * 2^exponent, rounded to nearest even from an exact
// number of at most 126 bits.
struct Format {
  int fraction;
  int lowest;   // exponent of the last bit of a subnormal
  int highest;  // and of the largest number
  uint64_t nan;
};

Format FormatOf(Type half) {
  return half == Type::kF16 ? Format{10, -24, 5, 0x7e00} : Format{7, -133, 120, 0x7fc0};
}

double HalfOf(const Value& value) {
  const Format format = FormatOf(value.type);
  const int field = static_cast<int>((value.bits & 0x7fff) >> format.fraction);
  const auto rest = static_cast<double>(value.bits & ((1U << format.fraction) - 1));
  const double sign = (value.bits & 0x8000) != 0 ? -1 : 1;
  const int all_ones = (0x8000 >> format.fraction) - 1;
  if (field == all_ones) return rest != 0 ? std::nan("") : sign * HUGE_VAL;
  if (field == 0) return sign * std::ldexp(rest, format.lowest);
  return sign * std::ldexp(rest + (1 << format.fraction), format.lowest + field - 1);
}

// mantissa * 2^exponent; REQUIRES: mantissa below 2^126
Value RoundHalf(Type half, bool negative, unsigned __int128 mantissa, int exponent) {
  const Format format = FormatOf(half);
  const uint64_t sign = negative ? 0x8000 : 0;
  if (mantissa == 0) return {half, sign};
  // Down to the bits of the format: the last one kept, one more, and whether anything was below.
  int drop = 0;
  while ((mantissa >> drop) >= (unsigned{2} << format.fraction)) ++drop;
  if (exponent + drop < format.lowest) drop = format.lowest - exponent;
  if (drop > 126) return {half, sign};
  unsigned __int128 kept = drop > 0 ? mantissa >> drop : mantissa;
  if (drop > 0) {
    const unsigned __int128 rest = mantissa - (kept << drop);
    const unsigned __int128 tie = static_cast<unsigned __int128>(1) << (drop - 1);
    if (rest > tie || (rest == tie && (kept & 1) != 0)) ++kept;
  }
  exponent += drop;
  while (exponent > format.lowest && kept < (unsigned{1} << format.fraction)) {
    kept <<= 1;
    --exponent;
  }
  if (kept == (unsigned{2} << format.fraction)) {
    kept >>= 1;
    ++exponent;
  }
  const uint64_t infinity = 0x7fffU >> format.fraction << format.fraction;
  if (exponent > format.highest) return {half, sign | infinity};
  const auto low = static_cast<uint64_t>(kept);
  return {half,
          sign | (low + (static_cast<uint64_t>(exponent - format.lowest) << format.fraction))};
}

Value FromDouble(Type half, double number) {
  const Format format = FormatOf(half);
  if (std::isnan(number)) return {half, format.nan};
  const bool negative = std::signbit(number);
  if (std::isinf(number)) {
    return {half, (negative ? 0x8000U : 0U) | (0x7fffU >> format.fraction << format.fraction)};
  }
  int exponent = 0;
  const double fraction = std::frexp(std::fabs(number), &exponent);
  return RoundHalf(half, negative, static_cast<uint64_t>(std::ldexp(fraction, 53)), exponent - 53);
}

// The product is exact; of two numbers far apart the smaller one is only a little more or less.
Value FuseHalf(const Value& a, const Value& b, const Value& c) {
  constexpr int kFar = 80;
  const double product = HalfOf(a) * HalfOf(b);
  const double addend = HalfOf(c);
  const double plain = product + addend;
  if (!std::isfinite(plain) || product == 0 || addend == 0) return FromDouble(a.type, plain);
  const bool first = std::fabs(product) > std::fabs(addend);
  int large_exponent = 0;
  int small_exponent = 0;
  const double large = std::frexp(first ? product : addend, &large_exponent);
  const double small = std::frexp(first ? addend : product, &small_exponent);
  const int down = std::min(large_exponent - small_exponent, kFar);
  const auto top = static_cast<__int128>(std::ldexp(large, 24)) << kFar;
  const auto more = static_cast<__int128>(std::ldexp(small, 24)) << (kFar - down);
  const __int128 sum = top + more;
  return RoundHalf(a.type, sum < 0, static_cast<unsigned __int128>(sum < 0 ? -sum : sum),
                   large_exponent - 24 - kFar);
}

// Calls f(float...) or f(double...). Rounding a result of two halves to double first changes
// nothing: double has more than twice the bits.
template <class Function>
Value OnFloats(Function f, const Value& a) {
  if (isa::IsHalf(a.type)) return FromDouble(a.type, f(HalfOf(a)));
  return a.type == Type::kF32 ? FromF32(f(F32Of(a))) : FromF64(f(F64Of(a)));
}
template <class Function>
Value OnFloats(Function f, const Value& a, const Value& b) {
  if (isa::IsHalf(a.type)) return FromDouble(a.type, f(HalfOf(a), HalfOf(b)));
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

template <math::Function kFunction, bool kFast, class Ops, class T>
T Evaluate(T a, T b) {
  Ops ops;
  if constexpr (math::InfoOf(kFunction).num_operands == 1) {
    return math::Apply<kFunction, kFast>(ops, a);
  } else {
    return math::Apply<kFunction, kFast>(ops, a, b);
  }
}

template <math::Function kFunction, bool kFast>
Value Canonical(const Value& a, const Value& b) {
  namespace math = math;
  if (isa::IsHalf(a.type)) {
    const double wide = Evaluate<kFunction, kFast, math::ScalarOps<math::Binary32>>(
        static_cast<float>(HalfOf(a)), static_cast<float>(HalfOf(b)));
    return FromDouble(a.type, wide);
  }
  if (a.type == Type::kF32) {
    return FromF32(Evaluate<kFunction, kFast, math::ScalarOps<math::Binary32>>(F32Of(a), F32Of(b)));
  }
  return FromF64(Evaluate<kFunction, kFast, math::ScalarOps<math::Binary64>>(F64Of(a), F64Of(b)));
}

// Every float is a double.
double RealOf(const Value& value) {
  if (isa::IsHalf(value.type)) return HalfOf(value);
  return value.type == Type::kF32 ? F32Of(value) : F64Of(value);
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

// 0, 1, an infinity or NaN of any float type.
static Value SimpleFloat(Type type, double value) {
  if (type == Type::kF32) return FromF32(static_cast<float>(value));
  if (type == Type::kF64) return FromF64(value);
  const bool is_f16 = type == Type::kF16;
  const uint64_t sign = std::signbit(value) ? 0x8000 : 0;
  if (std::isnan(value)) return {type, FormatOf(type).nan};
  if (std::isinf(value)) return {type, sign | (is_f16 ? 0x7c00 : 0x7f80)};
  return {type, sign | (value == 0 ? 0 : is_f16 ? 0x3c00 : 0x3f80)};
}

Value IdentityOf(Opcode op, Type type) {
  if (isa::IsFloat(type)) {
    if (op == Opcode::kReduceAdd || op == Opcode::kReduceMul) {
      return SimpleFloat(type, op == Opcode::kReduceMul ? 1 : 0);
    }
    return SimpleFloat(type, op == Opcode::kReduceMin ? HUGE_VAL : -HUGE_VAL);
  }
  if (op == Opcode::kReduceAdd) return {type, 0};
  if (op == Opcode::kReduceMul) return {type, 1};
  return FromInteger(type, op == Opcode::kReduceMin ? isa::MaxOf(type) : isa::MinOf(type));
}

Value PaddingOf(isa::BlockOp op, Type type) {
  using isa::BlockOp;
  if (op == BlockOp::kMul) return IdentityOf(Opcode::kReduceMul, type);
  if (isa::IsFloat(type)) return SimpleFloat(type, op == BlockOp::kAdd ? -0.0 : std::nan(""));
  if (op == BlockOp::kMin) return IdentityOf(Opcode::kReduceMin, type);
  if (op == BlockOp::kMax) return IdentityOf(Opcode::kReduceMax, type);
  return FromInteger(type, op == BlockOp::kAnd ? -1 : 0);
}

Value Ternary(Opcode op, const Value& a, const Value& b, const Value& c) {
  if (op == Opcode::kMad) return Binary(Opcode::kAdd, Binary(Opcode::kMul, a, b), c);
  HOLOGRAM_CHECK(op == Opcode::kFma);
  if (isa::IsHalf(a.type)) return FuseHalf(a, b, c);
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
  if (op == Opcode::kPopc) return {a.type, static_cast<uint64_t>(__builtin_popcountll(a.bits))};
  if (op == Opcode::kSqrt) return OnFloats([](auto x) { return std::sqrt(x); }, a);
  if (op == Opcode::kFloor) return OnFloats([](auto x) { return std::floor(x); }, a);
  if (op == Opcode::kCeil) return OnFloats([](auto x) { return std::ceil(x); }, a);
  if (op == Opcode::kTrunc) return OnFloats([](auto x) { return std::trunc(x); }, a);
  HOLOGRAM_CHECK(op == Opcode::kRound);
  return OnFloats([](auto x) { return std::nearbyint(x); }, a);
}

Value Mathematical(Opcode op, const Value& a, const Value& b, bool fast) {
  using math::Function;
  const math::FunctionInfo* info = math::FindFunction(op);
  HOLOGRAM_CHECK(info != nullptr);
  switch (info->function) {
#define FUNCTION(Name, operands, has_fast)                     \
  case Function::k##Name:                                      \
    return fast ? Canonical<Function::k##Name, has_fast>(a, b) \
                : Canonical<Function::k##Name, false>(a, b);
#include "math/functions.def"
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
    const double x = RealOf(a);
    const double y = RealOf(b);
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
    if (isa::IsHalf(to)) {
      return RoundHalf(to, number < 0,
                       static_cast<unsigned __int128>(number < 0 ? -number : number), 0);
    }
    if (to == Type::kF32) return FromF32(is_signed ? static_cast<float>(s) : static_cast<float>(u));
    return FromF64(is_signed ? static_cast<double>(s) : static_cast<double>(u));
  }
  const double x = RealOf(a);
  if (isa::IsHalf(to)) return FromDouble(to, x);
  if (to == Type::kF32) return FromF32(static_cast<float>(x));
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
