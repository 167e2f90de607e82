#include "verify/race_text.h"

#include <algorithm>

namespace hologram::verify {
namespace {

using isa::Instruction;
using isa::Opcode;

bool IsAddition(Opcode op) {
  return op == Opcode::kAdd || op == Opcode::kSub || op == Opcode::kMad || op == Opcode::kFma;
}

bool IsLoadOf(const Instruction& in, const Instruction& store) {
  return isa::IsLoad(in.op) && in.a == store.a &&
         isa::IsGlobalAccess(in.op) == isa::IsGlobalAccess(store.op);
}

const std::string& TextAt(const isa::Program& program, uint32_t pc) {
  static const std::string none;
  return pc < program.debug.size() ? program.debug[pc].text : none;
}

// What last wrote the register before `pc`, in the order of the code.
const Instruction* WriterOf(const isa::Program& program, uint8_t reg, uint32_t pc) {
  while (pc-- > 0) {
    const isa::Uses uses = isa::UsesOf(program.code[pc]);
    if (uses.write && uses.write->reg == reg) return &program.code[pc];
  }
  return nullptr;
}

// The array that the index of the store was loaded from, if it could be declared unique; else null.
const isa::Parameter* TableOf(const isa::Program& program, uint32_t pc) {
  const Instruction* writer = WriterOf(program, program.code[pc].b, pc);
  if (writer != nullptr && writer->op == Opcode::kCvt) {
    writer = WriterOf(program, writer->a, static_cast<uint32_t>(writer - program.code.data()));
  }
  if (writer == nullptr || !isa::IsLoad(writer->op) || !isa::IsGlobalAccess(writer->op)) {
    return nullptr;
  }
  const isa::Parameter& table = program.parameters[writer->a - 1u];
  const bool may_be_unique = table.direction == isa::Direction::kIn && IsInteger(table.type);
  return may_be_unique && !table.unique ? &table : nullptr;
}

}  // namespace

std::string RaceRemedy(const isa::Program& program, uint32_t pc) {
  const Instruction& store = program.code[pc];
  const bool shared = isa::IsSharedAccess(store.op);
  if (!isa::IsStore(store.op) || (!shared && !isa::IsGlobalAccess(store.op))) return {};
  bool updates = false;
  bool reads_others = false;
  for (uint32_t k = 0; k < program.code.size(); ++k) {
    if (!IsLoadOf(program.code[k], store)) continue;
    const bool same = !TextAt(program, k).empty() && TextAt(program, k) == TextAt(program, pc);
    (same ? updates : reads_others) = true;
  }
  if (updates && !reads_others) {
    const Instruction* const writer = WriterOf(program, store.c, pc);
    const bool adds = writer != nullptr && IsAddition(writer->op);
    return adds ? "; to add from several lanes, use atomic_add or block_reduce_add" : "";
  }
  return reads_others && !shared ? "; to read what was there before, write to another array" : "";
}

std::string UniqueRemedy(const isa::Program& program, uint32_t pc) {
  const isa::Parameter* const table = TableOf(program, pc);
  if (table == nullptr) return {};
  return std::string(kUnlessUnique) + table->name + ") declares that no two elements of " +
         table->name + " are equal";
}

}  // namespace hologram::verify
