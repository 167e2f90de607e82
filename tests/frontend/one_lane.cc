#include "frontend/one_lane.h"

namespace hologram::frontend {

using isa::Instruction;
using isa::Opcode;
using tests::Value;

void OneLane::Run(const std::vector<uint64_t>& scalars) {
  size_t next = 0;
  for (size_t i = 0; i < program_.parameters.size(); ++i) {
    const isa::Parameter& parameter = program_.parameters[i];
    if (parameter.is_buffer) continue;
    ASSERT_LT(next, scalars.size());
    registers_[isa::Program::RegisterOfParameter(i)] = {parameter.type, scalars[next++]};
  }
  for (int steps = 0; pc_ < program_.code.size(); ++steps) {
    ASSERT_LT(steps, 100000) << "does not end";
    const Instruction& instruction = program_.code[pc_++];
    const isa::Uses uses = UsesOf(instruction);
    for (int i = 0; i < uses.num_reads; ++i) {
      const isa::RegisterUse& read = uses.reads[static_cast<size_t>(i)];
      if (isa::IsAccess(instruction.op) && read.reg == instruction.a && read.type) continue;
      ASSERT_TRUE(registers_.contains(read.reg)) << "r" << int{read.reg} << " is not set";
      if (read.type) {
        ASSERT_EQ(registers_[read.reg].type, *read.type);
      }
    }
    if (!Step(instruction)) return;
  }
}

bool OneLane::Step(const Instruction& in) {
  switch (in.op) {
    case Opcode::kExit:
      return false;
    case Opcode::kBra:
      if (in.mod == 0 || predicates_[in.a]) pc_ = in.target();
      return true;
    case Opcode::kLdg: {
      const auto element = static_cast<uint64_t>(tests::IntegerOf(registers_[in.b]));
      Value value = buffers_[{in.a, element}];
      value.type = in.type;
      registers_[in.d] = value;
      return true;
    }
    case Opcode::kStg:
      buffers_[{in.a, static_cast<uint64_t>(tests::IntegerOf(registers_[in.b]))}] =
          registers_[in.c];
      return true;
    case Opcode::kSet:
      predicates_[in.d] = tests::Compare(in.condition(), registers_[in.a], registers_[in.b]);
      return true;
    case Opcode::kPand:
      predicates_[in.d] = predicates_[in.a] && predicates_[in.b];
      return true;
    case Opcode::kPor:
      predicates_[in.d] = predicates_[in.a] || predicates_[in.b];
      return true;
    case Opcode::kPnot:
      predicates_[in.d] = !predicates_[in.a];
      return true;
    default:
      Compute(in);
      return true;
  }
}

void OneLane::Compute(const Instruction& in) {
  Value& d = registers_[in.d];
  const Value a = registers_[in.a];
  const Value b = registers_[in.b];
  const Value c = registers_[in.c];
  switch (in.op) {
    case Opcode::kMov:
      d = a;
      return;
    case Opcode::kMovImm:
      d = {in.type, isa::BitsOf(in.type) == 64
                        ? in.imm
                        : in.imm & ((uint64_t{1} << isa::BitsOf(in.type)) - 1)};
      return;
    case Opcode::kCvt:
      d = tests::Convert(in.type, a);
      return;
    case Opcode::kSel:
      d = predicates_[in.a] ? b : c;
      return;
    case Opcode::kShl:
    case Opcode::kShr:
      d = tests::Shift(in.op, a, b.bits);
      return;
    case Opcode::kFma:
      d = tests::Ternary(in.op, a, b, c);
      return;
    case Opcode::kNeg:
    case Opcode::kNot:
    case Opcode::kPopc:
    case Opcode::kAbs:
    case Opcode::kFloor:
      d = tests::Unary(in.op, a);
      return;
    case Opcode::kDiv:
    case Opcode::kRem:
      if (isa::IsInteger(in.type)) {
        ASSERT_NE(b.bits, 0U) << "division by zero";
      }
      [[fallthrough]];
    case Opcode::kAdd:
    case Opcode::kSub:
    case Opcode::kMul:
    case Opcode::kMin:
    case Opcode::kMax:
    case Opcode::kAnd:
    case Opcode::kOr:
    case Opcode::kXor:
      d = tests::Binary(in.op, a, b);
      return;
    default:
      FAIL() << "no such instruction in these tests: " << int{static_cast<uint8_t>(in.op)};
  }
}

}  // namespace hologram::frontend
