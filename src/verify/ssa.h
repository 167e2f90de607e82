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
  std::vector<ValueId> writes;                          // by instruction; kNone
  std::vector<ValueId> phis;  // live ones, in block order; a void program has none
  bool built = false;

  bool is_phi(ValueId v) const { return values[v].kind == ValueKind::kPhi; }
  std::span<const ValueId> OperandsOf(const Cfg& cfg, ValueId phi) const {
    const Value& v = values[phi];
    return {phi_operands.data() + v.operands, cfg.blocks[v.place].predecessors.size()};
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
