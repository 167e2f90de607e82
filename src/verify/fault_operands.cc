// The operands of an instruction that faulted. Engines record one number, or two; which registers
// these stand for follows from the program.

#include "isa/value_text.h"
#include "verify/launch.h"

namespace hologram::verify {
namespace {

using isa::Instruction;
using isa::Opcode;
using isa::Type;

uint64_t Truncate(Type type, uint64_t bits) {
  return bits & (~uint64_t{0} >> (64 - isa::BitsOf(type)));
}

class Operands {
 public:
  Operands(const isa::Program& program, uint32_t pc) : program_(program), pc_(pc) {}

  void Add(uint8_t reg, Type type, uint64_t value) {
    const uint64_t bits = Truncate(type, value);
    found_.push_back({NameOfRegister(reg), reg, std::string(isa::NameOf(type)), bits,
                      isa::ValueText(type, bits)});
  }
  std::vector<OperandRecord> Take() { return std::move(found_); }

 private:
  std::string NameOfRegister(uint8_t reg) const {
    if (pc_ >= program_.debug.size()) return {};
    for (const isa::DebugVariable& variable : program_.debug[pc_].variables) {
      if (variable.reg == reg) return variable.name;
    }
    return {};
  }

  const isa::Program& program_;
  uint32_t pc_;
  std::vector<OperandRecord> found_;
};

// The register of an element index holds the element without the displacement.
uint64_t IndexOf(const Instruction& i, const Fault& fault) {
  const int64_t elements = i.displacement() / static_cast<int64_t>(isa::SizeOf(i.type));
  return static_cast<uint64_t>(fault.index) - static_cast<uint64_t>(elements);
}

}  // namespace

Fault FaultOf(const hologram_launch_state& state, uint64_t other) {
  return {state.fault_code, state.fault_pc, state.fault_lane, state.fault_index, {}, other};
}

std::vector<OperandRecord> OperandsOf(const VerifiedProgram& verified, const Fault& fault) {
  const isa::Program& program = verified.program();
  const uint32_t pc = verified.CopyOf(fault.pc);
  if (pc >= program.code.size()) return {};
  const Instruction& i = program.code[pc];
  Operands operands(program, pc);
  const auto index = static_cast<uint64_t>(fault.index);
  switch (fault.code) {
    case HOLOGRAM_FAULT_DIVISION_BY_ZERO:
      operands.Add(i.a, i.type, index);
      operands.Add(i.b, i.type, 0);
      break;
    case HOLOGRAM_FAULT_OUT_OF_BOUNDS:
      if (const AccessFact* access = verified.AccessAt(pc)) {
        operands.Add(i.b, access->index_type, IndexOf(i, fault));
      }
      break;
    case HOLOGRAM_FAULT_INVALID_CLASS:
      operands.Add(i.a, Type::kU8, index);
      break;
    case HOLOGRAM_FAULT_INVALID_COORDINATES:
      operands.Add(i.b, Type::kU8, index);
      break;
    case HOLOGRAM_FAULT_RESONANCE_OVERFLOW:
      operands.Add(i.a, Type::kU8, index);
      operands.Add(i.b, i.type, fault.other);
      break;
    case HOLOGRAM_FAULT_INVALID_POOL:
      operands.Add(i.a, Type::kU64, index);
      break;
    case HOLOGRAM_FAULT_POOL_OUT_OF_BOUNDS:
      if (!i.in_class_memory()) operands.Add(i.a, Type::kU64, fault.other);
      if (i.mode != isa::kPhiMode) operands.Add(i.b, Type::kU64, index);
      break;
    case HOLOGRAM_FAULT_ASSERTION:  // what was compared is in the condition's own registers
    default:
      break;
  }
  return operands.Take();
}

}  // namespace hologram::verify
