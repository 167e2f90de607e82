#include "codegen/plan/accesses.h"

#include <algorithm>
#include <set>

namespace hologram::codegen {

OperandId IndexOf(const Plan& plan, uint32_t pc) {
  const bool global = isa::IsGlobalAccess(plan.program().code[pc].op);
  return plan.operands[pc].reads[global ? 1 : 0];
}

OperandId StoredOperand(const Plan& plan, uint32_t pc) {
  const bool global = isa::IsGlobalAccess(plan.program().code[pc].op);
  return plan.operands[pc].reads[global ? 2 : 1];
}

OperandId DesiredOperand(const Plan& plan, uint32_t pc) {
  const bool global = isa::IsGlobalAccess(plan.program().code[pc].op);
  return plan.operands[pc].reads[global ? 3 : 2];
}

bool NeedsExtent(const Plan& plan, size_t parameter) {
  if (plan.options.unchecked) return false;
  for (const verify::AccessFact& fact : plan.verified->accesses()) {
    if (fact.global() && fact.slot == parameter && fact.tier == verify::Tier::kGuarded) return true;
  }
  return false;
}

// A streaming form has one contiguous store per lane, by all lanes of the row that pass the guards.
const char* StreamingObstacle(const Plan& plan) {
  if (plan.unit != HOLOGRAM_UNIT_LANE) return "the lanes are not one row";
  if (plan.may_fault) return "lanes may fault";
  if (!plan.program().locals.empty()) return "local arrays";
  const auto& code = plan.program().code;
  int stores = 0;
  for (uint32_t pc = 0; pc < code.size(); ++pc) {
    if (isa::IsAtomic(code[pc].op) || isa::IsPrint(code[pc].op)) return "atomics or print";
    if (!isa::IsStore(code[pc].op)) continue;
    const verify::AccessFact* fact = plan.verified->AccessAt(pc);
    if (fact == nullptr || fact->stride != 1 || fact->tier != verify::Tier::kProved) {
      return "a store is not contiguous";
    }
    // MayStreamOutputs (launch/way.cc) takes such a launch for no streaming one.
    const bool global = isa::IsGlobalAccess(code[pc].op);
    if (global && plan.program().parameters[fact->slot].direction == isa::Direction::kInOut) {
      return "the array is read too";
    }
    const OperandId index = IndexOf(plan, pc);
    const bool known = IsFixed(index) || plan.webs[static_cast<size_t>(index)].invariant;
    if (!known || plan.KindOf(index) != Kind::kAffine) return "a store moves on in a loop";
    if (plan.divergent[plan.verified->BlockOf(pc)] != 0) return "a store is under a condition";
    ++stores;
  }
  if (stores == 1) return nullptr;
  return stores == 0 ? "nothing is stored" : "several stores";
}

// The instruction that gives `id` its value at `pc`, if it is in the same block and everything that
// it reads still has the values that it had there.
std::optional<uint32_t> MadeBy(const Plan& plan, OperandId id, uint32_t pc) {
  const std::optional<uint32_t> definition = plan.DefinitionOf(id);
  if (!definition || *definition >= pc) return std::nullopt;
  const verify::VerifiedProgram& verified = *plan.verified;
  if (verified.BlockOf(*definition) != verified.BlockOf(pc)) return std::nullopt;
  bool same = true;
  plan.ForEachRead(*definition, [&](OperandId read) {
    if (IsFixed(read)) return;
    for (const uint32_t other : plan.webs[static_cast<size_t>(read)].definitions) {
      same &= other < *definition || other >= pc;
    }
  });
  return same ? definition : std::nullopt;
}

bool IsRead(const Plan& plan, uint32_t pc) {
  const OperandId written = plan.operands[pc].write;
  bool used = false;
  for (uint32_t other = 0; other < plan.operands.size(); ++other) {
    plan.ForEachRead(other, [&](OperandId read) { used |= read == written; });
  }
  return used;
}

namespace {

// By an instruction that such kernels have: calls, budgets and services are not asked about.
bool MayFault(const Plan& plan, uint32_t pc) {
  const isa::Instruction& in = plan.program().code[pc];
  const verify::AccessFact* access = plan.verified->AccessAt(pc);
  if (access != nullptr) return access->tier == verify::Tier::kGuarded;
  const bool divides = in.op == isa::Opcode::kDiv || in.op == isa::Opcode::kRem;
  if ((divides && isa::IsInteger(in.type)) || isa::TakesClass(in.op)) {
    return !plan.verified->NeverFaults(pc);
  }
  return in.op == isa::Opcode::kTrap;
}

// True of what leaves no trace, as an update that is still to be made, and of stores that nobody
// can have read: local arrays are zeroed for each chunk, and an array that is only stored to gets
// the same elements again.
bool MayRunTwice(const Plan& plan, uint32_t pc) {
  const isa::Instruction& in = plan.program().code[pc];
  if (isa::IsAtomic(in.op)) return plan.order.waits(pc);
  if (!isa::IsStore(in.op)) return true;
  const verify::AccessFact* access = plan.verified->AccessAt(pc);
  if (access == nullptr || access->local) return true;
  if (!access->global()) return false;
  for (const verify::AccessFact& other : plan.verified->accesses()) {
    const bool same = other.global() && other.slot == access->slot;
    if (same && !isa::IsStore(plan.program().code[other.pc].op)) return false;
  }
  const auto& aliases = plan.verified->launch_check().aliases;
  return std::none_of(aliases.begin(), aliases.end(), [&](const verify::AliasRule& rule) {
    return rule.same_element && (rule.slot_a == access->slot || rule.slot_b == access->slot);
  });
}

// Nothing that leaves a trace comes before an instruction that leads back to the start. Blocks run
// in the order of the program but for back edges, also where lanes part.
template <class LeadsBack, class LeavesTrace>
bool LeavesNoTrace(const Plan& plan, LeadsBack leads_back, LeavesTrace leaves_trace) {
  if (plan.scalar || plan.recursive || plan.has_phase) return false;
  const auto& code = plan.program().code;
  uint32_t first_trace = UINT32_MAX;
  uint32_t last_back = 0;
  for (uint32_t pc = 0; pc < code.size(); ++pc) {
    if (isa::IsServed(code[pc].op) || isa::UsesStream(code[pc].op)) return false;
    if (leaves_trace(pc)) first_trace = std::min(first_trace, pc);
    if (leads_back(pc)) last_back = pc;
  }
  // What an instruction does it does after its own checks.
  if (first_trace < last_back) return false;
  for (uint32_t b = 0; b < plan.successors.size(); ++b) {
    for (const uint32_t to : plan.successors[b]) {
      const bool back = to != verify::kExitBlock && to <= b;
      if (back && plan.block(b).end > first_trace && plan.block(to).begin <= last_back) {
        return false;
      }
    }
  }
  return true;
}

}  // namespace

bool CanRunAgain(const Plan& plan) {
  if (plan.unit == HOLOGRAM_UNIT_BLOCK || !plan.may_fault || plan.counts()) return false;
  return LeavesNoTrace(
      plan, [&](uint32_t pc) { return MayFault(plan, pc); },
      [&](uint32_t pc) { return !MayRunTwice(plan, pc); });
}

bool CanRunBlockAgain(const Plan& plan) {
  if (plan.counts()) return false;
  const auto leaves_trace = [&](uint32_t pc) {
    const verify::AccessFact* access = plan.verified->AccessAt(pc);
    return (access == nullptr || !access->shared) && !MayRunTwice(plan, pc);
  };
  return LeavesNoTrace(plan, [&](uint32_t pc) { return MayFault(plan, pc); }, leaves_trace);
}

bool MayRunAgainFromLog(const Plan& plan) {
  if (plan.unit == HOLOGRAM_UNIT_BLOCK) return false;
  return LeavesNoTrace(
      plan, [&](uint32_t pc) { return plan.order.waits(pc); },
      [&](uint32_t pc) { return !MayRunTwice(plan, pc); });
}

namespace {

bool IsComputed(const Plan& plan, OperandId id, std::set<OperandId>& seen) {
  if (id == kNoOperand || IsFixed(id) || !seen.insert(id).second) return true;
  for (const uint32_t pc : plan.webs[static_cast<size_t>(id)].definitions) {
    const isa::Instruction& in = plan.program().code[pc];
    const bool divides = in.op == isa::Opcode::kDiv || in.op == isa::Opcode::kRem;
    if (!IsPure(in) && !divides) return false;
    bool all = true;
    plan.ForEachRead(pc, [&](OperandId read) { all = all && IsComputed(plan, read, seen); });
    if (!all) return false;
  }
  return true;
}

// A sum, or a product, of one operand that follows the lanes and others that lanes share.
bool KeepsFollowing(const isa::Instruction& in) {
  using isa::Opcode;
  if (!isa::IsInteger(in.type)) return false;
  if (in.op == Opcode::kCvt) return isa::IsInteger(in.source_type());
  return in.op == Opcode::kMov || in.op == Opcode::kAdd || in.op == Opcode::kSub ||
         in.op == Opcode::kMul || in.op == Opcode::kMad;
}

bool FollowsLanes(const Plan& plan, OperandId id, std::set<OperandId>& seen) {
  if (plan.KindOf(id) != Kind::kVarying) return plan.KindOf(id) == Kind::kAffine;
  if (!seen.insert(id).second) return true;
  for (const uint32_t pc : plan.webs[static_cast<size_t>(id)].definitions) {
    if (!KeepsFollowing(plan.program().code[pc])) return false;
    int followers = 0;
    bool all = true;
    plan.ForEachRead(pc, [&](OperandId read) {
      if (plan.KindOf(read) == Kind::kUniform) return;
      ++followers;
      all = all && FollowsLanes(plan, read, seen);
    });
    if (!all || followers != 1) return false;
  }
  return true;
}

}  // namespace

bool IsComputed(const Plan& plan, OperandId id) {
  std::set<OperandId> seen;
  return IsComputed(plan, id, seen);
}

bool FollowsLanes(const Plan& plan, OperandId id) {
  std::set<OperandId> seen;
  return FollowsLanes(plan, id, seen);
}

}  // namespace hologram::codegen
