// Circuit -> calls: as written (Lister) and as meant (Resolver).
#include <algorithm>
#include <array>
#include <map>

#include "sigmatics/lower/call.h"

namespace hologram::sigmatics {
namespace {

CircuitError Meaningless(size_t column, std::string message) {
  return {ErrorKind::kSemantic, column, std::move(message)};
}

Operand Placed(const Operand& operand, const Transform& scope) {
  if (operand.kind != Operand::Kind::kSigil) return operand;
  Operand placed = operand;
  placed.sigil.base = scope(operand.sigil.postfix.transform()(operand.sigil.base));
  placed.sigil.postfix = {};
  return placed;
}

SigilClass Placed(const ClassRange& range, uint32_t k, const Transform& scope) {
  return scope(range.postfix.transform()(*SigilClass::FromIndex(range.first + k)));
}

// How a merge with this variant is written, for messages.
std::string ShapeOf(const Variant& variant) {
  const std::string name = "merge:" + TextOf(variant);
  switch (NumSources(variant)) {
    case 1:
      return name + " takes one operand: write " + name + "@c00[c00,c01]";
    case 2:
      return name + " takes two operands: write " + name + "@c00[c01,c02]";
    default:
      return name + " takes three operands: write " + name + "@c00[c01,c02,c03]";
  }
}

// The calls of one operation. Appends nothing if it returns an error.
class OperationLister {
 public:
  OperationLister(const Operation& operation, const Transform& scope, std::vector<Call>& calls)
      : operation_(operation), scope_(scope), calls_(calls) {}

  std::optional<CircuitError> Run() {
    switch (operation_.form) {
      case Operation::Form::kRange:
        return ListRange();
      case Operation::Form::kRanges:
        return ListRanges();
      default:
        return ListOne();
    }
  }

 private:
  Variant variant() const {
    if (operation_.variant) return *operation_.variant;
    return VariantOf(operation_.generator == Generator::kSplit ? isa::Opcode::kSub
                                                               : isa::Opcode::kAdd);
  }

  void Append(Call call) {
    call.column = operation_.column;
    calls_.push_back(std::move(call));
  }

  static CallKind SingleKind(Generator generator) {
    return static_cast<CallKind>(static_cast<uint8_t>(generator));
  }
  static CallKind RangeKind(Generator generator) {
    switch (generator) {
      case Generator::kMerge:
        return CallKind::kMergeRange;
      case Generator::kQuote:
        return CallKind::kQuoteRange;
      case Generator::kEvaluate:
        return CallKind::kEvaluateRange;
      default:
        return CallKind::kMarkRange;
    }
  }

  std::optional<CircuitError> ListOne() {
    const Generator generator = operation_.generator;
    const bool alone = generator == Generator::kMark || generator == Generator::kQuote ||
                       generator == Generator::kEvaluate;
    if (operation_.form == Operation::Form::kSigil && !alone) return NeedsMore();
    Call call;
    call.kind = SingleKind(generator);
    call.count = operation_.count;
    for (const Operand& operand : operation_.operands) {
      call.sources.push_back(Placed(operand, scope_));
    }
    call.destination = call.sources.back();
    call.sources.pop_back();
    if (generator == Generator::kMerge || generator == Generator::kSplit) {
      call.variant = variant();
      const uint32_t wanted = NumSources(call.variant);
      if (wanted == 1 && call.sources.size() == 2 && call.sources[0] == call.sources[1]) {
        call.sources.pop_back();
      }
      if (call.sources.size() != wanted) {
        return Meaningless(operation_.column, ShapeOf(call.variant));
      }
    }
    if (generator == Generator::kReduceFma && call.sources.size() != 2) return NeedsMore();
    Append(std::move(call));
    return std::nullopt;
  }

  CircuitError NeedsMore() const {
    const std::string name(NameOf(operation_.generator));
    switch (operation_.generator) {
      case Generator::kSwap:
        return Meaningless(operation_.column,
                           "swap needs two classes to be compiled: write swap@c05<->c06");
      case Generator::kMerge:
      case Generator::kSplit:
      case Generator::kReduceFma:
        return Meaningless(operation_.column,
                           name + " needs source, context and destination to be compiled: write " +
                               name + "@c00[c01,c02]");
      default:
        return Meaningless(
            operation_.column,
            name + " needs source and destination to be compiled: write " + name + "@c05->c06");
    }
  }

