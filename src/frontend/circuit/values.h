// The values of a circuit at one element, in registers: what all forms of circuits are lowered by
// (lower_circuit.h). Not a public header.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "frontend/lower/emitter.h"
#include "sigmatics/values/value_graph.h"

namespace hologram::frontend {

// A circuit is one expression: instructions point to its first byte.
inline constexpr Position kCircuitPlace = {1, 1};

// The bits of a value as an immediate: those of signed integers are extended.
uint64_t ImmediateOf(isa::Type type, uint64_t bits);

class CircuitValues {
 public:
  using NodeId = sigmatics::NodeId;

  // kShared: all rows have the same; kColumn: one number for each row.
  enum class InputForm : uint8_t { kPlain, kShared, kColumn };

  // Where the values come from: the parameters of inputs and scalars, by their numbers.
  struct Parameters {
    std::vector<size_t> inputs;
    std::vector<size_t> scalars;
    std::vector<InputForm> forms;  // of each input
    size_t size = 0;
    uint32_t lanes = 0;            // that have a row; 0: the tree over elements
    uint32_t cut = 0;              // elements of a row; 0: the size
    bool checks_lanes = true;      // rows: a block of another number of lanes is a fault
    bool in_class_memory = false;  // inputs are numbers of classes instead
  };

  CircuitValues(const sigmatics::ValueGraph& graph, const Parameters& parameters, Emitter& emitter)
      : graph_(graph), parameters_(parameters), emitter_(emitter) {}

  // Computes values for the element in register `index`; each input is loaded once. They stay until
  // Release(). `faulting` are computed for their faults alone.
  void Compute(const std::vector<NodeId>& roots, const std::vector<NodeId>& faulting,
               uint8_t index);
  // Where inputs that rows share are read: the number of the element in its row.
  void SetSharedIndex(uint8_t index) { shared_index_ = index; }
  // Where columns are read: the number of the row.
  void SetColumnIndex(uint8_t index) { column_index_ = index; }
  uint8_t RegisterOf(NodeId id) const { return registers_.at(id); }
  void Release();

  // A value that is in a register from now on: one number, which all elements share.
  void Fix(NodeId id, uint8_t reg) {
    fixed_[id] = reg;
    live_.erase(id);
  }
  bool IsFixed(NodeId id) const { return fixed_.contains(id); }
  // Nothing is computed for it: it is fixed or kept.
  bool IsThere(NodeId id) const { return IsFixed(id) || kept_.contains(id); }
  // A vector that is in the array of `parameter` from now on, and is loaded from there.
  void Keep(NodeId id, size_t parameter) { kept_[id] = parameter; }

  // Of parameter, or class, `parameter` at element `index`.
  void Access(isa::Opcode op, isa::Type type, size_t parameter, uint8_t index, uint8_t value);
  void Emit(const isa::Instruction& instruction);

 private:
  void AccessClass(isa::Opcode op, isa::Type type, size_t number, uint8_t index, uint8_t value);
  void Schedule(NodeId root);
  // Bools that nothing but conditions read are predicates, made where they are read; they have no
  // register.
  void FindPredicates(const std::vector<NodeId>& roots, const std::vector<NodeId>& faulting);
  int BoolDepth(NodeId id, const std::map<NodeId, int>& depth) const;
  bool IsNot(const sigmatics::Node& node) const;
  template <class F>
  void ForEachUsed(NodeId id, F use);
  void FreeAfter(NodeId computed, size_t position);
  void ComputeNode(NodeId id, uint8_t index);
  // Where an input is read for the element `index`.
  uint8_t IndexOf(uint64_t input, uint8_t index) const;
  void ComputeVariant(const sigmatics::Node& node, uint8_t d, const std::vector<uint8_t>& x);
  void Apply(isa::Opcode op, isa::Type type, bool fast, uint8_t d,
             const std::vector<uint8_t>& sources);
  // Predicates that the caller frees.
  uint8_t Predicate(NodeId id);
  uint8_t Compare(const sigmatics::Node& node);
  uint8_t Set(isa::Condition condition, isa::Type type, uint8_t a, uint8_t b);
  // A constant for one operation, or for as long as its node lives.
  uint8_t Constant(isa::Type type, uint64_t value);
  uint8_t LongLivedConstant(NodeId id);

  const sigmatics::ValueGraph& graph_;
  const Parameters& parameters_;
  Emitter& emitter_;
  uint8_t shared_index_ = 0;
  uint8_t column_index_ = 0;
  std::map<NodeId, uint8_t> fixed_;
  std::map<NodeId, size_t> kept_;
  // Of one Compute().
  std::vector<NodeId> schedule_;
  std::map<NodeId, size_t> position_;
  std::map<NodeId, size_t> last_use_;
  std::map<NodeId, uint8_t> registers_;
  std::set<NodeId> predicates_;
  std::set<NodeId> live_;       // nodes whose register is theirs
  std::vector<uint8_t> owned_;  // constants that live for one operation
};

}  // namespace hologram::frontend
