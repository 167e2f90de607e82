// Where lanes may wait while a block runs, by following the jumps that codegen/emit/control_flow.cc
// writes: a block takes the lanes that wait at it, and leaves them at its successors. What a
// waiting lane will not read may be overwritten: such registers need no blend, and a loop counter
// that the lanes of the loop agree about stays a scalar. Holds for every control-flow graph,
// because it follows the order in which blocks run and not the shape of the graph. Tested by the
// random-CFG test of tests/differential.
#include <algorithm>

#include "codegen/plan/plan.h"

namespace hologram::codegen {
namespace {

class WaitingFinder {
 public:
  explicit WaitingFinder(const Plan& plan)
      : plan_(plan), before_(plan.successors.size()), visited_(plan.successors.size(), 0) {}

  // The sets only grow, and so do the jumps that they allow: at the end every jump that
  // control_flow.cc emits for the final sets has been followed.
  std::vector<BlockSet> Run() {
    Send(0, {});
    while (!work_.empty()) {
      const uint32_t b = work_.back();
      work_.pop_back();
      Follow(b);
    }
    for (uint32_t b = 0; b < before_.size(); ++b) before_[b].reset(b);
    return std::move(before_);
  }

 private:
  void Send(uint32_t to, BlockSet lanes) {
    if (to == verify::kExitBlock) return;
    lanes.set(to);
    const BlockSet all = before_[to] | lanes;
    if (visited_[to] != 0 && all == before_[to]) return;
    visited_[to] = 1;
    before_[to] = all;
    work_.push_back(to);
  }

  void Follow(uint32_t b) {
    BlockSet rest = before_[b];
    rest.reset(b);
    const std::vector<uint32_t>& successors = plan_.successors[b];
    if (plan_.divergent[b] != 0) Send(NextWaiting(b, rest), rest);  // if no lane is here
    if (plan_.PartsLanes(b)) {
      BlockSet both = rest;
      for (uint32_t to : successors) Add(both, to);
      if (plan_.divergent[b] != 0) return Leave(b, both);
      return Send(plan_.FirstOfParted(b), both);
    }
    for (uint32_t to : successors) {
      BlockSet one = rest;
      Add(one, to);
      if (plan_.divergent[b] != 0) {
        Leave(b, one);
      } else {
        Send(to, one);
      }
    }
  }

  // Lanes at the targets of back edges run first.
  void Leave(uint32_t b, BlockSet lanes) {
    uint32_t back = verify::kExitBlock;
    const BlockSet all = lanes;
    for (uint32_t to : plan_.successors[b]) {
      if (to == verify::kExitBlock || to > b || !all[to]) continue;
      back = std::min(back, to);
      lanes.reset(to);
    }
    Send(back, all);
    Send(NextWaiting(b, lanes), lanes);
  }

  static void Add(BlockSet& set, uint32_t block) {
    if (block != verify::kExitBlock) set.set(block);
  }

  const Plan& plan_;
  std::vector<BlockSet> before_;
  std::vector<char> visited_;
  std::vector<uint32_t> work_;
};

}  // namespace

void FindWaitingLanes(Plan& plan) {
  plan.waiting_lanes.clear();
  // Lanes at a barrier wait for the next region, which is emitted on its own.
  if (plan.scalar || plan.verified->uses_barrier() || plan.successors.size() > kMaxWaitingBlocks) {
    return;
  }
  if (plan.shares_returns) return;  // all lanes that return go to the first place together
  plan.waiting_lanes = WaitingFinder(plan).Run();
}

uint32_t NextWaiting(uint32_t block, const BlockSet& lanes) {
  for (uint32_t b = block + 1; b < kMaxWaitingBlocks; ++b) {
    if (lanes[b]) return b;
  }
  return verify::kExitBlock;
}

bool Plan::WaitingLanesRead(uint32_t block, OperandId web) const {
  if (waiting_lanes.empty()) return !webs[static_cast<size_t>(web)].local;
  if (waiting_lanes[block].none()) return false;
  for (uint32_t b = 0; b < live_in.size(); ++b) {
    if (!waiting_lanes[block][b]) continue;
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
  return block(b).reachable && Branches(b) && KindOf(BranchOperand(b)) != Kind::kUniform;
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
