#include "launch/fault_text.h"

#include <algorithm>
#include <memory>

#include "isa/atlas.h"
#include "isa/value_text.h"

namespace hologram::launch {
namespace {

using isa::Instruction;
using isa::Type;

// Branches and divisions have no source text of their own; the lane says more than their number.
std::string TextOrLane(const VerifiedProgram& verified, const Fault& fault) {
  const isa::Program& program = verified.source();
  if (!fault.text.empty()) return ": " + fault.text;
  if (fault.pc < program.debug.size() && !program.debug[fault.pc].text.empty()) {
    return ": " + program.debug[fault.pc].text;
  }
  return " in lane " + std::to_string(fault.lane);
}

std::string SourceText(const VerifiedProgram& verified, uint32_t pc) {
  const isa::Program& program = verified.program();
  if (pc < program.debug.size() && !program.debug[pc].text.empty()) return program.debug[pc].text;
  const Instruction& i = program.code[pc];
  if (isa::IsGlobalAccess(i.op))
    return program.parameters[i.a - 1u].name + std::string("[r") + std::to_string(i.b) + "]";
  if (isa::IsSharedAccess(i.op))
    return program.shared[i.a].name + std::string("[r") + std::to_string(i.b) + "]";
  if (isa::IsLocalAccess(i.op))
    return program.locals[i.a].name + std::string("[r") + std::to_string(i.b) + "]";
  return std::string("instruction ") + std::to_string(verified.SourcePc(pc));
}

uint64_t ExtentOf(const isa::Program& program, const Launch& launch,
                  const verify::AccessFact& access) {
  if (access.shared) return program.shared[access.slot].count;
  if (access.local) return program.locals[access.slot].count;
  size_t buffer = 0;
  for (uint32_t k = 0; k < access.slot; ++k) buffer += program.parameters[k].is_buffer ? 1 : 0;
  if (buffer >= launch.buffers.size()) return 0;
  return launch.ElementsOf(buffer, program.parameters[access.slot].type);
}

std::string DescribeOutOfBounds(const VerifiedProgram& verified, const Launch& launch,
                                const Fault& fault) {
  const isa::Program& program = verified.program();
  const uint32_t pc = verified.CopyOf(fault.pc);
  const verify::AccessFact* access = verified.AccessAt(pc);
  const Instruction& i = program.code[pc];
  const char* verb = isa::IsLoad(i.op) ? " reads" : isa::IsAtomic(i.op) ? " updates" : " writes";
  std::string text = SourceText(verified, pc) + verb + " element ";
  if (access == nullptr) return text + std::to_string(fault.index);
  text += access->index_type == isa::Type::kU64 ? std::to_string(static_cast<uint64_t>(fault.index))
                                                : std::to_string(fault.index);
  return text + " of " + std::to_string(ExtentOf(program, launch, *access));
}

// "; 4294967295 is -1 without a sign: ids are unsigned". Of an index a little below 0 only.
std::string SignHint(const Fault& fault, const verify::AccessFact& access, uint64_t extent) {
  constexpr uint64_t kNear = uint64_t{1} << 16;
  const bool wide = access.index_type == Type::kU64;
  if (!wide && access.index_type != Type::kU32) return {};
  const uint64_t index = static_cast<uint64_t>(fault.index);
  const uint64_t below = wide ? 0 - index : (uint64_t{1} << 32) - index;
  if (below == 0 || below > kNear || extent > index) return {};
  return "; " + std::to_string(index) + " is -" + std::to_string(below) +
         " without a sign: ids are unsigned";
}

// "; add "if i < len(x):"", where the index is the lane's id and no branch comes before.
std::string GuardHint(const VerifiedProgram& verified, const Launch& launch, const Fault& fault,
                      const verify::AccessFact& access) {
  const isa::Program& program = verified.source();
  if (access.local || fault.pc >= program.debug.size()) return {};
  const std::string& text = program.debug[fault.pc].text;
  const size_t open = text.find('[');
  if (open == std::string::npos || open == 0 || !text.ends_with(']')) return {};
  const std::string index = text.substr(open + 1, text.size() - open - 2);
  if (index.find_first_of(",[]") != std::string::npos) return {};
  const auto branches = [](const Instruction& i) {
    return (i.op == isa::Opcode::kBra && i.mod != 0) || i.op == isa::Opcode::kLoop;
  };
  const auto end = program.code.begin() + fault.pc;
  if (std::any_of(program.code.begin(), end, branches)) return {};
  FaultRecord record;
  LanePlace(launch.shape, fault.lane, record.block, record.lane_in_block);
  const uint64_t id = uint64_t{record.block[0]} * launch.shape.block[0] + record.lane_in_block[0];
  if (static_cast<uint64_t>(fault.index) != id) return {};
  return "; add \"if " + index + " < len(" + text.substr(0, open) + "):\"";
}

// What a number out of bounds most often comes from.
std::string BoundsHint(const VerifiedProgram& verified, const Launch& launch, const Fault& fault) {
  const verify::AccessFact* access = verified.AccessAt(verified.CopyOf(fault.pc));
  if (access == nullptr) return {};
  const std::string hint = SignHint(fault, *access, ExtentOf(verified.program(), launch, *access));
  return hint.empty() ? GuardHint(verified, launch, fault, *access) : hint;
}

// Faults of the instructions of the Atlas; the number that is wrong, then where.
std::string DescribeAtlas(const Fault& fault, const std::string& text) {
  const std::string number = std::to_string(static_cast<uint64_t>(fault.index));
  switch (fault.code) {
    case HOLOGRAM_FAULT_INVALID_CLASS:
      return "expected a class below " + std::to_string(isa::kNumClasses) + ", found " + number +
             ": " + text;
    case HOLOGRAM_FAULT_INVALID_COORDINATES:
      return "expected a page below " + std::to_string(isa::kPagesPerClass) + ", found " + number +
             ": " + text;
    case HOLOGRAM_FAULT_RESONANCE_OVERFLOW:
      return "the value added to class " + number + " is no fraction of 64-bit numbers: " + text;
    case HOLOGRAM_FAULT_INVALID_POOL:
      return "the lane has no pool " + number + ": " + text;
    case HOLOGRAM_FAULT_POOL_OUT_OF_BOUNDS:
      return "byte " + number + " is outside the pool: " + text;
    case HOLOGRAM_FAULT_POOL_MEMORY:
      return "no memory for a pool of " + number + " bytes: " + text;
    default:
      return "the kernel faulted: " + text;
  }
}

std::shared_ptr<const FaultRecord> RecordOf(const VerifiedProgram& verified, const Launch& launch,
                                            const Fault& fault) {
  auto record = std::make_shared<FaultRecord>();
  record->code = fault.code;
  record->instruction = fault.pc;
  record->lane = fault.lane;
  LanePlace(launch.shape, fault.lane, record->block, record->lane_in_block);
  const verify::AccessFact* access = verified.AccessAt(verified.CopyOf(fault.pc));
  if (fault.code == HOLOGRAM_FAULT_OUT_OF_BOUNDS && access != nullptr) {
    record->index = fault.index;
    record->extent = ExtentOf(verified.program(), launch, *access);
  }
  record->operands = OperandsOf(verified, fault);
  return record;
}

}  // namespace

// Whether the loop that a block ends a round of is one that ends.
static bool IsLimited(const VerifiedProgram& verified, uint32_t pc) {
  const uint32_t block = verified.BlockOf(pc);
  for (const verify::LoopFact& loop : verified.loops()) {
    const bool latch =
        std::find(loop.back_edges.begin(), loop.back_edges.end(), block) != loop.back_edges.end();
    if (latch && loop.ends) return true;
  }
  return false;
}

Diagnostic CancelledError(const VerifiedProgram& verified) {
  return Error(ErrorCode::kCancelled,
               "kernel '" + verified.program().name + "': the launch was cancelled");
}

Diagnostic DescribeFault(const VerifiedProgram& verified, const Launch& launch,
                         const Fault& fault) {
  if (fault.code == HOLOGRAM_FAULT_CANCELLED) return CancelledError(verified);
  const isa::Program& program = verified.program();
  Diagnostic result{ErrorCode::kFault, {}, "the kernel faulted", nullptr};
  const uint32_t pc = verified.CopyOf(fault.pc);
  if (pc >= program.code.size()) return result;
  result.where = program.LocationOf(pc);
  result.fault = RecordOf(verified, launch, fault);
  std::string hint;
  switch (fault.code) {
    case HOLOGRAM_FAULT_OUT_OF_BOUNDS:
      result.message = DescribeOutOfBounds(verified, launch, fault);
      hint = BoundsHint(verified, launch, fault);
      break;
    case HOLOGRAM_FAULT_DIVISION_BY_ZERO:
      result.message = "division by zero" + TextOrLane(verified, fault);
      break;
    case HOLOGRAM_FAULT_BUDGET:
      result.message =
          std::string("the loop ran past its budget of ") +
          std::to_string(IsLimited(verified, pc) ? launch.most_rounds() : launch.budget) +
          " rounds" + TextOrLane(verified, fault);
      hint = "; budget= (library) or --budget (command) allows more";
      break;
    case HOLOGRAM_FAULT_ASSERTION:
      result.message = "assertion failed" + TextOrLane(verified, fault);
      break;
    case HOLOGRAM_FAULT_CALL_DEPTH:
      result.message = "more than " + std::to_string(isa::kMaxCallDepth) + " nested calls" +
                       TextOrLane(verified, fault);
      break;
    default:
      result.message = DescribeAtlas(fault, SourceText(verified, pc));
      break;
  }
  if (!fault.variables.empty()) result.message += " (" + fault.variables + ")";
  result.message += hint;
  return result;
}

// ---- The operands of an instruction that faulted. Engines record one number, or two; which
// registers these stand for follows from the program.

namespace {

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
      if (const verify::AccessFact* access = verified.AccessAt(pc)) {
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

}  // namespace hologram::launch
