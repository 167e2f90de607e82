#include "sigmatics/lower/call.h"

namespace hologram::sigmatics {
namespace {

Generator GeneratorOf(CallKind kind) {
  switch (kind) {
    case CallKind::kMark:
    case CallKind::kMarkRange:
      return Generator::kMark;
    case CallKind::kCopy:
      return Generator::kCopy;
    case CallKind::kSwap:
      return Generator::kSwap;
    case CallKind::kMerge:
    case CallKind::kMergeRange:
      return Generator::kMerge;
    case CallKind::kSplit:
      return Generator::kSplit;
    case CallKind::kQuote:
    case CallKind::kQuoteRange:
      return Generator::kQuote;
    case CallKind::kEvaluate:
    case CallKind::kEvaluateRange:
      return Generator::kEvaluate;
    case CallKind::kReduceSum:
      return Generator::kReduceSum;
    case CallKind::kReduceMin:
      return Generator::kReduceMin;
    case CallKind::kReduceMax:
      return Generator::kReduceMax;
    case CallKind::kReduceProd:
      return Generator::kReduceProd;
    case CallKind::kReduceAnd:
      return Generator::kReduceAnd;
    case CallKind::kReduceOr:
      return Generator::kReduceOr;
    case CallKind::kReduceXor:
      return Generator::kReduceXor;
    case CallKind::kReduceFma:
      return Generator::kReduceFma;
    case CallKind::kSoftmax:
      return Generator::kSoftmax;
  }
  return Generator::kMark;
}

Operation OperationOf(const Call& call) {
  Operation operation;
  operation.generator = GeneratorOf(call.kind);
  operation.count = call.count;
  operation.operands = call.sources;
  operation.ranges = call.ranges;
  switch (operation.generator) {
    case Generator::kMark:
    case Generator::kQuote:
    case Generator::kEvaluate:
      operation.form = Operation::Form::kSigil;
      break;
    case Generator::kSwap:
      operation.form = Operation::Form::kExchange;
      break;
    case Generator::kMerge:
    case Generator::kSplit: {
      operation.form = Operation::Form::kBracket;
      const bool split = operation.generator == Generator::kSplit;
      if (!call.variant.Is(split ? isa::Opcode::kSub : isa::Opcode::kAdd)) {
        operation.variant = call.variant;
      }
      if (operation.operands.size() == 1) operation.operands.push_back(operation.operands[0]);
      break;
    }
    case Generator::kReduceFma:
      operation.form = Operation::Form::kBracket;
      break;
    case Generator::kCopy:
    case Generator::kReduceSum:
    case Generator::kReduceMin:
    case Generator::kReduceMax:
    case Generator::kReduceProd:
    case Generator::kReduceAnd:
    case Generator::kReduceOr:
    case Generator::kReduceXor:
    case Generator::kSoftmax:
      operation.form = Operation::Form::kArrow;
      break;
  }
  if (call.ranges.empty()) {
    operation.operands.push_back(call.destination);
  } else {
    operation.form = call.ranges.size() == 1 ? Operation::Form::kRange : Operation::Form::kRanges;
  }
  return operation;
}

}  // namespace

isa::Opcode FoldOf(CallKind reduction) {
  switch (reduction) {
    case CallKind::kReduceMin:
      return isa::Opcode::kMin;
    case CallKind::kReduceMax:
      return isa::Opcode::kMax;
    case CallKind::kReduceProd:
      return isa::Opcode::kMul;
    case CallKind::kReduceAnd:
      return isa::Opcode::kAnd;
    case CallKind::kReduceOr:
      return isa::Opcode::kOr;
    case CallKind::kReduceXor:
      return isa::Opcode::kXor;
    case CallKind::kReduceFma:
      return isa::Opcode::kFma;
    default:
      return isa::Opcode::kAdd;
  }
}

bool IsOrderFree(CallKind reduction, isa::Type type) {
  return isa::IsInteger(type) || reduction == CallKind::kReduceMin ||
         reduction == CallKind::kReduceMax;
}

Circuit CircuitOf(const std::vector<Call>& calls, const std::optional<Header>& header) {
  Circuit circuit;
  circuit.header = header;
  Sequence sequence;
  for (const Call& call : calls) {
    Term term;
    term.operation = OperationOf(call);
    sequence.terms.push_back(std::move(term));
  }
  circuit.branches.push_back(std::move(sequence));
  return circuit;
}

bool Footprint::IsIndependentOf(const Footprint& other) const {
  return (writes & (other.writes | other.reads)).none() && (reads & other.writes).none();
}

void Footprint::Add(const Footprint& other) {
  reads |= other.reads;
  writes |= other.writes;
}

Footprint FootprintOf(const Call& call) {
  Footprint footprint;
  for (const Operand& source : call.sources) {
    if (source.kind == Operand::Kind::kSigil) footprint.reads.set(source.sigil.base.index());
  }
  const uint8_t destination = call.destination.sigil.base.index();
  footprint.writes.set(destination);
  if (call.kind == CallKind::kMark || call.kind == CallKind::kSwap) {
    footprint.reads.set(destination);
  }
  if (call.kind == CallKind::kSwap) footprint.writes |= footprint.reads;
  return footprint;
}

std::vector<CallField> FieldsOf(const Call& call) {
  std::vector<CallField> fields;
  const auto add = [&](const std::string& name, uint64_t number) {
    fields.push_back({name, std::to_string(number), true});
  };
  const auto add_operand = [&](const std::string& name, const Operand& operand) {
    if (operand.kind != Operand::Kind::kSigil) {
      fields.push_back({name, Print(operand), false});
      return;
    }
    add(name, operand.sigil.base.index());
    if (operand.sigil.page) add(name == "class" ? "page" : "page_" + name, *operand.sigil.page);
  };
  constexpr const char* kRangePrefixes[] = {"", "ctx_", "dst_"};
  for (size_t i = 0; i < call.ranges.size(); ++i) {
    add(std::string(kRangePrefixes[i]) + "start", call.ranges[i].first);
    add(std::string(kRangePrefixes[i]) + "end", call.ranges[i].last);
  }
  if (call.ranges.empty()) {
    const bool swap = call.kind == CallKind::kSwap;
    const bool alone = call.sources.empty();
    constexpr const char* kSources[] = {"src", "ctx", "third"};
    for (size_t i = 0; i < call.sources.size(); ++i) {
      add_operand(swap ? "a" : kSources[i], call.sources[i]);
    }
    add_operand(swap ? "b" : alone ? "class" : "dst", call.destination);
  }
  if (call.count) add("n", *call.count);
  if (call.kind == CallKind::kMerge || call.kind == CallKind::kSplit ||
      call.kind == CallKind::kMergeRange) {
    fields.push_back({"variant", NameOf(call.variant), false});
  }
  return fields;
}

Operand ClassOperand(SigilClass c) {
  Operand operand;
  operand.sigil.base = c;
  return operand;
}

}  // namespace hologram::sigmatics
