#include "device/parameters.h"

#include <algorithm>

namespace hologram::device {

using isa::Opcode;

namespace {

bool Uses(const Facts& facts, Opcode op) {
  const std::vector<isa::Instruction>& code = facts.program().code;
  return std::any_of(code.begin(), code.end(),
                     [=](const isa::Instruction& in) { return in.op == op; });
}

// By parameter: an index of it is compared with its length.
std::vector<bool> Compared(const Facts& facts) {
  std::vector<bool> compared(facts.program().parameters.size(), false);
  for (const verify::AccessFact& fact : facts.verified.accesses()) {
    if (fact.global() && fact.tier == verify::Tier::kGuarded) compared[fact.slot] = true;
  }
  return compared;
}

}  // namespace

Parameters MakeParameters(Builder& builder, const Facts& facts, bool coarsens,
                          std::vector<Argument>& arguments) {
  using Kind = Argument::Kind;
  const std::vector<isa::Parameter>& parameters = facts.program().parameters;
  const std::vector<bool> compared = Compared(facts);
  Parameters made;
  made.buffers.resize(parameters.size());
  made.extents.resize(parameters.size());
  made.scalars.resize(parameters.size());
  for (uint32_t k = 0; k < parameters.size(); ++k) {
    const Scalar type = ScalarOf(parameters[k].type);
    if (!parameters[k].is_buffer) {
      made.scalars[k] = builder.ScalarParameter(type);
      arguments.push_back({Kind::kScalar, k});
      continue;
    }
    made.buffers[k] = builder.BufferParameter(type);
    arguments.push_back({Kind::kBuffer, k});
    if (!compared[k]) continue;
    made.extents[k] = builder.ScalarParameter(Scalar::kI64);
    arguments.push_back({Kind::kExtent, k});
  }
  const auto add = [&](bool wanted, Kind kind, Scalar type) -> Value {
    if (!wanted) return 0;
    arguments.push_back({kind, 0});
    return builder.ScalarParameter(type);
  };
  made.budget = add(facts.counts_budget, Kind::kBudget, Scalar::kI64);
  made.rounds = add(facts.counts_rounds, Kind::kRounds, Scalar::kI64);
  made.class_base = add(Uses(facts, Opcode::kClsGet), Kind::kClassBase, Scalar::kI32);
  made.blocks = add(coarsens, Kind::kBlocks, Scalar::kI32);
  made.together = add(coarsens, Kind::kTogether, Scalar::kI32);
  if (facts.may_fault) {
    arguments.push_back({Kind::kFault, 0});
    made.fault = builder.BufferParameter(Scalar::kI32);
  }
  return made;
}

}  // namespace hologram::device
