#include "codegen/plan/sums.h"

namespace hologram::codegen {
namespace {

bool IsSameValue(const Plan& plan, OperandId a, OperandId b, int depth) {
  constexpr int kMaxDepth = 16;
  if (a == b) return true;
  if (a == kNoOperand || b == kNoOperand || depth == kMaxDepth) return false;
  const std::optional<uint32_t> one = plan.DefinitionOf(a);
  const std::optional<uint32_t> other = plan.DefinitionOf(b);
  if (!one || !other) return false;
  const isa::Instruction& x = plan.program().code[*one];
  const isa::Instruction& y = plan.program().code[*other];
  if (x.op != y.op || x.type != y.type || x.mod != y.mod || x.imm != y.imm || !IsPure(x))
    return false;
  if (plan.runs.contains(*one) || plan.runs.contains(*other)) return false;
  const InstructionOperands& left = plan.operands[*one];
  const InstructionOperands& right = plan.operands[*other];
  for (size_t i = 0; i < left.reads.size(); ++i) {
    if (!IsSameValue(plan, left.reads[i], right.reads[i], depth + 1)) return false;
  }
  for (size_t i = 0; i < left.predicates.size(); ++i) {
    if (!IsSameValue(plan, left.predicates[i], right.predicates[i], depth + 1)) return false;
  }
  return true;
}

}  // namespace

bool IsSameValue(const Plan& plan, OperandId a, OperandId b) {
  return IsSameValue(plan, a, b, 0);
}

Sum SumOf(const Plan& plan, OperandId index) {
  Sum sum{index};
  const uint64_t mask = UINT64_MAX >> (64 - isa::BitsOf(plan.TypeOf(index)));
  const auto constant = [&](OperandId id) -> std::optional<uint64_t> {
    const std::optional<uint32_t> pc = plan.DefinitionOf(id);
    if (!pc || plan.program().code[*pc].op != isa::Opcode::kMovImm) return std::nullopt;
    return plan.program().code[*pc].imm;
  };
  while (const std::optional<uint32_t> pc = plan.DefinitionOf(sum.base)) {
    if (plan.program().code[*pc].op != isa::Opcode::kAdd) break;
    const auto& reads = plan.operands[*pc].reads;
    const std::optional<uint64_t> left = constant(reads[0]);
    const std::optional<uint64_t> right = constant(reads[1]);
    if (!left && !right) break;
    sum.base = right ? reads[0] : reads[1];
    sum.offset = (sum.offset + (right ? *right : *left)) & mask;
  }
  return sum;
}

}  // namespace hologram::codegen
