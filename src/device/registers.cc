#include "device/registers.h"

#include "base/check.h"

namespace hologram::device {

using verify::kNone;
using verify::ValueId;
using verify::ValueKind;

Registers::Registers(Builder& builder, const Facts& facts)
    : b_(builder), facts_(facts), copies_(1) {
  copies_[0].fixed.assign(isa::kNumRegisters, 0);
  if (in_variables()) return;
  copies_[0].values.assign(facts.ssa.values.size(), 0);
  phis_of_.resize(facts.cfg.num_blocks());
  for (const ValueId phi : facts.ssa.phis) phis_of_[facts.ssa.values[phi].place].push_back(phi);
  FindTypes();
}

void Registers::MakeCopies(size_t count) {
  HOLOGRAM_CHECK(!in_variables());
  const Copy first = copies_[0];
  copies_.assign(count, first);
}

// Of the results of instructions; then of phis, from any operand.
void Registers::FindTypes() {
  const verify::Ssa& ssa = facts_.ssa;
  types_.assign(ssa.values.size(), Scalar::kBool);
  std::vector<bool> known(ssa.values.size(), false);
  for (ValueId v = 0; v < ssa.values.size(); ++v) {
    const verify::Value& value = ssa.values[v];
    if (value.kind != ValueKind::kInstruction) continue;
    const isa::Uses& uses = facts_.cfg.uses[value.place];
    if (uses.write) types_[v] = ScalarOf(*uses.write->type);
    known[v] = true;
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (const ValueId phi : ssa.phis) {
      if (known[phi]) continue;
      for (const ValueId operand : ssa.OperandsOf(facts_.cfg, phi)) {
        if (operand == kNone || !known[operand]) continue;
        types_[phi] = types_[operand];
        known[phi] = changed = true;
        break;
      }
    }
  }
}

void Registers::SetParameter(size_t k, Value value) {
  fixed(isa::Program::RegisterOfParameter(k)) = value;
}

void Registers::SetSpecial(uint32_t reg, Value value) {
  fixed(reg) = value;
}

void Registers::Begin(uint32_t block) {
  local_.clear();
  if (in_variables()) return;
  const std::vector<uint32_t>& predecessors = facts_.cfg.blocks[block].predecessors;
  std::vector<size_t> from;
  for (size_t k = 0; k < predecessors.size(); ++k) {
    if (facts_.cfg.Reachable(predecessors[k])) from.push_back(k);
  }
  for (const ValueId phi : phis_of_[block]) {
    value(phi) = b_.Phi(types_[phi], static_cast<uint32_t>(from.size()));
    phis_.push_back({phi, from});
  }
}

Value Registers::Variable(const Slot& slot) {
  const auto [found, is_new] = variables_.try_emplace(slot, 0);
  if (is_new) found->second = b_.Array(Space::kPrivate, slot.second, 1);
  return found->second;
}

Value Registers::ReadSlot(const Slot& slot) {
  const auto [found, is_new] = local_.try_emplace(slot, 0);
  if (is_new) found->second = b_.Load(Variable(slot));
  return found->second;
}

Value Registers::Read(uint32_t pc, size_t operand, isa::Type type) {
  const uint8_t reg = facts_.cfg.uses[pc].reads[operand].reg;
  if (fixed(reg) != 0) return fixed(reg);
  if (in_variables()) return ReadSlot({reg, ScalarOf(type)});
  return value(facts_.ssa.reads[pc][operand]);
}

Value Registers::ReadPredicate(uint32_t pc, size_t operand) {
  const uint8_t predicate = facts_.cfg.uses[pc].predicate_reads[operand];
  if (in_variables()) return ReadSlot({verify::kFirstPredicate + predicate, Scalar::kBool});
  return value(facts_.ssa.predicate_reads[pc][operand]);
}

std::vector<Value> Registers::ReadRun(uint32_t pc) {
  const isa::RegisterRun& run = facts_.cfg.uses[pc].run;
  std::vector<Value> found;
  for (uint32_t k = 0; k < run.count; ++k) {
    const uint32_t reg = run.first + k;
    if (fixed(reg) != 0) {
      found.push_back(fixed(reg));
    } else if (in_variables()) {
      found.push_back(ReadSlot({reg, ScalarOf(run.type)}));
    } else {
      found.push_back(value(facts_.ssa.RunOf(facts_.cfg, pc)[k]));
    }
  }
  return found;
}

void Registers::Write(uint32_t pc, Value written) {
  if (!in_variables()) {
    value(facts_.ssa.writes[pc]) = written;
    return;
  }
  const isa::Uses& uses = facts_.cfg.uses[pc];
  const uint32_t reg =
      uses.write ? uses.write->reg : verify::kFirstPredicate + *uses.predicate_write;
  const Slot slot{reg, b_.TypeOf(written)};
  b_.Store(Variable(slot), written);
  local_[slot] = written;
}

void Registers::End() {
  for (const Phi& phi : phis_) {
    const uint32_t block = facts_.ssa.values[phi.id].place;
    const auto operands = facts_.ssa.OperandsOf(facts_.cfg, phi.id);
    for (size_t k = 0; k < phi.from.size(); ++k) {
      const uint32_t from = facts_.cfg.blocks[block].predecessors[phi.from[k]];
      const ValueId operand = operands[phi.from[k]];
      Value incoming = value(operand);
      if (incoming == 0) incoming = fixed(facts_.ssa.values[operand].slot);
      HOLOGRAM_CHECK(incoming != 0);
      b_.SetIncoming(value(phi.id), static_cast<uint32_t>(k), incoming, edges_.at({from, block}));
    }
  }
}

}  // namespace hologram::device
