#include "sigmatics/canonical.h"

namespace hologram::sigmatics {
namespace {

size_t CountOperations(const std::vector<Sequence>& branches) {
  size_t count = 0;
  for (const Sequence& sequence : branches) {
    for (const Term& term : sequence.terms) {
      count += term.kind == Term::Kind::kOperation ? 1 : CountOperations(term.body);
    }
  }
  return count;
}

}  // namespace

Checked<Canonical> CanonicalForm(const Circuit& circuit, Mode mode) {
  switch (mode) {
    case Mode::kGate:
      return GateForm(circuit);
    case Mode::kMemory: {
      HOLOGRAM_ASSIGN_OR_RETURN(const std::vector<Call> calls, Resolve(circuit));
      return circuit.header ? KernelForm(*circuit.header, calls) : MemoryForm(calls);
    }
    case Mode::kNone: {
      Canonical canonical;
      HOLOGRAM_ASSIGN_OR_RETURN(canonical.calls, ListCalls(circuit));
      canonical.circuit = circuit;
      canonical.original_operations = CountOperations(circuit.branches);
      canonical.canonical_operations = canonical.original_operations;
      return canonical;
    }
  }
  return CircuitError{ErrorKind::kSemantic, 0, "unknown mode"};
}

}  // namespace hologram::sigmatics
