#include "sigmatics/algebra/meaning.h"

#include <algorithm>

namespace hologram::sigmatics {
namespace {

// The transforms around a place in the text: their sum, with the raw amounts that words show.
struct Scope {
  int64_t r = 0;
  int64_t d = 0;
  int64_t t = 0;
  bool m = false;

  Transform transform() const { return {r, d, t, m}; }
  // Inside a prefix that stands inside this scope: the prefix acts first.
  Scope Inside(const Prefix& prefix) const {
    const int64_t own = prefix.d.value_or(0);
    return {prefix.r.value_or(0) + r, prefix.mirror ? own - d : own + d, prefix.t.value_or(0) + t,
            prefix.mirror != m};
  }
};

// Every class that a sigil or range stands for, in reading order.
template <class F>
void ForEachClass(const Operation& operation, const Scope& scope, F f) {
  for (const Operand& operand : operation.operands) {
    if (operand.kind != Operand::Kind::kSigil) continue;
    const Sigil& sigil = operand.sigil;
    f(scope.transform()(sigil.postfix.transform()(sigil.base)), sigil.page);
  }
  for (const ClassRange& range : operation.ranges) {
    for (uint32_t c = range.first; c <= range.last; ++c) {
      f(scope.transform()(range.postfix.transform()(*SigilClass::FromIndex(c))),
        std::optional<uint8_t>());
    }
  }
}

void AddLiteral(const std::vector<Sequence>& branches, const Scope& scope, LiteralMeaning& to) {
  for (const Sequence& sequence : branches) {
    for (const Term& term : sequence.terms) {
      if (term.kind != Term::Kind::kOperation) {
        const bool prefixed = term.kind == Term::Kind::kPrefixed;
        AddLiteral(term.body, prefixed ? scope.Inside(term.prefix) : scope, to);
        continue;
      }
      ForEachClass(term.operation, scope, [&](SigilClass c, std::optional<uint8_t> page) {
        to.bytes.push_back(c.representative());
        to.addresses.push_back(page ? BeltAddress(*page, c.representative()) : std::nullopt);
      });
    }
  }
}

class Words {
 public:
  std::vector<std::string> Take() { return std::move(words_); }

  void AddBranches(const std::vector<Sequence>& branches, const Scope& scope) {
    if (branches.size() > 1) words_.push_back("⊗_begin");
    for (size_t i = 0; i < branches.size(); ++i) {
      if (i != 0) words_.push_back("⊗_sep");
      const std::vector<Term>& terms = branches[i].terms;
      for (size_t k = terms.size(); k-- > 0;) AddTerm(terms[k], scope);
    }
    if (branches.size() > 1) words_.push_back("⊗_end");
  }

 private:
  void AddTerm(const Term& term, const Scope& scope) {
    switch (term.kind) {
      case Term::Kind::kOperation:
        AddOperation(term.operation, scope);
        break;
      case Term::Kind::kGroup:
        AddBranches(term.body, scope);
        break;
      case Term::Kind::kPrefixed: {
        const Scope inner = scope.Inside(term.prefix);
        AddScope("→", inner);
        AddBranches(term.body, inner);
        AddScope("←", inner);
        break;
      }
    }
  }

  void AddScope(const std::string& arrow, const Scope& scope) {
    if (scope.r != 0) words_.push_back(arrow + "ρ[" + std::to_string(scope.r) + "]");
    if (scope.d != 0) {
      words_.push_back(arrow + "δ[" + std::to_string(scope.transform().d()) + "]");
    }
    if (scope.t != 0) words_.push_back(arrow + "τ[" + std::to_string(scope.t) + "]");
    if (scope.m) words_.push_back(arrow + "μ");
  }

  void AddOperation(const Operation& operation, const Scope& scope) {
    std::vector<Triple> triples;
    ForEachClass(operation, scope,
                 [&](SigilClass c, std::optional<uint8_t>) { triples.push_back(c.triple()); });
    if (operation.form == Operation::Form::kRange) {
      std::reverse(triples.begin(), triples.end());
    } else if (operation.form == Operation::Form::kRanges) {
      triples.resize(triples.size() / 3);
      std::reverse(triples.begin(), triples.end());
    } else {
      triples.resize(1);
    }
    for (const Triple& triple : triples) AddWord(operation.generator, triple);
  }

  void AddWord(Generator generator, const Triple& triple) {
    const std::string name(NameOf(generator));
    switch (generator) {
      case Generator::kCopy:
      case Generator::kMerge:
        words_.push_back(name + "[d=" + std::to_string(triple.d) + "]");
        break;
      case Generator::kSplit:
      case Generator::kQuote:
        words_.push_back(name + "[ℓ=" + std::to_string(triple.l) + "]");
        break;
      case Generator::kEvaluate:
        words_.push_back("phase[h₂=" + std::to_string(triple.h2) + "]");
        words_.push_back(name);
        break;
      case Generator::kMark:
      case Generator::kSwap:
      case Generator::kReduceSum:
      case Generator::kReduceMin:
      case Generator::kReduceMax:
      case Generator::kReduceProd:
      case Generator::kReduceAnd:
      case Generator::kReduceOr:
      case Generator::kReduceXor:
      case Generator::kReduceFma:
      case Generator::kSoftmax:
        words_.push_back(name);
        break;
    }
  }

  std::vector<std::string> words_;
};

}  // namespace

LiteralMeaning LiteralOf(const Circuit& circuit) {
  LiteralMeaning meaning;
  AddLiteral(circuit.branches, {}, meaning);
  return meaning;
}

std::vector<std::string> WordsOf(const Circuit& circuit) {
  Words words;
  words.AddBranches(circuit.branches, {});
  return words.Take();
}

}  // namespace hologram::sigmatics
