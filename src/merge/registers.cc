#include "merge/registers.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace hologram::merge {
namespace {

using isa::Instruction;
using isa::Opcode;
using isa::OperandKind;

bool IsRegister(OperandKind kind) {
  return kind == OperandKind::kDst || kind == OperandKind::kSrc || kind == OperandKind::kSrcFrom ||
         kind == OperandKind::kShift || kind == OperandKind::kRun ||
         kind == OperandKind::kCounter || kind == OperandKind::kByte || kind == OperandKind::kWord;
}

bool IsArrayAddress(OperandKind kind) {
  return kind == OperandKind::kSharedAddress || kind == OperandKind::kLocalAddress;
}

void RenumberOne(Instruction& in, const RegisterMap& to) {
  for (const isa::Operand& operand : isa::InfoOf(in.op).operands) {
    if (IsRegister(operand.kind)) {
      isa::SetField(in, operand.field, to[isa::GetField(in, operand.field)]);
    } else if (operand.kind == OperandKind::kGlobalAddress) {
      in.a = to[in.a];
      in.b = to[in.b];
    } else if (IsArrayAddress(operand.kind)) {
      in.b = to[in.b];
    }
  }
}

// Registers of a run stay neighbours only where parameters keep their numbers.
bool HasRunOver(const isa::Program& program, size_t first) {
  return std::any_of(program.code.begin(), program.code.end(), [&](const Instruction& in) {
    return isa::UsesOf(in).run.count != 0 && isa::UsesOf(in).run.first < first;
  });
}

uint64_t Truncated(uint64_t value, isa::Type type) {
  const size_t bits = 8 * isa::SizeOf(type);
  return bits == 64 ? value : value & ((uint64_t{1} << bits) - 1);
}

}  // namespace

bool HasTarget(const Instruction& in) {
  const auto& operands = isa::InfoOf(in.op).operands;
  return std::any_of(operands.begin(), operands.end(), [](const isa::Operand& operand) {
    return operand.kind == OperandKind::kTarget;
  });
}

RegisterMap Identity() {
  RegisterMap map;
  std::iota(map.begin(), map.end(), uint8_t{0});
  return map;
}

void Renumber(isa::Program& program, const RegisterMap& to) {
  for (Instruction& in : program.code) RenumberOne(in, to);
  for (isa::DebugLine& line : program.debug) {
    for (isa::DebugVariable& variable : line.variables) variable.reg = to[variable.reg];
  }
}

std::optional<isa::Program> WithScalars(const isa::Program& program,
                                        std::span<const uint64_t> scalars) {
  isa::Program made = program;
  made.parameters.clear();
  RegisterMap to = Identity();
  uint8_t next = 1;
  for (size_t k = 0; k < program.parameters.size(); ++k) {
    if (!program.parameters[k].is_buffer) continue;
    if (program.parameters[k].unique) return std::nullopt;
    made.parameters.push_back(program.parameters[k]);
    made.parameters.back().rank = 0;  // its shape is in the scalars
    to[isa::Program::RegisterOfParameter(k)] = next++;
  }
  std::vector<Instruction> constants;
  for (size_t k = 0; k < program.parameters.size(); ++k) {
    const isa::Parameter& parameter = program.parameters[k];
    if (parameter.is_buffer) continue;
    Instruction in;
    in.op = Opcode::kMovImm;
    in.type = parameter.type;
    in.d = next;
    in.imm = Truncated(scalars[constants.size()], parameter.type);
    constants.push_back(in);
    to[isa::Program::RegisterOfParameter(k)] = next++;
  }
  if (HasRunOver(program, next)) return std::nullopt;
  Renumber(made, to);
  for (Instruction& in : made.code) {
    if (HasTarget(in)) in.imm += constants.size();
  }
  made.code.insert(made.code.begin(), constants.begin(), constants.end());
  if (!made.debug.empty()) made.debug.insert(made.debug.begin(), constants.size(), {});
  return made;
}

std::optional<isa::Program> WithoutShapes(const isa::Program& program) {
  isa::Program made = program;
  for (isa::Parameter& parameter : made.parameters) {
    if (parameter.unique) return std::nullopt;
    parameter.rank = 0;
    parameter.source = isa::Source::kArgument;
    parameter.array = parameter.dimension = 0;
  }
  return made;
}

size_t BufferNumber(const isa::Program& program, size_t parameter) {
  const auto end = program.parameters.begin() + static_cast<ptrdiff_t>(parameter);
  return static_cast<size_t>(std::count_if(
      program.parameters.begin(), end, [](const isa::Parameter& one) { return one.is_buffer; }));
}

