// The checks that hold for every instruction by itself, written over operand kinds, not opcodes.
#include <algorithm>
#include <bit>

#include "base/quote.h"
#include "isa/atlas.h"
#include "isa/program.h"
#include "isa/value_format.h"

namespace hologram::isa {
namespace {

class Checker {
 public:
  explicit Checker(const Program& program) : program_(program) {}

  Status Run() {
    CheckSignature();
    CheckShared();
    CheckLocals();
    uint64_t lanes = 1;
    for (const uint32_t size : program_.DefaultBlock()) {
      lanes = size > kMaxLanesPerBlock ? uint64_t{size} : lanes * size;
      if (size > kMaxLanesPerBlock) break;
    }
    if (lanes == 0 || lanes > kMaxLanesPerBlock) {
      Fail("default block has " + std::to_string(lanes) + " lanes, allowed are 1 to " +
           std::to_string(kMaxLanesPerBlock));
    }
    if (program_.code.size() > kMaxInstructions) {
      Fail(OverLimit(program_.code.size(), "instructions", kMaxInstructions));
    } else {
      for (pc_ = 0; pc_ < program_.code.size(); ++pc_) CheckInstruction(program_.code[pc_]);
    }
    CheckShownText();
    if (!program_.debug.empty() && program_.debug.size() != program_.code.size()) {
      Fail("debug information has " + std::to_string(program_.debug.size()) + " lines for " +
           std::to_string(program_.code.size()) + " instructions");
    }
    if (!errors_.empty()) return std::move(errors_);
    return Success{};
  }

 private:
  static constexpr size_t kMaxErrors = 20;

  void Fail(std::string message) {
    if (errors_.size() >= kMaxErrors) return;
    errors_.push_back({ErrorCode::kInvalidProgram, {}, std::move(message)});
  }

  void FailAt(const std::string& message) {
    if (errors_.size() >= kMaxErrors) return;
    errors_.push_back({ErrorCode::kInvalidProgram, program_.LocationOf(static_cast<uint32_t>(pc_)),
                       "instruction " + std::to_string(pc_) + ": " + message});
  }

  // A name is printed and looked for by programs in other languages.
  void CheckName(const char* what, const std::string& name) {
    if (!IsPlain(name)) {
      Fail(std::string("the name of ") + what +
           " is no text without control characters: " + Shown(name));
    }
  }

  // What is printed beside messages, on terminals too, does not control them.
  void CheckShownText() {
    bool plain = IsPlainLine(program_.source_file);
    for (const DebugLine& line : program_.debug) {
      if (line.variables.size() > kMaxDebugVariables) {
        return Fail(
            OverLimit(line.variables.size(), "debug variables of one line", kMaxDebugVariables));
      }
      plain = plain && IsPlainLine(line.text);
      for (const DebugVariable& variable : line.variables) plain = plain && IsPlain(variable.name);
    }
    if (!plain) Fail("the debug information has text with control characters");
  }

  void CheckSignature() {
    CheckName("the program", program_.name);
    for (const Parameter& parameter : program_.parameters) CheckName("a parameter", parameter.name);
    for (const SharedArray& array : program_.shared) CheckName("a shared array", array.name);
    for (const LocalArray& array : program_.locals) CheckName("a local array", array.name);
    if (program_.parameters.size() > kMaxParameters) {
      Fail(OverLimit(program_.parameters.size(), "parameters", kMaxParameters));
    }
    for (const Parameter& parameter : program_.parameters) {
      if (static_cast<uint8_t>(parameter.type) >= kNumTypes) Fail("parameter has an unknown type");
      if (parameter.direction > Direction::kInOut) Fail("parameter has an unknown direction");
      if (!parameter.is_buffer && parameter.direction != Direction::kIn) {
        Fail("scalar parameter " + Shown(parameter.name) + " cannot be an output");
      }
      const bool may_be_unique = parameter.is_buffer && parameter.source == Source::kArgument &&
                                 parameter.direction == Direction::kIn && IsInteger(parameter.type);
      if (parameter.unique && !may_be_unique) {
        Fail("parameter " + Shown(parameter.name) +
             " is unique, which only a buffer of integers with direction in can be");
      }
      const bool may_have_rank = parameter.is_buffer && parameter.source == Source::kArgument;
      if (parameter.rank != 0 &&
          (!may_have_rank || parameter.rank == 1 || parameter.rank > kMaxRank)) {
        Fail("parameter " + Shown(parameter.name) + " has rank " + std::to_string(parameter.rank) +
             ", allowed are 2 to " + std::to_string(kMaxRank) + " for buffers");
      }
    }
    for (size_t k = program_.NumArguments(); k < program_.parameters.size(); ++k) {
      CheckShapeParameter(program_.parameters[k]);
    }
  }

