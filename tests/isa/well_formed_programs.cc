#include "isa/well_formed_programs.h"

#include <algorithm>

#include "base/quote.h"
#include "isa/atlas.h"

namespace hologram::isa {

Program WellFormedPrograms::Next() {
  Program program;
  MakeSignature(program);
  program.code.resize(Below(Chance(10) ? 300 : 40));
  for (Instruction& instruction : program.code) instruction = MakeInstruction(program);
  if (Chance(70)) MakeDebug(program);
  return program;
}

// Names are text without control characters, of any kind otherwise.
std::string WellFormedPrograms::Name() {
  return Escape(Text(), false);
}

std::string WellFormedPrograms::Text() {
  static const std::string kHostile[] = {
      "",
      "src[i + 2]",
      "k.py",
      "a b",
      "\"",
      "\\x",
      "{i=r5}",
      "; k.py:1:2 x",
      "gr\u00f6\u00dfe",
      "\xff\xfe",
      "\n",
      "\r\n",
      "tail ",
      " head",
      "x{",
      std::string(3, '\0'),
      "1.0",
      ":12:5",
      "a:1:2",
      "}",
      "L1:",
      ".kernel x",
      "\t",
      "\xe2\x80\xa8",
  };
  if (Chance(40)) return "name_" + std::to_string(Below(1000));
  if (Chance(70)) return kHostile[Below(std::size(kHostile))];
  std::string text(Below(20), ' ');
  for (char& c : text) c = static_cast<char>(Bits());
  return text;
}

void WellFormedPrograms::MakeSignature(Program& program) {
  program.name = Name();
  program.source_file = EscapeLine(Text());
  if (Chance(50)) program.default_block = static_cast<uint32_t>(1 + Below(kMaxLanesPerBlock));
  if (program.default_block <= kMaxLanesPerBlock / 4 && Chance(50)) {
    program.default_block_yz = {static_cast<uint32_t>(1 + Below(2)),
                                static_cast<uint32_t>(1 + Below(2))};
  }
  program.parameters.resize(Below(Chance(5) ? kMaxParameters + 1 : 6));
  for (Parameter& parameter : program.parameters) {
    parameter.name = Name();
    parameter.is_buffer = Chance(60);
    parameter.type = static_cast<Type>(Below(kNumTypes));
    if (parameter.is_buffer) parameter.direction = static_cast<Direction>(Below(3));
    parameter.unique = parameter.is_buffer && parameter.direction == Direction::kIn &&
                       IsInteger(parameter.type) && parameter.name.size() % 2 == 1;
  }
  program.shared.resize(Below(4));
  for (SharedArray& array : program.shared) {
    array.name = Name();
    array.type = static_cast<Type>(Below(kNumTypes));
    array.count = static_cast<uint32_t>(1 + Below(1000));
  }
  if (Chance(70)) return;
  program.locals.resize(1 + Below(3));
  for (LocalArray& array : program.locals) {
    array.name = Name();
    array.type = static_cast<Type>(Below(kNumTypes));
    array.count = static_cast<uint32_t>(1 + Below(600));
  }
}

void WellFormedPrograms::MakeDebug(Program& program) {
  program.debug.resize(program.code.size());
  if (Chance(5)) return;  // lines that say nothing
  for (DebugLine& line : program.debug) {
    if (Chance(20)) continue;
    line.line = static_cast<uint32_t>(Chance(5) ? Bits() : Below(500));
    line.column = static_cast<uint32_t>(Below(100));
    if (Chance(60)) line.text = EscapeLine(Text());
    line.variables.resize(Below(4));
    for (DebugVariable& variable : line.variables) variable = {Name(), Byte()};
  }
}

Instruction WellFormedPrograms::MakeInstruction(const Program& program) {
  for (;;) {
    const std::span<const OpcodeInfo> opcodes = AllOpcodes();
    const OpcodeInfo& info = opcodes[Below(opcodes.size())];
    Instruction instruction;
    instruction.op = info.op;
    if (info.types != TypeSet::kNone) {
      do {
        instruction.type = static_cast<Type>(Below(kNumTypes));
      } while (!Contains(info.types, instruction.type));
    }
    const bool possible = std::all_of(
        info.operands.begin(), info.operands.end(),
        [&](const Operand& operand) { return MakeOperand(program, operand, instruction); });
    if (possible) return instruction;
  }
}

// A case for each kind of operand. NOLINTNEXTLINE(readability-function-size)
bool WellFormedPrograms::MakeOperand(const Program& program, const Operand& operand,
                                     Instruction& instruction) {
  switch (operand.kind) {
    case OperandKind::kDst:
    case OperandKind::kSrc:
    case OperandKind::kShift:
    case OperandKind::kRun:
    case OperandKind::kCounter:
    case OperandKind::kByte:
    case OperandKind::kWord:
      SetField(instruction, operand.field, Byte());
      return true;
    case OperandKind::kSrcFrom:
      SetField(instruction, operand.field, Byte());
      instruction.mod = static_cast<uint8_t>(Below(kNumTypes));
      return instruction.op != Opcode::kBitcast ||
             SizeOf(instruction.type) == SizeOf(instruction.source_type());
    case OperandKind::kPredDst:
    case OperandKind::kPredSrc:
      SetField(instruction, operand.field, static_cast<uint8_t>(Below(kNumPredicates)));
      return true;
    case OperandKind::kOptPred:
      instruction.mod = Chance(60) ? 1 : 0;
      if (instruction.mod == 1) {
        SetField(instruction, operand.field, static_cast<uint8_t>(Below(kNumPredicates)));
      }
      return true;
    case OperandKind::kGlobalAddress: {
      if (!IsAtomic(instruction.op) && Chance(10)) {
        instruction.mode = Chance(50) ? kPhiMode : kClassMode;
        if (instruction.mode == kClassMode) {
          instruction.b = Byte();
        } else {
          instruction.imm = Below(kClassMemoryBytes / 8) * 8;
        }
        return true;
      }
      instruction.mode = kIndexedMode;
      instruction.a = Byte();
      instruction.b = Byte();
      const uint64_t range = Chance(80) ? 64 : ~uint64_t{0};
      const uint64_t count = Chance(50) ? 0 : Below(range) - range / 2;
      instruction.imm = count * SizeOf(instruction.type);
      return true;
    }
    case OperandKind::kSharedAddress:
      return MakeArrayAddress(program.shared, instruction);
    case OperandKind::kLocalAddress:
      return MakeArrayAddress(program.locals, instruction);
    case OperandKind::kCount:
      instruction.imm = Below(Chance(80) ? 6 : 257);
      return instruction.imm <= static_cast<uint64_t>(kNumRegisters) - instruction.a;
    case OperandKind::kImmediate:
      instruction.imm = Immediate(instruction.type);
      if (instruction.op == Opcode::kUnityTest) instruction.imm = Below(uint64_t{0x7ff} << 52);
      return true;
    case OperandKind::kTarget:
      instruction.imm = Below(program.code.size() + 1);
      return true;
    case OperandKind::kCondition:
      instruction.mod = static_cast<uint8_t>(Below(kNumConditions));
      return true;
    case OperandKind::kSreg:
      instruction.mod = static_cast<uint8_t>(Below(kNumSregs));
      return (instruction.sreg() == Sreg::kLinear) == (instruction.type == Type::kU64);
    case OperandKind::kAtomicOp:
      instruction.mod = static_cast<uint8_t>(Below(kNumAtomicOps));
      return !IsFloat(instruction.type) || HasFloatForm(instruction.atomic_op());
    case OperandKind::kAccuracy:
      instruction.mod = static_cast<uint8_t>(Below(2));
      return true;
    case OperandKind::kBlockOp:
      instruction.mod = static_cast<uint8_t>(Below(kNumBlockForms));
      return !IsFloat(instruction.type) || instruction.block_op() <= BlockOp::kMul;
    case OperandKind::kDelta:
      instruction.imm = Below(65536);
      return true;
    case OperandKind::kText: {
      std::string text = Text().substr(0, kMaxTextBytes);
      std::erase(text, '\0');
      instruction.imm = ImmediateOf(text.empty() ? "x" : text);
      return true;
    }
    case OperandKind::kFormat: {
      constexpr std::string_view kFormats[] = {"", ">9", "+.3e", "08.2f", "x<9", "_", "=+12"};
      instruction.imm = ImmediateOf(kFormats[Below(std::size(kFormats))]);
      return true;
    }
    case OperandKind::kNeighbour:
      instruction.mod = static_cast<uint8_t>(Below(kNumNeighbours));
      return true;
    case OperandKind::kScope:
      instruction.mod = static_cast<uint8_t>(Below(kNumScopes));
      return true;
    case OperandKind::kBarrierId:
      instruction.mod = static_cast<uint8_t>(Below(kNumBarriers));
      return true;
  }
  return false;
}

bool WellFormedPrograms::MakeArrayAddress(const std::vector<SharedArray>& arrays,
                                          Instruction& instruction) {
  if (arrays.empty()) return false;
  instruction.mode = kIndexedMode;
  instruction.a = static_cast<uint8_t>(Below(arrays.size()));
  instruction.b = Byte();
  instruction.type = arrays[instruction.a].type;
  return Contains(InfoOf(instruction.op).types, instruction.type);
}

uint64_t WellFormedPrograms::Immediate(Type type) {
  const uint64_t mask = ~uint64_t{0} >> (64 - BitsOf(type));
  uint64_t bits = Bits() & mask;
  if (Chance(20)) bits = 0;
  if (Chance(10)) bits = mask;
  const bool negative = IsSignedInteger(type) && (bits >> (BitsOf(type) - 1)) != 0;
  return negative ? bits | ~mask : bits;
}

}  // namespace hologram::isa
