#include "codegen/instructions/index_again.h"

#include "codegen/plan/accesses.h"

namespace hologram::codegen {

using isa::Opcode;
using llvm::Value;

namespace {

constexpr int kTooMuch = 100;

struct Operation {
  Opcode op;
  LaneOperation compute;
};
constexpr Operation kCheap[] = {
    {Opcode::kMov, lanewise::Mov}, {Opcode::kCvt, lanewise::Cvt}, {Opcode::kAdd, lanewise::Add},
    {Opcode::kSub, lanewise::Sub}, {Opcode::kAnd, lanewise::And}, {Opcode::kOr, lanewise::Or},
    {Opcode::kXor, lanewise::Xor}, {Opcode::kShl, lanewise::Shl}, {Opcode::kShr, lanewise::Shr}};

// Null for others, and for floats.
LaneOperation OperationOf(const isa::Instruction& in) {
  if (!isa::IsInteger(in.type)) return nullptr;
  if (in.op == Opcode::kCvt && !isa::IsInteger(in.source_type())) return nullptr;
  for (const Operation& cheap : kCheap) {
    if (cheap.op == in.op) return cheap.compute;
  }
  return nullptr;
}

// Elements side by side, in an array that nobody writes.
bool IsRowThatStays(const Plan& plan, uint32_t load) {
  if (plan.program().code[load].op != Opcode::kLdg) return false;
  const verify::AccessFact& fact = *plan.verified->AccessAt(load);
  const bool row = plan.KindOf(IndexOf(plan, load)) == Kind::kAffine && fact.stride == 1;
  const bool written = plan.program().parameters[fact.slot].direction != isa::Direction::kIn;
  return row && !written && fact.tier == verify::Tier::kProved;
}

}  // namespace

// In instructions.
int IndexAgain::Cost(OperandId id, uint32_t pc) const {
  if (plan_.KindOf(id) == Kind::kUniform) return 0;
  const std::optional<uint32_t> made = MadeBy(plan_, id, pc);
  if (!made) return kTooMuch;
  if (IsRowThatStays(plan_, *made)) return 1;
  if (OperationOf(plan_.program().code[*made]) == nullptr) return kTooMuch;
  int cost = 1;
  plan_.ForEachRead(
      *made, [&](OperandId read) { cost = cost >= kTooMuch ? kTooMuch : cost + Cost(read, pc); });
  return cost;
}

bool IndexAgain::Can(OperandId index, uint32_t pc) const {
  constexpr int kMostInstructions = 4;
  const int cost = Cost(index, pc);
  return cost > 1 && cost <= kMostInstructions;
}

Value* IndexAgain::OfLane(OperandId index, uint32_t pc, uint64_t lane) {
  if (plan_.KindOf(index) == Kind::kUniform) return registers_.Scalar(index);
  const uint32_t made = *MadeBy(plan_, index, pc);
  if (IsRowThatStays(plan_, made)) {
    const Place place = places_.Of(made);
    Value* first = places_.ElementAddress(place, registers_.Exact(IndexOf(plan_, made)));
    Value* at = f_.builder().CreateConstGEP1_64(place.type, first, lane);
    // Volatile, or it would be taken out of the vector after all.
    return f_.builder().CreateLoad(place.type, at, true);
  }
  const auto& reads = plan_.operands[made].reads;
  const auto read = [&](size_t i) {
    return reads[i] == kNoOperand ? nullptr : OfLane(reads[i], pc, lane);
  };
  const Sources sources{read(0), read(1), read(2)};
  const isa::Instruction& in = plan_.program().code[made];
  return OperationOf(in)(f_, in, sources);
}

}  // namespace hologram::codegen
