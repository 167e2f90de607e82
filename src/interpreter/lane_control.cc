#include "interpreter/lane_control.h"

#include <algorithm>

namespace hologram::interpreter {

void LaneControl::Allocate(const verify::VerifiedProgram& program, bool guarded,
                           uint32_t capacity) {
  capacity_ = capacity;
  const size_t blocks = program.blocks().size();
  pending_.assign(blocks, {});
  runnable_.assign((blocks + kWordBits - 1) / kWordBits, 0);
  counted_.assign(blocks, {});
  limited_.assign(blocks, {});
  bool limits = false;
  for (const verify::LoopFact& loop : program.loops()) {
    const bool ends = guarded ? loop.ends : loop.ends_if_proved;
    const bool limited = guarded ? loop.limited_if_guarded : loop.limited;
    if (ends && !limited) continue;
    limits |= limited;
    auto& edges = ends ? limited_ : counted_;
    for (const uint32_t from : loop.back_edges) edges[from].push_back(loop.header);
  }
  back_edges_.assign(capacity, 0);
  if (limits) rounds_.assign(capacity, 0);
  if (program.recursive()) {
    call_depth_.assign(capacity, 0);
    return_to_.assign(size_t{isa::kMaxCallDepth} * capacity, 0);
  }
}

void LaneControl::Start() {
  waiting_.clear();
  std::fill(back_edges_.begin(), back_edges_.end(), 0);
  std::fill(rounds_.begin(), rounds_.end(), 0);
  std::fill(call_depth_.begin(), call_depth_.end(), 0);
}

}  // namespace hologram::interpreter
