#include "codegen/plan/columns.h"

#include <algorithm>

#include "codegen/plan/accesses.h"
#include "codegen/plan/lane_by_lane.h"
#include "codegen/plan/loops.h"

namespace hologram::codegen {
namespace {

// Of a lane, in elements that lie side by side.
constexpr uint64_t kFarApart = 8;
constexpr uint64_t kRounds = 16;

bool IsFarApart(const Plan& plan, const verify::AccessFact& access) {
  if (!access.global() || plan.KindOf(IndexOf(plan, access.pc)) == Kind::kUniform) return false;
  return access.stride != 0 && access.stride != 1;
}

uint64_t CostOfAccesses(const Plan& plan) {
  std::vector<uint64_t> rounds(plan.successors.size(), 1);
  for (const verify::LoopFact& loop : plan.verified->loops()) {
    for (const uint32_t b : BlocksOfLoop(plan, loop)) {
      rounds[b] = std::min(rounds[b] * kRounds, kRounds * kRounds * kRounds);
    }
  }
  uint64_t cost = 0;
  for (const verify::AccessFact& access : plan.verified->accesses()) {
    if (!access.global()) continue;
    const uint64_t one = IsFarApart(plan, access) ? kFarApart : 1;
    cost += one * rounds[plan.verified->BlockOf(access.pc)];
  }
  return cost;
}

}  // namespace

bool MayGainByColumns(const Plan& plan) {
  const verify::VerifiedProgram& verified = *plan.verified;
  const verify::IdsUsed& ids = verified.ids();
  if (plan.unit != HOLOGRAM_UNIT_ROW || plan.scalar || plan.copies != nullptr) return false;
  if (!ids.global[0] || !ids.global[1] || ids.linear) return false;
  // A fault is that of the lowest lane; what lanes leave to each other depends on their order.
  if (plan.may_fault || plan.recursive || plan.has_phase || !verified.races().empty()) return false;
  if (verified.needs_session() || verified.reads_class_memory() || plan.reads_class_base ||
      verified.writes_class_memory()) {
    return false;
  }
  const auto& code = plan.program().code;
  if (std::any_of(code.begin(), code.end(), [](const isa::Instruction& in) {
        return isa::IsAtomic(in.op) || isa::IsServed(in.op) || isa::UsesStream(in.op);
      })) {
    return false;
  }
  const auto& accesses = verified.accesses();
  return std::any_of(accesses.begin(), accesses.end(),
                     [&](const verify::AccessFact& access) { return IsFarApart(plan, access); });
}

bool GainsByColumns(const Plan& plan, const Plan& columns, const Target& target) {
  if (columns.unit != HOLOGRAM_UNIT_ROW || columns.scalar || columns.may_fault) return false;
  if (columns.copies != nullptr || GainsLaneByLane(columns, target)) return false;
  return 2 * CostOfAccesses(columns) <= CostOfAccesses(plan);
}

}  // namespace hologram::codegen
