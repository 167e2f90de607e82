#include "frontend/fold.h"

#include <cmath>

#include "base/wide.h"

namespace hologram::frontend {
namespace {

using Int = __int128;

// Keeps every result of + and - inside 128 bits and every product checkable.
constexpr Int kLimit = static_cast<Int>(1) << 100;

std::optional<Constant> Bounded(Int value, std::string& error) {
  if (value < -kLimit || value > kLimit) {
    error = "the constant does not fit in 64 bits";
    return std::nullopt;
  }
  return Constant::Int(value);
}

Int FloorDivide(Int a, Int b) {
  const Int quotient = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

template <class T>
bool Compare(BinaryOp op, T a, T b) {
  switch (op) {
    case BinaryOp::kLt:
      return a < b;
    case BinaryOp::kLe:
      return a <= b;
    case BinaryOp::kGt:
      return a > b;
    case BinaryOp::kGe:
      return a >= b;
    case BinaryOp::kEq:
      return a == b;
    default:
      return a != b;
  }
}

std::optional<Constant> FoldPower(Int a, Int b, std::string& error) {
  if (b < 0 && a == 0) {
    error = "division by zero";
    return std::nullopt;
  }
  if (b < 0) return Constant::Float(std::pow(static_cast<double>(a), static_cast<double>(b)));
  if (a >= -1 && a <= 1) b = b % 2 != 0 ? 1 : (b == 0 ? 0 : 2);
  Int value = 1;
  for (; b > 0; --b) {
    if (ProductOverflows(value, a, value) || value > kLimit || value < -kLimit) {
      error = "the constant does not fit in 64 bits";
      return std::nullopt;
    }
  }
  return Constant::Int(value);
}

std::optional<Constant> FoldShift(BinaryOp op, Int a, Int count, std::string& error) {
  if (count < 0 || count > 63) {
    error = "the shift count " + ToString(Constant::Int(count)) + " is not 0 to 63";
    return std::nullopt;
  }
  if (op == BinaryOp::kShr) return Constant::Int(a >> count);
  Int value = 0;
  if (ProductOverflows(a, static_cast<Int>(1) << count, value)) {
    error = "the constant does not fit in 64 bits";
    return std::nullopt;
  }
  return Bounded(value, error);
}

std::optional<Constant> FoldInts(BinaryOp op, Int a, Int b, std::string& error) {
  switch (op) {
    case BinaryOp::kAdd:
      return Bounded(a + b, error);
    case BinaryOp::kSub:
      return Bounded(a - b, error);
    case BinaryOp::kMul: {
      Int value = 0;
      if (ProductOverflows(a, b, value)) value = kLimit + 1;
      return Bounded(value, error);
    }
    case BinaryOp::kFloorDiv:
      return Constant::Int(FloorDivide(a, b));
    case BinaryOp::kMod:
      return Constant::Int(a - b * FloorDivide(a, b));
    case BinaryOp::kPow:
      return FoldPower(a, b, error);
    case BinaryOp::kBitAnd:
      return Constant::Int(a & b);
    case BinaryOp::kBitOr:
      return Constant::Int(a | b);
    case BinaryOp::kBitXor:
      return Constant::Int(a ^ b);
    case BinaryOp::kShl:
    case BinaryOp::kShr:
      return FoldShift(op, a, b, error);
    default:
      return Constant::Bool(Compare(op, a, b));
  }
}

std::optional<Constant> FoldFloats(BinaryOp op, double a, double b, std::string& error) {
  double value = 0;
  switch (op) {
    case BinaryOp::kAdd:
      value = a + b;
      break;
    case BinaryOp::kSub:
      value = a - b;
      break;
    case BinaryOp::kMul:
      value = a * b;
      break;
    case BinaryOp::kDiv:
      value = a / b;
      break;
    case BinaryOp::kFloorDiv:
      value = std::floor(a / b);
      break;
    case BinaryOp::kMod:
      value = a - b * std::floor(a / b);
      break;
    case BinaryOp::kPow:
      value = std::pow(a, b);
      break;
    case BinaryOp::kBitAnd:
    case BinaryOp::kBitOr:
    case BinaryOp::kBitXor:
    case BinaryOp::kShl:
    case BinaryOp::kShr:
      error = "`" + SymbolOf(op) + "` needs integers";
      return std::nullopt;
    default:
      return Constant::Bool(Compare(op, a, b));
  }
  if (!std::isfinite(value)) {
    error = "the constant is not finite";
    return std::nullopt;
  }
  return Constant::Float(value);
}

}  // namespace

std::optional<Constant> FoldBinary(BinaryOp op, const Constant& a, const Constant& b,
                                   std::string& error) {
  if (a.is_bool() && b.is_bool() && (op == BinaryOp::kEq || op == BinaryOp::kNe)) {
    return Constant::Bool(Compare(op, a.integer, b.integer));
  }
  const bool bitwise = op >= BinaryOp::kBitAnd && op <= BinaryOp::kBitXor;
  if (a.is_bool() && b.is_bool() && bitwise) {
    return Constant::Bool(FoldInts(op, a.integer, b.integer, error)->integer != 0);
  }
  if (a.is_bool() || b.is_bool()) {
    error = "`" + SymbolOf(op) + "` needs numbers, not bool";
    return std::nullopt;
  }
  const bool divides = op == BinaryOp::kDiv || op == BinaryOp::kFloorDiv || op == BinaryOp::kMod;
  if (divides && b.AsDouble() == 0) {
    error = "division by zero";
    return std::nullopt;
  }
  if (a.is_int() && b.is_int() && op != BinaryOp::kDiv) {
    return FoldInts(op, a.integer, b.integer, error);
  }
  return FoldFloats(op, a.AsDouble(), b.AsDouble(), error);
}

std::optional<Constant> FoldUnary(UnaryOp op, const Constant& a, std::string& error) {
  if (a.is_bool() || (op == UnaryOp::kInvert && !a.is_int())) {
    error =
        std::string("`") + (op == UnaryOp::kInvert ? "~` needs an integer" : "-` needs a number");
    return std::nullopt;
  }
  if (op == UnaryOp::kPos) return a;
  if (op == UnaryOp::kInvert) return Constant::Int(~a.integer);
  return a.is_int() ? Constant::Int(-a.integer) : Constant::Float(-a.real);
}

}  // namespace hologram::frontend
