// Gate mode: calls -> gates -> normal form -> calls.
#include "base/check.h"
#include "sigmatics/algebra/gate.h"
#include "sigmatics/canonical.h"

namespace hologram::sigmatics {
namespace {

constexpr uint8_t kHadamardSource = 5;
constexpr uint8_t kHadamardDestination = 6;

// The class that is marked for a gate; that of X for the second half of an H.
uint8_t MarkOf(Gate gate) {
  switch (gate) {
    case Gate::kI:
      return 0;
    case Gate::kT:
      return 3;
    case Gate::kS:
      return 7;
    case Gate::kX:
    case Gate::kH:
      return 21;
    case Gate::kZ:
      return 42;
    case Gate::kY:
      return 63;
  }
  return 0;
}

std::optional<Gate> GateOfMark(uint8_t marked) {
  for (Gate gate : {Gate::kI, Gate::kT, Gate::kS, Gate::kX, Gate::kZ, Gate::kY}) {
    if (MarkOf(gate) == marked) return gate;
  }
  return std::nullopt;
}

CircuitError NoGate(const Call& call) {
  const std::string text = Print(CircuitOf({call}));
  return {ErrorKind::kSemantic, call.column,
          "gate mode: " + text +
              " is no gate; gates are mark@c00 (I), mark@c03 (T), mark@c07 (S), mark@c21 (X), "
              "mark@c42 (Z), mark@c63 (Y) and copy@c05->c06 . mark@c21 (H)"};
}

bool IsMark(const Call& call) {
  return call.kind == CallKind::kMark && !call.destination.sigil.page;
}

bool StartsHadamard(const Call& call) {
  return call.kind == CallKind::kCopy &&
         call.sources[0] == ClassOperand(*SigilClass::FromIndex(kHadamardSource)) &&
         call.destination == ClassOperand(*SigilClass::FromIndex(kHadamardDestination));
}

// A copy belongs to the mark behind it, so that decoding is unique: no mark of an H is taken for
// an X.
Checked<GateWord> Decode(const std::vector<Call>& calls) {
  GateWord word;
  for (size_t i = 0; i < calls.size(); ++i) {
    if (StartsHadamard(calls[i])) {
      const bool complete = i + 1 < calls.size() && IsMark(calls[i + 1]) &&
                            calls[i + 1].destination.sigil.base.index() == MarkOf(Gate::kH);
      if (!complete) return NoGate(calls[i]);
      word.push_back(Gate::kH);
      ++i;
      continue;
    }
    if (!IsMark(calls[i])) return NoGate(calls[i]);
    const std::optional<Gate> gate = GateOfMark(calls[i].destination.sigil.base.index());
    if (!gate) return NoGate(calls[i]);
    word.push_back(*gate);
  }
  return word;
}

std::vector<Call> Encode(const GateWord& word) {
  std::vector<Call> calls;
  for (Gate gate : word) {
    if (gate == Gate::kH) {
      Call copy;
      copy.kind = CallKind::kCopy;
      copy.sources.push_back(ClassOperand(*SigilClass::FromIndex(kHadamardSource)));
      copy.destination = ClassOperand(*SigilClass::FromIndex(kHadamardDestination));
      calls.push_back(std::move(copy));
    }
    Call mark;
    mark.destination = ClassOperand(*SigilClass::FromIndex(MarkOf(gate)));
    calls.push_back(std::move(mark));
  }
  return calls;
}

// The branches that are wires: those of the circuit, or of the prefix or group that is all of it.
// `scope` is the transform around them.
const std::vector<Sequence>* WiresOf(const Circuit& circuit, Transform& scope) {
  const std::vector<Sequence>* branches = &circuit.branches;
  while (branches->size() == 1 && (*branches)[0].terms.size() == 1 &&
         (*branches)[0].terms[0].kind != Term::Kind::kOperation) {
    const Term& around = (*branches)[0].terms[0];
    if (around.kind == Term::Kind::kPrefixed) scope = around.prefix.transform().Then(scope);
    branches = &around.body;
  }
  return branches;
}

// A circuit with one wire only, under the transform that was around it.
Circuit Alone(const Sequence& wire, const Transform& scope) {
  Term term;
  term.kind = Term::Kind::kPrefixed;
  term.prefix = {scope.r(), scope.d(), scope.t(), scope.m()};
  term.body.push_back(wire);
  Circuit circuit;
  circuit.branches.emplace_back();
  circuit.branches[0].terms.push_back(std::move(term));
  return circuit;
}

std::optional<CircuitError> FindInnerBranches(const Sequence& sequence) {
  for (const Term& term : sequence.terms) {
    if (term.kind == Term::Kind::kOperation) continue;
    if (term.body.size() > 1) {
      return CircuitError{ErrorKind::kSemantic, term.column,
                          "gate mode: || separates wires, so it stands at the top only"};
    }
    if (auto error = FindInnerBranches(term.body[0])) return error;
  }
  return std::nullopt;
}

}  // namespace

Checked<Canonical> GateForm(const Circuit& circuit) {
  if (circuit.header) {
    return CircuitError{ErrorKind::kSemantic, 1, "gate mode: a circuit of gates has no header"};
  }
  Canonical canonical;
  Transform scope;
  for (const Sequence& wire : *WiresOf(circuit, scope)) {
    if (auto error = FindInnerBranches(wire)) return *error;
    HOLOGRAM_ASSIGN_OR_RETURN(const std::vector<Call> calls, Resolve(Alone(wire, scope)));
    HOLOGRAM_ASSIGN_OR_RETURN(const GateWord word, Decode(calls));
    GateWord normal = NormalForm(word);
    canonical.original_operations += calls.size();
    // A wire must have something on it.
    if (normal.empty()) normal.push_back(Gate::kI);
    const std::vector<Call> encoded = Encode(normal);
    canonical.canonical_operations += encoded.size();
    canonical.calls.insert(canonical.calls.end(), encoded.begin(), encoded.end());
    canonical.circuit.branches.push_back(std::move(CircuitOf(encoded).branches[0]));
  }
  return canonical;
}

}  // namespace hologram::sigmatics
