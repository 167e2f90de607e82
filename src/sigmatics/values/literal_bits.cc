#include <bit>
#include <charconv>
#include <cmath>
#include <limits>

#include "isa/half.h"
#include "sigmatics/values/value_graph.h"

namespace hologram::sigmatics {
namespace {

using isa::Type;

uint64_t BitsOfDouble(double value, Type type) {
  switch (type) {
    case Type::kF64:
      return Literal::OfDouble(value).magnitude;
    case Type::kF16:
      return isa::Narrow<isa::F16>(isa::RoundToOdd(value)).bits;
    case Type::kBF16:
      return isa::Narrow<isa::BF16>(isa::RoundToOdd(value)).bits;
    default:
      return std::isnan(value) ? 0x7fc0'0000U : std::bit_cast<uint32_t>(static_cast<float>(value));
  }
}

}  // namespace

double ValueOfBits(uint64_t bits, Type type) {
  switch (type) {
    case Type::kF64:
      return std::bit_cast<double>(bits);
    case Type::kF16:
      return static_cast<double>(isa::Widen(isa::F16{static_cast<uint16_t>(bits)}));
    case Type::kBF16:
      return static_cast<double>(isa::Widen(isa::BF16{static_cast<uint16_t>(bits)}));
    default:
      return static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(bits)));
  }
}

std::optional<uint64_t> BitsOfLiteral(const Literal& literal, Type type) {
  if (literal.type && *literal.type != type) return std::nullopt;
  if (isa::IsFloat(type)) {
    if (literal.is_float) return BitsOfDouble(literal.AsDouble(), type);
    const auto magnitude = static_cast<double>(literal.magnitude);
    return BitsOfDouble(literal.negative ? -magnitude : magnitude, type);
  }
  if (literal.is_float) return std::nullopt;
  const __int128 value =
      literal.negative ? -static_cast<__int128>(literal.magnitude) : literal.magnitude;
  if (value < isa::MinOf(type) || value > isa::MaxOf(type)) return std::nullopt;
  const uint64_t mask =
      isa::BitsOf(type) == 64 ? ~uint64_t{0} : (uint64_t{1} << isa::BitsOf(type)) - 1;
  return static_cast<uint64_t>(value) & mask;
}

__int128 IntegerOfBits(uint64_t bits, Type type) {
  const bool negative = isa::IsSignedInteger(type) && (bits >> (isa::BitsOf(type) - 1)) != 0;
  const auto value = static_cast<__int128>(bits);
  return negative ? value - (static_cast<__int128>(1) << isa::BitsOf(type)) : value;
}

Literal LiteralOfBits(uint64_t bits, Type type) {
  if (isa::IsFloat(type)) {
    const double exact = ValueOfBits(bits, type);
    for (int digits = 1; digits < 17 && std::isfinite(exact); ++digits) {
      char buffer[64];
      const auto end = std::to_chars(buffer, buffer + sizeof buffer, exact,
                                     std::chars_format::scientific, digits - 1)
                           .ptr;
      double value = 0;
      std::from_chars(buffer, end, value);
      if (BitsOfDouble(value, type) == bits) return Literal::OfDouble(value);
    }
    return Literal::OfDouble(exact);
  }
  const __int128 value = IntegerOfBits(bits, type);
  Literal literal;
  literal.negative = value < 0;
  literal.magnitude = static_cast<uint64_t>(value < 0 ? -value : value);
  return literal;
}

isa::BlockOp BlockOpOf(CallKind reduction) {
  switch (reduction) {
    case CallKind::kReduceMin:
      return isa::BlockOp::kMin;
    case CallKind::kReduceMax:
      return isa::BlockOp::kMax;
    case CallKind::kReduceProd:
      return isa::BlockOp::kMul;
    case CallKind::kReduceAnd:
      return isa::BlockOp::kAnd;
    case CallKind::kReduceOr:
      return isa::BlockOp::kOr;
    case CallKind::kReduceXor:
      return isa::BlockOp::kXor;
    default:
      return isa::BlockOp::kAdd;
  }
}

uint64_t IdentityOf(CallKind reduction, Type type) {
  return isa::NeutralBits(BlockOpOf(reduction), type);
}

}  // namespace hologram::sigmatics
