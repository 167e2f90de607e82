// Generator calls: a circuit as a flat list, in textual order, with every transform applied.
//
// ListCalls gives the calls as written; only their shape is checked. Resolve gives what they mean:
// quoted groups inlined where they are evaluated, branches of `||` checked to be independent,
// ranges spread out. CircuitOf is the inverse of ListCalls for every list that it made, so that
// calls have a lossless text. Tested by tests/sigmatics/call_test.cc.
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sigmatics/circuit.h"

namespace hologram::sigmatics {

// Calls of a resolved circuit; evaluating thunks of thunks could make any number.
inline constexpr size_t kMaxResolvedCalls = size_t{1} << 18;

enum class CallKind : uint8_t {
  kMark,
  kCopy,
  kSwap,
  kMerge,
  kSplit,
  kQuote,
  kEvaluate,
  kReduceSum,
  kReduceMin,
  kReduceMax,
  kReduceProd,
  kReduceAnd,
  kReduceOr,
  kReduceXor,
  kReduceFma,  // of two vectors: the sum of their products, each added by an fma
  kSoftmax,
  kMarkRange,
  kMergeRange,
  kQuoteRange,
  kEvaluateRange,
};
inline constexpr int kNumCallKinds = 20;

constexpr std::string_view NameOf(CallKind kind) {
  constexpr std::string_view kNames[kNumCallKinds] = {
      "Mark",       "Copy",      "Swap",       "Merge",      "Split",
      "Quote",      "Evaluate",  "ReduceSum",  "ReduceMin",  "ReduceMax",
      "ReduceProd", "ReduceAnd", "ReduceOr",   "ReduceXor",  "ReduceFma",
      "Softmax",    "MarkRange", "MergeRange", "QuoteRange", "EvaluateRange"};
  return kNames[static_cast<size_t>(kind)];
}

struct Call {
  CallKind kind = CallKind::kMark;
  Variant variant;  // of merge, split and merge range
  // Sources read (a variant of fewer sources reads fewer): one of copy, reductions
  // and softmax, the first class of a swap, one to three of merge and split. No postfix.
  std::vector<Operand> sources;
  Operand destination;  // the class of mark, quote and evaluate; the second class of a swap
  // Of the range kinds: one, or source, context and destination.
  std::vector<ClassRange> ranges;
  std::optional<uint64_t> count;  // of reductions and softmax
  size_t column = 0;              // not part of what it is

  bool operator==(const Call& other) const {
    return kind == other.kind && variant == other.variant && sources == other.sources &&
           destination == other.destination && ranges == other.ranges && count == other.count;
  }
};

// Of a whole vector: the reductions and softmax.
constexpr bool IsReduction(const Call& call) {
  return call.kind >= CallKind::kReduceSum && call.kind <= CallKind::kSoftmax;
}

// The instruction that a reduction folds with. REQUIRES: ReduceSum to ReduceFma.
isa::Opcode FoldOf(CallKind reduction);
// True if the order in which a reduction folds changes no bit: minima and maxima, whole numbers.
bool IsOrderFree(CallKind reduction, isa::Type type);

Checked<std::vector<Call>> ListCalls(const Circuit& circuit);
// One sequence, after the header if there is one.
Circuit CircuitOf(const std::vector<Call>& calls, const std::optional<Header>& header = {});
Checked<std::vector<Call>> Resolve(const Circuit& circuit);

// The classes that a resolved call reads and writes.
struct Footprint {
  std::bitset<kNumSigilClasses> reads;
  std::bitset<kNumSigilClasses> writes;
  // They may change places.
  bool IsIndependentOf(const Footprint& other) const;
  void Add(const Footprint& other);
};
Footprint FootprintOf(const Call& call);

// Fields of a call, in the order and under the names of listings: {"src","0"}, {"variant","Add"}.
struct CallField {
  std::string name;
  std::string text;
  bool is_number = true;
};
std::vector<CallField> FieldsOf(const Call& call);

// An operand that is a whole class.
Operand ClassOperand(SigilClass c);

}  // namespace hologram::sigmatics
