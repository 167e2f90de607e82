// The rules of the value graph. Each keeps every bit of the result for all operands; a computed NaN
// is the canonical one, neg and abs work on the sign bit alone, min and max take a number over NaN.
// What is not here is not bit-exact: x * 1 keeps the payload of a NaN that was loaded, x * -1 and
// 0 - x differ from neg x, (a + b) + c from a + (b + c).
#include <array>
#include <cmath>

#include "base/check.h"
#include "isa/condition.h"
#include "sigmatics/value_graph.h"

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

std::optional<double> ValueGraph::FloatValue(NodeId id) const {
  const Node& node = nodes_[id];
  if (node.kind != NodeKind::kLiteral) return std::nullopt;
  if (!isa::IsFloat(node.type)) return std::nullopt;
  const double value = ValueOfBits(node.number, node.type);
  return std::isnan(value) ? std::nullopt : std::optional(value);
}

// Its NaN, if it is one, is the canonical one: it was computed, not loaded, and not negated.
bool ValueGraph::HasCanonicalNan(NodeId id) const {
  const Node& node = nodes_[id];
  if (node.kind != NodeKind::kOp || node.variant.kind != VariantKind::kInstruction) return false;
  switch (node.variant.op) {
    case Opcode::kAdd:
    case Opcode::kSub:
    case Opcode::kMul:
    case Opcode::kDiv:
    case Opcode::kFma:
    case Opcode::kMad:
    case Opcode::kMin:
    case Opcode::kMax:
    case Opcode::kSqrt:
      return true;
    default:
      return false;
  }
}

