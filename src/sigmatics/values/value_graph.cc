#include "sigmatics/values/value_graph.h"

#include <algorithm>
#include <span>

#include "base/check.h"

namespace hologram::sigmatics {

using isa::Opcode;
using isa::Type;

NodeId ValueGraph::Input(uint64_t number, Type type, bool is_column) {
  Node node;
  node.kind = NodeKind::kInput;
  node.type = type;
  node.number = number;
  node.is_number = is_column;
  return Make(std::move(node));
}

NodeId ValueGraph::Scalar(uint64_t number, Type type) {
  Node node;
  node.kind = NodeKind::kScalar;
  node.type = type;
  node.number = number;
  return Make(std::move(node));
}

NodeId ValueGraph::Bits(uint64_t bits, Type type) {
  Node node;
  node.kind = NodeKind::kLiteral;
  node.type = type;
  node.number = bits;
  return Make(std::move(node));
}

std::optional<NodeId> ValueGraph::Constant(const Literal& literal, Type type) {
  const std::optional<uint64_t> bits = BitsOfLiteral(literal, type);
  if (!bits) return std::nullopt;
  return Bits(*bits, type);
}

NodeId ValueGraph::Apply(const Variant& variant, Type type, std::vector<NodeId> sources) {
  HOLOGRAM_CHECK(sources.size() == NumSources(variant));
  if (!MayChange(sources)) return Raw(variant, type, std::move(sources));
  if (IsCommutative(variant) && Before(sources[1], sources[0])) std::swap(sources[0], sources[1]);
  if (const std::optional<NodeId> simpler = Simplified(variant, type, sources)) return *simpler;
  return Raw(variant, type, std::move(sources));
}

bool ValueGraph::MayChange(const Sources& sources) const {
  return !keeps_operations_ || std::all_of(sources.begin(), sources.end(), [&](NodeId id) {
    return nodes_[id].kind == NodeKind::kLiteral;
  });
}

NodeId ValueGraph::MakeOp(Opcode op, Type type, Sources sources) {
  return Apply(VariantOf(op), type, std::move(sources));
}

NodeId ValueGraph::Marked(NodeId value) {
  const Type type = nodes_[value].type;
  HOLOGRAM_CHECK(isa::IsFloat(type) || type == Type::kU8);
  if (type == Type::kU8) return MakeOp(Opcode::kXor, type, {value, Bits(0x80, type)});
  return MakeOp(Opcode::kNeg, type, {value});
}

NodeId ValueGraph::Reduced(CallKind reduction, NodeId source, std::optional<NodeId> rest,
                           uint64_t count) {
  Node node;
  node.kind = NodeKind::kReduce;
  node.type = nodes_[source].type;
  node.reduction = reduction;
  node.number = count;
  node.sources = {source};
  if (rest) node.sources.push_back(*rest);
  return Make(std::move(node));
}

NodeId ValueGraph::ReducedProducts(NodeId a, NodeId b) {
  Node node;
  node.kind = NodeKind::kReduce;
  node.type = nodes_[a].type;
  node.reduction = CallKind::kReduceFma;
  node.sources = {a, b};
  if (!keeps_operations_ && Before(b, a)) std::swap(node.sources[0], node.sources[1]);
  return Make(std::move(node));
}

NodeId ValueGraph::Softmax(NodeId source, uint64_t count) {
  if (expands_softmax_) {
    const Type type = nodes_[source].type;
    const NodeId top = Reduced(CallKind::kReduceMax, source, std::nullopt, count);
    const NodeId power = MakeOp(Opcode::kExp, type, {MakeOp(Opcode::kSub, type, {source, top})});
    const NodeId total = Reduced(CallKind::kReduceSum, power, std::nullopt, count);
    return MakeOp(Opcode::kDiv, type, {power, total});
  }
  Node node;
  node.kind = NodeKind::kSoftmax;
  node.type = nodes_[source].type;
  node.number = count;
  node.sources = {source};
  return Make(std::move(node));
}

NodeId ValueGraph::Make(Node node) {
  std::vector<uint8_t> key = {static_cast<uint8_t>(node.kind), static_cast<uint8_t>(node.type),
                              static_cast<uint8_t>(node.reduction)};
  if (node.kind == NodeKind::kOp) {
    for (const char c : TextOf(node.variant)) key.push_back(static_cast<uint8_t>(c));
    key.push_back(0);
  }
  for (int byte = 0; byte < 8; ++byte) {
    key.push_back(static_cast<uint8_t>(node.number >> (8 * byte)));
  }
  for (NodeId source : node.sources) {
    const Hash& hash = nodes_[source].hash;
    key.insert(key.end(), hash.bytes.begin(), hash.bytes.end());
    node.depth = std::max(node.depth, nodes_[source].depth + 1);
  }
  node.hash = Blake3(key);
  if (node.kind == NodeKind::kReduce) node.is_number = !KeepsRest(node);
  node.is_constant = node.kind == NodeKind::kScalar || node.kind == NodeKind::kLiteral;
  if (node.kind == NodeKind::kOp) {
    const auto constant = [&](NodeId id) { return nodes_[id].is_constant; };
    const auto single = [&](NodeId id) { return nodes_[id].is_number || constant(id); };
    node.is_constant = std::all_of(node.sources.begin(), node.sources.end(), constant);
    node.is_number =
        !node.is_constant && std::all_of(node.sources.begin(), node.sources.end(), single);
  }
  const auto [at, is_new] = index_.emplace(node.hash, static_cast<NodeId>(nodes_.size()));
  if (is_new) nodes_.push_back(std::move(node));
  return at->second;
}

bool ValueGraph::IsNumber(NodeId id) const {
  return nodes_[id].is_number;
}

bool ValueGraph::Before(NodeId a, NodeId b) const {
  const Node& first = nodes_[a];
  const Node& second = nodes_[b];
  const auto rank = [](const Node& node) {
    switch (node.kind) {
      case NodeKind::kInput:
        return 0;
      case NodeKind::kScalar:
        return 2;
      case NodeKind::kLiteral:
        return 3;
      default:
        return 1;
    }
  };
  if (rank(first) != rank(second)) return rank(first) < rank(second);
  if (first.depth != second.depth) return first.depth < second.depth;
  if (rank(first) != 1 && first.number != second.number) return first.number < second.number;
  return first.hash < second.hash;
}

}  // namespace hologram::sigmatics
