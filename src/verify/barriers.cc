// Barrier uniformity: no barrier between a branch on which the lanes of a block disagree and the
// place where they meet again. A lane that has returned is not waited for: where a way from the
// branch ends in a return, the lanes that are left need to meet only. A jump to an exit is a
// return, also if other lanes come to the same exit after a barrier.
//
// In a recursive program a return may go on behind every call, so that lanes of one call seem to
// part. Where no call meets a barrier, lanes are in no call when they wait: then the ways outside
// of calls are looked at by themselves, and may show what all ways together do not.
#include <algorithm>

#include "verify/calls.h"
#include "verify/proofs.h"

namespace hologram::verify {
namespace {

class BarrierChecker {
 public:
  BarrierChecker(const isa::Program& program, const Cfg& cfg, const Ssa& ssa, Diagnostics& errors)
      : program_(program), cfg_(cfg), ssa_(ssa), errors_(errors) {}

  void Run() {
    for (const uint32_t b : cfg_.order) {
      if (EndsInBarrier(b)) barriers_.push_back(b);
    }
    if (barriers_.empty()) return;
    FindReaching();
    FindMeetings();
    const Variation block = ComputeVariation(program_, cfg_, ssa_, Among::kBlock);
    for (const uint32_t b : cfg_.order) {
      if (cfg_.blocks[b].successors.size() < 2) continue;
      // Without an analysis every branch may vary.
      const uint32_t last = cfg_.blocks[b].end - 1;
      const bool varies =
          !ssa_.built || !cfg_.reducible || block.VariesAt(cfg_, ssa_, ssa_.BranchValue(last), b);
      if (varies) CheckBranch(b);
      constexpr size_t kMaxWork = size_t{1} << 24;
      if (work_ > kMaxWork) {
        errors_.push_back(TooComplex(program_, "whether all lanes get to its barriers"));
        return;
      }
    }
  }

 private:
  bool EndsInBarrier(uint32_t b) const {
    return isa::IsBarrier(program_.code[cfg_.blocks[b].end - 1].op);
  }

  // reaches_[b]: a barrier can follow once a lane is in `b`.
  void FindReaching() {
    reaches_.assign(cfg_.num_blocks(), false);
    std::vector<uint32_t> stack = barriers_;
    while (!stack.empty()) {
      const uint32_t b = stack.back();
      stack.pop_back();
      if (reaches_[b]) continue;
      reaches_[b] = true;
      for (const uint32_t from : cfg_.blocks[b].predecessors) stack.push_back(from);
    }
  }

  // Where lanes that part at a block, and do not return, meet again before the next barrier or at
  // it. A block that reaches no barrier is a return here.
  void FindMeetings() {
    const uint32_t exit = cfg_.num_blocks();
    std::vector<std::vector<uint32_t>> ways(exit + 1);
    for (const uint32_t b : cfg_.order) {
      if (!reaches_[b]) continue;
      if (EndsInBarrier(b)) {
        ways[b] = {exit};
        continue;
      }
      for (const uint32_t to : cfg_.blocks[b].successors) {
        if (to != kExitBlock && reaches_[to]) ways[b].push_back(to);
      }
    }
    meeting_ = PostDominators(ways, exit);
  }

  void CheckBranch(uint32_t branch) {
    if (!reaches_[branch]) return;
    if (Returns(cfg_.ipdom[branch]) && meeting_[branch] != cfg_.num_blocks()) return;
    const std::vector<uint32_t> region = RegionOf(cfg_, branch);
    work_ += region.size();
    for (const uint32_t b : region) {
      if (EndsInBarrier(b)) Refuse(b);
    }
  }

  // A lane that is there has nothing left to do, whoever else comes there later.
  bool Returns(uint32_t node) const {
    if (node == kNone || node == cfg_.end_node()) return true;
    return program_.code[cfg_.blocks[node].begin].op == isa::Opcode::kExit;
  }

  std::string NameOfBarrier(uint32_t pc) const {
    const isa::Instruction& i = program_.code[pc];
    if (i.op == isa::Opcode::kBarSync) return IsOfShuffle(pc) ? "a shuffle" : "barrier()";
    const std::string what = i.op == isa::Opcode::kBlkRed ? "a reduction" : "a scan";
    return what + (i.is_of_warp() ? " of the warp" : " of the block");
  }

  bool StoresForLibrary(uint32_t pc) const {
    if (pc >= program_.code.size() || program_.code[pc].op != isa::Opcode::kSts) return false;
    return program_.shared[program_.code[pc].a].name.starts_with(isa::kLibraryArray);
  }

  // Behind the store of what a lane has, or before that of 0.
  bool IsOfShuffle(uint32_t pc) const {
    return (pc > 0 && StoresForLibrary(pc - 1)) || StoresForLibrary(pc + 2);
  }

  void Refuse(uint32_t b) {
    const uint32_t pc = cfg_.blocks[b].end - 1;
    if (std::find(refused_.begin(), refused_.end(), pc) != refused_.end()) return;
    refused_.push_back(pc);
    const Location where = program_.LocationOf(pc);
    // A shuffle has two barriers, of one place.
    const auto same = [&](const Diagnostic& other) {
      return other.where.line == where.line && other.where.column == where.column;
    };
    if (IsOfShuffle(pc) && std::any_of(errors_.begin(), errors_.end(), same)) return;
    errors_.push_back({ErrorCode::kInvalidProgram, where,
                       NameOfBarrier(pc) +
                           " is reached by some lanes of a block only: it stands under a "
                           "condition that depends on the lane"});
  }

  const isa::Program& program_;
  const Cfg& cfg_;
  const Ssa& ssa_;
  Diagnostics& errors_;
  std::vector<uint32_t> barriers_;
  std::vector<bool> reaches_;
  std::vector<uint32_t> meeting_;  // by block; num_blocks(): they may come to different barriers
  std::vector<uint32_t> refused_;
  size_t work_ = 0;
};

}  // namespace

void CheckBarriers(const isa::Program& program, const Cfg& cfg, const Ssa& ssa,
                   Diagnostics& errors) {
  Diagnostics found;
  BarrierChecker(program, cfg, ssa, found).Run();
  if (found.empty()) return;
  if (HasCalls(program)) {
    if (const std::optional<isa::Program> ways = WaysOutsideOfCalls(program)) {
      Cfg outside = BuildCfg(*ways);
      outside.reducible = false;  // every branch may vary: calls change any register
      Diagnostics left;
      BarrierChecker(*ways, outside, ssa, left).Run();
      if (left.empty()) return;
    }
  }
  errors.insert(errors.end(), found.begin(), found.end());
}

}  // namespace hologram::verify
