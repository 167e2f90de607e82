#include "coverage.h"

#include "text/text.h"

namespace hologram::tests {
namespace {

using isa::Instruction;
using isa::OpcodeInfo;
using isa::OperandKind;
using isa::Type;

std::string FormOf(const Instruction& instruction) {
  const std::string text = text::ToString(instruction);
  std::string form = text.substr(0, text.find(' '));
  if (instruction.op == isa::Opcode::kBra && instruction.conditional()) return "bra.p";
  if (instruction.op == isa::Opcode::kTrap && instruction.mod == 1) return "trap.p";
  if (instruction.op == isa::Opcode::kReadSreg) {
    form += " " + std::string(NameOf(instruction.sreg()));
  }
  return form;
}

// How many values of `mod` the operands of an instruction allow.
int NumModifiers(const OpcodeInfo& info) {
  for (const isa::Operand& operand : info.operands) {
    switch (operand.kind) {
      case OperandKind::kSrcFrom:
        return isa::kNumTypes;
      case OperandKind::kOptPred:
      case OperandKind::kAccuracy:
        return 2;
      case OperandKind::kCondition:
        return isa::kNumConditions;
      case OperandKind::kSreg:
        return isa::kNumSregs;
      case OperandKind::kAtomicOp:
        return isa::kNumAtomicOps;
      case OperandKind::kBlockOp:
        return isa::kNumBlockForms;
      case OperandKind::kNeighbour:
        return isa::kNumNeighbours;
      case OperandKind::kScope:
        return isa::kNumScopes;
      case OperandKind::kBarrierId:  // one barrier stands for all
      case OperandKind::kDst:
      case OperandKind::kSrc:
      case OperandKind::kShift:
      case OperandKind::kRun:
      case OperandKind::kCount:
      case OperandKind::kCounter:
      case OperandKind::kByte:
      case OperandKind::kWord:
      case OperandKind::kDelta:
      case OperandKind::kText:
      case OperandKind::kFormat:
      case OperandKind::kPredDst:
      case OperandKind::kPredSrc:
      case OperandKind::kGlobalAddress:
      case OperandKind::kSharedAddress:
      case OperandKind::kLocalAddress:
      case OperandKind::kImmediate:
      case OperandKind::kTarget:
        break;
    }
  }
  return 1;
}

// Whether the form exists. `instruction` has opcode, type and modifier.
bool IsForm(const OpcodeInfo& info, const Instruction& instruction) {
  if (info.types == isa::TypeSet::kNone) return instruction.type == Type::kI8;
  if (!Contains(info.types, instruction.type)) return false;
  if (info.op == isa::Opcode::kReadSreg) {
    return (instruction.sreg() == isa::Sreg::kLinear) == (instruction.type == Type::kU64);
  }
  if (isa::IsFloatAtomic(info.op)) return isa::HasFloatForm(instruction.atomic_op());
  if ((info.op == isa::Opcode::kBlkRed || info.op == isa::Opcode::kBlkScan) &&
      isa::IsFloat(instruction.type)) {
    return instruction.block_op() <= isa::BlockOp::kMul;
  }
  return info.op != isa::Opcode::kBitcast ||
         SizeOf(instruction.type) == SizeOf(instruction.source_type());
}

}  // namespace

void Coverage::Add(const isa::Program& program) {
  for (const Instruction& instruction : program.code) seen_.insert(FormOf(instruction));
}

std::vector<std::string> Coverage::Missing() const {
  std::vector<std::string> missing;
  for (const OpcodeInfo& info : isa::AllOpcodes()) {
    for (int type = 0; type < isa::kNumTypes; ++type) {
      for (int mod = 0; mod < NumModifiers(info); ++mod) {
        Instruction instruction;
        instruction.op = info.op;
        instruction.type = static_cast<Type>(type);
        instruction.mod = static_cast<uint8_t>(mod);
        if (!IsForm(info, instruction)) continue;
        const std::string form = FormOf(instruction);
        if (!seen_.contains(form)) missing.push_back(form);
      }
    }
  }
  return missing;
}

}  // namespace hologram::tests