void RemoveParameter(isa::Program& program, size_t parameter) {
  RegisterMap to = Identity();
  for (size_t k = parameter + 1; k < program.parameters.size(); ++k) {
    to[isa::Program::RegisterOfParameter(k)] = isa::Program::RegisterOfParameter(k - 1);
  }
  program.parameters.erase(program.parameters.begin() + static_cast<ptrdiff_t>(parameter));
  Renumber(program, to);
}

std::optional<size_t> ParameterOf(const isa::Program& program, uint8_t reg) {
  if (reg == 0 || reg > program.parameters.size()) return std::nullopt;
  return size_t{reg} - 1;
}

Values::Values(const verify::VerifiedProgram& program, std::span<const uint64_t> scalars)
    : program_(program) {
  std::array<uint32_t, isa::kNumRegisters> writes{};
  const std::vector<Instruction>& code = program.program().code;
  for (uint32_t pc = 0; pc < code.size(); ++pc) {
    const std::optional<isa::RegisterUse> write = isa::UsesOf(code[pc]).write;
    if (!write) continue;
    ++writes[write->reg];
    only_[write->reg] = pc;
  }
  for (size_t reg = 0; reg < writes.size(); ++reg) {
    const bool is_parameter = reg != 0 && reg <= program.program().parameters.size();
    if (writes[reg] != 1 || is_parameter) only_[reg].reset();
  }
  size_t next = 0;
  for (size_t k = 0; k < program.program().parameters.size(); ++k) {
    const uint8_t reg = isa::Program::RegisterOfParameter(k);
    if (program.program().parameters[k].is_buffer) continue;
    const uint64_t value = scalars[next++];
    if (writes[reg] == 0) scalars_[reg] = value;
  }
}

std::optional<uint32_t> Values::Definition(uint8_t reg, uint32_t pc) const {
  const uint32_t begin = program_.blocks()[program_.BlockOf(pc)].begin;
  for (uint32_t k = pc; k-- > begin;) {
    const std::optional<isa::RegisterUse> write = isa::UsesOf(program_.program().code[k]).write;
    if (write && write->reg == reg) return k;
  }
  return only_[reg];  // a read before it would be an error of the program
}

bool Values::IsKept(uint8_t reg, uint32_t from, uint32_t to) const {
  for (uint32_t k = from; k < to; ++k) {
    const std::optional<isa::RegisterUse> write = isa::UsesOf(program_.program().code[k]).write;
    if (write && write->reg == reg) return false;
  }
  return true;
}

std::optional<uint64_t> Values::Constant(uint8_t reg, uint32_t pc) const {
  if (scalars_[reg]) return scalars_[reg];
  const std::optional<uint32_t> found = Definition(reg, pc);
  if (!found || program_.program().code[*found].op != Opcode::kMovImm) return std::nullopt;
  return program_.program().code[*found].imm;
}

bool Values::IsMultiple(uint8_t reg, uint32_t pc, uint64_t factor) const {
  constexpr int kDepth = 16;
  return IsMultipleWithin(reg, pc, factor, kDepth);
}

bool Values::IsMultipleWithin(uint8_t reg, uint32_t pc, uint64_t factor, int depth) const {
  if (const std::optional<uint64_t> value = Constant(reg, pc)) return *value % factor == 0;
  const std::optional<uint32_t> found = Definition(reg, pc);
  if (!found || depth == 0) return false;
  const Instruction& in = program_.program().code[*found];
  if (in.type != isa::Type::kU32 && in.type != isa::Type::kU64) return false;
  const auto is_multiple = [&](uint8_t operand) {
    return IsMultipleWithin(operand, *found, factor, depth - 1);
  };
  if (in.op == Opcode::kAdd) return is_multiple(in.a) && is_multiple(in.b);
  if (in.op == Opcode::kMul) return is_multiple(in.a) || is_multiple(in.b);
  return in.op == Opcode::kMov && is_multiple(in.a);
}

Live LiveBehind(const verify::VerifiedProgram& program, uint32_t pc) {
  Live live;
  const verify::BasicBlock& block = program.blocks()[program.BlockOf(pc)];
  for (const uint32_t next : block.successors) {
    if (next == verify::kExitBlock) continue;
    for (const uint16_t one : program.live_in()[next]) {
      if (one < isa::kNumRegisters) {
        live.registers.set(one);
      } else {
        live.predicates.set(one - isa::kNumRegisters);
      }
    }
  }
  for (uint32_t k = block.end; k-- > pc + 1;) {
    const isa::Uses uses = isa::UsesOf(program.program().code[k]);
    if (uses.write) live.registers.reset(uses.write->reg);
    if (uses.predicate_write) live.predicates.reset(*uses.predicate_write);
    uses.ForEachRead([&](const isa::RegisterUse& use) { live.registers.set(use.reg); });
    for (int j = 0; j < uses.num_predicate_reads; ++j) {
      live.predicates.set(uses.predicate_reads[static_cast<size_t>(j)]);
    }
  }
  return live;
}

}  // namespace hologram::merge
