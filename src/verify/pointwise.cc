#include "verify/pointwise.h"

#include <algorithm>
#include <vector>

#include "verify/cfg.h"
#include "verify/ssa.h"

namespace hologram::verify {
namespace {

using isa::Instruction;
using isa::Opcode;

class PointwiseFinder {
 public:
  explicit PointwiseFinder(const VerifiedProgram& verified)
      : verified_(verified), program_(verified.program()), cfg_(BuildCfg(program_)) {
    const auto live_in = ComputeLiveIn(cfg_);
    if (live_in) ssa_ = BuildSsa(program_, cfg_, *live_in);
  }

  std::optional<uint32_t> Run() {
    if (!ssa_.built || HasOthers()) return std::nullopt;
    is_id_.assign(ssa_.values.size(), false);
    // Copies come after what they copy, in the order of blocks; what flows around a loop is a phi.
    for (const uint32_t b : cfg_.order) {
      for (uint32_t pc = cfg_.blocks[b].begin; pc < cfg_.blocks[b].end; ++pc) {
        if (!Follow(pc)) return std::nullopt;
      }
    }
    for (const ValueId phi : ssa_.phis) {
      for (const ValueId v : ssa_.OperandsOf(cfg_, phi)) {
        if (v != kNone && (is_id_[v] || v == length_)) return std::nullopt;
      }
    }
    if (length_ == kNone || !IsOnlyCompared()) return std::nullopt;
    uint32_t scalar = 0;
    for (uint32_t k = 0; k + 1 < ssa_.values[length_].slot; ++k) {
      scalar += program_.parameters[k].is_buffer ? 0 : 1;
    }
    return scalar;
  }

 private:
  // What sees other lanes, or more of the launch than the id.
  bool HasOthers() const {
    const IdsUsed& ids = verified_.ids();
    const bool others = ids.linear || ids.global[1] || ids.global[2] || ids.lane[0] ||
                        ids.lane[1] || ids.lane[2] || ids.block[0] || ids.block[1] || ids.block[2];
    if (others || verified_.uses_stream() || verified_.uses_print() || verified_.uses_barrier() ||
        verified_.recursive() || !program_.shared.empty() ||
        program_.NumArguments() != program_.parameters.size()) {
      return true;
    }
    return std::any_of(program_.code.begin(), program_.code.end(),
                       [](const Instruction& in) { return isa::IsAtomic(in.op); });
  }

  bool IsId(ValueId v) const { return v != kNone && is_id_[v]; }
  bool IsScalar(ValueId v) const {
    if (v == kNone || ssa_.values[v].kind != ValueKind::kParameter) return false;
    const isa::Parameter& p = program_.parameters[ssa_.values[v].slot - 1u];
    return !p.is_buffer && isa::IsInteger(p.type);
  }

  // False: the instruction does something else with the id than to index or to compare.
  bool Follow(uint32_t pc) {
    const Instruction& in = program_.code[pc];
    if (in.op == Opcode::kReadSreg) {
      if (in.sreg() != isa::Sreg::kGlobalX) return false;
      is_id_[ssa_.writes[pc]] = true;
      return true;
    }
    if (cfg_.uses[pc].run.count != 0) return false;
    const auto& reads = ssa_.reads[pc];
    if (isa::IsGlobalAccess(in.op)) {
      if (!IsId(reads[1]) || in.displacement() != 0) return false;
      return !IsId(reads[2]);  // stored
    }
    if (in.op == Opcode::kMov && IsId(reads[0])) {
      is_id_[ssa_.writes[pc]] = true;
      return true;
    }
    const bool any = std::any_of(reads.begin(), reads.end(), [&](ValueId v) { return IsId(v); });
    if (!any) return true;
    if (in.op != Opcode::kSet) return false;
    const ValueId other = IsId(reads[0]) ? reads[1] : reads[0];
    if (!IsScalar(other) || (length_ != kNone && length_ != other)) return false;
    length_ = other;
    return true;
  }

  bool IsOnlyCompared() const {
    for (const uint32_t b : cfg_.order) {
      for (uint32_t pc = cfg_.blocks[b].begin; pc < cfg_.blocks[b].end; ++pc) {
        const auto& reads = ssa_.reads[pc];
        const bool read = std::find(reads.begin(), reads.end(), length_) != reads.end();
        if (read && (program_.code[pc].op != Opcode::kSet || (!IsId(reads[0]) && !IsId(reads[1]))))
          return false;
      }
    }
    return true;
  }

  const VerifiedProgram& verified_;
  const isa::Program& program_;
  const Cfg cfg_;
  Ssa ssa_;
  std::vector<bool> is_id_;  // by value
  ValueId length_ = kNone;
};

}  // namespace

std::optional<uint32_t> LengthOfPointwise(const VerifiedProgram& program) {
  return PointwiseFinder(program).Run();
}

}  // namespace hologram::verify
