// `for c in range(lane, n, lanes)`: a loop that lanes enter together and leave in different rounds,
// by a comparison of numbers that grow from lane to lane. All lanes of a chunk go round until the
// last rounds, so the loop is written twice (verify/loop_copies.h): without a mask for as long as
// no lane leaves, then under masks.
#include <algorithm>

#include "codegen/plan/accesses.h"
#include "codegen/plan/regions.h"

namespace hologram::codegen {
namespace {

using isa::Opcode;

// Of a loop, in simple instructions: a copy more of each form of the body is to be compiled.
constexpr size_t kMostInLoop = 240;

class LoopChooser {
 public:
  explicit LoopChooser(const Plan& plan) : plan_(plan), code_(plan.program().code) {}

  std::vector<verify::LoopToCopy> Run() {
    std::vector<verify::LoopToCopy> chosen;
    if (plan_.scalar || plan_.recursive || plan_.closed || plan_.waiting_lanes.empty()) return {};
    // A log of updates counts how often lanes come to each (codegen/plan/order.h).
    if (!plan_.verified->ordered_updates().empty()) return {};
    if (plan_.may_fault && !CanRunAgain(plan_)) return {};  // lanes leave in all forms
    for (const verify::LoopFact& loop : plan_.verified->loops()) {
      const auto copy = LoopOf(loop);
      if (!copy) continue;
      // The outermost of a nest: in those inside it lanes may be missing.
      const auto meets = [&](const verify::LoopToCopy& other) {
        return other.blocks[0] <= copy->blocks.back() && copy->blocks[0] <= other.blocks.back();
      };
      const auto smaller = [&](const verify::LoopToCopy& other) {
        return meets(other) && other.blocks.size() < copy->blocks.size();
      };
      std::erase_if(chosen, smaller);
      if (std::none_of(chosen.begin(), chosen.end(), meets)) chosen.push_back(*copy);
    }
    std::sort(chosen.begin(), chosen.end(),
              [](const auto& a, const auto& b) { return a.blocks[0] < b.blocks[0]; });
    return chosen;
  }

 private:
  std::optional<verify::LoopToCopy> LoopOf(const verify::LoopFact& loop) const {
    if (plan_.divergent[loop.header] == 0) return std::nullopt;
    verify::LoopToCopy copy{verify::BlocksOf(*plan_.verified, loop), {}};
    const auto inside = [&](uint32_t b) {
      return b != verify::kExitBlock && b >= copy.blocks[0] && b <= copy.blocks.back();
    };
    if (copy.blocks.empty() || BodySize(plan_, copy.blocks) > kMostInLoop) return std::nullopt;
    for (const uint32_t from : plan_.block(loop.header).predecessors) {
      const bool enters = plan_.block(from).reachable && !inside(from);
      if (enters && plan_.divergent[from] != 0) return std::nullopt;
    }
    bool counts = false;  // by numbers that grow from lane to lane
    for (const uint32_t b : copy.blocks) {
      if (!std::all_of(plan_.successors[b].begin(), plan_.successors[b].end(), inside) &&
          plan_.PartsLanes(b)) {
        const bool branches = code_[plan_.block(b).end - 1].conditional();
        if (!branches ||
            !std::any_of(plan_.successors[b].begin(), plan_.successors[b].end(), inside)) {
          return std::nullopt;
        }
        copy.parts.push_back(b);
        counts |= ComparesCounters(b);
      }
      if (!MayCopy(b)) return std::nullopt;
    }
    return counts ? std::optional(copy) : std::nullopt;
  }

  // The order in which lanes change what they share stays as it is only where it does not matter.
  bool MayCopy(uint32_t b) const {
    for (uint32_t pc = plan_.block(b).begin; pc < plan_.block(b).end; ++pc) {
      const isa::Instruction& in = code_[pc];
      if (isa::IsBarrier(in.op) || isa::IsServed(in.op) || isa::UsesStream(in.op)) return false;
      if (isa::IsPrint(in.op) || in.op == Opcode::kTrap || in.op == Opcode::kLoop) return false;
      if (isa::IsAtomic(in.op) && isa::IsFloat(in.type)) return false;
    }
    return true;
  }

  bool ComparesCounters(uint32_t b) const {
    const auto set = plan_.DefinitionOf(plan_.BranchOperand(b));
    if (!set || code_[*set].op != Opcode::kSet || !isa::IsInteger(code_[*set].type)) return false;
    return plan_.KindOf(plan_.operands[*set].reads[0]) != Kind::kVarying &&
           plan_.KindOf(plan_.operands[*set].reads[1]) != Kind::kVarying;
  }

  const Plan& plan_;
  const std::vector<isa::Instruction>& code_;
};

}  // namespace

std::vector<verify::LoopToCopy> LoopsToCopy(const Plan& plan) {
  return LoopChooser(plan).Run();
}

bool CopiesServe(const Plan& plan) {
  if (plan.closed || plan.waiting_lanes.empty()) return false;
  for (uint32_t b = 0; b < plan.successors.size(); ++b) {
    if (!plan.block(b).reachable || !plan.LeavesTogether(b)) continue;
    if (plan.divergent[b] != 0) return false;
    for (const uint32_t to : plan.successors[b]) {
      const bool parts = to != verify::kExitBlock && plan.SecondOf(to) == verify::kExitBlock;
      if (parts && plan.divergent[to] != 0) return false;
    }
  }
  for (const verify::LoopFact& loop : plan.verified->loops()) {
    const uint32_t second = plan.SecondOf(loop.header);
    if (second == verify::kExitBlock) continue;
    // The loop that is copied, not one inside it.
    const std::vector<uint32_t>& from = plan.block(loop.header).predecessors;
    const bool outer = std::any_of(from.begin(), from.end(), [&](uint32_t b) {
      return plan.SecondOf(b) == verify::kExitBlock;
    });
    if (outer && (plan.divergent[loop.header] != 0 || plan.divergent[second] == 0)) return false;
  }
  return true;
}

}  // namespace hologram::codegen
