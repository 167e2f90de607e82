#include "frontend/lower/emitter.h"

#include <algorithm>

namespace hologram::frontend {

using isa::Instruction;
using isa::Opcode;
using isa::OperandKind;

void Emitter::Emit(const Instruction& instruction, isa::DebugLine debug) {
  code_.push_back(instruction);
  debug_.push_back(std::move(debug));
}

void Emitter::Branch(Label target, Position at) {
  Emit({.op = Opcode::kBra, .imm = target}, {at.line, at.column, "", {}});
}

void Emitter::BranchIf(uint8_t predicate, Label target, Position at) {
  Emit({.op = Opcode::kBra, .mod = 1, .a = predicate, .imm = target}, {at.line, at.column, "", {}});
}

uint8_t Emitter::Special(isa::Sreg sreg, Position at) {
  const auto known = specials_.find(sreg);
  if (known != specials_.end()) return known->second;
  const uint8_t reg = AllocatePrologue();
  specials_[sreg] = reg;
  prologue_.push_back({.op = Opcode::kReadSreg,
                       .type = isa::Type::kU32,
                       .mod = static_cast<uint8_t>(sreg),
                       .d = reg});
  prologue_debug_.push_back({at.line, at.column, "", {}});
  return reg;
}

uint8_t Emitter::EntryConstant(isa::Type type, uint64_t bits, Position at) {
  const auto known = constants_.find({type, bits});
  if (known != constants_.end()) return known->second;
  const uint8_t reg = AllocatePrologue();
  constants_[{type, bits}] = reg;
  ++num_constants_;
  prologue_.push_back({.op = Opcode::kMovImm, .type = type, .d = reg, .imm = bits});
  prologue_debug_.push_back({at.line, at.column, "", {}});
  return reg;
}

// ---- Registers

uint8_t Emitter::AllocatePrologue() {
  if (lowest_prologue_ - 1 <= std::max(highest_, first_register_ - 1)) {
    overflowed_ = true;
    return 0;
  }
  return static_cast<uint8_t>(--lowest_prologue_);
}

uint8_t Emitter::Allocate() {
  for (int reg = first_register_; reg < lowest_prologue_; ++reg) {
    if (used_[reg]) continue;
    used_[reg] = true;
    highest_ = std::max(highest_, reg);
    return static_cast<uint8_t>(reg);
  }
  overflowed_ = true;
  return 0;
}

uint8_t Emitter::AllocatePredicate() {
  for (int i = 0; i < isa::kNumPredicates; ++i) {
    if (used_predicates_[i]) continue;
    used_predicates_[i] = true;
    return static_cast<uint8_t>(i);
  }
  overflowed_ = true;
  return 0;
}

int Emitter::free_predicates() const {
  return static_cast<int>(
      std::count(std::begin(used_predicates_), std::end(used_predicates_), false));
}

// ---- The finished program

uint8_t Emitter::Renumbered(uint8_t reg) const {
  if (reg < first_register_) return reg;
  if (reg >= lowest_prologue_) return static_cast<uint8_t>(first_register_ + (kEnd - 1 - reg));
  return static_cast<uint8_t>(reg + (kEnd - lowest_prologue_));
}

void Emitter::Renumber(Instruction& instruction) const {
  for (const isa::Operand& operand : InfoOf(instruction.op).operands) {
    switch (operand.kind) {
      case OperandKind::kDst:
      case OperandKind::kSrc:
      case OperandKind::kSrcFrom:
      case OperandKind::kShift:
        SetField(instruction, operand.field, Renumbered(GetField(instruction, operand.field)));
        break;
      case OperandKind::kGlobalAddress:
        instruction.a = Renumbered(instruction.a);
        instruction.b = Renumbered(instruction.b);
        break;
      case OperandKind::kSharedAddress:
      case OperandKind::kLocalAddress:
        instruction.b = Renumbered(instruction.b);
        break;
      default:
        break;  // no registers
    }
  }
}

void Emitter::Finish(isa::Program& program) {
  const size_t shift = prologue_.size();
  for (Instruction& instruction : code_) {
    if (instruction.op == Opcode::kBra) instruction.imm = labels_[instruction.imm] + shift;
  }
  program.code = std::move(prologue_);
  program.code.insert(program.code.end(), code_.begin(), code_.end());
  program.debug = std::move(prologue_debug_);
  program.debug.insert(program.debug.end(), std::make_move_iterator(debug_.begin()),
                       std::make_move_iterator(debug_.end()));
  for (Instruction& instruction : program.code) Renumber(instruction);
  for (isa::DebugLine& line : program.debug) {
    for (isa::DebugVariable& variable : line.variables) variable.reg = Renumbered(variable.reg);
  }
}

}  // namespace hologram::frontend
