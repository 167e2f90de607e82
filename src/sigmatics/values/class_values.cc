#include "sigmatics/values/class_values.h"

#include <utility>

namespace hologram::sigmatics {
namespace {

using isa::Type;

std::string Named(Type type) {
  return std::string(isa::NameOf(type));
}

bool IsClass(const Operand& operand) {
  return operand.kind == Operand::Kind::kSigil;
}

}  // namespace

ClassValues::ClassValues(ValueGraph& graph, const Header* header) : graph_(graph), header_(header) {
  if (header == nullptr) return;
  uint64_t number = 0;
  for (const HeaderParameter& parameter : header->inputs) {
    if (!parameter.is_scalar) {
      values_[parameter.buffer.index()] =
          graph.Input(number++, parameter.type, parameter.is_column);
    }
  }
  for (const HeaderParameter& parameter : header->outputs) {
    declared_[parameter.buffer.index()] = parameter.type;
  }
}

std::optional<NodeId> ClassValues::at(SigilClass c) {
  std::optional<NodeId>& value = values_[c.index()];
  if (!value && header_ == nullptr) value = graph_.Input(c.index(), Type::kF32);
  return value;
}

CircuitError ClassValues::Wrong(const Call& call, std::string message) const {
  return {ErrorKind::kSemantic, call.column, std::move(message)};
}

Checked<NodeId> ClassValues::Read(const Operand& operand, const Call& call) {
  const SigilClass c = operand.sigil.base;
  if (!at(c)) {
    return Wrong(call, Print(c) + " is read before it is written, and is no input of the header");
  }
  return *values_[c.index()];
}

Checked<Type> ClassValues::TypeOf(const Operand& operand, const Call& call) {
  if (operand.kind == Operand::Kind::kLiteral) return operand.literal.own_type();
  if (IsClass(operand)) {
    HOLOGRAM_ASSIGN_OR_RETURN(const NodeId value, Read(operand, call));
    return graph_.node(value).type;
  }
  if (header_ == nullptr) {
    return Wrong(call, "$" + operand.scalar + " needs a header, as in (f32 c00, f32 $" +
                           operand.scalar + ") -> (f32 c01) over n ...");
  }
  if (operand.scalar == header_->size) return Type::kU32;
  for (const HeaderParameter& parameter : header_->inputs) {
    if (parameter.is_scalar && parameter.scalar == operand.scalar) return parameter.type;
  }
  return Wrong(call, "the header has no scalar $" + operand.scalar);
}

Checked<NodeId> ClassValues::ReadAs(const Operand& operand, Type type, const Call& call) {
  if (operand.kind == Operand::Kind::kLiteral) {
    const std::optional<NodeId> constant = graph_.Constant(operand.literal, type);
    if (constant) return *constant;
    return Wrong(call, TextOf(operand.literal) + " is no " + Named(type));
  }
  HOLOGRAM_ASSIGN_OR_RETURN(const Type found, TypeOf(operand, call));
  if (found != type) {
    return Wrong(call, Print(operand) + " is " + Named(found) + ", expected " + Named(type) +
                           "; a cast is written merge:" + Named(type) + "@" + Print(operand) + "[" +
                           Print(operand) + ",c95]");
  }
  if (IsClass(operand)) return Read(operand, call);
  if (operand.scalar == header_->size) return graph_.Scalar(kSizeNumber, type);
  uint64_t number = 0;
  for (const HeaderParameter& parameter : header_->inputs) {
    if (!parameter.is_scalar) continue;
    if (parameter.scalar == operand.scalar) break;
    ++number;
  }
  return graph_.Scalar(number, type);
}

std::optional<CircuitError> ClassValues::Run(const Call& call) {
  const auto paged = [](const Operand& operand) {
    return IsClass(operand) && operand.sigil.page.has_value();
  };
  for (const Operand& source : call.sources) {
    if (paged(source)) return Wrong(call, "memory mode: classes have no pages; leave out the @");
  }
  if (paged(call.destination)) {
    return Wrong(call, "memory mode: classes have no pages; leave out the @");
  }
  std::optional<NodeId>& destination = values_[call.destination.sigil.base.index()];
  switch (call.kind) {
    case CallKind::kMark: {
      const Checked<NodeId> value = Read(call.destination, call);
      if (!value.ok()) return value.error();
      const Type type = graph_.node(value.value()).type;
      if (!isa::IsFloat(type) && type != Type::kU8) {
        return Wrong(call, "mark flips signs of floats and the highest bit of u8; " +
                               Print(call.destination) + " is " + Named(type));
      }
      destination = graph_.Marked(value.value());
      return std::nullopt;
    }
    case CallKind::kSwap: {
      for (const Operand& operand : {call.sources[0], call.destination}) {
        const Checked<NodeId> value = Read(operand, call);
        if (!value.ok()) return value.error();
      }
      std::swap(destination, values_[call.sources[0].sigil.base.index()]);
      return std::nullopt;
    }
    case CallKind::kCopy: {
      const Operand& source = call.sources[0];
      const std::optional<Type> declared = declared_[call.destination.sigil.base.index()];
      const Checked<Type> found = TypeOf(source, call);
      if (!found.ok()) return found.error();
      const bool bare = source.kind == Operand::Kind::kLiteral && !source.literal.type;
      const Checked<NodeId> value =
          ReadAs(source, bare && declared ? *declared : found.value(), call);
      if (!value.ok()) return value.error();
      destination = value.value();
      return std::nullopt;
    }
    case CallKind::kMerge:
    case CallKind::kSplit:
      return RunVariant(call);
    case CallKind::kReduceSum:
    case CallKind::kReduceMin:
    case CallKind::kReduceMax:
    case CallKind::kReduceProd:
    case CallKind::kReduceAnd:
    case CallKind::kReduceOr:
    case CallKind::kReduceXor:
    case CallKind::kReduceFma:
    case CallKind::kSoftmax:
      return RunReduction(call);
    case CallKind::kQuote:
    case CallKind::kEvaluate:
    case CallKind::kMarkRange:
    case CallKind::kMergeRange:
    case CallKind::kQuoteRange:
    case CallKind::kEvaluateRange:
      break;
  }
  HOLOGRAM_CHECK(false);  // a resolved circuit has none of these
  return std::nullopt;
}

std::optional<CircuitError> ClassValues::RunVariant(const Call& call) {
  const Variant& variant = call.variant;
  // The type comes from the first class or scalar whose type matters, else from a literal.
  std::optional<Type> type;
  for (const bool literals : {false, true}) {
    for (uint32_t i = 0; i < call.sources.size() && !type; ++i) {
      if (AcceptsAnyType(variant, i) || IsShiftAmount(variant, i)) continue;
      if ((call.sources[i].kind == Operand::Kind::kLiteral) != literals) continue;
      const Checked<Type> found = TypeOf(call.sources[i], call);
      if (!found.ok()) return found.error();
      type = found.value();
    }
  }
  if (variant.kind == VariantKind::kCast) type = variant.type;
  if (!HasType(variant, *type)) {
    return Wrong(call, TextOf(variant) + " has no " + Named(*type) + " form");
  }
  std::vector<NodeId> sources;
  for (uint32_t i = 0; i < call.sources.size(); ++i) {
    Type wanted = *type;
    if (IsShiftAmount(variant, i)) {
      wanted = Type::kU32;
    } else if (AcceptsAnyType(variant, i)) {
      const Checked<Type> found = TypeOf(call.sources[i], call);
      if (!found.ok()) return found.error();
      wanted = found.value();
    }
    const Checked<NodeId> source = ReadAs(call.sources[i], wanted, call);
    if (!source.ok()) return source.error();
    sources.push_back(source.value());
  }
  const NodeId value = graph_.Apply(variant, *type, std::move(sources));
  const Node& node = graph_.node(value);
  if (node.kind == NodeKind::kOp && MayFault(node.variant, node.type)) {
    const Node& divisor = graph_.node(node.sources[1]);
    if (divisor.kind != NodeKind::kLiteral || divisor.number == 0) faulting_.push_back(value);
  }
  values_[call.destination.sigil.base.index()] = value;
  return std::nullopt;
}

std::optional<CircuitError> ClassValues::RunReduction(const Call& call) {
  const std::string name(NameOf(call.kind));
  std::vector<NodeId> sources;
  for (const Operand& operand : call.sources) {
    if (!IsClass(operand)) {
      return Wrong(call, name + " takes a class, found " + Print(operand));
    }
    const Checked<NodeId> source = Read(operand, call);
    if (!source.ok()) return source.error();
    if (graph_.IsNumber(source.value())) {
      return Wrong(call, name + " takes a vector, and " + Print(operand) + " holds one number");
    }
    sources.push_back(source.value());
  }
  std::optional<NodeId>& destination = values_[call.destination.sigil.base.index()];
  const uint64_t count = call.count.value_or(0);
  const Type type = graph_.node(sources[0]).type;
  if (call.kind == CallKind::kSoftmax) {
    if (!isa::IsFloat(type)) return Wrong(call, "softmax has no " + Named(type) + " form");
    destination = graph_.Softmax(sources[0], count);
    return std::nullopt;
  }
  if (!isa::Contains(isa::InfoOf(FoldOf(call.kind)).types, type)) {
    return Wrong(call, name + " has no " + Named(type) + " form");
  }
  std::optional<NodeId> rest = at(call.destination.sigil.base);
  if (rest && graph_.node(*rest).kind == NodeKind::kReduce) {
    // A reduction over a reduction leaves what was behind both.
    const Node& before = graph_.node(*rest);
    rest = KeepsRest(before) ? std::optional(before.sources[1]) : std::nullopt;
  }
  if (call.kind == CallKind::kReduceFma) return RunProducts(call, sources, rest.has_value());
  if (rest && graph_.node(*rest).type != type) {
    return Wrong(call, Print(call.destination) + " is " + Named(graph_.node(*rest).type) +
                           ", the sum of its element 0 would be " + Named(type));
  }
  destination = graph_.Reduced(call.kind, sources[0], rest, count);
  return std::nullopt;
}

std::optional<CircuitError> ClassValues::RunProducts(const Call& call,
                                                     const std::vector<NodeId>& sources,
                                                     bool keeps_rest) {
  if (header_ == nullptr || header_->lanes == 0) {
    return Wrong(call,
                 "ReduceFma adds one product after the other: the header says by how many lanes, "
                 "as in (f32 c00, f32 c01) -> (f32 c02) over n by 64 ...");
  }
  const Type type = graph_.node(sources[0]).type;
  if (graph_.node(sources[1]).type != type) {
    return Wrong(call, Print(call.sources[1]) + " is " + Named(graph_.node(sources[1]).type) +
                           ", expected " + Named(type));
  }
  if (keeps_rest) {
    return Wrong(call, "ReduceFma into " + Print(call.destination) + ", which holds a vector");
  }
  values_[call.destination.sigil.base.index()] = graph_.ReducedProducts(sources[0], sources[1]);
  return std::nullopt;
}

}  // namespace hologram::sigmatics
