// The values of expressions, as lower_expression.cc and its neighbours compute them: the same
// steps, rounded the same way.
#include <bit>

#include "frontend/builtins.h"
#include "frontend/lower/rules.h"
#include "frontend/raise/analysis.h"
#include "frontend/raise/circuit.h"

namespace hologram::frontend {

using isa::Condition;
using isa::Opcode;
using isa::Type;
using sigmatics::NodeId;
using sigmatics::NodeKind;
using sigmatics::Variant;
using sigmatics::VariantOf;

NodeId KernelAnalysis::Apply(const Variant& variant, Type type, std::vector<NodeId> sources,
                             Position at) {
  if (obstacle_) return sources[0];
  if (++operations_ > kMaxCircuitOperations) {
    return Fail(at, "more than " + std::to_string(kMaxCircuitOperations) + " operations");
  }
  const NodeId value = graph_.Apply(variant, type, std::move(sources));
  const sigmatics::Node& node = graph_.node(value);
  if (node.kind == NodeKind::kOp && MayFault(node.variant, node.type)) {
    const sigmatics::Node& divisor = graph_.node(node.sources[1]);
    if (divisor.kind != NodeKind::kLiteral || divisor.number == 0) {
      if (conditions_ != 0) {
        return Fail(at, "a division of integers under a condition, which would fault without it");
      }
      faulting_.push_back(value);
    }
  }
  return value;
}

NodeId KernelAnalysis::Apply(Opcode op, Type type, std::vector<NodeId> sources, Position at) {
  return Apply(VariantOf(op), type, std::move(sources), at);
}

NodeId KernelAnalysis::Select(NodeId condition, NodeId yes, NodeId no, Position at) {
  if (yes == no) return yes;
  return Apply(sigmatics::SelectVariant(), graph_.node(yes).type, {condition, yes, no}, at);
}

NodeId KernelAnalysis::Number(Type type, Constant constant) {
  const uint32_t bits = isa::BitsOf(type);
  const uint64_t mask = bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
  return graph_.Bits(BitsOf(constant, type) & mask, type);
}

NodeId KernelAnalysis::Value(const Expr& expr) {
  if (obstacle_) return graph_.Bits(0, Type::kU8);
  switch (expr.kind) {
    case ExprKind::kLiteral:
      return Number(expr.type.register_type(), expr.constant);
    case ExprKind::kVar:
      return Variable(expr);
    case ExprKind::kOldElement:
      return *old_element_;
    case ExprKind::kBinary:
      return Binary(expr);
    case ExprKind::kCompareChain:
      return Chain(expr);
    case ExprKind::kAnd:
    case ExprKind::kOr:
      return Logic(expr);
    case ExprKind::kUnary:
      return Unary(expr);
    case ExprKind::kIfExpr:
      return IfExpr(expr);
    case ExprKind::kIndex:
      return Load(expr);
    case ExprKind::kCall:
      return CallOf(expr);
    case ExprKind::kConvert:
      return Convert(expr);
    case ExprKind::kInline:
      RunHelper(*expr.inlined);
      return Local(expr.inlined->results[0], expr.at);
    default:
      return Fail(expr.at, "this expression");
  }
}

NodeId KernelAnalysis::Variable(const Expr& expr) {
  const Symbol& variable = symbol(expr.symbol);
  if (variable.from_shape) return Fail(expr.at, "the extent of an array");
  if (variable.kind == Symbol::Kind::kScalar) {
    if (expr.symbol == size_) return graph_.Scalar(sigmatics::kSizeNumber, Type::kU32);
    return parameters_[variable.number];
  }
  if (IsIndex(expr)) return Fail(expr.at, "the element number '" + expr.name + "' as a value");
  return Local(expr.symbol, expr.at);
}

NodeId KernelAnalysis::Local(int index, Position at) {
  const auto found = state_.locals.find(index);
  if (obstacle_ || found == state_.locals.end()) {
    return Fail(at, "'" + symbol(index).name + "', which some way here gives no value");
  }
  return found->second.value;
}

NodeId KernelAnalysis::Load(const Expr& expr) {
  const Symbol& array = symbol(expr.symbol);
  if (array.kind != Symbol::Kind::kArray) return Fail(expr.at, "memory of a block or a lane");
  if (!IsIndex(*expr.operands[0])) {
    return Fail(expr.at, "another element than the lane's own, " + ToSource(expr));
  }
  if (!guarded_) return Fail(expr.at, "an element that is read before the guard");
  const auto known = state_.elements.find(expr.symbol);
  if (known != state_.elements.end()) return known->second.value;
  loaded_.insert(expr.symbol);
  const NodeId value = parameters_[static_cast<size_t>(expr.symbol)];
  state_.elements[expr.symbol] = {value, false};
  return value;
}

// ---- Operators

NodeId KernelAnalysis::Binary(const Expr& expr) {
  const Position at = expr.at;
  if (IsComparison(expr.binary)) {
    const Type type = expr.operands[0]->type.register_type();
    const NodeId a = Value(*expr.operands[0]);
    const NodeId b = Value(*expr.operands[1]);
    return Apply(VariantOf(ConditionOf(expr.binary)), type, {a, b}, at);
  }
  const Type type = expr.type.number;
  if (expr.binary == BinaryOp::kFloorDiv || expr.binary == BinaryOp::kMod) return Divide(expr);
  if (expr.binary == BinaryOp::kPow && expr.operands[1]->type.is_soft()) return Power(expr);
  const bool sum = expr.binary == BinaryOp::kAdd || expr.binary == BinaryOp::kSub;
  const bool left = IsProduct(*expr.operands[0]);
  const bool fuses =
      kernel_.contract && sum && isa::IsFloat(type) && (left || IsProduct(*expr.operands[1]));
  if (fuses) {
    const Expr& product = *expr.operands[left ? 0 : 1];
    NodeId addend = Value(*expr.operands[left ? 1 : 0]);
    NodeId a = Value(*product.operands[0]);
    const NodeId b = Value(*product.operands[1]);
    if (expr.binary == BinaryOp::kSub) {
      NodeId& negated = left ? addend : a;
      negated = Apply(Opcode::kNeg, type, {negated}, at);
    }
    return Apply(Opcode::kFma, type, {a, b, addend}, at);
  }
  const NodeId a = Value(*expr.operands[0]);
  NodeId b = Value(*expr.operands[1]);
  const bool shift = expr.binary == BinaryOp::kShl || expr.binary == BinaryOp::kShr;
  if (shift && type != Type::kU32) {
    if (expr.operands[1]->kind == ExprKind::kLiteral) {  // a number is no operation
      b = graph_.Bits(graph_.node(b).number & 0xffff'ffffU, Type::kU32);
    } else {
      b = Apply(sigmatics::CastTo(Type::kU32), Type::kU32, {b}, at);
    }
  }
  return Apply(OpcodeOf(expr.binary), type, {a, b}, at);
}

NodeId KernelAnalysis::Divide(const Expr& expr) {
  const Position at = expr.at;
  const Type type = expr.type.number;
  const bool mod = expr.binary == BinaryOp::kMod;
  const NodeId a = Value(*expr.operands[0]);
  const int shift = PowerOfTwo(*expr.operands[1]);
  if (isa::IsSignedInteger(type) && shift >= 0) {  // an arithmetic shift floors, and so does a mask
    if (!mod) {
      return Apply(Opcode::kShr, type, {a, Number(Type::kU32, Constant::Int(shift))}, at);
    }
    const Constant mask = Constant::Int((static_cast<__int128>(1) << shift) - 1);
    return Apply(Opcode::kAnd, type, {a, Number(type, mask)}, at);
  }
  const NodeId b = Value(*expr.operands[1]);
  if (isa::IsUnsigned(type)) {
    return Apply(mod ? Opcode::kRem : Opcode::kDiv, type, {a, b}, at);
  }
  if (isa::IsFloat(type)) {
    const NodeId quotient = Apply(Opcode::kDiv, type, {a, b}, at);
    const NodeId floored = Apply(Opcode::kFloor, type, {quotient}, at);
    if (!mod) return floored;
    return Apply(Opcode::kSub, type, {a, Apply(Opcode::kMul, type, {b, floored}, at)}, at);
  }
  // Where the remainder is not zero and has not the sign of the divisor, the quotient is one less
  // and the remainder one divisor more.
  const NodeId quotient = mod ? NodeId{0} : Apply(Opcode::kDiv, type, {a, b}, at);
  const NodeId remainder = Apply(Opcode::kRem, type, {a, b}, at);
  const NodeId zero = Number(type, Constant::Int(0));
  const NodeId inexact = Apply(VariantOf(Condition::kNe), type, {remainder, zero}, at);
  const NodeId signs = Apply(Opcode::kXor, type, {remainder, b}, at);
  const NodeId differ = Apply(VariantOf(Condition::kLt), type, {signs, zero}, at);
  const NodeId both = Apply(Opcode::kAnd, Type::kU8, {inexact, differ}, at);
  const NodeId rough = mod ? remainder : quotient;
  const NodeId fixed =
      mod ? Apply(Opcode::kAdd, type, {remainder, b}, at)
          : Apply(Opcode::kSub, type, {quotient, Number(type, Constant::Int(1))}, at);
  return Select(both, fixed, rough, at);
}

// By squaring, from the highest bit of the exponent down.
NodeId KernelAnalysis::Power(const Expr& expr) {
  const Type type = expr.type.number;
  const __int128 exponent = expr.operands[1]->constant.integer;
  const auto magnitude = static_cast<uint32_t>(exponent < 0 ? -exponent : exponent);
  const NodeId base = Value(*expr.operands[0]);
  NodeId power = base;
  for (uint32_t bit = std::bit_floor(magnitude) >> 1; bit != 0; bit >>= 1) {
    power = Apply(Opcode::kMul, type, {power, power}, expr.at);
    if ((magnitude & bit) != 0) power = Apply(Opcode::kMul, type, {power, base}, expr.at);
  }
  if (exponent >= 0) return power;
  return Apply(Opcode::kDiv, type, {Number(type, Constant::Int(1)), power}, expr.at);
}

NodeId KernelAnalysis::Unary(const Expr& expr) {
  const NodeId operand = Value(*expr.operands[0]);
  if (expr.unary == UnaryOp::kNot) {
    const NodeId one = Number(Type::kU8, Constant::Int(1));
    return Apply(Opcode::kXor, Type::kU8, {operand, one}, expr.at);
  }
  const Type type = expr.type.number;
  if (expr.unary == UnaryOp::kInvert) return Apply(Opcode::kNot, type, {operand}, expr.at);
  if (!isa::IsUnsigned(type)) return Apply(Opcode::kNeg, type, {operand}, expr.at);
  return Apply(Opcode::kSub, type, {Number(type, Constant::Int(0)), operand}, expr.at);
}

// What the first operands decide is not evaluated, so what follows them is under a condition.
NodeId KernelAnalysis::Logic(const Expr& expr) {
  const Opcode op = expr.kind == ExprKind::kAnd ? Opcode::kAnd : Opcode::kOr;
  NodeId all = Value(*expr.operands[0]);
  ++conditions_;
  for (size_t k = 1; k < expr.operands.size(); ++k) {
    all = Apply(op, Type::kU8, {all, Value(*expr.operands[k])}, expr.at);
  }
  --conditions_;
  return all;
}

NodeId KernelAnalysis::Chain(const Expr& expr) {
  std::optional<NodeId> all;
  NodeId left = Value(*expr.operands[0]);
  const int outer = conditions_;
  for (size_t k = 0; k < expr.chain.size(); ++k) {
    const Type type = expr.operands[k + 1]->type.register_type();
    const NodeId right = Value(*expr.operands[k + 1]);
    const NodeId one = Apply(VariantOf(ConditionOf(expr.chain[k])), type, {left, right}, expr.at);
    all = all ? Apply(Opcode::kAnd, Type::kU8, {*all, one}, expr.at) : one;
    left = right;
    conditions_ = outer + 1;
  }
  conditions_ = outer;
  return *all;
}

NodeId KernelAnalysis::IfExpr(const Expr& expr) {
  const Expr& test = *expr.operands[0];
  if (test.kind == ExprKind::kLiteral) {
    return Value(*expr.operands[test.constant.integer != 0 ? 1 : 2]);
  }
  const NodeId condition = Value(test);
  ++conditions_;
  const NodeId yes = Value(*expr.operands[1]);
  const NodeId no = Value(*expr.operands[2]);
  --conditions_;
  return Select(condition, yes, no, expr.at);
}

// ---- Calls and conversions

NodeId KernelAnalysis::CallOf(const Expr& expr) {
  const Builtin& builtin = *expr.builtin;
  const Type type = expr.type.register_type();
  std::vector<NodeId> operands;
  const auto evaluate = [&] {
    for (const ExprPtr& operand : expr.operands) operands.push_back(Value(*operand));
  };
  switch (builtin.kind) {
    case BuiltinKind::kAbs:
    case BuiltinKind::kMinMax:
    case BuiltinKind::kFma:
      evaluate();
      return Apply(builtin.op, type, std::move(operands), expr.at);
    case BuiltinKind::kFloatMath:
      evaluate();
      return Apply(VariantOf(builtin.op, expr.fast), type, std::move(operands), expr.at);
    case BuiltinKind::kSelect:
      evaluate();
      return Select(operands[0], operands[1], operands[2], expr.at);
    case BuiltinKind::kId:
      if (IsIndex(expr))
        return Fail(expr.at, "the element number " + ToSource(expr) + " as a value");
      return Fail(expr.at, ToSource(expr));
    default:
      return Fail(expr.at, expr.name + "()");
  }
}

NodeId KernelAnalysis::Convert(const Expr& expr) {
  const Expr& operand = *expr.operands[0];
  const Type from = operand.type.register_type();
  const Type to = expr.type.number;
  NodeId value = Value(operand);
  if (from == to) return value;
  if (expr.saturates && isa::IsInteger(from) && isa::IsInteger(to)) {
    if (isa::MinOf(from) < isa::MinOf(to)) {
      const NodeId least = Number(from, Constant::Int(isa::MinOf(to)));
      value = Apply(Opcode::kMax, from, {value, least}, expr.at);
    }
    if (isa::MaxOf(from) > isa::MaxOf(to)) {
      const NodeId most = Number(from, Constant::Int(isa::MaxOf(to)));
      value = Apply(Opcode::kMin, from, {value, most}, expr.at);
    }
  }
  return Apply(sigmatics::CastTo(to), to, {value}, expr.at);
}

}  // namespace hologram::frontend
