#include "codegen/plan/regions.h"

#include <algorithm>
#include <bit>

#include "codegen/plan/accesses.h"

namespace hologram::codegen {

using isa::Opcode;
using isa::Sreg;

namespace {

// Of all lanes of a block together; larger arrays would not fit the stack of a thread.
constexpr uint64_t kMaxBlockBytes = uint64_t{1} << 20;

constexpr unsigned kFewestLanes = 16;  // a row of the tree of reductions
constexpr unsigned kReducingLanes = 64;
constexpr unsigned kScanningLanes = 256;  // short bodies, of many steps for each element
constexpr size_t kMostSize = 300;         // of a body that is emitted once more
constexpr size_t kMostScanningSize = 60;
constexpr unsigned kMostVectors = 8;
constexpr unsigned kMostScanningVectors = 16;

}  // namespace

Blocks ReachableBlocks(const Plan& plan) {
  std::vector<uint32_t> work{0};
  std::vector<char> seen(plan.successors.size(), 0);
  seen[0] = 1;
  while (!work.empty()) {
    const uint32_t b = work.back();
    work.pop_back();
    for (uint32_t s : plan.successors[b]) {
      if (s == verify::kExitBlock || seen[s] != 0) continue;
      seen[s] = 1;
      work.push_back(s);
    }
  }
  Blocks blocks;
  for (uint32_t b = 0; b < seen.size(); ++b) {
    if (seen[b] != 0) blocks.push_back(b);
  }
  return blocks;
}

bool EndsAtBarrier(const Plan& plan, uint32_t block) {
  return isa::IsBarrier(plan.program().code[plan.block(block).end - 1].op);
}

uint32_t Regions::Behind(const Plan& plan, uint32_t barrier_block) const {
  const auto found = std::find(entries.begin(), entries.end(), plan.successors[barrier_block][0]);
  return static_cast<uint32_t>(found - entries.begin());
}

namespace {

// Rows of a block may decide differently where all lanes of a row agree: by an id in y or z.
class RowBranches {
 public:
  explicit RowBranches(const Plan& plan) : plan_(plan), by_row_(plan.webs.size(), 0) {}

  // Some rows return before the next barrier, and others come to it.
  bool Part() {
    const Blocks blocks = ReachableBlocks(plan_);
    bool branches = false;
    for (bool changed = true; changed;) {
      changed = false;
      for (const uint32_t b : blocks) changed |= Visit(b, branches);
      const bool found =
          std::any_of(blocks.begin(), blocks.end(), [&](uint32_t b) { return IsByRow(b); });
      changed |= found && !branches;
      branches = found;
    }
    return std::any_of(blocks.begin(), blocks.end(),
                       [&](uint32_t b) { return IsByRow(b) && ReturnsOrWaits(b); });
  }

 private:
  bool Visit(uint32_t b, bool branches) {
    bool changed = false;
    for (uint32_t pc = plan_.block(b).begin; pc < plan_.block(b).end; ++pc) {
      const OperandId write = plan_.operands[pc].write;
      if (write == kNoOperand || by_row_[static_cast<size_t>(write)] != 0) continue;
      const isa::Instruction& in = plan_.program().code[pc];
      bool by_row = in.op == Opcode::kReadSreg && in.sreg() != Sreg::kLaneX &&
                    in.sreg() != Sreg::kGlobalX &&
                    (in.sreg() <= Sreg::kLaneZ || in.sreg() >= Sreg::kGlobalX);
      // What comes from different places may depend on the way there.
      by_row |= branches && plan_.webs[static_cast<size_t>(write)].definitions.size() > 1;
      plan_.ForEachRead(pc, [&](OperandId id) {
        by_row |= !IsFixed(id) && by_row_[static_cast<size_t>(id)] != 0;
      });
      by_row_[static_cast<size_t>(write)] = by_row ? 1 : 0;
      changed |= by_row;
    }
    return changed;
  }

