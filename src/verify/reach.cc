#include "verify/reach.h"

#include <optional>

#include "verify/cfg.h"
#include "verify/lowering.h"
#include "verify/proofs.h"

namespace hologram::verify {
namespace {

class Finder {
 public:
  explicit Finder(const VerifiedProgram& verified)
      : verified_(verified), program_(verified.program()), cfg_(BuildCfg(program_)) {
    const auto live_in = ComputeLiveIn(cfg_);
    if (live_in) ssa_ = BuildSsa(program_, cfg_, *live_in);
    if (!ssa_.built || !cfg_.reducible || verified.recursive()) return;
    symbolic_.emplace(program_, cfg_, ssa_, Symbolic::Ids::kWindow);
    lowering_.emplace(symbolic_->polys(), reach_.nodes);
  }

  Reach Run() {
    for (const AccessFact& access : verified_.accesses()) {
      if (!access.global()) continue;
      AccessReach found;
      found.pc = access.pc;
      found.slot = access.slot;
      if (symbolic_) Bound(found);
      reach_.accesses.push_back(std::move(found));
    }
    MarkMoving();
    return std::move(reach_);
  }

 private:
  // As ProveAccess, but for the demand that the range is inside the array.
  void Bound(AccessReach& found) {
    const isa::Instruction& in = program_.code[found.pc];
    Polys& polys = symbolic_->polys();
    const ValueId index = IndexOf(program_, ssa_, found.pc);
    const int64_t elements = in.displacement() / static_cast<int64_t>(SizeOf(in.type));
    const Form form =
        symbolic_->Add(symbolic_->FormOf(index), symbolic_->Constant(polys.Constant(elements)));
    if (!form.valid) return;
    const Scope scope{cfg_.block_of[found.pc], kNone, true};
    const bool table = form.size == 1;
    Facts facts = {index};
    const auto high = symbolic_->Upper(form, scope, table, facts);
    const auto low = symbolic_->Lower(form, scope, table, facts);
    std::vector<uint32_t> conditions;
    if (!high || !low || !symbolic_->Closure(facts, conditions)) return;
    found.low = lowering_->NodeOf(*low);
    found.high = lowering_->NodeOf(*high);
    for (const uint32_t c : conditions) {
      found.conditions.push_back(lowering_->Sides(symbolic_->condition(c).value));
    }
    found.known = true;
  }

  void MarkMoving() {
    std::vector<bool> follows;
    for (const CheckNode& node : reach_.nodes) {
      const bool id = node.op == CheckOp::kIdLow || node.op == CheckOp::kIdHigh;
      follows.push_back(id ||
                        (node.op >= CheckOp::kAdd && (follows[node.lhs] || follows[node.rhs])));
    }
    for (AccessReach& found : reach_.accesses) {
      found.moves = found.known && (follows[found.low] || follows[found.high]);
    }
  }

  const VerifiedProgram& verified_;
  const isa::Program& program_;
  const Cfg cfg_;
  Ssa ssa_;
  std::optional<Symbolic> symbolic_;
  std::optional<Lowering> lowering_;
  Reach reach_;
};

}  // namespace

Reach FindReach(const VerifiedProgram& program) {
  return Finder(program).Run();
}

}  // namespace hologram::verify