  // The image of a range is seldom a range: one call for each maximal run of its classes.
  std::optional<CircuitError> ListRange() {
    const ClassRange& range = operation_.ranges[0];
    const bool merge = operation_.generator == Generator::kMerge;
    if (merge && NumSources(variant()) == 3) {
      return Meaningless(operation_.column, ShapeOf(variant()));
    }
    std::vector<uint8_t> classes;
    for (uint32_t k = 0; k <= static_cast<uint32_t>(range.last - range.first); ++k) {
      classes.push_back(Placed(range, k, scope_).index());
    }
    std::sort(classes.begin(), classes.end());
    std::vector<Call> found;
    for (size_t begin = 0; begin < classes.size();) {
      size_t end = begin + 1;
      while (end < classes.size() && classes[end] == classes[end - 1] + 1) ++end;
      Call call;
      if (merge) call.variant = variant();
      if (end - begin > 1) {
        call.kind = RangeKind(operation_.generator);
        call.ranges.push_back({classes[begin], classes[end - 1], {}});
      } else {
        if (merge && NumSources(call.variant) != 1) {
          return Meaningless(operation_.column,
                             "merge of one range takes a variant of one operand, as in "
                             "merge:exp@c[0..9]; here a class of the range stands alone");
        }
        call.kind = SingleKind(operation_.generator);
        call.destination = ClassOperand(*SigilClass::FromIndex(classes[begin]));
        if (merge) call.sources.push_back(call.destination);
      }
      found.push_back(std::move(call));
      begin = end;
    }
    for (Call& call : found) Append(std::move(call));
    return std::nullopt;
  }

  // One call for each maximal run in which all three ranges go up by one.
  std::optional<CircuitError> ListRanges() {
    const uint32_t wanted = NumSources(variant());
    const bool same = operation_.ranges[0] == operation_.ranges[1];
    if (wanted == 3 || (wanted == 1 && !same)) {
      return Meaningless(operation_.column, ShapeOf(variant()));
    }
    const uint32_t length = operation_.ranges[0].last - operation_.ranges[0].first + 1U;
    const auto at = [&](size_t range, uint32_t k) {
      return Placed(operation_.ranges[range], k, scope_).index();
    };
    for (uint32_t begin = 0; begin < length;) {
      uint32_t end = begin + 1;
      const auto goes_on = [&](size_t range) { return at(range, end) == at(range, end - 1) + 1; };
      while (end < length && goes_on(0) && goes_on(1) && goes_on(2)) ++end;
      Call call;
      call.variant = variant();
      if (end - begin > 1) {
        call.kind = CallKind::kMergeRange;
        for (size_t i = 0; i < 3; ++i) call.ranges.push_back({at(i, begin), at(i, end - 1), {}});
      } else {
        call.kind = CallKind::kMerge;
        for (size_t i = 0; i < wanted; ++i) {
          call.sources.push_back(ClassOperand(*SigilClass::FromIndex(at(i, begin))));
        }
        call.destination = ClassOperand(*SigilClass::FromIndex(at(2, begin)));
      }
      Append(std::move(call));
      begin = end;
    }
    return std::nullopt;
  }

  const Operation& operation_;
  const Transform& scope_;
  std::vector<Call>& calls_;
};

Transform Inside(const Transform& scope, const Term& term) {
  return term.kind == Term::Kind::kPrefixed ? term.prefix.transform().Then(scope) : scope;
}

std::optional<CircuitError> ListBranches(const std::vector<Sequence>& branches,
                                         const Transform& scope, std::vector<Call>& calls) {
  for (const Sequence& sequence : branches) {
    for (const Term& term : sequence.terms) {
      const auto error = term.kind == Term::Kind::kOperation
                             ? OperationLister(term.operation, scope, calls).Run()
                             : ListBranches(term.body, Inside(scope, term), calls);
      if (error) return error;
    }
  }
  return std::nullopt;
}

class Resolver {
 public:
  Checked<std::vector<Call>> Run(const Circuit& circuit) {
    std::vector<Call> calls;
    Use use;
    if (auto error = AddBranches(circuit.branches, {}, calls, use)) return *error;
    return calls;
  }

 private:
  using Slots = std::bitset<8>;

  // What a part of the circuit touches.
  struct Use {
    Footprint footprint;
    Slots quoted;
    Slots evaluated;
    void Add(const Use& other) {
      footprint.Add(other.footprint);
      quoted |= other.quoted;
      evaluated |= other.evaluated;
    }
  };

  std::optional<CircuitError> AddBranches(const std::vector<Sequence>& branches,
                                          const Transform& scope, std::vector<Call>& to, Use& use) {
    Use all;
    for (const Sequence& sequence : branches) {
      Use own;
      if (auto error = AddTerms(sequence, scope, to, own)) return error;
      const bool share_slot =
          ((all.quoted & (own.quoted | own.evaluated)) | (all.evaluated & own.quoted)).any();
      if (share_slot || !all.footprint.IsIndependentOf(own.footprint)) {
        return Meaningless(sequence.terms[0].column,
                           "branches of || must be independent: this one and one before it " +
                               (share_slot ? std::string("use a quoted slot")
                                           : SharedClass(all.footprint, own.footprint)));
      }
      all.Add(own);
    }
    use.Add(all);
    return std::nullopt;
  }

  static std::string SharedClass(const Footprint& before, const Footprint& own) {
    for (uint32_t i = 0; i < kNumSigilClasses; ++i) {
      const std::string name = Print(*SigilClass::FromIndex(i));
      if (before.writes[i] && own.writes[i]) return "both write " + name;
      if (before.writes[i] && own.reads[i]) return "write and read " + name;
      if (before.reads[i] && own.writes[i]) return "read and write " + name;
    }
    return "";
  }

