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
  const CountedLoop* const counted = facts_.CountedAt(block);
  for (const ValueId phi : phis_of_[block]) {
    if (counted != nullptr && phi == counted->counter) {
      rounds_[block].so_far = b_.Phi(Scalar::kI32, 2);
      continue;
    }
    value(phi) = b_.Phi(types_[phi], static_cast<uint32_t>(from.size()));
    phis_.push_back({phi, from});
  }
  if (counted == nullptr) return;
  const Rounds& rounds = rounds_[block];
  Value gone = b_.Emit(Binary::kMul, rounds.so_far, rounds.step);
  value(counted->counter) = b_.Emit(Binary::kAdd, rounds.first, gone);
}

Value Registers::HasEnded(const CountedLoop& loop) {
  const Rounds& rounds = rounds_.at(loop.header);
  return b_.Emit(Compare::kUGe, rounds.so_far, rounds.all);
}

Value Registers::ReadValue(ValueId v) {
  return value(v) != 0 ? value(v) : fixed(facts_.ssa.values[v].slot);
}

// Before the loop: none if the first number is behind the end, else the distance, without its last
// number, in steps, and one.
void Registers::CountRounds(const CountedLoop& loop, uint32_t from) {
  const auto operands = facts_.ssa.OperandsOf(facts_.cfg, loop.counter);
  const std::vector<uint32_t>& predecessors = facts_.cfg.blocks[loop.header].predecessors;
  const isa::Type type = facts_.program().code[loop.test].type;
  Rounds& rounds = rounds_[loop.header];
  rounds.before = b_.Current();
  rounds.first = ReadValue(operands[predecessors[0] == from ? 0 : 1]);
  rounds.step = ReadValue(facts_.ssa.reads[loop.add][loop.step]);
  Value end = Read(loop.test, 1, type);
  Value zero = b_.Constant(Scalar::kI32, 0);
  const Compare ended = loop.down                    ? Compare::kSLe
                        : isa::IsSignedInteger(type) ? Compare::kSGe
                                                     : Compare::kUGe;
  Value far = loop.down ? b_.Emit(Binary::kSub, rounds.first, end)
                        : b_.Emit(Binary::kSub, end, rounds.first);
  Value step = loop.down ? b_.Emit(Binary::kSub, zero, rounds.step) : rounds.step;
  // A step of 0, which no launch goes with, is not divided by where the loop is not gone through.
  step = b_.Select(b_.With(Compare::kEq, step, 0), b_.Constant(Scalar::kI32, 1), step);
  Value count = b_.Emit(Binary::kUDiv, b_.With(Binary::kSub, far, 1), step);
  count = b_.With(Binary::kAdd, count, 1);
  rounds.all = b_.Select(b_.Emit(ended, rounds.first, end), zero, count);
}

void Registers::SetEdge(uint32_t from, uint32_t to) {
  edges_[{from, to}] = b_.Current();
  const CountedLoop* const counted = facts_.CountedAt(to);
  if (counted == nullptr) return;
  Rounds& rounds = rounds_[to];
  if (rounds.so_far == 0) return CountRounds(*counted, from);
  rounds.again = b_.Current();
  rounds.next = b_.With(Binary::kAdd, rounds.so_far, 1);
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
  for (const auto& [header, rounds] : rounds_) {
    b_.SetIncoming(rounds.so_far, 0, b_.Constant(Scalar::kI32, 0), rounds.before);
    b_.SetIncoming(rounds.so_far, 1, rounds.next, rounds.again);
  }
  for (const Phi& phi : phis_) {
    const uint32_t block = facts_.ssa.values[phi.id].place;
    const auto operands = facts_.ssa.OperandsOf(facts_.cfg, phi.id);
    for (size_t k = 0; k < phi.from.size(); ++k) {
      const uint32_t from = facts_.cfg.blocks[block].predecessors[phi.from[k]];
      const ValueId operand = operands[phi.from[k]];
      Value incoming = ReadValue(operand);
      HOLOGRAM_CHECK(incoming != 0);
      b_.SetIncoming(value(phi.id), static_cast<uint32_t>(k), incoming, edges_.at({from, block}));
    }
  }
}

}  // namespace hologram::device
