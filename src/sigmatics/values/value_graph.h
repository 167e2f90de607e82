// The computation of a circuit: a graph of values in which equal values are one node, whatever the
// order and the names of the calls that made them.
//
// Apply brings every value into canonical form by rules that keep every bit of every result, NaNs
// included (value_rules.cc and value_signs.cc state them, tests/sigmatics/rules_proof_test.cc
// proves each). Nodes are ordered by what they are: inputs by number, then operations by depth and
// hash, scalars, literals. Tested by tests/sigmatics/kernel_form_test.cc.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/blake3.h"
#include "isa/type.h"
#include "sigmatics/lower/call.h"
#include "sigmatics/values/variant.h"

namespace hologram::sigmatics {

using NodeId = uint32_t;

// The number of the scalar that is the circuit's size, `$n` of `over n`, a u32.
inline constexpr uint64_t kSizeNumber = UINT64_MAX;

enum class NodeKind : uint8_t {
  kInput,   // what a buffer holds at first
  kOp,      // a variant of values
  kReduce,  // element 0 is a reduction of the first value, the rest is the second, if there is one;
            // of ReduceFma the reduction of both
  kSoftmax,  // over the whole value
  kScalar,
  kLiteral,
};

struct Node {
  NodeKind kind = NodeKind::kInput;
  isa::Type type = isa::Type::kF32;
  Variant variant;                            // of kOp
  CallKind reduction = CallKind::kReduceSum;  // of kReduce
  uint64_t number = 0;  // of inputs and scalars: which; of literals: the bits; else: the count or 0
  std::vector<NodeId> sources;
  bool is_constant = false;  // of scalars and literals alone
  bool is_number = false;    // ValueGraph::IsNumber
  uint32_t depth = 0;
  Hash hash;
};

// True of a reduction whose second source is what the other elements are.
inline bool KeepsRest(const Node& node) {
  return node.kind == NodeKind::kReduce && node.sources.size() == 2 &&
         node.reduction != CallKind::kReduceFma;
}

class ValueGraph {
 public:
  // `is_column`: it is one number for each row.
  NodeId Input(uint64_t number, isa::Type type, bool is_column = false);
  NodeId Scalar(uint64_t number, isa::Type type);
  // Nothing if the literal is not a value of the type.
  std::optional<NodeId> Constant(const Literal& literal, isa::Type type);
  NodeId Bits(uint64_t bits, isa::Type type);
  // From now on operations are as they are applied, each a value of its own: only what is computed
  // of literals alone is simplified.
  void KeepOperations() { keeps_operations_ = true; }
  // REQUIRES: as many sources as the variant takes, of types that it takes; `type` is that of the
  // result, of a comparison that of its sources.
  NodeId Apply(const Variant& variant, isa::Type type, std::vector<NodeId> sources);
  // A value with the sign flipped; of u8, with the highest bit flipped. REQUIRES: a float or u8.
  NodeId Marked(NodeId value);
  NodeId Reduced(CallKind reduction, NodeId source, std::optional<NodeId> rest, uint64_t count);
  // The sum of the products of two values, each added by an fma.
  NodeId ReducedProducts(NodeId a, NodeId b);
  // As one node, or after ExpandSoftmax() as e^(x - max) / sum of e^(x - max).
  NodeId Softmax(NodeId source, uint64_t count);
  void ExpandSoftmax() { expands_softmax_ = true; }

  // One number instead of a value for each element: a reduction, a column, and what is computed of
  // those, scalars and literals.
  bool IsNumber(NodeId id) const;

  const Node& node(NodeId id) const { return nodes_[id]; }
  bool Before(NodeId a, NodeId b) const;

 private:
  using Sources = std::vector<NodeId>;