std::optional<NodeId> ValueGraph::Simplified(const Variant& variant, Type type, Sources& sources) {
  switch (variant.kind) {
    case VariantKind::kCast: {
      const Node& operand = nodes_[sources[0]];
      if (operand.type == variant.type) return sources[0];
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
      return std::nullopt;
    case VariantKind::kInstruction:
      break;
  }
  if (isa::IsInteger(type)) return SimplifiedInteger(variant.op, type, sources);
  if (const auto simpler = SimplifiedFloat(variant.op, type, sources)) return simpler;
  return SimplifiedSigns(variant.op, type, sources);
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
  if (a.kind != NodeKind::kLiteral || b.kind != NodeKind::kLiteral) return std::nullopt;
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

std::optional<NodeId> ValueGraph::SimplifiedSelect(Type type, const Sources& sources) {
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

// x of neg x; of a negative literal, which is the neg of a positive one, that one.
std::optional<NodeId> ValueGraph::BareOf(NodeId id) {
  const std::optional<double> value = FloatValue(id);
  if (!value) return Under(Opcode::kNeg, id);
  if (!std::signbit(*value)) return std::nullopt;
  return Bits(nodes_[id].number ^ SignOf(nodes_[id].type), nodes_[id].type);
}

// y * z of neg y * z, y / z of neg y / z, y + y of neg y - y, which is y * -2: the same number with
// the other sign.
std::optional<NodeId> ValueGraph::WithoutSign(NodeId id) {
  const Node node = nodes_[id];
  if (node.kind != NodeKind::kOp) return std::nullopt;
  const Opcode op = node.variant.op;
  if (node.variant.Is(Opcode::kSub) && BareOf(node.sources[0]) == node.sources[1]) {
    return MakeOp(Opcode::kAdd, node.type, {node.sources[1], node.sources[1]});
  }
  if (!node.variant.Is(Opcode::kMul) && !node.variant.Is(Opcode::kDiv)) return std::nullopt;
  for (size_t k = 0; k < 2; ++k) {
    const std::optional<NodeId> bare = BareOf(node.sources[k]);
    if (!bare) continue;
    Sources sources = node.sources;
    sources[k] = *bare;
    return MakeOp(op, node.type, std::move(sources));
  }
  return std::nullopt;
}

// Signs move as long as no zero and no NaN can tell.
std::optional<NodeId> ValueGraph::SimplifiedSigns(Opcode op, Type type, Sources& sources) {
  if (op == Opcode::kNeg || op == Opcode::kAbs) {
    const std::optional<NodeId> inner = Under(Opcode::kNeg, sources[0]);
    if (inner && op == Opcode::kNeg) return inner;           // neg neg x = x
    if (inner) return MakeOp(Opcode::kAbs, type, {*inner});  // abs neg x = abs x
  }
  // neg (neg y * z) = y * z and neg (y * z) = neg y * z beside + and -, where no NaN can tell
  for (size_t k = 0; k < 2 && (op == Opcode::kAdd || op == Opcode::kSub); ++k) {
    const std::optional<NodeId> inner = Under(Opcode::kNeg, sources[k]);
    if (!inner) continue;
    std::optional<NodeId> product = WithoutSign(*inner);
    const Node node = nodes_[*inner];
    if (!product && (node.variant.Is(Opcode::kMul) || node.variant.Is(Opcode::kDiv))) {
      const NodeId flipped = MakeOp(Opcode::kNeg, type, {node.sources[0]});
      product = MakeOp(node.variant.op, type, {flipped, node.sources[1]});
    }
    if (!product) continue;
    Sources moved = sources;
    moved[k] = *product;
    return MakeOp(op, type, std::move(moved));
  }
  const std::optional<NodeId> first = BareOf(sources[0]);
  const std::optional<NodeId> second = sources.size() > 1 ? BareOf(sources[1]) : std::nullopt;
  switch (op) {
    case Opcode::kNeg:
      if (FloatValue(sources[0])) return Bits(nodes_[sources[0]].number ^ SignOf(type), type);
      break;
    case Opcode::kAbs:
      if (Under(Opcode::kAbs, sources[0])) return sources[0];  // abs abs x = abs x
      if (FloatValue(sources[0])) return Bits(nodes_[sources[0]].number & ~SignOf(type), type);
      break;
    case Opcode::kAdd:
      // x + neg y = x - y, neg x + y = y - x
      if (second) return MakeOp(Opcode::kSub, type, {sources[0], *second});
      if (first) return MakeOp(Opcode::kSub, type, {sources[1], *first});
      // x + (neg y * z) = x - (y * z), the same for /
      if (const auto bare = WithoutSign(sources[1])) {
        return MakeOp(Opcode::kSub, type, {sources[0], *bare});
      }
      if (const auto bare = WithoutSign(sources[0])) {
        return MakeOp(Opcode::kSub, type, {sources[1], *bare});
      }
      break;
    case Opcode::kSub: {
      // x - neg y = x + y, neg x - y = neg y - x, x - (neg y * z) = x + (y * z)
      if (second) return MakeOp(Opcode::kAdd, type, {sources[0], *second});
      if (const auto bare = WithoutSign(sources[1])) {
        return MakeOp(Opcode::kAdd, type, {sources[0], *bare});
      }
      const std::optional<NodeId> bare = first ? first : WithoutSign(sources[0]);
      if (bare && Before(sources[1], *bare)) {
        return MakeOp(Opcode::kSub, type, {MakeOp(Opcode::kNeg, type, {sources[1]}), *bare});
      }
      break;
    }
    case Opcode::kMul:
    case Opcode::kDiv:
    case Opcode::kFma:
    case Opcode::kMad:
      // neg x * neg y = x * y; x * neg y = neg x * y, also inside fma, and x / neg y = neg x / y.
      // One sign goes to a literal, else to what comes first.
      if (first || second) {
        std::array<NodeId, 2> bare = {first.value_or(sources[0]), second.value_or(sources[1])};
        if (op != Opcode::kDiv && Before(bare[1], bare[0])) std::swap(bare[0], bare[1]);
        if (!first || !second) {
          NodeId& bearer = FloatValue(bare[1]) ? bare[1] : bare[0];
          bearer = MakeOp(Opcode::kNeg, type, {bearer});
        }
        Sources moved = sources;
        moved[0] = bare[0];
        moved[1] = bare[1];
        if (op != Opcode::kDiv && Before(moved[1], moved[0])) std::swap(moved[0], moved[1]);
        if (moved != sources) return Apply(VariantOf(op), type, moved);
      }
      break;
    default:
      break;
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

// The opposite of a negative literal; of the least number that is itself.
std::optional<NodeId> ValueGraph::PositiveOf(NodeId id) {
  const Node& node = nodes_[id];
  if (node.kind != NodeKind::kLiteral || !isa::IsSignedInteger(node.type)) return std::nullopt;
  const uint64_t sign = SignOf(node.type);
  if ((node.number & sign) == 0) return std::nullopt;
  return Bits((0 - node.number) & (sign | (sign - 1)), node.type);
}

std::optional<NodeId> ValueGraph::FoldedInteger(Opcode op, Type type, NodeId x, NodeId y) {
  if (nodes_[x].kind != NodeKind::kLiteral || nodes_[y].kind != NodeKind::kLiteral) {
    return std::nullopt;
  }
  const uint64_t a = nodes_[x].number;
  const uint64_t b = nodes_[y].number;
  uint64_t result = 0;
  switch (op) {
    case Opcode::kAdd:
      result = a + b;
      break;
    case Opcode::kSub:
      result = a - b;
      break;
    case Opcode::kMul:
      result = a * b;
      break;
    case Opcode::kAnd:
      result = a & b;
      break;
    case Opcode::kOr:
      result = a | b;
      break;
    case Opcode::kXor:
      result = a ^ b;
      break;
    default:
      return std::nullopt;
  }
  const uint64_t mask =
      isa::BitsOf(type) == 64 ? ~uint64_t{0} : (uint64_t{1} << isa::BitsOf(type)) - 1;
  return Bits(result & mask, type);
}

std::optional<NodeId> ValueGraph::SimplifiedFloat(Opcode op, Type type, Sources& sources) {
  const NodeId x = sources[0];
  const std::optional<double> constant =
      sources.size() == 2 ? FloatValue(sources[1]) : std::nullopt;
  switch (op) {
    case Opcode::kAdd:
      // x + -0 = x for a computed x
      if (constant && *constant == 0 && std::signbit(*constant) && HasCanonicalNan(x)) return x;
      break;
    case Opcode::kSub:
      // x - +0 = x for a computed x
      if (constant && *constant == 0 && !std::signbit(*constant) && HasCanonicalNan(x)) return x;
      break;
    case Opcode::kMul:
      // 2 * y = y * 2 of two literals, which are in the order of their bits
      if (constant && std::fabs(*constant) != 2.0 && FloatValue(x) &&
          std::fabs(*FloatValue(x)) == 2.0) {
        std::swap(sources[0], sources[1]);
        return SimplifiedFloat(op, type, sources);
      }
      if (constant == 1.0 && HasCanonicalNan(x)) return x;             // x * 1 = x, x computed
      if (constant == 2.0) return MakeOp(Opcode::kAdd, type, {x, x});  // x * 2 = x + x
      // x * -2 = neg x * 2
      if (constant == -2.0) {
        return MakeOp(Opcode::kSub, type, {MakeOp(Opcode::kNeg, type, {x}), x});
      }
      break;
    case Opcode::kDiv: {
      if (!constant) break;
      if (*constant == 1.0 && HasCanonicalNan(x)) return x;  // x / 1 = x, x computed
      // x / 2^k = x * 2^-k, where both powers are normal numbers of the type
      int exponent = 0;
      if (std::fabs(std::frexp(*constant, &exponent)) != 0.5 || std::fabs(*constant) == 1.0) break;
      const int limit = type == Type::kF16 ? 14 : type == Type::kF64 ? 1022 : 126;
      if (std::abs(exponent - 1) > limit) break;
      return MakeOp(Opcode::kMul, type, {x, *Constant(Literal::OfDouble(1 / *constant), type)});
    }
    case Opcode::kMin:
    case Opcode::kMax:
      if (x == sources[1] && HasCanonicalNan(x)) return x;  // min(x, x) = x for a computed x
      return Absorbed(op, sources);
    default:
      break;
  }
  return std::nullopt;
}

std::optional<NodeId> ValueGraph::SimplifiedInteger(Opcode op, Type type, Sources& sources) {
  const NodeId x = sources[0];
  const NodeId y = sources.size() > 1 ? sources[1] : x;
  if (sources.size() == 2) {
    if (const auto folded = FoldedInteger(op, type, x, y)) return folded;
  }
  const uint64_t ones = static_cast<uint64_t>(isa::MaxOf(type)) |
                        (isa::IsSignedInteger(type) ? uint64_t{1} << (isa::BitsOf(type) - 1) : 0);
  switch (op) {
    case Opcode::kNeg:
    case Opcode::kNot:
      if (nodes_[x].kind == NodeKind::kLiteral && op == Opcode::kNeg) {
        return FoldedInteger(Opcode::kSub, type, Bits(0, type), x);
      }
      return Under(op, x);  // neg neg x = x, not not x = x
    case Opcode::kAbs:
      if (Under(Opcode::kAbs, x)) return x;
      break;
    case Opcode::kAdd:
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
      break;
    case Opcode::kSub:
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
      if (const auto other = PositiveOf(x); other && other != x) {
        return MakeOp(Opcode::kSub, type, {MakeOp(Opcode::kNeg, type, {y}), *other});
      }
      // x - literal = x + neg literal, and back, so that literals are positive
      if (const auto other = PositiveOf(y)) return MakeOp(Opcode::kAdd, type, {x, *other});
      // 0 - x = neg x
      if (IsConstant(x, 0) && isa::IsSignedInteger(type)) return MakeOp(Opcode::kNeg, type, {y});
      break;
    case Opcode::kMul:
      if (IsConstant(y, 1)) return x;
      if (IsConstant(y, 0)) return y;
      break;
    case Opcode::kDiv:
      if (IsConstant(y, 1)) return x;
      break;
    case Opcode::kMin:
    case Opcode::kMax:
      if (x == y) return x;
      return Absorbed(op, sources);
    case Opcode::kAnd:
      if (x == y || IsConstant(y, ones)) return x;
      if (IsConstant(y, 0)) return y;
      break;
    case Opcode::kOr:
      if (x == y || IsConstant(y, 0)) return x;
      if (IsConstant(y, ones)) return y;
      break;
    case Opcode::kXor: {
      if (IsConstant(y, 0)) return x;
      if (x == y) return Bits(0, type);
      if (type == Type::kU8 && IsConstant(y, 1)) {
        // 1 - (a < b) = b <= a for integers, 1 - (a == b) = (a != b) for all types
        if (nodes_[x].kind == NodeKind::kOp && nodes_[x].variant.kind == VariantKind::kCompare) {
          if (const auto negated = Negated(x)) return negated;
        }
      }
      // (z ^ a) ^ b = z ^ (a ^ b) for literals a and b
      const Node& inner = nodes_[x];
      const bool both = nodes_[y].kind == NodeKind::kLiteral && inner.kind == NodeKind::kOp &&
                        inner.variant.Is(Opcode::kXor) &&
                        nodes_[inner.sources[1]].kind == NodeKind::kLiteral;
      if (!both) break;
      const NodeId z = inner.sources[0];
      const uint64_t bits = nodes_[inner.sources[1]].number ^ nodes_[y].number;
      return MakeOp(Opcode::kXor, type, {z, Bits(bits, type)});
    }
    case Opcode::kShl:
    case Opcode::kShr:
      if (IsConstant(y, 0)) return x;
      break;
    default:
      break;
  }
  return std::nullopt;
}

}  // namespace hologram::sigmatics
