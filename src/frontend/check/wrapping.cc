// Differences of unsigned numbers that are meant as signed ones: `(i - 1) % n`, `max(i - 1, 0)`,
// `i - 1 >= 0`. They wrap below 0, so the first gives an element that nobody means, and the others
// decide nothing. They are refused, with what to write.
#include "frontend/check/checker.h"

namespace hologram::frontend {

using isa::Type;

namespace {

bool IsNumber(const Expr& expr, __int128 value) {
  return expr.kind == ExprKind::kLiteral && expr.constant.is_int() &&
         expr.constant.integer == value;
}

// What a sum loses, `i + n - 1`, it may have.
bool IsUnsignedDifference(const Expr& expr) {
  return expr.kind == ExprKind::kBinary && expr.binary == BinaryOp::kSub && expr.type.is_number() &&
         isa::IsUnsigned(expr.type.number) && expr.operands[0]->kind != ExprKind::kBinary &&
         expr.operands[0]->kind != ExprKind::kConvert;
}

// A remainder by it is right, wrapped or not.
bool IsPowerOfTwo(const Expr& expr) {
  if (expr.kind != ExprKind::kLiteral || !expr.constant.is_int()) return false;
  const __int128 value = expr.constant.integer;
  return value > 0 && (value & (value - 1)) == 0;
}

std::string Written(const Expr& expr) {
  return "`" + ToSource(expr) + "`";
}

// As an operand of any operator: in parentheses where it has operators of its own.
std::string AsOperand(const Expr& expr) {
  std::string text = ToSource(expr);
  int depth = 0;
  bool alone = !text.starts_with('-') && !text.starts_with('~');
  for (const char c : text) {
    depth += (c == '(' || c == '[') ? 1 : 0;
    depth -= (c == ')' || c == ']') ? 1 : 0;
    alone = alone && (c != ' ' || depth > 0);
  }
  return alone ? text : "(" + text + ")";
}

// "`i - 1` is u32 and wraps below 0"
std::string Wraps(const Expr& difference) {
  return Written(difference) + " is " + std::string(isa::NameOf(difference.type.number)) +
         " and wraps below 0";
}

// "i32(i) - 1"
std::string Signed(const Expr& difference) {
  const bool wide = difference.type.number == Type::kU64;
  return std::string(wide ? "i64(" : "i32(") + ToSource(*difference.operands[0]) + ") - " +
         ToSource(*difference.operands[1]);
}

// What is added in place of `- less`, a number that is at least 0: "n - 1", "n - 3 % n", "2".
std::string Less(const Expr& less, const Expr& modulus) {
  const __int128 count = less.constant.integer;
  if (modulus.kind == ExprKind::kLiteral && modulus.constant.is_int() &&
      modulus.constant.integer > 0) {
    const __int128 whole = modulus.constant.integer;
    return ToString(Constant::Int((whole - count % whole) % whole));
  }
  const std::string written = AsOperand(modulus);
  const std::string taken = ToSource(less);
  return written + " - " + (count == 1 ? taken : taken + " % " + written);
}

}  // namespace

// Types of a type variable may have such forms that only some of its types need, and so may the
// functions of the library.
bool Checker::SeesWrapping() const {
  return document_.type_variables.empty() && (calls_.empty() || !calls_.back().helper->in_library);
}

// REQUIRES: `whole` is a remainder of checked operands.
bool Checker::RefuseWrappedRemainder(const Expr& whole) {
  const Expr& left = *whole.operands[0];
  const Expr& right = *whole.operands[1];
  if (!SeesWrapping() || !IsUnsignedDifference(left) || !right.type.is_integer()) return false;
  const Expr& less = *left.operands[1];
  if (less.kind != ExprKind::kLiteral || !less.constant.is_int() || IsPowerOfTwo(right)) {
    return false;
  }
  if (IsAtLeast(*left.operands[0], less.constant.integer)) return false;
  Error(whole.at, Wraps(left) + ", where the remainder is another one; write (" +
                      AsOperand(*left.operands[0]) + " + " + Less(less, right) + ") % " +
                      AsOperand(right));
  return true;
}

// `function` is max or clamp.
bool Checker::RefuseWrappedBound(const Expr& whole, const Expr& value, const Expr& bound,
                                 const std::string& rest) {
  if (!SeesWrapping() || !IsUnsignedDifference(value) || !IsNumber(bound, 0)) return false;
  Error(whole.at, Wraps(value) + ", so it is never less than the 0; write " + whole.name + "(" +
                      Signed(value) + ", 0" + rest + ")");
  return true;
}

// `i - 1 >= 0` and `i - 1 < 0`
bool Checker::RefuseWrappedComparison(BinaryOp op, const Expr& left, const Expr& right) {
  if (op != BinaryOp::kLt && op != BinaryOp::kGe) return false;
  if (!SeesWrapping() || !IsUnsignedDifference(left) || !IsNumber(right, 0)) return false;
  const std::string symbol = SymbolOf(op);
  Error(left.at, Wraps(left) + ", so `" + symbol + " 0` is always " +
                     (op == BinaryOp::kGe ? "true" : "false") + "; write " +
                     ToSource(*left.operands[0]) + " " + symbol + " " +
                     ToSource(*left.operands[1]));
  return true;
}

}  // namespace hologram::frontend
