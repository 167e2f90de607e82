// One walk in reverse post order. Every join gets a phi for each live slot; phis whose operands are
// one value (or the phi itself) are then replaced by it until nothing changes.
#include "verify/ssa.h"

#include <algorithm>
#include <bit>

namespace hologram::verify {
namespace {

class SsaBuilder {
 public:
  SsaBuilder(const isa::Program& program, const Cfg& cfg, const std::vector<SlotSet>& live_in)
      : program_(program), cfg_(cfg), live_in_(live_in) {}

  Ssa Run() {
    if (TooLarge()) return {};
    const size_t size = program_.code.size();
    ssa_.reads.assign(size, {kNone, kNone, kNone, kNone});
    ssa_.predicate_reads.assign(size, {kNone, kNone});
    ssa_.writes.assign(size, kNone);
    ssa_.values.reserve(size + 64);
    at_exit_.resize(cfg_.num_blocks());
    current_.fill(kNone);
    for (size_t k = 0; k < program_.parameters.size(); ++k) {
      Define(isa::Program::RegisterOfParameter(k), ValueKind::kParameter, 0);
    }
    for (uint32_t r = isa::kFirstSpecialRegister; r < isa::kNumRegisters; ++r) {
      Define(r, ValueKind::kSpecial, 0);
    }
    at_entry_ = current_;
    for (const uint32_t b : cfg_.order) VisitBlock(b);
    FillPhis();
    RemoveTrivialPhis();
    std::sort(ssa_.runs.begin(), ssa_.runs.end());  // blocks were visited in another order
    ssa_.built = true;
    return std::move(ssa_);
  }

 private:
  using SlotValues = std::array<ValueId, kNumSlots>;

  bool TooLarge() const {
    constexpr size_t kMaxBlocks = 8192;
    constexpr size_t kMaxOperands = size_t{1} << 20;
    constexpr size_t kMaxLoops = 256;
    if (cfg_.num_blocks() > kMaxBlocks || cfg_.loops.size() > kMaxLoops) return true;
    size_t operands = 0;
    for (const uint32_t b : cfg_.order) {
      size_t live = 0;
      for (const uint64_t word : live_in_[b]) live += static_cast<size_t>(std::popcount(word));
      operands += live * cfg_.blocks[b].predecessors.size();
    }
    return operands > kMaxOperands;
  }

  ValueId Define(uint32_t slot, ValueKind kind, uint32_t place) {
    const auto id = static_cast<ValueId>(ssa_.values.size());
    ssa_.values.push_back({kind, static_cast<uint16_t>(slot), place, 0});
    current_[slot] = id;
    return id;
  }

  void VisitBlock(uint32_t b) {
    const std::vector<uint32_t>& from = cfg_.blocks[b].predecessors;
    // Block 0 is entered from outside too, but nothing that is written can be live there.
    current_ = from.size() == 1 && b != 0 ? at_exit_[from[0]] : at_entry_;
    if (from.size() > 1 && b != 0) {
      for (uint32_t w = 0; w < live_in_[b].size(); ++w) {
        for (uint64_t bits = live_in_[b][w]; bits != 0; bits &= bits - 1) {
          const uint32_t slot = w * 64 + static_cast<uint32_t>(std::countr_zero(bits));
          // Parameters and special registers are never written.
          if (at_entry_[slot] == kNone) ssa_.phis.push_back(Define(slot, ValueKind::kPhi, b));
        }
      }
    }
    for (uint32_t pc = cfg_.blocks[b].begin; pc < cfg_.blocks[b].end; ++pc) VisitInstruction(pc);
    at_exit_[b] = current_;
  }

  void VisitInstruction(uint32_t pc) {
    const isa::Uses& uses = cfg_.uses[pc];
    for (size_t i = 0; i < static_cast<size_t>(uses.num_reads); ++i) {
      ssa_.reads[pc][i] = current_[uses.reads[i].reg];
    }
    if (uses.run.count > 0) {
      ssa_.runs.emplace_back(pc, static_cast<uint32_t>(ssa_.run_reads.size()));
      for (size_t i = 0; i < uses.run.count; ++i) {
        ssa_.run_reads.push_back(current_[uses.run.first + i]);
      }
    }
    for (size_t i = 0; i < static_cast<size_t>(uses.num_predicate_reads); ++i) {
      ssa_.predicate_reads[pc][i] = current_[kFirstPredicate + uses.predicate_reads[i]];
    }
    if (uses.write) {
      ssa_.writes[pc] = Define(uses.write->reg, ValueKind::kInstruction, pc);
    } else if (uses.predicate_write) {
      ssa_.writes[pc] =
          Define(kFirstPredicate + *uses.predicate_write, ValueKind::kInstruction, pc);
    }
  }

  void FillPhis() {
    for (const ValueId phi : ssa_.phis) {
      Value& value = ssa_.values[phi];
      value.operands = static_cast<uint32_t>(ssa_.phi_operands.size());
      for (const uint32_t from : cfg_.blocks[value.place].predecessors) {
        ssa_.phi_operands.push_back(at_exit_[from][value.slot]);
      }
    }
  }

  ValueId Find(ValueId v) {
    while (replaced_[v] != v) v = replaced_[v] = replaced_[replaced_[v]];
    return v;
  }

  void RemoveTrivialPhis() {
    replaced_.resize(ssa_.values.size());
    for (ValueId v = 0; v < replaced_.size(); ++v) replaced_[v] = v;
    // Each pass ends with a correct form; a phi that is left only says less.
    constexpr int kMaxPasses = 100;
    bool changed = true;
    for (int pass = 0; changed && pass < kMaxPasses; ++pass) {
      changed = false;
      for (const ValueId phi : ssa_.phis) {
        if (replaced_[phi] != phi) continue;
        ValueId only = kNone;
        bool trivial = true;
        for (const ValueId operand : ssa_.OperandsOf(cfg_, phi)) {
          const ValueId v = Find(operand);
          if (v == phi || v == only) continue;
          trivial &= only == kNone;
          only = v;
        }
        if (!trivial || only == kNone) continue;
        replaced_[phi] = only;
        changed = true;
      }
    }
    const auto replace = [&](ValueId& v) {
      if (v != kNone) v = Find(v);
    };
    for (ValueId& v : ssa_.phi_operands) replace(v);
    for (ValueId& v : ssa_.run_reads) replace(v);
    for (auto& reads : ssa_.reads) {
      for (ValueId& v : reads) replace(v);
    }
    for (auto& reads : ssa_.predicate_reads) {
      for (ValueId& v : reads) replace(v);
    }
    std::erase_if(ssa_.phis, [&](ValueId phi) { return replaced_[phi] != phi; });
  }

  const isa::Program& program_;
  const Cfg& cfg_;
  const std::vector<SlotSet>& live_in_;
  Ssa ssa_;
  SlotValues current_;
  SlotValues at_entry_;
  std::vector<SlotValues> at_exit_;
  std::vector<ValueId> replaced_;
};

}  // namespace

std::span<const ValueId> Ssa::RunOf(const Cfg& cfg, uint32_t pc) const {
  const auto found = std::lower_bound(runs.begin(), runs.end(), std::pair(pc, uint32_t{0}));
  if (found == runs.end() || found->first != pc) return {};
  return {run_reads.data() + found->second, cfg.uses[pc].run.count};
}

Ssa BuildSsa(const isa::Program& program, const Cfg& cfg, const std::vector<SlotSet>& live_in) {
  return SsaBuilder(program, cfg, live_in).Run();
}

}  // namespace hologram::verify
