// `//` and `%` floor for every type; DIV and REM of the machine truncate.
#include "frontend/lower/lowerer.h"
#include "frontend/lower/rules.h"

namespace hologram::frontend {

using isa::Condition;
using isa::Opcode;
using isa::Type;

int PowerOfTwo(const Expr& expr) {
  if (expr.kind != ExprKind::kLiteral || expr.constant.integer <= 0) return -1;
  for (int shift = 0; shift < 63; ++shift) {
    if (expr.constant.integer == static_cast<__int128>(1) << shift) return shift;
  }
  return -1;
}

isa::DebugLine Lowerer::FaultDebug(const Expr& expr) {
  isa::DebugLine debug{expr.at.line, expr.at.column, ToSource(expr), {}};
  CollectVariables(expr, debug.variables);
  return debug;
}

Lowerer::Value Lowerer::LowerFloorDivide(const Expr& expr, std::optional<uint8_t> dest) {
  const Type type = expr.type.number;
  if (isa::IsFloat(type)) return LowerFloatDivide(expr, dest);
  if (!isa::IsUnsigned(type)) {
    const int shift = PowerOfTwo(*expr.operands[1]);
    if (shift >= 0) return LowerDivideByPower(expr, static_cast<uint32_t>(shift), dest);
    return LowerSignedDivide(expr, dest);
  }
  const Value a = Lower(*expr.operands[0]);
  const Value b = Lower(*expr.operands[1]);
  Free(a);
  Free(b);
  const Value result = Dest(dest);
  emitter_.Emit({.op = expr.binary == BinaryOp::kMod ? Opcode::kRem : Opcode::kDiv,
                 .type = type,
                 .d = result.reg,
                 .a = a.reg,
                 .b = b.reg},
                FaultDebug(expr));
  return result;
}

// a // b = floor(a / b), a % b = a - b * (a // b), each step rounded.
Lowerer::Value Lowerer::LowerFloatDivide(const Expr& expr, std::optional<uint8_t> dest) {
  const Type type = expr.type.number;
  const bool mod = expr.binary == BinaryOp::kMod;
  const Value a = Lower(*expr.operands[0]);
  const Value b = Lower(*expr.operands[1]);
  const Value quotient =
      Apply(Opcode::kDiv, type, {a.reg, false}, {b.reg, false}, expr, std::nullopt);
  if (!mod) {
    Free(a);
    Free(b);
    return Apply(Opcode::kFloor, type, quotient, expr, dest);
  }
  const Value floored = Apply(Opcode::kFloor, type, quotient, expr, std::nullopt);
  const Value product = Apply(Opcode::kMul, type, b, floored, expr, std::nullopt);
  return Apply(Opcode::kSub, type, a, product, expr, dest);
}

// An arithmetic shift floors, and so does a mask.
Lowerer::Value Lowerer::LowerDivideByPower(const Expr& expr, uint32_t shift,
                                           std::optional<uint8_t> dest) {
  const Type type = expr.type.number;
  const Value a = Lower(*expr.operands[0]);
  if (expr.binary == BinaryOp::kMod) {
    const Constant mask = Constant::Int((static_cast<__int128>(1) << shift) - 1);
    return Apply(Opcode::kAnd, type, a, LowerConstant(type, mask, expr.at), expr, dest);
  }
  const Value count = LowerConstant(Type::kU32, Constant::Int(shift), expr.at);
  return Apply(Opcode::kShr, type, a, count, expr, dest);
}

// Where the remainder is not zero and has not the sign of the divisor, the quotient is one less and
// the remainder one divisor more.
Lowerer::Value Lowerer::LowerSignedDivide(const Expr& expr, std::optional<uint8_t> dest) {
  const Type type = expr.type.number;
  const bool mod = expr.binary == BinaryOp::kMod;
  const Value a = Lower(*expr.operands[0]);
  const Value b = Lower(*expr.operands[1]);
  const auto divide = [&](Opcode op) {
    const Value result = Dest(std::nullopt);
    emitter_.Emit({.op = op, .type = type, .d = result.reg, .a = a.reg, .b = b.reg},
                  FaultDebug(expr));
    return result;
  };
  const Value quotient = mod ? Value{} : divide(Opcode::kDiv);
  const Value remainder = divide(Opcode::kRem);
  const Value zero = LowerConstant(type, Constant::Int(0), expr.at);
  const auto set = [&](Condition condition, Value left) {
    const uint8_t predicate = emitter_.AllocatePredicate();
    emitter_.Emit({.op = Opcode::kSet,
                   .type = type,
                   .mod = static_cast<uint8_t>(condition),
                   .d = predicate,
                   .a = left.reg,
                   .b = zero.reg},
                  At(expr.at));
    return predicate;
  };
  const uint8_t inexact = set(Condition::kNe, remainder);
  const Value signs =
      Apply(Opcode::kXor, type, {remainder.reg, false}, {b.reg, false}, expr, std::nullopt);
  const uint8_t differ = set(Condition::kLt, signs);
  emitter_.Emit({.op = Opcode::kPand, .d = inexact, .a = inexact, .b = differ}, At(expr.at));
  Free(signs);
  Free(zero);
  Value rough = quotient;
  Value fixed;
  if (mod) {
    rough = remainder;
    fixed = Apply(Opcode::kAdd, type, {remainder.reg, false}, {b.reg, false}, expr, std::nullopt);
  } else {
    Free(remainder);
    const Value one = LowerConstant(type, Constant::Int(1), expr.at);
    fixed = Apply(Opcode::kSub, type, {quotient.reg, false}, one, expr, std::nullopt);
  }
  emitter_.FreePredicate(differ);
  emitter_.FreePredicate(inexact);
  Free(a);
  Free(b);
  Free(rough);
  Free(fixed);
  const Value result = Dest(dest);
  emitter_.Emit({.op = Opcode::kSel,
                 .type = type,
                 .d = result.reg,
                 .a = inexact,
                 .b = fixed.reg,
                 .c = rough.reg},
                At(expr.at));
  return result;
}

}  // namespace hologram::frontend
