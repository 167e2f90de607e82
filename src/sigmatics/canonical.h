// Canonical forms of circuits, in two modes that never mix (docs/sigmatics.md).
//
// Gate: each branch of the top-level `||` is a wire; its calls are decoded to gates first and
// replaced by the unique normal form of the word. Undecodable text is an error.
//
// Memory: the calls are operations on arrays. With a header the circuit is a kernel: equal values
// are computed once, by canonical expressions, in a canonical order and with canonical names.
// Without one it works on the 96 classes of memory in place (f32 elements), all of which count as
// results.
//
// Thread-safe. Linear in the circuit, up to a logarithm. Tested by tests/sigmatics/gate_test.cc,
// kernel_form_test.cc and memory_form_test.cc.
#pragma once

#include <cstddef>
#include <vector>

#include "sigmatics/circuit.h"
#include "sigmatics/error.h"
#include "sigmatics/lower/call.h"
#include "sigmatics/values/value_graph.h"

namespace hologram::sigmatics {

enum class Mode : uint8_t { kNone, kMemory, kGate };

struct Canonical {
  Circuit circuit;          // what the canonical text is made of
  std::vector<Call> calls;  // its calls
  // Leaves, groups included: what the circuit was and what it is. The circuit that does nothing
  // counts 0; as there is no empty circuit, it is written copy@c00->c00.
  size_t original_operations = 0;
  size_t canonical_operations = 0;
};

Checked<Canonical> CanonicalForm(const Circuit& circuit, Mode mode);

// The parts of CanonicalForm.
Checked<Canonical> GateForm(const Circuit& circuit);
Checked<Canonical> KernelForm(const Header& header, const std::vector<Call>& calls);
// Of values that did not come from calls. `outputs` are those of the header, in its order, of their
// types; inputs and scalars of the graph are numbered in the order of the header. REQUIRES: all
// values are of this graph.
Checked<Canonical> FormOfValues(const Header& header, const ValueGraph& graph,
                                const std::vector<NodeId>& outputs,
                                const std::vector<NodeId>& faulting, size_t original_operations);
Checked<Canonical> MemoryForm(const std::vector<Call>& calls);

}  // namespace hologram::sigmatics