  NodeId Make(Node node);
  NodeId MakeOp(isa::Opcode op, isa::Type type, Sources sources);
  // value_rules.cc: the value by a rule, or nothing if no rule applies (any more).
  std::optional<NodeId> Simplified(const Variant& variant, isa::Type type, Sources& sources);
  std::optional<NodeId> SimplifiedInteger(isa::Opcode op, isa::Type type, Sources& sources);
  std::optional<NodeId> SimplifiedCompare(isa::Condition condition, isa::Type type,
                                          const Sources& sources);
  std::optional<NodeId> SimplifiedSelect(isa::Type type, Sources& sources);
  std::optional<NodeId> FoldedInteger(isa::Opcode op, isa::Type type, NodeId x, NodeId y);
  std::optional<NodeId> Absorbed(isa::Opcode op, const Sources& sources) const;
  std::optional<NodeId> PositiveOf(NodeId id);
  std::optional<NodeId> FoldedChain(isa::Opcode op, isa::Type type, NodeId x, NodeId y);
  // A u8 that is 0 or 1: a comparison, or comparisons joined by and, or, xor.
  bool IsBool(NodeId id) const;
  // The bool that is 1 where this one is 0, if that is one value too.
  std::optional<NodeId> Negated(NodeId id);
  // The operand of a node that is `op` of one value.
  std::optional<NodeId> Under(isa::Opcode op, NodeId id) const;
  bool IsConstant(NodeId id, uint64_t bits) const;
  bool IsZero(NodeId id) const;  // either zero
  // The number that a float literal is; nothing for NaN.
  std::optional<double> FloatValue(NodeId id) const;

  // value_signs.cc: floats. A value is the core, or the core with the sign flipped, but for the
  // bits of a NaN; a core's core is itself.
  struct Signed {
    bool negative = false;
    NodeId core = 0;
  };
  std::optional<NodeId> SimplifiedFloat(isa::Opcode op, isa::Type type, Sources& sources);
  NodeId ComparedFloats(isa::Condition condition, isa::Type type, NodeId a, NodeId b);
  Signed SplitSign(NodeId id);
  NodeId AsOperand(NodeId id);
  NodeId Computed(Signed value);
  NodeId Sum(isa::Type type, Signed x, Signed y);
  NodeId CoreOfProduct(isa::Opcode op, isa::Type type, NodeId a, NodeId b);
  NodeId Doubled(NodeId core);
  NodeId UpToSign(NodeId core);
  NodeId Flipped(NodeId core);
  NodeId FlippedProduct(isa::Opcode op, isa::Type type, Sources sources);
  size_t BearerOf(NodeId a, NodeId b) const;
  bool HasFreeSign(NodeId core) const;
  bool HasCanonicalNan(NodeId id) const;
  NodeId Number(double value, isa::Type type);
  bool MayChange(const Sources& sources) const;
  // Without any rule.
  NodeId Raw(const Variant& variant, isa::Type type, Sources sources);
  NodeId Raw(isa::Opcode op, isa::Type type, Sources sources);

  bool expands_softmax_ = false;
  bool keeps_operations_ = false;
  std::unordered_map<NodeId, Signed> signs_;  // what SplitSign found
  std::vector<Node> nodes_;
  std::map<Hash, NodeId> index_;
};

// The bits of a number in a type; nothing if it does not fit. A float rounds to the nearest.
std::optional<uint64_t> BitsOfLiteral(const Literal& literal, isa::Type type);
// How a reduction combines two values. REQUIRES here and below: ReduceSum to ReduceFma.
isa::BlockOp BlockOpOf(CallKind reduction);
// isa::NeutralBits of that.
uint64_t IdentityOf(CallKind reduction, isa::Type type);
// REQUIRES: a float type.
double ValueOfBits(uint64_t bits, isa::Type type);
// REQUIRES: an integer type.
__int128 IntegerOfBits(uint64_t bits, isa::Type type);
// The literal with those bits: for floats the shortest text that gives them again.
Literal LiteralOfBits(uint64_t bits, isa::Type type);

}  // namespace hologram::sigmatics
