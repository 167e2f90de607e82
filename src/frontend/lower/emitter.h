// Builds the code of a program: labels, registers, and the prologue, whose values (ids of the
// launch, constants used in loops) are made once at the entry. Tested by tests/frontend.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "frontend/ast.h"
#include "isa/program.h"

namespace hologram::frontend {

class Emitter {
 public:
  using Label = size_t;

  explicit Emitter(size_t num_parameters)
      : first_register_(static_cast<int>(num_parameters) + 1), lowest_prologue_(kEnd) {}

  Label NewLabel() {
    labels_.push_back(0);
    return labels_.size() - 1;
  }
  void Bind(Label label) { labels_[label] = code_.size(); }

  void Emit(const isa::Instruction& instruction, isa::DebugLine debug);
  void Branch(Label target, Position at);
  void BranchIf(uint8_t predicate, Label target, Position at);

  // Register number of an id, read at the entry; one for each id.
  uint8_t Special(isa::Sreg sreg, Position at);
  // Register number of a constant, made at the entry; one for each value and type. Only while
  // has_room_for_constants().
  uint8_t EntryConstant(isa::Type type, uint64_t bits, Position at);
  bool has_room_for_constants() const { return num_constants_ < kMaxEntryConstants; }

  uint8_t Allocate();
  void Free(uint8_t reg) { used_[reg] = false; }
  uint8_t AllocatePredicate();
  void FreePredicate(uint8_t predicate) { used_predicates_[predicate] = false; }
  int free_predicates() const;

  // True if more registers were asked for than there are.
  bool overflowed() const { return overflowed_; }
  int num_registers() const { return isa::kFirstSpecialRegister - 1; }
  size_t size() const { return prologue_.size() + code_.size(); }

  // Moves code and debug lines into the program. Call once, when all labels are bound.
  void Finish(isa::Program& program);

 private:
  static constexpr int kEnd = isa::kFirstSpecialRegister;
  static constexpr int kMaxEntryConstants = 48;

  uint8_t AllocatePrologue();
  void Renumber(isa::Instruction& instruction) const;
  uint8_t Renumbered(uint8_t reg) const;

  // While code is built, registers of the prologue count down from kEnd and all others count up
  // from first_register_; Finish() puts the prologue's first.
  int first_register_;
  int lowest_prologue_;
  int highest_ = 0;
  bool overflowed_ = false;
  int num_constants_ = 0;
  bool used_[isa::kNumRegisters] = {};
  bool used_predicates_[isa::kNumPredicates] = {};
  std::map<isa::Sreg, uint8_t> specials_;
  std::map<std::pair<isa::Type, uint64_t>, uint8_t> constants_;
  std::vector<size_t> labels_;
  std::vector<isa::Instruction> prologue_;
  std::vector<isa::DebugLine> prologue_debug_;
  std::vector<isa::Instruction> code_;  // targets are labels until Finish()
  std::vector<isa::DebugLine> debug_;
};

}  // namespace hologram::frontend