  void CheckShapeParameter(const Parameter& parameter) {
    if (parameter.source == Source::kArgument) {
      return Fail("parameter " + Shown(parameter.name) + " stands after one of a shape");
    }
    const std::string name = "parameter " + Shown(parameter.name) + ", taken from a shape,";
    if (parameter.is_buffer || parameter.type != Type::kU32) return Fail(name + " is not u32");
    if (parameter.array >= program_.NumArguments() ||
        !program_.parameters[parameter.array].is_buffer) {
      return Fail(name + " is of no array");
    }
    const uint8_t rank = std::max<uint8_t>(program_.parameters[parameter.array].rank, 1);
    const uint8_t end = parameter.source == Source::kStride ? static_cast<uint8_t>(rank - 1) : rank;
    if (parameter.dimension >= end) {
      Fail(name + " is of dimension " + std::to_string(parameter.dimension) + " of " +
           std::to_string(end));
    }
  }

  void CheckShared() {
    if (program_.shared.size() > kMaxSharedArrays) {
      return Fail(OverLimit(program_.shared.size(), "shared arrays", kMaxSharedArrays));
    }
    for (const SharedArray& array : program_.shared) {
      if (static_cast<uint8_t>(array.type) >= kNumTypes) return Fail("unknown shared array type");
      if (array.count == 0 || array.count > kMaxSharedBytes) {
        return Fail("shared array " + Shown(array.name) + " has " + std::to_string(array.count) +
                    " elements, allowed are 1 to " + std::to_string(kMaxSharedBytes));
      }
    }
    if (program_.SharedBytes() > kMaxSharedBytes) {
      Fail("program uses " + std::to_string(program_.SharedBytes()) +
           " bytes of shared memory, the limit is " + std::to_string(kMaxSharedBytes));
    }
  }

  void CheckLocals() {
    if (program_.locals.size() > kMaxLocalArrays) {
      return Fail(OverLimit(program_.locals.size(), "local arrays", kMaxLocalArrays));
    }
    for (const LocalArray& array : program_.locals) {
      if (static_cast<uint8_t>(array.type) >= kNumTypes) return Fail("unknown local array type");
      if (array.count == 0 || array.count > kMaxLocalBytes) {
        return Fail("local array " + Shown(array.name) + " has " + std::to_string(array.count) +
                    " elements, allowed are 1 to " + std::to_string(kMaxLocalBytes));
      }
    }
    if (program_.LocalBytes() > kMaxLocalBytes) {
      Fail("program uses " + std::to_string(program_.LocalBytes()) +
           " bytes of local memory in each lane, the limit is " + std::to_string(kMaxLocalBytes));
    }
  }

  void CheckInstruction(const Instruction& instruction) {
    const OpcodeInfo* info = FindOpcode(static_cast<uint8_t>(instruction.op));
    if (info == nullptr) {
      return FailAt("unknown opcode " + std::to_string(static_cast<uint8_t>(instruction.op)));
    }
    if (info->types == TypeSet::kNone) {
      if (instruction.type != Type::kI8) FailAt(std::string(info->mnemonic) + " takes no type");
    } else if (static_cast<uint8_t>(instruction.type) >= kNumTypes) {
      return FailAt("unknown type " + std::to_string(static_cast<uint8_t>(instruction.type)));
    } else if (!Contains(info->types, instruction.type)) {
      FailAt(std::string(info->mnemonic) + " has no form for type " +
             std::string(NameOf(instruction.type)));
    }
    unused_ = instruction;
    unused_.op = kBlank.op;
    unused_.type = Type::kI8;
    for (const Operand& operand : info->operands) CheckOperand(instruction, operand);
    if (unused_ != kBlank)
      FailAt("a field that " + std::string(info->mnemonic) + " does not use is not zero");
  }

  void CheckOperand(const Instruction& instruction, const Operand& operand);
  void CheckMod(const Instruction& instruction, int limit, const char* what);
  void CheckImmediate(const Instruction& instruction);
  void CheckArray(const Instruction& instruction, const std::vector<SharedArray>& arrays,
                  const std::string& name);
  void CheckClassAddress(const Instruction& instruction);
  void Clear(Field field);
  // Of a shared array, whose type may be none.
  static std::string TypeText(Type type) {
    return static_cast<uint8_t>(type) < kNumTypes ? std::string(NameOf(type)) : "unknown";
  }

