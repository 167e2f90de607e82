// Program -> canonical text, by the operand kinds of instructions.def. Any Program value can be
// printed; what is not well-formed prints as bytes that the assembler does not take.
#include <algorithm>
#include <map>

#include "base/bytes.h"
#include "base/quote.h"
#include "isa/atlas.h"
#include "text/debug_comment.h"
#include "text/immediate.h"
#include "text/syntax.h"
#include "text/text.h"

namespace hologram::text {
namespace {

using isa::Instruction;
using isa::Operand;
using isa::OperandKind;

constexpr size_t kCommentColumn = 40;

// False for values that have no name.
bool IsPrintable(const Instruction& instruction) {
  const isa::OpcodeInfo* info = isa::FindOpcode(static_cast<uint8_t>(instruction.op));
  if (info == nullptr || static_cast<uint8_t>(instruction.type) >= isa::kNumTypes) return false;
  return std::all_of(info->operands.begin(), info->operands.end(),
                     [&instruction](const Operand& operand) {
                       if (operand.kind == OperandKind::kSrcFrom)
                         return instruction.mod < isa::kNumTypes;
                       const size_t words = WordsOf(operand.kind).size();
                       return words == 0 || instruction.mod < words;
                     });
}

std::string PrintBytes(const Instruction& instruction) {
  ByteWriter bytes;
  bytes.U8(static_cast<uint8_t>(instruction.op));
  bytes.U8(static_cast<uint8_t>(instruction.type));
  for (uint8_t field : {instruction.mod, instruction.d, instruction.a, instruction.b, instruction.c,
                        instruction.mode}) {
    bytes.U8(field);
  }
  bytes.U64(instruction.imm);
  return "<no instruction: " + ToHex(std::move(bytes).Take()) + ">";
}

std::string Numbered(char letter, uint8_t number) {
  return letter + std::to_string(number);
}

std::string PrintMnemonic(const Instruction& instruction) {
  const isa::OpcodeInfo& info = InfoOf(instruction.op);
  std::string text(info.mnemonic);
  for (const Operand& operand : info.operands) {
    if (operand.kind == OperandKind::kCondition) text += NameOf(instruction.condition());
    if (operand.kind == OperandKind::kAtomicOp)
      text.append(".").append(NameOf(instruction.atomic_op()));
    if (operand.kind == OperandKind::kBlockOp)
      text.append(".").append(isa::NameOfBlockForm(instruction.mod));
    if (operand.kind == OperandKind::kScope) text.append(".").append(NameOf(instruction.scope()));
    if (operand.kind == OperandKind::kAccuracy && instruction.fast()) text += ".fast";
  }
  if (info.types != isa::TypeSet::kNone) text.append(".").append(NameOf(instruction.type));
  for (const Operand& operand : info.operands) {
    if (operand.kind == OperandKind::kSrcFrom)
      text.append(".").append(NameOf(instruction.source_type()));
    if (operand.kind == OperandKind::kOptPred && instruction.mod == 1) {
      text += "." + Numbered('p', GetField(instruction, operand.field));
    }
  }
  return text;
}

std::string PrintAddress(const Instruction& instruction, char letter) {
  std::string text = "[" + Numbered(letter, instruction.a) + " + " + Numbered('r', instruction.b) +
                     "*" + std::to_string(SizeOf(instruction.type));
  if (instruction.imm != 0) {
    const bool negative = instruction.displacement() < 0;
    const uint64_t magnitude = negative ? ~instruction.imm + 1 : instruction.imm;
    text += (negative ? " - " : " + ") + std::to_string(magnitude);
  }
  return text + "]";
}

std::string PrintClassAddress(const Instruction& instruction) {
  if (instruction.mode == isa::kClassMode) {
    return "[boundary + " + Numbered('r', instruction.b) + "]";
  }
  const uint64_t at = instruction.imm;
  return "[phi(" + std::to_string(at / isa::kBytesPerClass) + ", " +
         std::to_string(at % isa::kBytesPerClass / isa::kBytesPerPage) + ", " +
         std::to_string(at % isa::kBytesPerPage) + ")]";
}

std::string PrintOperand(const Instruction& instruction, const Operand& operand,
                         const std::string& target) {
  const uint8_t value = GetField(instruction, operand.field);
  switch (operand.kind) {
    case OperandKind::kDst:
    case OperandKind::kSrc:
    case OperandKind::kSrcFrom:
    case OperandKind::kShift:
    case OperandKind::kRun:
    case OperandKind::kCounter:
    case OperandKind::kByte:
    case OperandKind::kWord:
      return Numbered('r', value);
    case OperandKind::kPredDst:
    case OperandKind::kPredSrc:
      return Numbered('p', value);
    case OperandKind::kGlobalAddress:
      if (instruction.in_class_memory()) return PrintClassAddress(instruction);
      return PrintAddress(instruction, 'r');
    case OperandKind::kSharedAddress:
      return PrintAddress(instruction, 's');
    case OperandKind::kLocalAddress:
      return PrintAddress(instruction, 'l');
    case OperandKind::kCount:
    case OperandKind::kDelta:
      return std::to_string(instruction.imm);
    case OperandKind::kText:
    case OperandKind::kFormat:
      return Quote(isa::TextOf(instruction.imm));
    case OperandKind::kNeighbour:
      return std::to_string(instruction.mod);
    case OperandKind::kImmediate:
      return PrintImmediate(instruction.imm, instruction.type);
    case OperandKind::kTarget:
      return "@" + target;
    case OperandKind::kSreg:
      return std::string(NameOf(instruction.sreg()));
    case OperandKind::kBarrierId:
      return std::to_string(instruction.mod);
    case OperandKind::kOptPred:
    case OperandKind::kCondition:
    case OperandKind::kAtomicOp:
    case OperandKind::kAccuracy:
    case OperandKind::kScope:
    case OperandKind::kBlockOp:
      break;  // part of the mnemonic
  }
  return "";
}

std::string PrintInstruction(const Instruction& instruction, const std::string& target) {
  if (!IsPrintable(instruction)) return PrintBytes(instruction);
  std::string text = PrintMnemonic(instruction);
  std::string_view separator = " ";
  for (const Operand& operand : InfoOf(instruction.op).operands) {
    if (!IsTextOperand(operand.kind)) continue;
    if (operand.kind == OperandKind::kFormat && instruction.imm == 0) continue;
    text.append(separator).append(PrintOperand(instruction, operand, target));
    separator = ", ";
  }
  return text;
}

bool HasOperand(const Instruction& instruction, OperandKind kind) {
  if (!IsPrintable(instruction)) return false;
  const std::span<const Operand> operands = InfoOf(instruction.op).operands;
  return std::any_of(operands.begin(), operands.end(),
                     [kind](const Operand& operand) { return operand.kind == kind; });
}

std::string_view DirectionName(isa::Direction direction) {
  if (direction == isa::Direction::kOut) return "out";
  return direction == isa::Direction::kInOut ? "inout" : "in";
}

std::string_view TypeName(isa::Type type) {
  return static_cast<uint8_t>(type) < isa::kNumTypes ? isa::NameOf(type) : "?";
}

class Disassembler {
 public:
  explicit Disassembler(const isa::Program& program) : program_(program) {}

