#include "codegen/plan/lane_by_lane.h"

#include <algorithm>

#include "codegen/plan/accesses.h"
#include "codegen/plan/loops.h"
#include "math/functions.h"

namespace hologram::codegen {
namespace {

using isa::Opcode;

bool IsInnermost(const Plan& plan, const verify::LoopFact& loop,
                 const std::vector<uint32_t>& blocks) {
  const auto& loops = plan.verified->loops();
  return std::none_of(loops.begin(), loops.end(), [&](const verify::LoopFact& other) {
    return other.header != loop.header && Contains(blocks, other.header);
  });
}

// An access that a vector makes lane by lane.
bool IsScattered(const Plan& plan, uint32_t pc) {
  const verify::AccessFact* access = plan.verified->AccessAt(pc);
  if (access == nullptr || !access->global()) return false;
  return plan.KindOf(IndexOf(plan, pc)) == Kind::kVarying || access->stride.value_or(2) > 1;
}

// Lanes part in it only to leave it, when data say so, and accesses that lie apart are a good
// part of what it does.
bool GainsOf(const Plan& plan, const std::vector<uint32_t>& blocks) {
  constexpr size_t kMostForEachAccess = 4;
  size_t scattered = 0;
  size_t others = 0;
  bool apart = false;
  for (const uint32_t b : blocks) {
    const auto& to = plan.successors[b];
    const bool leaves =
        std::any_of(to.begin(), to.end(), [&](uint32_t s) { return !Contains(blocks, s); });
    if (plan.PartsLanes(b) && !leaves) return false;
    apart |= plan.PartsLanes(b) && !IsComputed(plan, plan.BranchOperand(b));
    for (uint32_t pc = plan.block(b).begin; pc < plan.block(b).end; ++pc) {
      const isa::Instruction& in = plan.program().code[pc];
      if (isa::IsStore(in.op)) return false;
      if (IsScattered(plan, pc)) {
        ++scattered;
      } else if (!isa::IsJump(in.op) && plan.KindOfResult(pc) == Kind::kVarying) {
        ++others;
      }
    }
  }
  return apart && scattered > 0 && others <= kMostForEachAccess * scattered;
}

// Instructions whose code is written for vectors, or whose order between lanes is that of vectors.
bool NeedsVectors(const isa::Instruction& in, const Target& target) {
  const bool half =
      isa::IsHalf(in.type) || (in.op == Opcode::kCvt && isa::IsHalf(in.source_type()));
  const bool access = isa::IsLoad(in.op) || isa::IsStore(in.op);
  if (isa::IsAtomic(in.op) || isa::IsServed(in.op) || isa::UsesStream(in.op)) return true;
  if (isa::IsReduce(in.op) || isa::TakesClass(in.op) || in.op == Opcode::kNbrGet) return true;
  if (in.op == Opcode::kFma && !target.fused) return true;
  return math::FindFunction(in.op) != nullptr || (half && !access);
}

}  // namespace

bool GainsLaneByLane(const Plan& plan, const Target& target) {
  constexpr size_t kMostOutside = 48;
  if (target.lane_per_thread) return false;
  if (plan.unit == HOLOGRAM_UNIT_BLOCK || plan.recursive || plan.has_phase) return false;
  if (plan.reads_class_base || plan.LocalBytes() != 0 || plan.shares_returns) return false;
  const auto& code = plan.program().code;
  for (const isa::Instruction& in : code) {
    if (NeedsVectors(in, target)) return false;
  }
  size_t inside = 0;
  bool any = false;
  for (const verify::LoopFact& loop : plan.verified->loops()) {
    const std::vector<uint32_t> blocks = BlocksOfLoop(plan, loop);
    if (!IsInnermost(plan, loop, blocks)) continue;
    if (!GainsOf(plan, blocks)) return false;
    for (const uint32_t b : blocks) inside += plan.block(b).end - plan.block(b).begin;
    any = true;
  }
  return any && code.size() <= inside + kMostOutside;
}

}  // namespace hologram::codegen
