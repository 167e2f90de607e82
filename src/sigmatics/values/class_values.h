// The values of a circuit's calls: which value each class holds, call after call. Used by both
// forms of memory mode. Tested by tests/sigmatics/kernel_form_test.cc.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "sigmatics/lower/call.h"
#include "sigmatics/values/value_graph.h"

namespace hologram::sigmatics {

class ClassValues {
 public:
  // With a header: its inputs hold what they are given, all other classes nothing yet. Without:
  // all 96 classes hold f32.
  ClassValues(ValueGraph& graph, const Header* header);

  // Changes the state by one resolved call, or gives the reason it has no meaning.
  std::optional<CircuitError> Run(const Call& call);

  // The value in a class, if any.
  std::optional<NodeId> at(SigilClass c);
  // Values that stop the kernel where they divide by zero, in the order of the calls.
  const std::vector<NodeId>& faulting() const { return faulting_; }

 private:
  std::optional<CircuitError> RunVariant(const Call& call);
  std::optional<CircuitError> RunReduction(const Call& call);
  std::optional<CircuitError> RunProducts(const Call& call, const std::vector<NodeId>& sources,
                                          bool keeps_rest);
  // The value of a class that is read as a whole.
  Checked<NodeId> Read(const Operand& operand, const Call& call);
  Checked<NodeId> ReadAs(const Operand& operand, isa::Type type, const Call& call);
  Checked<isa::Type> TypeOf(const Operand& operand, const Call& call);
  CircuitError Wrong(const Call& call, std::string message) const;

  ValueGraph& graph_;
  const Header* header_;
  std::array<std::optional<NodeId>, kNumSigilClasses> values_{};
  std::array<std::optional<isa::Type>, kNumSigilClasses> declared_{};  // types of outputs
  std::vector<NodeId> faulting_;
};

}  // namespace hologram::sigmatics
