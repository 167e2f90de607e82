// Where lanes may wait while a block runs, by following the jumps that codegen/emit/control_flow.cc
// writes: a block takes the lanes that wait at it, and leaves them at its successors. What a
// waiting lane will not read may be overwritten: such registers need no blend, and a loop counter
// that the lanes of the loop agree about stays a scalar. Holds for every control-flow graph,
// because it follows the order in which blocks run and not the shape of the graph. Tested by the
// random-CFG test of tests/differential.
#include <algorithm>

#include "codegen/plan/regions.h"

namespace hologram::codegen {
namespace {

class WaitingFinder {
 public:
  explicit WaitingFinder(const Plan& plan)
      : plan_(plan), before_(plan.successors.size()), visited_(plan.successors.size(), 0) {}

  // The sets only grow, and so do the jumps that they allow: at the end every jump that
  // control_flow.cc emits for the final sets has been followed.
  void Run(Plan& result) {
    Send(0, {});
    for (uint32_t b = 0; b < before_.size(); ++b) {
      if (plan_.block(b).reachable && EndsAtBarrier(plan_, b)) Send(plan_.successors[b][0], {});
    }
    while (!work_.empty()) {
      const uint32_t b = work_.back();
      work_.pop_back();
      Follow(b);
    }
    for (uint32_t b = 0; b < before_.size(); ++b) {
      before_[b].at.reset(b);
    }
    result.waiting_lanes = std::move(before_);
  }

 private:
  void Send(uint32_t to, WaitingLanes lanes) {
    if (to == verify::kExitBlock) return;
    lanes.at.set(to);
    const WaitingLanes all{before_[to].at | lanes.at, before_[to].arrived | lanes.arrived};
    const bool known = all.at == before_[to].at && all.arrived == before_[to].arrived;
    if (visited_[to] != 0 && known) return;
    visited_[to] = 1;
    before_[to] = all;
    work_.push_back(to);
  }

  // To the first block behind `b` at which lanes wait. A region has not all blocks, so which is
  // first depends on the region. In a convergent block all lanes are together.
  void SendNext(uint32_t b, const WaitingLanes& lanes) {
    if (!plan_.verified->uses_barrier()) return Send(NextWaiting(b, lanes.at), lanes);
    for (uint32_t to = NextWaiting(b, lanes.at); to != verify::kExitBlock;
         to = NextWaiting(to, lanes.at)) {
      Send(to, plan_.divergent[to] != 0 ? lanes : WaitingLanes{{}, lanes.arrived});
    }
  }

  void Follow(uint32_t b) {
    WaitingLanes rest = before_[b];
    rest.at.reset(b);
    const std::vector<uint32_t>& successors = plan_.successors[b];
    if (plan_.divergent[b] != 0) SendNext(b, rest);  // if no lane is here
    // Where lanes are missing, the second copy of a loop is run in place of the first.
    if (plan_.divergent[b] == 0) Send(plan_.SecondOf(b), rest);
    if (EndsAtBarrier(plan_, b)) {
      Add(rest.arrived, successors[0]);
      if (plan_.divergent[b] != 0) SendNext(b, rest);
      return;  // all regions are begun
    }
    if (plan_.PartsLanes(b)) {
      WaitingLanes both = rest;
      for (uint32_t to : successors) Add(both.at, to);
      if (plan_.divergent[b] != 0) return Leave(b, both);
      return Send(plan_.FirstOfParted(b), both);
    }
    for (uint32_t to : successors) {
      WaitingLanes one = rest;
      Add(one.at, to);
      if (plan_.divergent[b] != 0) {
        Leave(b, one);
      } else {
        Send(to, one);
      }
    }
  }

  // Lanes at the targets of back edges run first.
  void Leave(uint32_t b, WaitingLanes lanes) {
    uint32_t back = verify::kExitBlock;
    const WaitingLanes all = lanes;
    for (uint32_t to : plan_.successors[b]) {
      if (to == verify::kExitBlock || to > b || !all.at[to]) continue;
      back = std::min(back, to);
      lanes.at.reset(to);
    }
    Send(back, all);
    SendNext(b, lanes);
  }

  static void Add(BlockSet& set, uint32_t block) {
    if (block != verify::kExitBlock) set.set(block);
  }

  const Plan& plan_;
  std::vector<WaitingLanes> before_;
  std::vector<char> visited_;
  std::vector<uint32_t> work_;
};

}  // namespace

void FindWaitingLanes(Plan& plan) {
  Plan found;
  // Where returns are shared, all lanes that return go to the first place together.
  if (!plan.scalar && plan.successors.size() <= kMaxWaitingBlocks && !plan.shares_returns) {
    WaitingFinder(plan).Run(found);
  }
  plan.waiting_lanes = std::move(found.waiting_lanes);
}

uint32_t NextWaiting(uint32_t block, const BlockSet& lanes) {
  for (uint32_t b = block + 1; b < kMaxWaitingBlocks; ++b) {
    if (lanes[b]) return b;
  }
  return verify::kExitBlock;
}

bool Plan::WaitingLanesRead(uint32_t block, OperandId web) const {
  if (waiting_lanes.empty()) return !webs[static_cast<size_t>(web)].local;
  const BlockSet later = waiting_lanes[block].at | waiting_lanes[block].arrived;
  if (later.none()) return false;
  for (uint32_t b = 0; b < live_in.size(); ++b) {
    if (!later[b]) continue;
    if (std::find(live_in[b].begin(), live_in[b].end(), web) != live_in[b].end()) return true;
  }
  return false;
}

bool Plan::Returns(uint32_t b) const {
  return program().code[block(b).end - 1].op == isa::Opcode::kRet;
}

std::optional<uint32_t> Plan::NumberOfReturn(uint32_t place) const {
  for (uint32_t b = 0; b < successors.size(); ++b) {
    if (!block(b).reachable || !Returns(b)) continue;  // all have the same successors
    const auto found = std::find(successors[b].begin(), successors[b].end(), place);
    if (found == successors[b].end()) return std::nullopt;
    return static_cast<uint32_t>(found - successors[b].begin());
  }
  return std::nullopt;
}

bool Plan::Branches(uint32_t b) const {
  return !Returns(b) && successors[b].size() == 2 && successors[b][0] != successors[b][1];
}

bool Plan::PartsLanes(uint32_t b) const {
  if (Returns(b)) return !scalar && block(b).reachable && successors[b].size() > 1;
  return block(b).reachable && Branches(b) && KindOf(BranchOperand(b)) != Kind::kUniform &&
         !LeavesTogether(b);
}

uint32_t Plan::FirstOfParted(uint32_t b) const {
  uint32_t first = verify::kExitBlock;
  uint32_t join = verify::kExitBlock;
  for (uint32_t to : successors[b]) {
    if (to == verify::kExitBlock) continue;
    if (divergent[to] == 0) {
      join = to;
    } else {
      first = std::min(first, to);
    }
  }
  return first == verify::kExitBlock ? join : first;
}

}  // namespace hologram::codegen