  std::string Run() {
    PrintHeader();
    FindLabels();
    all_debug_empty_ =
        std::all_of(program_.debug.begin(), program_.debug.end(),
                    [](const isa::DebugLine& line) { return line == isa::DebugLine{}; });
    for (size_t pc = 0; pc < program_.code.size(); ++pc) {
      PrintLabel(pc);
      PrintLine(pc);
    }
    PrintLabel(program_.code.size());
    return std::move(text_);
  }

 private:
  void PrintHeader() {
    text_ = ".kernel " + PrintName(program_.name) + "\n";
    if (!program_.source_file.empty()) text_ += ".source " + Quote(program_.source_file) + "\n";
    if (program_.SaysBlock()) {
      text_ += ".block " + std::to_string(program_.default_block);
      const auto& [y, z] = program_.default_block_yz;
      if (!program_.HasFlatBlock()) text_ += " " + std::to_string(y);
      if (z != 1) text_ += " " + std::to_string(z);
      text_ += "\n";
    }
    for (const isa::Parameter& parameter : program_.parameters) {
      text_ += ".param " + PrintName(parameter.name) + " ";
      text_ += TypeName(parameter.type);
      if (parameter.is_buffer) {
        const size_t commas = parameter.rank == 0 ? 0 : parameter.rank - 1U;
        text_ += "[" + std::string(commas, ',') + "] ";
        text_.append(DirectionName(parameter.direction));
        if (parameter.unique) text_ += " unique";
      } else if (parameter.source != isa::Source::kArgument) {
        text_ += parameter.source == isa::Source::kExtent ? " extent r" : " stride r";
        text_ += std::to_string(isa::Program::RegisterOfParameter(parameter.array)) + " " +
                 std::to_string(parameter.dimension);
      }
      text_ += "\n";
    }
    for (const isa::SharedArray& array : program_.shared) PrintArray(".shared ", array);
    for (const isa::LocalArray& array : program_.locals) PrintArray(".local ", array);
  }

  void PrintArray(std::string_view directive, const isa::SharedArray& array) {
    text_.append(directive).append(PrintName(array.name)).append(" ");
    text_.append(TypeName(array.type)).append(" ").append(std::to_string(array.count));
    text_ += "\n";
  }

  void FindLabels() {
    for (const Instruction& instruction : program_.code) {
      if (HasOperand(instruction, OperandKind::kTarget)) labels_[instruction.target()] = "";
    }
    size_t number = 0;
    for (auto& [pc, name] : labels_) name = "L" + std::to_string(++number);
  }

  void PrintLabel(size_t pc) {
    const auto label = labels_.find(static_cast<uint32_t>(pc));
    if (label != labels_.end()) text_ += label->second + ":\n";
  }

  void PrintLine(size_t pc) {
    const Instruction& instruction = program_.code[pc];
    std::string target;
    if (HasOperand(instruction, OperandKind::kTarget)) target = labels_[instruction.target()];
    std::string line = "  " + PrintInstruction(instruction, target);
    if (HasOperand(instruction, OperandKind::kImmediate)) {
      AddComment(line, DescribeImmediate(instruction.imm, instruction.type));
    }
    // Lines without a source print nothing, unless that would lose that there are lines at all.
    if (pc < program_.debug.size() &&
        (program_.debug[pc] != isa::DebugLine{} || (all_debug_empty_ && pc == 0))) {
      AddComment(line, PrintDebugComment(program_.debug[pc], program_.source_file));
    }
    text_ += line + "\n";
  }

  static void AddComment(std::string& line, const std::string& comment) {
    if (comment.empty()) return;
    line.resize(std::max(line.size() + 1, kCommentColumn), ' ');
    line += "; " + comment;
  }

  const isa::Program& program_;
  std::string text_;
  std::map<uint32_t, std::string> labels_;
  bool all_debug_empty_ = false;
};

}  // namespace

std::string ToString(const Instruction& instruction) {
  return PrintInstruction(instruction, std::to_string(instruction.target()));
}

std::string Disassemble(const isa::Program& program) {
  return Disassembler(program).Run();
}

}  // namespace hologram::text
