// The rules of the value graph; those of floats are in value_signs.cc. Each keeps every bit of the
// result for all operands; a computed NaN is the canonical one, neg and abs work on the sign bit
// alone, min and max take a number over NaN. What is not here is not bit-exact: x is not x * 1,
// which makes the NaN that was loaded the canonical one, x * -1 and 0 - x differ from neg x,
// (a + b) + c from a + (b + c).
#include <array>

#include "base/check.h"
#include "isa/condition.h"
#include "sigmatics/values/value_graph.h"

namespace hologram::sigmatics {

using isa::Condition;
using isa::Opcode;
using isa::Type;

namespace {

uint64_t SignOf(Type type) {
  return uint64_t{1} << (isa::BitsOf(type) - 1);
}

}  // namespace

std::optional<NodeId> ValueGraph::Under(Opcode op, NodeId id) const {
  const Node& node = nodes_[id];
  if (node.kind != NodeKind::kOp || !node.variant.Is(op)) return std::nullopt;
  return node.sources[0];
}

bool ValueGraph::IsZero(NodeId id) const {
  if (const std::optional<double> value = FloatValue(id)) return *value == 0;
  return IsConstant(id, 0);
}

bool ValueGraph::IsConstant(NodeId id, uint64_t bits) const {
  return nodes_[id].kind == NodeKind::kLiteral && nodes_[id].number == bits;
}

std::optional<NodeId> ValueGraph::Simplified(const Variant& variant, Type type, Sources& sources) {
  switch (variant.kind) {
    case VariantKind::kCast: {
      if (nodes_[sources[0]].type == variant.type) return sources[0];
      sources[0] = AsOperand(sources[0]);
      const Node& operand = nodes_[sources[0]];
      // An integer that both types have is itself; all float types have those up to 256.
      if (operand.kind != NodeKind::kLiteral || !isa::IsInteger(operand.type)) return std::nullopt;
      const Literal number = LiteralOfBits(operand.number, operand.type);
      if (isa::IsFloat(variant.type) && number.magnitude > 256) return std::nullopt;
      return Constant(number, variant.type);
    }
    case VariantKind::kSelect:
      return SimplifiedSelect(type, sources);
    case VariantKind::kCompare:
      return SimplifiedCompare(variant.condition, type, sources);
    case VariantKind::kGelu:
    case VariantKind::kGeluErf:
    case VariantKind::kClamp:
      for (NodeId& source : sources) source = AsOperand(source);
      return std::nullopt;
    case VariantKind::kInstruction:
      break;
  }
  if (isa::IsInteger(type)) return SimplifiedInteger(variant.op, type, sources);
  return SimplifiedFloat(variant.op, type, sources);
}

bool ValueGraph::IsBool(NodeId id) const {
  const Node& node = nodes_[id];
  if (node.kind == NodeKind::kLiteral) return node.type == Type::kU8 && node.number <= 1;
  if (node.kind != NodeKind::kOp) return false;
  if (node.variant.kind == VariantKind::kCompare) return true;
  const bool joins = node.variant.Is(Opcode::kAnd) || node.variant.Is(Opcode::kOr) ||
                     node.variant.Is(Opcode::kXor);
  return joins && node.type == Type::kU8 && IsBool(node.sources[0]) && IsBool(node.sources[1]);
}

std::optional<NodeId> ValueGraph::Negated(NodeId id) {
  const Node node = nodes_[id];
  if (node.kind != NodeKind::kOp) return std::nullopt;
  if (node.variant.Is(Opcode::kXor) && IsConstant(node.sources[1], 1) && IsBool(id)) {
    return node.sources[0];
  }
  if (node.variant.kind != VariantKind::kCompare) return std::nullopt;
  // With NaN the negation of lt is not ge, but that of eq is ne.
  const Type type = nodes_[node.sources[0]].type;
  const Condition condition = node.variant.condition;
  const bool equality = condition == Condition::kEq || condition == Condition::kNe;
  if (isa::IsFloat(type) && !equality) return std::nullopt;
  return Apply(VariantOf(isa::Negated(condition)), type, node.sources);
}

std::optional<NodeId> ValueGraph::SimplifiedCompare(Condition condition, Type type,
                                                    const Sources& sources) {
  // x > y = y < x, x >= y = y <= x
  if (condition == Condition::kGt || condition == Condition::kGe) {
    return Apply(VariantOf(isa::Mirrored(condition)), type, {sources[1], sources[0]});
  }
  const Node& a = nodes_[sources[0]];
  const Node& b = nodes_[sources[1]];
  if (a.kind != NodeKind::kLiteral || b.kind != NodeKind::kLiteral) {
    if (!isa::IsFloat(type)) return std::nullopt;
    return ComparedFloats(condition, type, sources[0], sources[1]);
  }
  const auto holds = [&](const auto& x, const auto& y) {
    switch (condition) {
      case Condition::kEq:
        return x == y;
      case Condition::kNe:
        return x != y;
      case Condition::kLt:
        return x < y;
      default:
        return x <= y;
    }
  };
  const bool result = isa::IsFloat(type)
                          ? holds(ValueOfBits(a.number, type), ValueOfBits(b.number, type))
                          : holds(IntegerOfBits(a.number, type), IntegerOfBits(b.number, type));
  return Bits(result ? 1 : 0, Type::kU8);
}

std::optional<NodeId> ValueGraph::SimplifiedSelect(Type type, Sources& sources) {
  // select(neg c, x, y) = select(c, x, y): a sign makes nothing 0
  if (isa::IsFloat(nodes_[sources[0]].type)) sources[0] = SplitSign(sources[0]).core;
  const auto [condition, x, y] = std::array{sources[0], sources[1], sources[2]};
  if (x == y) return x;
  const Node test = nodes_[condition];
  if (test.kind == NodeKind::kLiteral) return IsZero(condition) ? y : x;
  if (test.kind != NodeKind::kOp) return std::nullopt;
  const auto select = [&](NodeId c, NodeId yes, NodeId no) {
    return Apply(SelectVariant(), type, {c, yes, no});
  };
  const bool against_zero = test.sources.size() == 2 && IsZero(test.sources[1]);
  if (test.variant.Is(Condition::kNe)) {
    if (against_zero)
      return select(test.sources[0], x, y);    // select(c != 0, x, y) = select(c, x, y)
    return select(*Negated(condition), y, x);  // select(a != b, x, y) = select(a == b, y, x)
  }
  // select(c == 0, x, y) = select(c, y, x)
  if (test.variant.Is(Condition::kEq) && against_zero) return select(test.sources[0], y, x);
  // select(a <= b, x, y) = select(b < a, y, x) for integers
  if (test.variant.Is(Condition::kLe)) {
    if (const auto other = Negated(condition)) return select(*other, y, x);
  }
  // select(not c, x, y) = select(c, y, x)
  if (test.variant.Is(Opcode::kXor)) {
    if (const auto other = Negated(condition)) return select(*other, y, x);
  }
  return std::nullopt;
}

// min(min(x, y), y) = min(x, y), the same for max
std::optional<NodeId> ValueGraph::Absorbed(Opcode op, const Sources& sources) const {
  for (size_t k = 0; k < 2; ++k) {
    const Node& inner = nodes_[sources[k]];
    if (inner.kind != NodeKind::kOp || !inner.variant.Is(op)) continue;
    if (inner.sources[0] == sources[1 - k] || inner.sources[1] == sources[1 - k]) return sources[k];
  }
  return std::nullopt;
}

// The opposite of a literal with the highest bit; of that bit alone it is itself.
std::optional<NodeId> ValueGraph::PositiveOf(NodeId id) {
  const Node& node = nodes_[id];
  if (node.kind != NodeKind::kLiteral || !isa::IsInteger(node.type)) return std::nullopt;
  const uint64_t sign = SignOf(node.type);
  if ((node.number & sign) == 0) return std::nullopt;
  return Bits((0 - node.number) & (sign | (sign - 1)), node.type);
}

// (z op a) op b = z op (a op b) for literals a and b, sums and differences together.
std::optional<NodeId> ValueGraph::FoldedChain(Opcode op, Type type, NodeId x, NodeId y) {
  const Node inner = nodes_[x];
  if (nodes_[y].kind != NodeKind::kLiteral || inner.kind != NodeKind::kOp) return std::nullopt;
  if (inner.sources.size() != 2) return std::nullopt;
  const bool is_sum = op == Opcode::kAdd || op == Opcode::kSub;
  const bool subtracts = inner.variant.Is(Opcode::kSub);
  if (is_sum && subtracts && nodes_[inner.sources[0]].kind == NodeKind::kLiteral) {
    const NodeId both = *FoldedInteger(op, type, inner.sources[0], y);
    return MakeOp(Opcode::kSub, type, {both, inner.sources[1]});
  }
  if (nodes_[inner.sources[1]].kind != NodeKind::kLiteral) return std::nullopt;
  if (!inner.variant.Is(op) && !(is_sum && (subtracts || inner.variant.Is(Opcode::kAdd)))) {
    return std::nullopt;
  }
  const NodeId a = inner.sources[1];
  if (!is_sum) {
    const std::optional<NodeId> both = FoldedInteger(op, type, a, y);
    if (!both) return std::nullopt;  // no such operation, as for /
    return MakeOp(op, type, {inner.sources[0], *both});
  }
  const NodeId zero = Bits(0, type);
  const NodeId first = subtracts ? *FoldedInteger(Opcode::kSub, type, zero, a) : a;
  return MakeOp(Opcode::kAdd, type, {inner.sources[0], *FoldedInteger(op, type, first, y)});
}

std::optional<NodeId> ValueGraph::FoldedInteger(Opcode op, Type type, NodeId x, NodeId y) {
  if (nodes_[x].kind != NodeKind::kLiteral || nodes_[y].kind != NodeKind::kLiteral) {
    return std::nullopt;
  }
  const uint64_t a = nodes_[x].number;
  const uint64_t b = nodes_[y].number;
  uint64_t result = 0;
  if (op == Opcode::kAdd) {
    result = a + b;
  } else if (op == Opcode::kSub) {
    result = a - b;
  } else if (op == Opcode::kMul) {
    result = a * b;
  } else if (op == Opcode::kAnd) {
    result = a & b;
  } else if (op == Opcode::kOr) {
    result = a | b;
  } else if (op == Opcode::kXor) {
    result = a ^ b;
  } else {
    return std::nullopt;
  }
  const uint64_t mask =
      isa::BitsOf(type) == 64 ? ~uint64_t{0} : (uint64_t{1} << isa::BitsOf(type)) - 1;
  return Bits(result & mask, type);
}

std::optional<NodeId> ValueGraph::SimplifiedInteger(Opcode op, Type type, Sources& sources) {
  const NodeId x = sources[0];
  const NodeId y = sources.size() > 1 ? sources[1] : x;
  if (sources.size() == 2) {
    if (const auto folded = FoldedInteger(op, type, x, y)) return folded;
    if (const auto folded = FoldedChain(op, type, x, y)) return folded;
  }
  const uint64_t ones = static_cast<uint64_t>(isa::MaxOf(type)) |
                        (isa::IsSignedInteger(type) ? uint64_t{1} << (isa::BitsOf(type) - 1) : 0);
  if (op == Opcode::kNeg || op == Opcode::kNot) {
    if (nodes_[x].kind == NodeKind::kLiteral && op == Opcode::kNeg) {
      return FoldedInteger(Opcode::kSub, type, Bits(0, type), x);
    }
    return Under(op, x);  // neg neg x = x, not not x = x
  }
  if (op == Opcode::kAbs) {
    if (Under(Opcode::kAbs, x)) return x;
  } else if (op == Opcode::kAdd) {
    if (IsConstant(y, 0)) return x;
    if (const auto other = PositiveOf(y); other && other != y) {
      return MakeOp(Opcode::kSub, type, {x, *other});
    }
    if (const auto negated = Under(Opcode::kNeg, y)) {
      return MakeOp(Opcode::kSub, type, {x, *negated});
    }
    if (const auto negated = Under(Opcode::kNeg, x)) {
      return MakeOp(Opcode::kSub, type, {y, *negated});
    }
  } else if (op == Opcode::kSub) {
    if (IsConstant(y, 0)) return x;
    if (x == y) return Bits(0, type);
    if (const auto negated = Under(Opcode::kNeg, y)) {
      return MakeOp(Opcode::kAdd, type, {x, *negated});
    }
    // neg x - y = neg y - x
    if (const auto first = Under(Opcode::kNeg, x); first && Before(y, *first)) {
      return MakeOp(Opcode::kSub, type, {MakeOp(Opcode::kNeg, type, {y}), *first});
    }
    // neg literal - y = neg y - literal
    if (const auto other = PositiveOf(x); other && other != x && isa::IsSignedInteger(type)) {
      return MakeOp(Opcode::kSub, type, {MakeOp(Opcode::kNeg, type, {y}), *other});
    }
    // x - literal = x + neg literal, and back, so that literals are positive
    if (const auto other = PositiveOf(y)) return MakeOp(Opcode::kAdd, type, {x, *other});
    // 0 - x = neg x
    if (IsConstant(x, 0) && isa::IsSignedInteger(type)) return MakeOp(Opcode::kNeg, type, {y});
  } else if (op == Opcode::kMul) {
    if (IsConstant(y, 1)) return x;
    if (IsConstant(y, 0)) return y;
  } else if (op == Opcode::kDiv) {
    if (IsConstant(y, 1)) return x;
  } else if (op == Opcode::kMin || op == Opcode::kMax) {
    if (x == y) return x;
    return Absorbed(op, sources);
  }
  if (op == Opcode::kAnd) {
    if (x == y || IsConstant(y, ones)) return x;
    if (IsConstant(y, 0)) return y;
  } else if (op == Opcode::kOr) {
    if (x == y || IsConstant(y, 0)) return x;
    if (IsConstant(y, ones)) return y;
  } else if (op == Opcode::kXor) {
    if (IsConstant(y, 0)) return x;
    if (x == y) return Bits(0, type);
    if (type == Type::kU8 && IsConstant(y, 1)) {
      // 1 - (a < b) = b <= a for integers, 1 - (a == b) = (a != b) for all types
      if (nodes_[x].kind == NodeKind::kOp && nodes_[x].variant.kind == VariantKind::kCompare) {
        if (const auto negated = Negated(x)) return negated;
      }
    }
  } else if (op == Opcode::kShl || op == Opcode::kShr) {
    if (IsConstant(y, 0)) return x;
  }
  return std::nullopt;
}

}  // namespace hologram::sigmatics
