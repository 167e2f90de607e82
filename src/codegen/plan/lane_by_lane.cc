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
  constexpr int64_t kMostShuffled = 4;  // between elements that are loaded by shuffles
  const verify::AccessFact* access = plan.verified->AccessAt(pc);
  if (access == nullptr || access->shared) return false;
  const bool varying = plan.KindOf(IndexOf(plan, pc)) == Kind::kVarying;
  if (varying || access->local) return varying;
  const int64_t together = isa::IsLoad(plan.program().code[pc].op) ? kMostShuffled : 1;
  return access->stride.value_or(INT64_MAX) > together;
}

// Whether a loop gives an operand its value.
bool ChangesIn(const Plan& plan, OperandId id, const std::vector<uint32_t>& blocks) {
  if (id == kNoOperand || IsFixed(id)) return false;
  const auto& definitions = plan.webs[static_cast<size_t>(id)].definitions;
  return std::any_of(definitions.begin(), definitions.end(),
                     [&](uint32_t pc) { return Contains(blocks, plan.verified->BlockOf(pc)); });
}

// An integer division of what was known before the loop by one number after the other. (Where both
// change, as in Euclid's algorithm, vectors divide several times as fast as lanes do.)
bool IsTrial(const Plan& plan, uint32_t pc, const std::vector<uint32_t>& blocks) {
  const isa::Instruction& in = plan.program().code[pc];
  const bool divides = in.op == Opcode::kDiv || in.op == Opcode::kRem;
  if (!divides || !isa::IsInteger(in.type)) return false;
  const auto& reads = plan.operands[pc].reads;
  return !ChangesIn(plan, reads[0], blocks) && ChangesIn(plan, reads[1], blocks);
}

// What an innermost loop does, and how lanes leave it.
struct LoopProfile {
  size_t scattered = 0;  // accesses and divisions that are made lane by lane
  size_t others = 0;
  size_t exits = 0;        // branches by which lanes leave one after the other
  bool by_data = false;    // one of them
  bool by_length = false;  // the header, by a number that was loaded before the loop
  bool inner = false;      // lanes part without leaving
  bool stores = false;     // to elements that lie apart
  bool own_list = false;   // a lane stores to its own array, at an index of its own
  bool rows = false;       // stores elements side by side
  bool beside = false;     // loads such
  bool tries = false;      // divides by one number after the other
};

// The end of a range that was loaded, as of a row of a sparse matrix.
bool ComparesWithLoaded(const Plan& plan, uint32_t block, const std::vector<uint32_t>& blocks) {
  const std::optional<uint32_t> set = plan.DefinitionOf(plan.BranchOperand(block));
  if (!set || plan.program().code[*set].op != Opcode::kSet) return false;
  for (size_t k = 0; k < 2; ++k) {
    const std::optional<uint32_t> end = plan.DefinitionOf(plan.operands[*set].reads[k]);
    if (!end || Contains(blocks, plan.verified->BlockOf(*end))) continue;
    if (!IsComputed(plan, plan.operands[*set].reads[k])) return true;
  }
  return false;
}

void AddBranch(const Plan& plan, uint32_t b, const std::vector<uint32_t>& blocks,
               LoopProfile& profile) {
  if (!plan.PartsLanes(b)) return;
  const auto& to = plan.successors[b];
  const bool leaves =
      std::any_of(to.begin(), to.end(), [&](uint32_t s) { return !Contains(blocks, s); });
  profile.inner |= !leaves;
  profile.exits += leaves ? 1 : 0;
  profile.by_data |= leaves && !IsComputed(plan, plan.BranchOperand(b));
  profile.by_length |= leaves && ComparesWithLoaded(plan, b, blocks);
}

void AddInstruction(const Plan& plan, uint32_t pc, const std::vector<uint32_t>& blocks,
                    LoopProfile& profile) {
  constexpr size_t kOfTrial = 3;
  constexpr size_t kOfUpdate = 3;   // a loop over the lanes
  constexpr size_t kOfGuarded = 2;  // its index is compared with the length, in vectors too
  const isa::Instruction& in = plan.program().code[pc];
  const verify::AccessFact* access = plan.verified->AccessAt(pc);
  const bool scattered = IsScattered(plan, pc);
  const bool trial = IsTrial(plan, pc, blocks);
  if (isa::IsStore(in.op)) {
    (scattered ? profile.stores : profile.rows) = true;
    profile.own_list |= scattered && access->local;
  }
  profile.beside |= access != nullptr && isa::IsLoad(in.op) && !scattered && access->stride == 1;
  profile.tries |= trial;
  if (trial) {
    profile.scattered += kOfTrial;
  } else if (scattered) {
    const bool guarded = access->global() && access->tier == verify::Tier::kGuarded;
    profile.scattered += isa::IsAtomic(in.op) ? kOfUpdate : guarded ? kOfGuarded : 1;
  } else if (!isa::IsJump(in.op) && plan.KindOfResult(pc) == Kind::kVarying) {
    ++profile.others;
  }
}

