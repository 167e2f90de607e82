// A fixpoint of two things: values that are computed from varying values, and values that vary
// because lanes took different ways. The latter are the phis of blocks where two disjoint paths
// from a varying branch meet (found by sending one label per successor through the region between
// the branch and its immediate post-dominator; a block where two meet sends its own number on), and
// the values of a loop that lanes leave at different times, where they are used outside of it.
#include "verify/divergence.h"

#include <algorithm>

namespace hologram::verify {
namespace {

using isa::Instruction;
using isa::Opcode;
using isa::Sreg;

class VariationSolver {
 public:
  VariationSolver(const isa::Program& program, const Cfg& cfg, const Ssa& ssa, Among among,
                  const std::vector<bool>* shared)
      : program_(program), cfg_(cfg), ssa_(ssa), among_(among), shared_(shared) {}

  Variation Run() {
    result_.divergent.assign(cfg_.num_blocks(), false);
    result_.leaving.assign(cfg_.loops.size(), true);
    result_.joins.assign(cfg_.num_blocks(), true);
    if (!cfg_.reducible || !ssa_.built) return Everything();
    result_.varying.assign(ssa_.values.size(), false);
    result_.joins.assign(cfg_.num_blocks(), false);
    branch_done_.assign(cfg_.num_blocks(), false);
    label_.assign(cfg_.num_blocks() + 1, kNone);
    result_.leaving.assign(cfg_.loops.size(), false);
    FindWrittenSlots();
    MarkSpecialRegisters();
    for (bool changed = true; changed;) {
      changed = false;
      if (work_ > kMaxWork) return Everything();
      work_ += ssa_.values.size() * (1 + cfg_.loops.size());
      for (const ValueId phi : ssa_.phis) changed |= Update(phi, PhiVaries(phi));
      for (const uint32_t b : cfg_.order) changed |= VisitBlock(b);
    }
    return std::move(result_);
  }

 private:
  Variation Everything() {
    result_.varying.assign(ssa_.values.size(), true);
    result_.leaving.assign(cfg_.loops.size(), true);
    result_.joins.assign(cfg_.num_blocks(), true);
    std::vector<uint32_t> stack;
    for (const uint32_t b : cfg_.order) {
      if (cfg_.blocks[b].successors.size() >= 2) stack.push_back(b);
    }
    while (!stack.empty()) {
      const uint32_t b = stack.back();
      stack.pop_back();
      for (const uint32_t to : cfg_.blocks[b].successors) {
        if (to == kExitBlock || result_.divergent[to]) continue;
        result_.divergent[to] = true;
        stack.push_back(to);
      }
    }
    return std::move(result_);
  }

  bool Update(ValueId v, bool varies) {
    if (!varies || result_.varying[v]) return false;
    result_.varying[v] = true;
    return true;
  }

  void FindWrittenSlots() {
    written_.assign(program_.parameters.size(), false);
    for (const uint32_t b : cfg_.order) {
      for (uint32_t pc = cfg_.blocks[b].begin; pc < cfg_.blocks[b].end; ++pc) {
        const Instruction& i = program_.code[pc];
        if (isa::IsGlobalAccess(i.op) && !isa::IsLoad(i.op)) written_[i.a - 1u] = true;
      }
    }
  }

  void MarkSpecialRegisters() {
    for (ValueId v = 0; v < ssa_.values.size(); ++v) {
      const Value& value = ssa_.values[v];
      if (value.kind != ValueKind::kSpecial) continue;
      const int which = value.slot - isa::kFirstSpecialRegister;  // lane, block, block_dim, linear
      result_.varying[v] = which == 0 || which == 3;
    }
  }

  bool SregVaries(Sreg sreg) const {
    switch (sreg) {
      case Sreg::kLaneX:
      case Sreg::kGlobalX:
      case Sreg::kLinear:
        return true;
      case Sreg::kLaneY:
      case Sreg::kLaneZ:
      case Sreg::kGlobalY:
      case Sreg::kGlobalZ:
        return among_ == Among::kBlock;
      case Sreg::kBlockX:
      case Sreg::kBlockY:
      case Sreg::kBlockZ:
      case Sreg::kBlockDimX:
      case Sreg::kBlockDimY:
      case Sreg::kBlockDimZ:
      case Sreg::kGridDimX:
      case Sreg::kGridDimY:
      case Sreg::kGridDimZ:
        return false;
    }
    return true;
  }

  bool InstructionVaries(uint32_t pc) const {
    const Instruction& i = program_.code[pc];
    if (i.op == Opcode::kReadSreg) return SregVaries(i.sreg());
    // What another lane writes may arrive before or after the load of this one.
    if (isa::IsAtomic(i.op) || i.op == Opcode::kLds || i.op == Opcode::kLdl) return true;
    if (i.op == Opcode::kBlkRed) return i.is_of_warp();
    if (i.op == Opcode::kBlkScan) return true;
    if (isa::UsesStream(i.op)) return true;
    if (i.op == Opcode::kLdg && written_[i.a - 1u]) return true;
    for (const ValueId v : ssa_.reads[pc]) {
      if (v != kNone && VariesAt(v, cfg_.block_of[pc])) return true;
    }
    for (const ValueId v : ssa_.RunOf(cfg_, pc)) {
      if (VariesAt(v, cfg_.block_of[pc])) return true;
    }
    for (const ValueId v : ssa_.predicate_reads[pc]) {
      if (v != kNone && VariesAt(v, cfg_.block_of[pc])) return true;
    }
    return false;
  }

  bool PhiVaries(ValueId phi) const {
    if (result_.joins[ssa_.values[phi].place]) return true;
    for (const ValueId v : ssa_.OperandsOf(cfg_, phi)) {
      if (VariesAt(v, ssa_.values[phi].place)) return true;
    }
    return false;
  }