  static std::optional<CircuitError> Append(const Call& call, std::vector<Call>& to, Use& use) {
    if (to.size() >= kMaxResolvedCalls) {
      return CircuitError{ErrorKind::kLimit, call.column,
                          "more than " + std::to_string(kMaxResolvedCalls) + " calls"};
    }
    to.push_back(call);
    use.footprint.Add(FootprintOf(call));
    return std::nullopt;
  }

  // A quote captures what follows it in its group, up to the next quote there: captured calls do
  // not run, and a thunk is known from its end on.
  std::optional<CircuitError> AddTerms(const Sequence& sequence, const Transform& scope,
                                       std::vector<Call>& to, Use& use) {
    std::vector<Call> body;
    Use body_use;
    std::vector<uint8_t> slots;
    bool capturing = false;
    const auto end_capture = [&] {
      for (uint8_t slot : slots) thunks_[slot] = body;
      use.quoted |= body_use.quoted;
      use.evaluated |= body_use.evaluated;
      body.clear();
      body_use = {};
    };
    for (const Term& term : sequence.terms) {
      std::vector<Call>& calls = capturing ? body : to;
      Use& its_use = capturing ? body_use : use;
      if (term.kind != Term::Kind::kOperation) {
        if (auto error = AddBranches(term.body, Inside(scope, term), calls, its_use)) return error;
        continue;
      }
      std::vector<Call> listed;
      if (auto error = OperationLister(term.operation, scope, listed).Run()) return error;
      if (term.operation.generator == Generator::kQuote) {
        if (capturing) end_capture();
        capturing = true;
        slots = SlotsOf(listed);
        for (uint8_t slot : slots) use.quoted.set(slot);
        continue;
      }
      for (const Call& call : listed) {
        if (auto error = AddCall(call, calls, its_use)) return error;
      }
    }
    if (capturing) end_capture();
    return std::nullopt;
  }

  static std::vector<uint8_t> SlotsOf(const std::vector<Call>& calls) {
    std::vector<uint8_t> slots;
    for (const Call& call : calls) {
      if (call.ranges.empty()) {
        slots.push_back(call.destination.sigil.base.triple().l);
        continue;
      }
      for (uint32_t c = call.ranges[0].first; c <= call.ranges[0].last; ++c) {
        slots.push_back(SigilClass::FromIndex(c)->triple().l);
      }
    }
    return slots;
  }

  std::optional<CircuitError> AddCall(const Call& call, std::vector<Call>& to, Use& use) {
    if (call.kind == CallKind::kEvaluate || call.kind == CallKind::kEvaluateRange) {
      for (uint8_t slot : SlotsOf({call})) {
        use.evaluated.set(slot);
        const auto thunk = thunks_.find(slot);
        if (thunk == thunks_.end()) {
          return Meaningless(call.column, "evaluate: nothing is quoted in slot " +
                                              std::to_string(slot) + "; write (quote@c0" +
                                              std::to_string(slot) + " . ...) before it");
        }
        for (const Call& quoted : thunk->second) {
          if (auto error = Append(quoted, to, use)) return error;
        }
      }
      return std::nullopt;
    }
    if (call.ranges.empty()) return Append(call, to, use);
    return AddRange(call, to, use);
  }

  static std::optional<CircuitError> AddRange(const Call& call, std::vector<Call>& to, Use& use) {
    const bool merge = call.kind == CallKind::kMergeRange;
    const uint32_t wanted = merge ? NumSources(call.variant) : 0;
    if (merge && call.ranges.size() == 1 && wanted != 1) {
      return Meaningless(call.column,
                         "merge of one range takes a variant of one operand, as in "
                         "merge:exp@c[0..9]; with two, write merge@c[0..9][c[10..19],c[20..29]]");
    }
    for (uint32_t k = 0; k <= static_cast<uint32_t>(call.ranges[0].last - call.ranges[0].first);
         ++k) {
      const auto at = [&](size_t range) {
        return ClassOperand(*SigilClass::FromIndex(call.ranges[range].first + k));
      };
      Call one;
      one.kind = merge ? CallKind::kMerge : CallKind::kMark;
      one.variant = call.variant;
      one.column = call.column;
      for (uint32_t source = 0; source < wanted; ++source) one.sources.push_back(at(source));
      one.destination = at(call.ranges.size() - 1);
      if (auto error = Append(one, to, use)) return error;
    }
    return std::nullopt;
  }

  std::map<uint8_t, std::vector<Call>> thunks_;
};

}  // namespace

Checked<std::vector<Call>> ListCalls(const Circuit& circuit) {
  std::vector<Call> calls;
  if (auto error = ListBranches(circuit.branches, {}, calls)) return *error;
  return calls;
}

Checked<std::vector<Call>> Resolve(const Circuit& circuit) {
  return Resolver().Run(circuit);
}

}  // namespace hologram::sigmatics