LoopProfile ProfileOf(const Plan& plan, const std::vector<uint32_t>& blocks) {
  LoopProfile profile;
  for (const uint32_t b : blocks) {
    AddBranch(plan, b, blocks, profile);
    for (uint32_t pc = plan.block(b).begin; pc < plan.block(b).end; ++pc) {
      AddInstruction(plan, pc, blocks, profile);
    }
  }
  return profile;
}

enum class Gain : uint8_t { kLoss, kNone, kGain };

// Accesses that lie apart are a good part of what it does, and lanes leave it one after the other,
// by data or where a search ends; or each lane writes a row of its own. Branches inside cost a lane
// that runs alone what vectors do not have: they are accepted only where lanes go round for very
// different times, with a stack or a list of their own, or over a range that was loaded.
Gain GainOf(const LoopProfile& profile) {
  constexpr size_t kMostForEachAccess = 4;
  if (profile.rows || profile.scattered == 0) return Gain::kLoss;
  if (profile.others > kMostForEachAccess * profile.scattered) return Gain::kLoss;
  const bool searches = profile.tries && profile.exits > 1;
  const bool apart = profile.by_data || searches;
  const bool lists = profile.own_list && profile.exits > 0;
  if (profile.inner) return lists || profile.by_length ? Gain::kGain : Gain::kLoss;
  return apart || (profile.stores && !profile.beside) ? Gain::kGain : Gain::kNone;
}

// Instructions whose code is written for vectors, or whose order between lanes is that of vectors.
bool NeedsVectors(const isa::Instruction& in, const Target& target) {
  const bool half =
      isa::IsHalf(in.type) || (in.op == Opcode::kCvt && isa::IsHalf(in.source_type()));
  const bool access = isa::IsLoad(in.op) || isa::IsStore(in.op);
  if (isa::IsServed(in.op) || isa::UsesStream(in.op)) return true;
  if (isa::IsAtomic(in.op) && !isa::IsInteger(in.type)) return true;
  if (isa::IsReduce(in.op) || isa::TakesClass(in.op) || in.op == Opcode::kNbrGet) return true;
  if (in.op == Opcode::kFma && !target.fused) return true;
  return math::FindFunction(in.op) != nullptr || (half && !access);
}

// Whether one lane of a row does all the work: the kernel begins with the comparison of an id with
// what is the same in all lanes, and where they differ a lane is at its end.
bool IsOfOneLane(const Plan& plan) {
  const auto& to = plan.successors[0];
  if (to.size() != 2 || !plan.PartsLanes(0)) return false;
  const std::optional<uint32_t> set = plan.DefinitionOf(plan.BranchOperand(0));
  if (!set || plan.program().code[*set].op != Opcode::kSet) return false;
  const isa::Instruction& compare = plan.program().code[*set];
  const isa::Instruction& branch = plan.program().code[plan.block(0).end - 1];
  if (!isa::IsInteger(compare.type) || !branch.conditional()) return false;
  const auto& reads = plan.operands[*set].reads;
  const Kind first = plan.KindOf(reads[0]);
  const Kind second = plan.KindOf(reads[1]);
  const bool one = (first == Kind::kAffine && second == Kind::kUniform) ||
                   (first == Kind::kUniform && second == Kind::kAffine);
  if (!one) return false;
  // The taken branch comes first.
  const isa::Condition condition = compare.condition();
  if (condition != isa::Condition::kEq && condition != isa::Condition::kNe) return false;
  const uint32_t others = to[condition == isa::Condition::kNe ? 0 : 1];
  return others == verify::kExitBlock ||
         plan.program().code[plan.block(others).begin].op == Opcode::kExit;
}

}  // namespace

bool GainsLaneByLane(const Plan& plan, const Target& target) {
  constexpr size_t kMostOutside = 96;
  if (target.lane_per_thread) return false;
  if (plan.unit == HOLOGRAM_UNIT_BLOCK || plan.recursive || plan.has_phase) return false;
  if (plan.reads_class_base || plan.shares_returns) return false;
  const auto& code = plan.program().code;
  for (const isa::Instruction& in : code) {
    if (NeedsVectors(in, target)) return false;
  }
  if (IsOfOneLane(plan) && !plan.verified->loops().empty()) return true;
  size_t inside = 0;
  bool any = false;
  for (const verify::LoopFact& loop : plan.verified->loops()) {
    const std::vector<uint32_t> blocks = BlocksOfLoop(plan, loop);
    if (!IsInnermost(plan, loop, blocks)) continue;
    const Gain gain = GainOf(ProfileOf(plan, blocks));
    if (gain == Gain::kLoss) return false;
    for (const uint32_t b : blocks) inside += plan.block(b).end - plan.block(b).begin;
    any |= gain == Gain::kGain;
  }
  return any && code.size() <= inside + kMostOutside;
}

}  // namespace hologram::codegen
