#include "codegen/instructions/computation.h"

#include <limits>

#include "base/check.h"
#include "codegen/emit/idioms.h"

namespace hologram::codegen {

using llvm::ConstantInt;
using llvm::Value;

// Returns how many operands there are.
size_t Computation::ReadSources(uint32_t pc, std::array<Values, 3>& sources) {
  const isa::Instruction& in = plan_.program().code[pc];
  const InstructionOperands& operands = plan_.operands[pc];
  const bool keeps_bits = plan_.webs[static_cast<size_t>(operands.write)].keeps_bits;
  // These look at bits, so a computed NaN must be canonical before.
  const bool bitwise = in.op == isa::Opcode::kBitcast || (keeps_bits && CopiesBits(in));
  size_t count = 0;
  const auto add = [&](OperandId id) {
    if (id == kNoOperand) return;
    sources[count] = registers_.Operand(id, IsScalar(pc));
    if (bitwise) {
      for (Value*& value : sources[count]) value = registers_.WithCanonicalNan(id, value);
    }
    ++count;
  };
  for (OperandId id : operands.predicates) add(id);
  for (OperandId id : operands.reads) add(id);
  return count;
}

void Computation::MakeCanonical(uint32_t pc, Values& results) {
  const OperandId write = plan_.operands[pc].write;
  const bool keeps_bits = plan_.webs[static_cast<size_t>(write)].keeps_bits;
  if (!keeps_bits || !ComputesNan(plan_.program().code[pc])) return;
  for (Value*& value : results) value = Canonical(b_, value);
}

Values Computation::Results(uint32_t pc, LaneOperation operation) {
  std::array<Values, 3> sources;
  const size_t count = ReadSources(pc, sources);
  Values results;
  for (size_t u = 0; u < sources[0].size(); ++u) {
    const Sources here{sources[0][u], count > 1 ? sources[1][u] : nullptr,
                       count > 2 ? sources[2][u] : nullptr};
    results.push_back(operation(f_, plan_.program().code[pc], here));
  }
  MakeCanonical(pc, results);
  return results;
}

void Computation::Write(uint32_t pc, Values results) {
  registers_.WriteResult(pc, IsScalar(pc), std::move(results));
}

void Computation::Emit(uint32_t pc, LaneOperation operation, ExactOperation exact) {
  if (plan_.GivesBackUniform(pc)) {
    const OperandId same = plan_.operands[pc].reads[*plan_.verified->SameAs(pc)];
    return registers_.WriteScalar(pc, registers_.Scalar(same));
  }
  if (plan_.KindOfResult(pc) == Kind::kAffine) {
    const auto operand = [&](size_t i) { return registers_.Exact(plan_.operands[pc].reads[i]); };
    if (plan_.GivesBackAffine(pc)) {
      return registers_.WriteAffine(pc, operand(*plan_.verified->SameAs(pc)));
    }
    HOLOGRAM_CHECK(exact != nullptr);
    return registers_.WriteAffine(pc, exact(b_, operand));
  }
  Write(pc, Results(pc, operation));
}

void Computation::EmitMath(uint32_t pc) {
  std::array<Values, 3> sources;
  ReadSources(pc, sources);
  Values results = MathFunction(f_, plan_.program().code[pc], sources[0], sources[1]);
  MakeCanonical(pc, results);
  Write(pc, std::move(results));
}

void Computation::EmitReduce(uint32_t pc, LaneOperation step, double identity) {
  const isa::Instruction& in = plan_.program().code[pc];
  const auto run = plan_.runs.find(pc);
  if (run == plan_.runs.end()) {
    return registers_.WriteScalar(pc, IdentityConstant(b_, in.type, identity));
  }
  Values folded = registers_.Operand(run->second[0], IsScalar(pc));
  for (size_t k = 1; k < run->second.size(); ++k) {
    const Values more = registers_.Operand(run->second[k], IsScalar(pc));
    for (size_t u = 0; u < folded.size(); ++u) {
      folded[u] = step(f_, in, {folded[u], more[u], nullptr});
    }
  }
  if (isa::IsHalf(in.type) && run->second.size() == 1) {
    // The smaller of one and the same: a NaN becomes canonical.
    for (Value*& value : folded) value = lanewise::Min(f_, in, {value, value, nullptr});
  }
  MakeCanonical(pc, folded);
  Write(pc, std::move(folded));
}

void Computation::EmitImmediate(uint32_t pc) {
  const isa::Instruction& in = plan_.program().code[pc];
  Value* bits = ConstantInt::get(b_.getIntNTy(isa::BitsOf(in.type)), in.imm);
  registers_.WriteScalar(pc, b_.CreateBitCast(bits, ScalarType(b_, in.type)));
}

void Computation::EmitId(uint32_t pc) {
  const isa::Sreg sreg = plan_.program().code[pc].sreg();
  if (plan_.KindOfResult(pc) == Kind::kAffine) return registers_.WriteAffine(pc, ids_.Get(sreg));
  registers_.WriteScalar(pc, ids_.Read(sreg));
}

}  // namespace hologram::codegen
