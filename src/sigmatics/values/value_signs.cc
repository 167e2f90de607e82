// The rules of floats. What is computed of a float does not depend on the bits of its NaN, so an
// operand may be replaced by one that differs in those alone. Up to them the sign of a product, a
// quotient or a doubled value is that of its factors, and x * 1, x / 1, x - 0 are x: an operand is
// a sign and a core that has none. Results are made of cores and one sign, which goes to a literal
// where there is one, so that what was written does not matter. tests/sigmatics has the proofs.
#include <array>
#include <cmath>

#include "base/check.h"
#include "isa/condition.h"
#include "sigmatics/values/value_graph.h"

namespace hologram::sigmatics {

using isa::Condition;
using isa::Opcode;
using isa::Type;

namespace {

bool IsProduct(const Node& node) {
  return node.kind == NodeKind::kOp &&
         (node.variant.Is(Opcode::kMul) || node.variant.Is(Opcode::kDiv));
}

bool IsDouble(const Node& node) {
  return node.kind == NodeKind::kOp && node.variant.Is(Opcode::kAdd) &&
         node.sources[0] == node.sources[1];
}

}  // namespace

std::optional<double> ValueGraph::FloatValue(NodeId id) const {
  const Node& node = nodes_[id];
  if (node.kind != NodeKind::kLiteral || !isa::IsFloat(node.type)) return std::nullopt;
  const double value = ValueOfBits(node.number, node.type);
  return std::isnan(value) ? std::nullopt : std::optional(value);
}

NodeId ValueGraph::Number(double value, Type type) {
  return *Constant(Literal::OfDouble(value), type);
}

NodeId ValueGraph::Raw(const Variant& variant, Type type, Sources sources) {
  Node node;
  node.kind = NodeKind::kOp;
  node.type = ResultType(variant, type);
  node.variant = variant;
  node.sources = std::move(sources);
  if (keeps_operations_) node.number = nodes_.size();  // unlike all others
  return Make(std::move(node));
}

NodeId ValueGraph::Raw(Opcode op, Type type, Sources sources) {
  return Raw(VariantOf(op), type, std::move(sources));
}

// Its NaN, if it is one, is the canonical one: it was computed, not loaded, and not negated.
bool ValueGraph::HasCanonicalNan(NodeId id) const {
  const Node& node = nodes_[id];
  if (FloatValue(id)) return true;
  if (node.kind != NodeKind::kOp) return false;
  if (node.variant.Is(Opcode::kNeg)) return false;
  if (node.variant.Is(Opcode::kAbs)) {  // of no other abs
    const Node& inner = nodes_[node.sources[0]];
    return !inner.variant.Is(Opcode::kAbs) && HasCanonicalNan(node.sources[0]);
  }
  return node.variant.kind != VariantKind::kSelect;
}

// Sources were split when they became sources, so this does not go deep.
ValueGraph::Signed ValueGraph::SplitSign(NodeId id) {
  if (const auto known = signs_.find(id); known != signs_.end()) return known->second;
  const Node node = nodes_[id];
  Signed split = {false, id};
  if (const std::optional<double> value = FloatValue(id)) {
    if (std::signbit(*value)) split = {true, Flipped(id)};
  } else if (node.kind == NodeKind::kOp && isa::IsFloat(node.type)) {
    if (node.variant.Is(Opcode::kNeg)) {
      const Signed inner = SplitSign(node.sources[0]);
      split = {!inner.negative, inner.core};
    } else if (IsProduct(node)) {
      const Signed a = SplitSign(node.sources[0]);
      const Signed b = SplitSign(node.sources[1]);
      const NodeId core = CoreOfProduct(node.variant.op, node.type, a.core, b.core);
      split = {a.negative != b.negative, core};
    } else if (node.variant.Is(Opcode::kSub)) {
      const Signed a = SplitSign(node.sources[0]);
      const Signed b = SplitSign(node.sources[1]);
      if (a.negative && !b.negative && a.core == b.core) {
        split = {true, Doubled(a.core)};
      }
    }
  }
  signs_.emplace(id, split);
  signs_.emplace(split.core, Signed{false, split.core});
  return split;
}

// Its sign is a literal's: to change it takes no operation.
bool ValueGraph::HasFreeSign(NodeId core) const {
  if (FloatValue(core)) return true;
  const Node& node = nodes_[core];
  return IsProduct(node) && (FloatValue(node.sources[0]) || FloatValue(node.sources[1]));
}

// The operand with the other sign; the bits of a NaN may be any.
NodeId ValueGraph::Flipped(NodeId core) {
  const Node node = nodes_[core];
  if (FloatValue(core)) {
    return Bits(node.number ^ (uint64_t{1} << (isa::BitsOf(node.type) - 1)), node.type);
  }
  if (HasFreeSign(core)) return FlippedProduct(node.variant.op, node.type, node.sources);
  return Raw(Opcode::kNeg, node.type, {core});
}

// The first of two cores that carries a sign at no cost, else the first: 0 or 1.
size_t ValueGraph::BearerOf(NodeId a, NodeId b) const {
  if (FloatValue(b)) return 1;
  return !HasFreeSign(a) && HasFreeSign(b) ? 1 : 0;
}

// One factor has the other sign.
NodeId ValueGraph::FlippedProduct(Opcode op, Type type, Sources sources) {
  NodeId& bearer = sources[BearerOf(sources[0], sources[1])];
  bearer = Flipped(bearer);
  return Raw(op, type, std::move(sources));
}

// One value for those that differ in the sign only, that of a zero included: y - x is x - y here,
// neg x - y is x + y, x + 0 and abs x are x.
NodeId ValueGraph::UpToSign(NodeId core) {
  for (;;) {
    const Node node = nodes_[core];
    if (node.kind != NodeKind::kOp) return core;
    NodeId other = core;
    if (node.variant.Is(Opcode::kAbs)) {
      other = SplitSign(node.sources[0]).core;
    } else if (node.variant.Is(Opcode::kAdd) || node.variant.Is(Opcode::kSub)) {
      const Signed x = SplitSign(node.sources[0]);
      const NodeId y = node.sources[1];
      if (FloatValue(x.core) == 0.0) {
        other = y;
      } else if (FloatValue(y) == 0.0) {
        other = x.core;
      } else if (x.negative) {
        other = Sum(node.type, {false, x.core}, {false, y});
      } else if (node.variant.Is(Opcode::kSub) && Before(y, x.core)) {
        other = Sum(node.type, {false, y}, {true, x.core});
      }
    }
    if (other == core) return core;
    core = other;
  }
}

// x + x; of a literal, the number, since nothing is rounded.
NodeId ValueGraph::Doubled(NodeId core) {
  const Type type = nodes_[core].type;
  if (const std::optional<double> value = FloatValue(core)) return Number(2 * *value, type);
  return Raw(Opcode::kAdd, type, {core, core});
}

// a * b or a / b up to the bits of a NaN.
NodeId ValueGraph::CoreOfProduct(Opcode op, Type type, NodeId a, NodeId b) {
  const auto value = [&](NodeId id) { return FloatValue(id); };
  if (op == Opcode::kDiv) {
    if (!value(b)) return Raw(op, type, {a, b});
    if (value(b) == 1.0) return a;  // x / 1 = x
    // x / 2^k = x * 2^-k, where both powers are normal numbers of the type
    int exponent = 0;
    const int limit = type == Type::kF16 ? 14 : type == Type::kF64 ? 1022 : 126;
    if (std::frexp(*value(b), &exponent) != 0.5 || std::abs(exponent - 1) > limit) {
      return Raw(op, type, {a, b});
    }
    return CoreOfProduct(Opcode::kMul, type, a, Number(1 / *value(b), type));
  }
  if (a == b) a = b = UpToSign(a);
  if (Before(b, a)) std::swap(a, b);
  if (value(b) == 1.0) return a;  // x * 1 = x
  if (value(a) == 1.0) return b;
  if (value(b) == 2.0) return Doubled(a);  // x * 2 = x + x
  if (value(a) == 2.0) return Doubled(b);
  return Raw(op, type, {a, b});
}

// The value of a sign and a core whose NaN is the canonical one.
NodeId ValueGraph::Computed(Signed value) {
  const Node node = nodes_[value.core];
  if (!value.negative && HasCanonicalNan(value.core)) return value.core;
  if (value.negative && FloatValue(value.core)) return Flipped(value.core);
  if (value.negative && IsProduct(node)) {
    return FlippedProduct(node.variant.op, node.type, node.sources);
  }
  if (value.negative && IsDouble(node)) {  // x * -2 = neg x - x
    return Raw(Opcode::kSub, node.type, {Flipped(node.sources[0]), node.sources[0]});
  }
  const double unit = value.negative ? -1.0 : 1.0;
  return Raw(Opcode::kMul, node.type, {value.core, Number(unit, node.type)});
}

NodeId ValueGraph::Sum(Type type, Signed x, Signed y) {
  // x + -0 = x
  for (const auto& [zero, other] : {std::pair(y, x), std::pair(x, y)}) {
    if (zero.negative && FloatValue(zero.core) == 0.0) return Computed(other);
  }
  if (x.negative == y.negative && x.core == y.core) {
    return Computed({x.negative, Doubled(x.core)});
  }
  if (x.negative && !y.negative) std::swap(x, y);
  if (y.negative && !x.negative) return Raw(Opcode::kSub, type, {x.core, y.core});
  if (Before(y.core, x.core)) std::swap(x, y);
  if (!x.negative) return Raw(Opcode::kAdd, type, {x.core, y.core});
  // neg x - y = neg y - x
  if (BearerOf(x.core, y.core) == 1) std::swap(x, y);
  return Raw(Opcode::kSub, type, {Flipped(x.core), y.core});
}

// The operand as one of an instruction to which the bits of a NaN are nothing.
NodeId ValueGraph::AsOperand(NodeId id) {
  if (!isa::IsFloat(nodes_[id].type)) return id;
  const Signed split = SplitSign(id);
  return split.negative ? Flipped(split.core) : split.core;
}

NodeId ValueGraph::ComparedFloats(Condition condition, Type type, NodeId a, NodeId b) {
  Signed x = SplitSign(a);
  Signed y = SplitSign(b);
  // Both zeros are one number.
  if (FloatValue(x.core) == 0.0) x.negative = y.negative;
  if (FloatValue(y.core) == 0.0) y.negative = x.negative;
  // neg x < neg y = y < x
  if (x.negative && y.negative) {
    std::swap(x, y);
    x.negative = y.negative = false;
  }
  std::array<NodeId, 2> sources = {x.core, y.core};
  const bool is_equality = condition == Condition::kEq || condition == Condition::kNe;
  if (x.negative != y.negative) {
    // x < neg y = y < neg x, neg x < y = neg y < x
    if (Before(sources[1], sources[0])) std::swap(sources[0], sources[1]);
    if (BearerOf(sources[0], sources[1]) == 1) std::swap(sources[0], sources[1]);
    sources[0] = Flipped(sources[0]);
    if (y.negative && !is_equality) std::swap(sources[0], sources[1]);
  }
  if (is_equality && Before(sources[1], sources[0])) std::swap(sources[0], sources[1]);
  return Raw(VariantOf(condition), type, {sources[0], sources[1]});
}

std::optional<NodeId> ValueGraph::SimplifiedFloat(Opcode op, Type type, Sources& sources) {
  if (op == Opcode::kNeg) {
    if (FloatValue(sources[0])) return Flipped(sources[0]);
    return Under(Opcode::kNeg, sources[0]);  // neg neg x = x
  }
  if (op == Opcode::kAbs) {
    if (const std::optional<double> value = FloatValue(sources[0])) {
      return Number(std::fabs(*value), type);
    }
    if (Under(Opcode::kAbs, sources[0])) return sources[0];  // abs abs x = abs x
    // abs neg x = abs x
    if (const auto inner = Under(Opcode::kNeg, sources[0])) {
      return MakeOp(Opcode::kAbs, type, {*inner});
    }
    // abs(neg x * y) = abs(x * y)
    if (!HasCanonicalNan(sources[0])) return std::nullopt;
    const NodeId positive = Computed({false, UpToSign(SplitSign(sources[0]).core)});
    if (positive == sources[0]) return std::nullopt;
    return MakeOp(Opcode::kAbs, type, {positive});
  }
  if (op == Opcode::kAdd) return Sum(type, SplitSign(sources[0]), SplitSign(sources[1]));
  if (op == Opcode::kSub) {
    Signed y = SplitSign(sources[1]);
    y.negative = !y.negative;
    return Sum(type, SplitSign(sources[0]), y);
  }
  if (op == Opcode::kMul || op == Opcode::kDiv) {
    const Signed x = SplitSign(sources[0]);
    const Signed y = SplitSign(sources[1]);
    return Computed({x.negative != y.negative, CoreOfProduct(op, type, x.core, y.core)});
  }
  if (op == Opcode::kFma || op == Opcode::kMad) {
    Signed x = SplitSign(sources[0]);
    Signed y = SplitSign(sources[1]);
    const Signed z = SplitSign(sources[2]);
    const bool negative = x.negative != y.negative;
    // x * y + -0 = x * y
    if (z.negative && FloatValue(z.core) == 0.0) {
      return Computed({negative, CoreOfProduct(Opcode::kMul, type, x.core, y.core)});
    }
    // x * 1 + y = x + y
    for (const auto& [one, other] : {std::pair(y, x), std::pair(x, y)}) {
      if (FloatValue(one.core) == 1.0) return Sum(type, {negative, other.core}, z);
    }
    if (x.core == y.core) x.core = y.core = UpToSign(x.core);
    if (Before(y.core, x.core)) std::swap(x, y);
    std::array<NodeId, 2> factors = {x.core, y.core};
    if (negative) {
      NodeId& bearer = factors[BearerOf(x.core, y.core)];
      bearer = Flipped(bearer);
    }
    return Raw(op, type, {factors[0], factors[1], AsOperand(sources[2])});
  }
  if (op == Opcode::kMin || op == Opcode::kMax) {
    for (NodeId& source : sources) source = AsOperand(source);
    if (sources[0] == sources[1]) return Computed(SplitSign(sources[0]));  // min(x, x) = x
    if (Before(sources[1], sources[0])) std::swap(sources[0], sources[1]);
    return Absorbed(op, sources);
  }
  for (NodeId& source : sources) source = AsOperand(source);
  return std::nullopt;
}

}  // namespace hologram::sigmatics