  static constexpr Instruction kBlank{};
  const Program& program_;
  size_t pc_ = 0;
  Instruction unused_;
  Diagnostics errors_;
};

void Checker::Clear(Field field) {
  switch (field) {
    case Field::kNone:
      break;
    case Field::kD:
      unused_.d = 0;
      break;
    case Field::kA:
      unused_.a = 0;
      break;
    case Field::kB:
      unused_.b = 0;
      break;
    case Field::kC:
      unused_.c = 0;
      break;
    case Field::kMod:
      unused_.mod = 0;
      break;
  }
}

void Checker::CheckMod(const Instruction& instruction, int limit, const char* what) {
  unused_.mod = 0;
  if (instruction.mod >= limit) {
    FailAt(std::string(what) + " " + std::to_string(instruction.mod) + " does not exist");
  }
}

void Checker::CheckImmediate(const Instruction& instruction) {
  unused_.imm = 0;
  const uint32_t bits = BitsOf(instruction.type);
  if (bits == 64) return;
  const uint64_t high = instruction.imm >> bits;
  const bool negative =
      IsSignedInteger(instruction.type) && ((instruction.imm >> (bits - 1)) & 1) != 0;
  const uint64_t expected = negative ? ~uint64_t{0} >> bits : 0;
  if (high != expected) {
    FailAt("immediate does not fit type " + std::string(NameOf(instruction.type)));
  }
}

void Checker::CheckArray(const Instruction& instruction, const std::vector<SharedArray>& arrays,
                         const std::string& name) {
  if (instruction.a >= arrays.size()) {
    FailAt(name + std::to_string(instruction.a) + " does not exist");
  } else if (arrays[instruction.a].type != instruction.type) {
    FailAt(name + std::to_string(instruction.a) + " has type " +
           TypeText(arrays[instruction.a].type));
  }
}

// Shared and local memory have no classes, and atomics are not for this memory.
void Checker::CheckClassAddress(const Instruction& instruction) {
  unused_.mode = 0;
  if (instruction.mode == kClassMode) return Clear(Field::kB);
  unused_.imm = 0;
  if (instruction.imm >= kClassMemoryBytes) {
    return FailAt("expected a class below " + std::to_string(kNumClasses) + " and a page below " +
                  std::to_string(kPagesPerClass));
  }
  if (!IsInOneClass(instruction.imm, SizeOf(instruction.type))) {
    FailAt(std::string(NameOf(instruction.type)) + " at byte " +
           std::to_string(instruction.imm % kBytesPerClass) + " of a class of " +
           std::to_string(kBytesPerClass) + " bytes reaches into the next class");
  }
}

void Checker::CheckOperand(const Instruction& instruction, const Operand& operand) {
  const uint8_t value = GetField(instruction, operand.field);
  Clear(operand.field);
  switch (operand.kind) {
    case OperandKind::kDst:
    case OperandKind::kSrc:
    case OperandKind::kShift:
      break;
    case OperandKind::kSrcFrom:
      CheckMod(instruction, kNumTypes, "type");
      if (instruction.op == Opcode::kBitcast && instruction.mod < kNumTypes &&
          SizeOf(instruction.type) != SizeOf(instruction.source_type())) {
        FailAt("bitcast needs two types of one size");
      }
      break;
    case OperandKind::kPredDst:
    case OperandKind::kPredSrc:
      if (value >= kNumPredicates)
        FailAt("predicate p" + std::to_string(value) + " does not exist");
      break;
    case OperandKind::kOptPred:
      CheckMod(instruction, 2, "branch form");
      if (instruction.mod == 0 && value != 0) FailAt("an unconditional branch names a predicate");
      if (value >= kNumPredicates)
        FailAt("predicate p" + std::to_string(value) + " does not exist");
      break;
    case OperandKind::kSharedAddress:
    case OperandKind::kLocalAddress:
    case OperandKind::kGlobalAddress:
      if (operand.kind == OperandKind::kGlobalAddress && instruction.in_class_memory() &&
          !IsAtomic(instruction.op)) {
        CheckClassAddress(instruction);
        break;
      }
      if (operand.kind == OperandKind::kSharedAddress) {
        CheckArray(instruction, program_.shared, "shared array s");
      } else if (operand.kind == OperandKind::kLocalAddress) {
        CheckArray(instruction, program_.locals, "local array l");
      }
      if (instruction.mode != kIndexedMode) {
        FailAt("address mode " + std::to_string(instruction.mode) + " is not supported");
      }
      unused_.mode = 0;
      Clear(Field::kA);
      Clear(Field::kB);
      if (operand.kind == OperandKind::kGlobalAddress) unused_.imm = 0;
      if (instruction.displacement() % static_cast<int64_t>(SizeOf(instruction.type)) != 0) {
        FailAt("displacement is no multiple of the element size");
      }
      break;
    case OperandKind::kRun:
    case OperandKind::kCounter:
    case OperandKind::kByte:
    case OperandKind::kWord:
      break;
    case OperandKind::kCount:
      unused_.imm = 0;
      if (instruction.imm > static_cast<uint64_t>(kNumRegisters) - instruction.a) {
        FailAt(std::to_string(instruction.imm) + " registers from r" +
               std::to_string(instruction.a) + " on, but the last register is r" +
               std::to_string(kNumRegisters - 1));
      }
      break;
    case OperandKind::kImmediate:
      CheckImmediate(instruction);
      if (instruction.op == Opcode::kUnityTest && !(std::bit_cast<double>(instruction.imm) >= 0)) {
        FailAt("expected a bound of 0 or more, found a negative one or nan");
      }
      break;
    case OperandKind::kDelta:
      unused_.imm = 0;
      if (instruction.imm > UINT16_MAX) {
        FailAt("expected a step of the phase of 0 to 65535, found " +
               std::to_string(instruction.imm));
      }
      break;
    case OperandKind::kText: {
      unused_.imm = 0;
      const std::string text = TextOf(instruction.imm);
      if (text.empty() || text.find('\0') != std::string::npos) {
        FailAt("expected 1 to " + std::to_string(kMaxTextBytes) +
               " bytes of text, none of them zero");
      }
      break;
    }
    case OperandKind::kFormat: {
      unused_.imm = 0;
      const std::optional<std::string> wrong =
          FormatError(instruction.type, TextOf(instruction.imm));
      if (wrong) FailAt(*wrong);
      break;
    }
    case OperandKind::kNeighbour:
      CheckMod(instruction, kNumNeighbours, "neighbour");
      break;
    case OperandKind::kTarget:
      unused_.imm = 0;
      if (instruction.imm > program_.code.size()) {
        FailAt("branch target " + std::to_string(instruction.imm) + " is past the end (" +
               std::to_string(program_.code.size()) + " instructions)");
      }
      break;
    case OperandKind::kCondition:
      CheckMod(instruction, kNumConditions, "condition");
      break;
    case OperandKind::kSreg:
      CheckMod(instruction, kNumSregs, "special register");
      if (instruction.mod < kNumSregs &&
          (instruction.sreg() == Sreg::kLinear) != (instruction.type == Type::kU64)) {
        FailAt(std::string(NameOf(instruction.sreg())) + " has type " +
               (instruction.sreg() == Sreg::kLinear ? "u64" : "u32"));
      }
      break;
    case OperandKind::kAtomicOp:
      CheckMod(instruction, kNumAtomicOps, "atomic operation");
      if (IsFloat(instruction.type) && instruction.mod < kNumAtomicOps &&
          !HasFloatForm(instruction.atomic_op())) {
        FailAt(std::string(NameOf(instruction.atomic_op())) + " has no form for floats");
      }
      break;
    case OperandKind::kAccuracy:
      CheckMod(instruction, 2, "accuracy");
      break;
    case OperandKind::kBarrierId:
      CheckMod(instruction, kNumBarriers, "barrier");
      break;
    case OperandKind::kBlockOp:
      CheckMod(instruction, kNumBlockForms, "block operation");
      if (IsFloat(instruction.type) && instruction.block_op() > BlockOp::kMul &&
          instruction.mod < kNumBlockForms) {
        FailAt(std::string(NameOfBlockForm(instruction.mod)) + " has no form for floats");
      }
      break;
    case OperandKind::kScope:
      CheckMod(instruction, kNumScopes, "scope");
      break;
  }
}

}  // namespace

Status CheckWellFormed(const Program& program) {
  return Checker(program).Run();
}

std::string OverLimit(size_t count, std::string_view what, size_t limit) {
  return "program has " + std::to_string(count) + " " + std::string(what) + ", the limit is " +
         std::to_string(limit);
}

}  // namespace hologram::isa