  bool IsShared(ValueId v) const { return shared_ != nullptr && (*shared_)[v]; }

  bool VariesAt(ValueId v, uint32_t block) const { return result_.VariesAt(cfg_, ssa_, v, block); }

  bool VisitBlock(uint32_t b) {
    bool changed = false;
    for (uint32_t pc = cfg_.blocks[b].begin; pc < cfg_.blocks[b].end; ++pc) {
      const ValueId v = ssa_.writes[pc];
      if (v != kNone && !result_.varying[v] && !IsShared(v))
        changed |= Update(v, InstructionVaries(pc));
    }
    const uint32_t last = cfg_.blocks[b].end - 1;
    if (branch_done_[b] || cfg_.blocks[b].successors.size() != 2) return changed;
    if (!VariesAt(ssa_.BranchValue(last), b)) return changed;
    branch_done_[b] = true;
    Diverge(b);
    return true;
  }

  // Lanes disagree at the end of `branch`.
  void Diverge(uint32_t branch) {
    const std::vector<uint32_t> region = RegionOf(cfg_, branch);
    const uint32_t stop = cfg_.ipdom[branch];
    work_ += region.size() * (1 + cfg_.loops.size() / 8);
    for (const uint32_t b : region) {
      result_.divergent[b] = true;
      label_[b] = kNone;
    }
    if (stop != kNone) label_[stop] = kNone;
    for (size_t l = 0; l < cfg_.loops.size(); ++l) {
      if (result_.leaving[l] || !cfg_.InLoop(cfg_.loops[l], branch)) continue;
      result_.leaving[l] = LeavesLoop(cfg_.loops[l], branch) ||
                           std::any_of(region.begin(), region.end(), [&](uint32_t b) {
                             return cfg_.InLoop(cfg_.loops[l], b) && LeavesLoop(cfg_.loops[l], b);
                           });
    }
    // Earlier blocks first: labels then seldom change after they were passed on.
    std::vector<uint32_t> queue;
    const auto later = [&](uint32_t a, uint32_t b) { return cfg_.position[a] > cfg_.position[b]; };
    const auto send = [&](uint32_t label, uint32_t to) {
      if (to == kExitBlock || label_[to] == label) return;
      if (label_[to] == kNone) {
        label_[to] = label;
      } else if (label_[to] == to) {
        return;
      } else {
        label_[to] = to;
        result_.joins[to] = true;
      }
      if (to == stop || to == branch) return;
      queue.push_back(to);
      std::push_heap(queue.begin(), queue.end(), later);
    };
    // Labels of their own: a successor may be the place where the paths meet.
    uint32_t way = cfg_.num_blocks();
    for (const uint32_t to : cfg_.blocks[branch].successors) send(way++, to);
    while (!queue.empty()) {
      std::pop_heap(queue.begin(), queue.end(), later);
      const uint32_t b = queue.back();
      queue.pop_back();
      for (const uint32_t to : cfg_.blocks[b].successors) send(label_[b], to);
    }
  }

  bool LeavesLoop(const Loop& loop, uint32_t block) const {
    for (const uint32_t to : cfg_.blocks[block].successors) {
      if (to == kExitBlock || !cfg_.InLoop(loop, to)) return true;
    }
    return false;
  }

  const isa::Program& program_;
  const Cfg& cfg_;
  const Ssa& ssa_;
  static constexpr size_t kMaxWork = size_t{1} << 27;
  Among among_;
  const std::vector<bool>* shared_;
  size_t work_ = 0;
  Variation result_;
  std::vector<bool> written_;
  std::vector<bool> branch_done_;
  std::vector<uint32_t> label_;
};

}  // namespace

namespace {

// Lanes leave a loop between the two blocks in different rounds.
bool LeaveBetween(const Variation& variation, const Cfg& cfg, uint32_t from, uint32_t to) {
  if (from == to) return false;
  for (size_t l = 0; l < cfg.loops.size(); ++l) {
    const Loop& loop = cfg.loops[l];
    if (variation.leaving[l] && cfg.InLoop(loop, from) && !cfg.InLoop(loop, to)) return true;
  }
  return false;
}

}  // namespace

bool Variation::VariesAt(const Cfg& cfg, const Ssa& ssa, ValueId v, uint32_t block) const {
  return varying[v] || LeaveBetween(*this, cfg, ssa.BlockOf(cfg, v), block);
}

bool Variation::RoundsVary(const Cfg& cfg, uint32_t header, uint32_t block) const {
  if (joins[header] || LeaveBetween(*this, cfg, header, block)) return true;
  // A latch may be inside another loop, which lanes leave for the next round of this one.
  for (const Loop& loop : cfg.loops) {
    if (loop.header != header) continue;
    for (const uint32_t latch : loop.latches) {
      if (LeaveBetween(*this, cfg, latch, header)) return true;
    }
  }
  return false;
}

std::vector<uint32_t> RegionOf(const Cfg& cfg, uint32_t branch) {
  std::vector<uint32_t> region;
  std::vector<bool> seen(cfg.num_blocks(), false);
  const uint32_t stop = cfg.ipdom[branch];
  const auto visit = [&](uint32_t b) {
    for (const uint32_t to : cfg.blocks[b].successors) {
      if (to == kExitBlock || to == stop || seen[to]) continue;
      seen[to] = true;
      region.push_back(to);
    }
  };
  visit(branch);
  for (size_t i = 0; i < region.size(); ++i) visit(region[i]);
  return region;
}

Variation ComputeVariation(const isa::Program& program, const Cfg& cfg, const Ssa& ssa, Among among,
                           const std::vector<bool>* shared) {
  return VariationSolver(program, cfg, ssa, among, shared).Run();
}

}  // namespace hologram::verify
