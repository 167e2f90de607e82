// Static single assignment as an analysis structure: which definition each operand reads. The
// program itself is not changed. Tested by tests/verify.
#pragma once

#include <span>

#include "verify/cfg.h"

namespace hologram::verify {

using ValueId = uint32_t;

enum class ValueKind : uint8_t { kParameter, kSpecial, kInstruction, kPhi };

struct Value {
  ValueKind kind = ValueKind::kInstruction;
  uint16_t slot = 0;      // register, or 256 + predicate
  uint32_t place = 0;     // pc of an instruction, block of a phi
  uint32_t operands = 0;  // of a phi: first of its operands in Ssa::phi_operands, one for each
                          // predecessor of the block, in their order
};

struct Ssa {
  std::vector<Value> values;
  std::vector<ValueId> phi_operands;
  std::vector<std::array<ValueId, 4>> reads;            // by instruction, as in isa::Uses
  std::vector<std::array<ValueId, 2>> predicate_reads;  // by instruction
  std::vector<ValueId> run_reads;  // what runs of registers hold, one instruction after the other
  std::vector<std::pair<uint32_t, uint32_t>> runs;  // instructions with a run, ascending; where
                                                    // theirs begins in run_reads
  std::vector<ValueId> writes;                      // by instruction; kNone
  std::vector<ValueId> phis;  // live ones, in block order; a void program has none
  bool built = false;

  bool is_phi(ValueId v) const { return values[v].kind == ValueKind::kPhi; }
  std::span<const ValueId> OperandsOf(const Cfg& cfg, ValueId phi) const {
    const Value& v = values[phi];
    return {phi_operands.data() + v.operands, cfg.blocks[v.place].predecessors.size()};
  }
  // The run of registers that the instruction at `pc` reads.
  std::span<const ValueId> RunOf(const Cfg& cfg, uint32_t pc) const;
  // The branch condition of a block with two successors; `last` is its last instruction.
  ValueId BranchValue(uint32_t last) const {
    return predicate_reads[last][0] != kNone ? predicate_reads[last][0] : reads[last][0];
  }
  uint32_t BlockOf(const Cfg& cfg, ValueId v) const {
    const Value& value = values[v];
    if (value.kind == ValueKind::kPhi) return value.place;
    return value.kind == ValueKind::kInstruction ? cfg.block_of[value.place] : 0;
  }
};

// REQUIRES: CheckTypes found no error. Not `built` if the program is too large for the analysis.
Ssa BuildSsa(const isa::Program& program, const Cfg& cfg, const std::vector<SlotSet>& live_in);

}  // namespace hologram::verify
