#include "programs/builder.h"

#include <utility>

namespace hologram::programs {

using isa::BlockOp;
using isa::Condition;
using isa::Direction;
using isa::Instruction;
using isa::kFirstSpecialRegister;
using isa::kIndexedMode;
using isa::kMaxParameters;
using isa::kNumPredicates;
using isa::Opcode;
using isa::OpcodeInfo;
using isa::Operand;
using isa::OperandKind;
using isa::Parameter;
using isa::Program;
using isa::Sreg;
using isa::Type;

void ProgramBuilder::Fail(const std::string& what) {
  if (error_) return;
  error_ =
      Error(ErrorCode::kInvalidProgram, "program '" + program_.name + "', instruction " +
                                            std::to_string(program_.code.size()) + ": " + what);
}

void ProgramBuilder::RequireType(Value value, Type type, const char* what) {
  if (value.type == type) return;
  Fail(std::string(what) + ": expected " + std::string(NameOf(type)) + ", found " +
       std::string(NameOf(value.type)));
}

uint8_t ProgramBuilder::NewRegister() {
  if (next_register_ == kFirstSpecialRegister) {
    Fail("more than " + std::to_string(kFirstSpecialRegister - 1) + " values");
    return 0;
  }
  return static_cast<uint8_t>(next_register_++);
}

Parameter& ProgramBuilder::AddParameter(const std::string& name, Type type) {
  if (!program_.code.empty() ||
      next_register_ != static_cast<int>(program_.parameters.size()) + 1) {
    Fail("parameter '" + name + "' comes after code");
  }
  if (program_.parameters.size() == kMaxParameters) {
    Fail("more than " + std::to_string(kMaxParameters) + " parameters");
  }
  Parameter& parameter = program_.parameters.emplace_back();
  parameter.name = name;
  parameter.type = type;
  return parameter;
}

ProgramBuilder::Buffer ProgramBuilder::AddBuffer(const std::string& name, Type type,
                                                 Direction direction) {
  Parameter& parameter = AddParameter(name, type);
  parameter.is_buffer = true;
  parameter.direction = direction;
  return {NewRegister(), type};
}

ProgramBuilder::Value ProgramBuilder::AddScalar(const std::string& name, Type type) {
  AddParameter(name, type);
  return {NewRegister(), type};
}

ProgramBuilder::Value ProgramBuilder::ReadId(Sreg sreg) {
  const Type type = sreg == Sreg::kLinear ? Type::kU64 : Type::kU32;
  const Value value = {NewRegister(), type};
  Emit({.op = Opcode::kReadSreg, .type = type, .mod = static_cast<uint8_t>(sreg), .d = value.reg});
  return value;
}

ProgramBuilder::Value ProgramBuilder::Constant(Type type, uint64_t bits) {
  const Value value = {NewRegister(), type};
  // Immediates of signed integers are extended.
  const uint32_t size = BitsOf(type);
  const bool negative = IsSignedInteger(type) && size < 64 && ((bits >> (size - 1)) & 1) != 0;
  if (negative) bits |= ~uint64_t{0} << size;
  Emit({.op = Opcode::kMovImm, .type = type, .d = value.reg, .imm = bits});
  return value;
}

ProgramBuilder::Value ProgramBuilder::Operation(Opcode op, std::initializer_list<Value> operands) {
  const OpcodeInfo& info = InfoOf(op);
  Value result;
  if (operands.size() == 0) {
    Fail(std::string(info.mnemonic) + " without operands");
    return result;
  }
  result.type = operands.begin()->type;
  Instruction instruction = {.op = op, .type = result.type};
  const Value* next = operands.begin();
  bool writes = false;
  for (const Operand& operand : info.operands) {
    switch (operand.kind) {
      case OperandKind::kDst:
        writes = true;
        result.reg = NewRegister();
        SetField(instruction, operand.field, result.reg);
        continue;
      case OperandKind::kSrc:
      case OperandKind::kShift:
        if (next == operands.end()) {
          Fail(std::string(info.mnemonic) + " has more than " + std::to_string(operands.size()) +
               " operands");
          return result;
        }
        RequireType(*next, operand.kind == OperandKind::kShift ? Type::kU32 : result.type,
                    info.mnemonic.data());
        SetField(instruction, operand.field, (next++)->reg);
        continue;
      case OperandKind::kAccuracy:
        continue;
      default:
        Fail(std::string(info.mnemonic) + " does more than compute a value of values");
        return result;
    }
  }
  if (!writes) Fail(std::string(info.mnemonic) + " computes no value");
  if (next != operands.end()) {
    Fail(std::string(info.mnemonic) + " has fewer than " + std::to_string(operands.size()) +
         " operands");
  }
  Emit(instruction);
  return result;
}

ProgramBuilder::Value ProgramBuilder::Convert(Value value, Type to) {
  const Value result = {NewRegister(), to};
  Emit({.op = Opcode::kCvt,
        .type = to,
        .mod = static_cast<uint8_t>(value.type),
        .d = result.reg,
        .a = value.reg});
  return result;
}

ProgramBuilder::Value ProgramBuilder::Select(Predicate predicate, Value if_true, Value if_false) {
  RequireType(if_false, if_true.type, "sel");
  const Value result = {NewRegister(), if_true.type};
  Emit({.op = Opcode::kSel,
        .type = result.type,
        .d = result.reg,
        .a = predicate.number,
        .b = if_true.reg,
        .c = if_false.reg});
  return result;
}

ProgramBuilder::Value ProgramBuilder::BlockOperation(Opcode opcode, BlockOp op, Value value) {
  const Value result = {NewRegister(), value.type};
  Emit({.op = opcode,
        .type = value.type,
        .mod = static_cast<uint8_t>(op),
        .d = result.reg,
        .a = value.reg});
  return result;
}

ProgramBuilder::Value ProgramBuilder::BlockReduce(BlockOp op, Value value) {
  return BlockOperation(Opcode::kBlkRed, op, value);
}

ProgramBuilder::Value ProgramBuilder::BlockScan(BlockOp op, Value value) {
  return BlockOperation(Opcode::kBlkScan, op, value);
}

ProgramBuilder::Value ProgramBuilder::Load(Buffer buffer, Value index) {
  const Value result = {NewRegister(), buffer.type};
  Emit({.op = Opcode::kLdg,
        .type = buffer.type,
        .d = result.reg,
        .a = buffer.reg,
        .b = index.reg,
        .mode = kIndexedMode});
  return result;
}

void ProgramBuilder::Store(Buffer buffer, Value index, Value value) {
  RequireType(value, buffer.type, "stg");
  Emit({.op = Opcode::kStg,
        .type = buffer.type,
        .a = buffer.reg,
        .b = index.reg,
        .c = value.reg,
        .mode = kIndexedMode});
}

void ProgramBuilder::Assign(Value target, Value source) {
  RequireType(source, target.type, "mov");
  Emit({.op = Opcode::kMov, .type = target.type, .d = target.reg, .a = source.reg});
}

ProgramBuilder::Predicate ProgramBuilder::Compare(Condition condition, Value a, Value b) {
  RequireType(b, a.type, "set");
  if (next_predicate_ == kNumPredicates) {
    Fail("more than " + std::to_string(kNumPredicates) + " comparisons");
    return {};
  }
  const Predicate result = {static_cast<uint8_t>(next_predicate_++)};
  Emit({.op = Opcode::kSet,
        .type = a.type,
        .mod = static_cast<uint8_t>(condition),
        .d = result.number,
        .a = a.reg,
        .b = b.reg});
  return result;
}

ProgramBuilder::Label ProgramBuilder::NewLabel() {
  labels_.emplace_back();
  return {labels_.size() - 1};
}

void ProgramBuilder::Bind(Label label) {
  if (labels_[label.number]) Fail("a label stands in two places");
  labels_[label.number] = program_.code.size();
}

void ProgramBuilder::Branch(Label label) {
  Emit({.op = Opcode::kBra, .imm = label.number});
}

void ProgramBuilder::BranchIf(Predicate predicate, Label label) {
  Emit({.op = Opcode::kBra, .mod = 1, .a = predicate.number, .imm = label.number});
}

void ProgramBuilder::TrapIf(Predicate predicate) {
  Emit({.op = Opcode::kTrap, .mod = 1, .a = predicate.number});
}

void ProgramBuilder::Exit() {
  Emit({.op = Opcode::kExit});
}

ProgramBuilder::Value ProgramBuilder::GuardedId(Value count) {
  const Value id = ReadId(Sreg::kGlobalX);
  const Label inside = NewLabel();
  BranchIf(Compare(Condition::kLt, id, count), inside);
  Exit();
  Bind(inside);
  return id;
}

Result<Program> ProgramBuilder::Finish() {
  Exit();
  for (Instruction& instruction : program_.code) {
    if (instruction.op != Opcode::kBra) continue;
    const std::optional<size_t> target = labels_[instruction.imm];
    if (!target) {
      Fail("a branch to a label that stands nowhere");
      break;
    }
    instruction.imm = *target;
  }
  if (error_) return *error_;
  HOLOGRAM_RETURN_IF_ERROR(CheckWellFormed(program_));
  return std::move(program_);
}

}  // namespace hologram::programs