  bool IsByRow(uint32_t b) const {
    if (!plan_.Branches(b) || plan_.PartsLanes(b)) return false;
    const OperandId predicate = plan_.BranchOperand(b);
    return !IsFixed(predicate) && by_row_[static_cast<size_t>(predicate)] != 0;
  }

  bool ReturnsOrWaits(uint32_t b) const {
    bool returns = false;
    bool waits = false;
    for (const uint32_t to : plan_.successors[b]) {
      if (to == verify::kExitBlock) {
        returns = true;
        continue;
      }
      for (const uint32_t x : RegionBlocks(plan_, to)) {
        waits |= EndsAtBarrier(plan_, x);
        const std::vector<uint32_t>& next = plan_.successors[x];
        returns |=
            next.empty() || std::find(next.begin(), next.end(), verify::kExitBlock) != next.end();
      }
    }
    return returns && waits;
  }

  const Plan& plan_;
  std::vector<char> by_row_;  // webs
};

}  // namespace

Regions FindRegions(const Plan& plan) {
  Regions regions;
  if (!plan.scalar && plan.verified->uses_barrier()) {
    regions.tracks_alive = RowBranches(plan).Part();
  }
  regions.entries = {0};
  for (uint32_t b : ReachableBlocks(plan)) {
    if (!EndsAtBarrier(plan, b)) continue;
    regions.tracks_alive |= plan.divergent[b] != 0 || plan.may_fault;
    const uint32_t after = plan.successors[b][0];
    if (after == verify::kExitBlock) continue;
    if (std::find(regions.entries.begin(), regions.entries.end(), after) == regions.entries.end()) {
      regions.entries.push_back(after);
    }
  }
  return regions;
}

Blocks RegionBlocks(const Plan& plan, uint32_t entry) {
  std::vector<char> seen(plan.successors.size(), 0);
  std::vector<uint32_t> work{entry};
  seen[entry] = 1;
  while (!work.empty()) {
    const uint32_t b = work.back();
    work.pop_back();
    if (EndsAtBarrier(plan, b)) continue;
    for (uint32_t s : plan.successors[b]) {
      if (s == verify::kExitBlock || seen[s] != 0) continue;
      seen[s] = 1;
      work.push_back(s);
    }
  }
  Blocks blocks;
  for (uint32_t b = 0; b < seen.size(); ++b) {
    if (seen[b] != 0) blocks.push_back(b);
  }
  return blocks;
}

bool Continues(const Plan& plan, const Blocks& region) {
  return std::any_of(region.begin(), region.end(), [&](uint32_t b) {
    return EndsAtBarrier(plan, b) && plan.successors[b][0] != verify::kExitBlock;
  });
}

std::vector<OperandId> WebsAcrossBarriers(const Plan& plan, const Blocks& region) {
  std::vector<OperandId> wanted;
  for (uint32_t b : region) {
    if (!EndsAtBarrier(plan, b) || plan.successors[b][0] == verify::kExitBlock) continue;
    for (OperandId web : plan.live_in[plan.successors[b][0]]) {
      if (std::find(wanted.begin(), wanted.end(), web) == wanted.end()) wanted.push_back(web);
    }
  }
  return wanted;
}

bool KeptPerRow(const Plan& plan, OperandId web) {
  const Web& one = plan.webs[static_cast<size_t>(web)];
  return one.kind != Kind::kVarying && !one.invariant;
}

bool IsWanted(const Plan& plan, uint32_t barrier) {
  const uint32_t behind = plan.successors[plan.verified->BlockOf(barrier)][0];
  if (behind == verify::kExitBlock) return false;
  const std::vector<OperandId>& wanted = plan.live_in[behind];
  return std::find(wanted.begin(), wanted.end(), plan.operands[barrier].write) != wanted.end();
}

std::optional<uint64_t> OnlyLane(const Plan& plan, const Blocks& region, uint32_t entry) {
  if (plan.options.instrumented) return std::nullopt;
  const auto& code = plan.program().code;
  if (std::any_of(region.begin(), region.end(),
                  [&](uint32_t b) { return EndsAtBarrier(plan, b); })) {
    return std::nullopt;
  }
  for (uint32_t pc = plan.block(entry).begin; pc + 1 < plan.block(entry).end; ++pc) {
    if (!IsPure(code[pc])) return std::nullopt;
  }
  const isa::Instruction& last = code[plan.block(entry).end - 1];
  if (last.op != Opcode::kBra || plan.successors[entry].size() != 2) return std::nullopt;
  const auto set = plan.DefinitionOf(plan.operands[plan.block(entry).end - 1].predicates[0]);
  if (!set || code[*set].op != Opcode::kSet) return std::nullopt;
  const isa::Condition condition = code[*set].condition();
  if (condition != isa::Condition::kEq && condition != isa::Condition::kNe) return std::nullopt;
  const size_t idle = condition == isa::Condition::kEq ? 1 : 0;
  if (!OnlyExits(plan, plan.successors[entry][idle])) return std::nullopt;
  for (size_t side = 0; side < 2; ++side) {
    const auto id = plan.DefinitionOf(plan.operands[*set].reads[side]);
    const auto number = plan.DefinitionOf(plan.operands[*set].reads[1 - side]);
    if (!id || code[*id].op != Opcode::kReadSreg || code[*id].sreg() != Sreg::kLaneX) continue;
    if (!number || code[*number].op != Opcode::kMovImm || code[*number].imm > UINT32_MAX) continue;
    return code[*number].imm;
  }
  return std::nullopt;
}

bool LocalPerBlock(const Plan& plan, const Regions& regions) {
  return regions.many() && plan.LocalBytes() != 0;
}

uint32_t ScratchBytes(const Plan& plan, const Regions& regions) {
  const uint64_t bytes = plan.LocalBytes();
  const bool fits =
      !LocalPerBlock(plan, regions) || bytes * isa::kMaxLanesPerBlock <= kMaxBlockBytes;
  return fits ? 0 : static_cast<uint32_t>(bytes);
}

namespace {

// The lanes of a block that the program declares, if they are few.
unsigned DeclaredLanes(const Plan& plan) {
  const isa::Program& program = plan.program();
  const uint32_t lanes = program.default_block;
  const bool few = lanes >= kFewestLanes && lanes <= kReducingLanes && std::has_single_bit(lanes);
  return few && program.HasFlatBlock() ? lanes : 0;
}

}  // namespace

unsigned WholeLanes(const Plan& plan, const Target& target, const Regions& regions) {
  if (plan.counts() || plan.recursive || (plan.may_fault && !CanRunBlockAgain(plan))) return 0;
  if (plan.LocalBytes() != 0 || plan.order.lane_by_lane || !plan.order.logged.empty()) return 0;
  bool reduces = false;
  bool scans = false;
  for (uint32_t b : ReachableBlocks(plan)) {
    const isa::Instruction& last = plan.program().code[plan.block(b).end - 1];
    if (!isa::IsBarrier(last.op)) continue;
    if (plan.divergent[b] != 0) return 0;  // lanes may be missing
    if (last.op != Opcode::kBarSync && last.is_of_warp()) return 0;
    reduces |= last.op == Opcode::kBlkRed;
    scans |= last.op == Opcode::kBlkScan;
  }
  const unsigned declared = regions.many() ? DeclaredLanes(plan) : 0;
  const unsigned lanes = scans           ? kScanningLanes
                         : declared != 0 ? declared
                         : reduces       ? kReducingLanes
                                         : 0;
  const size_t most = scans ? kMostScanningSize : kMostSize;
  const unsigned vectors = scans ? kMostScanningVectors : kMostVectors;
  // Values for the sums of a launch are given with a mask of one word.
  if (lanes > 64 && !plan.verified->launch_sums().empty()) return 0;
  const bool fits = lanes % target.width == 0 && lanes / target.width <= vectors;
  return fits && BodySize(plan, ReachableBlocks(plan)) <= most ? lanes : 0;
}

}  // namespace hologram::codegen
