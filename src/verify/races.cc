// Races in global memory: per slot that is written, over all lanes of the launch. Those in shared
// memory are in block_races.cc.
#include "verify/races.h"

#include <algorithm>

#include "verify/block_races.h"
#include "verify/launch_values.h"
#include "verify/separation.h"

namespace hologram::verify {
namespace {

class RaceFinder {
 public:
  RaceFinder(Symbolic* symbolic, const isa::Program& program, const Cfg& cfg, const Ssa& ssa,
             const std::vector<bool>& emitted)
      : symbolic_(symbolic),
        program_(program),
        cfg_(cfg),
        ssa_(ssa),
        emitted_(emitted),
        accesses_(symbolic, program, cfg, ssa),
        log_(symbolic, accesses_),
        block_races_(symbolic, program, cfg, ssa, accesses_, &log_, &budget_),
        proved_(program.parameters.size(), false) {}

  RaceResult Run() {
    for (uint32_t slot = 0; slot < program_.parameters.size(); ++slot) CheckSlot(slot);
    std::sort(log_.result.launch_sums.begin(), log_.result.launch_sums.end());
    FindAliases();
    block_races_.CheckShared();
    auto& ordered = log_.result.ordered_updates;
    std::sort(ordered.begin(), ordered.end());
    ordered.erase(std::unique(ordered.begin(), ordered.end()), ordered.end());
    return std::move(log_.result);
  }

 private:
  using Pairs = std::vector<std::pair<uint32_t, uint32_t>>;

  void CheckSlot(uint32_t slot) {
    const std::vector<uint32_t>& pcs = accesses_.OfSlot(slot);
    const auto write =
        std::find_if(pcs.begin(), pcs.end(), [&](uint32_t pc) { return accesses_.Writes(pc); });
    if (write == pcs.end()) return;
    if (std::all_of(pcs.begin(), pcs.end(),
                    [&](uint32_t pc) { return accesses_.CommuteTogether(pcs[0], pc); })) {
      return;
    }
    if (std::all_of(pcs.begin(), pcs.end(),
                    [&](uint32_t pc) { return accesses_.IsLaunchSum(pc); })) {
      log_.result.launch_sums.insert(log_.result.launch_sums.end(), pcs.begin(), pcs.end());
      return;
    }
    if (std::all_of(pcs.begin(), pcs.end(), [&](uint32_t pc) { return accesses_.MayWait(pc); })) {
      return log_.AddOrdered(pcs);
    }
    const auto atomic =
        std::find_if(pcs.begin(), pcs.end(), [&](uint32_t pc) { return accesses_.IsAtomic(pc); });
    if (atomic != pcs.end()) return log_.ReportAtomic(*atomic, pcs);
    if (symbolic_ != nullptr) {
      std::vector<ElementUse> uses;
      for (const uint32_t pc : pcs) {
        uses.push_back(accesses_.WithFirstLoads(accesses_.UseOf(pc)));
      }
      if (IsApartInUnique(slot, *write, uses) || IsApart(slot, *write, uses)) {
        return NoteUnique(*write, uses);
      }
    }
    if (block_races_.IsApartInOneBlock(slot, *write)) return;
    log_.Report(*write,
                accesses_.IndexDependsOnData(*write)
                    ? " is written at an index that depends on data: two lanes may write the "
                      "same element" +
                          UniqueRemedy(program_, *write)
                    : " may be touched by more than one lane");
  }

  // No two lanes meet in the slot, as they are at different elements of unique arrays.
  bool IsApartInUnique(uint32_t slot, uint32_t write, const std::vector<ElementUse>& uses) {
    uint32_t array = 0;
    const std::vector<ElementUse> inner = accesses_.InUnique(uses, array);
    return !inner.empty() && (IsApartInUnique(slot, write, inner) || IsApart(slot, write, inner));
  }

  void NoteUnique(uint32_t write, const std::vector<ElementUse>& uses) {
    for (const ElementUse& use : uses) {
      for (uint32_t i = 0; i < use.form.size; ++i) {
        const UniqueLoad* const load = accesses_.FindUniqueLoad(use.form.terms[i].atom);
        if (load == nullptr) continue;
        log_.result.unique_writes.push_back({write, load->slot});
        return;
      }
    }
  }

  // No two lanes meet in the slot. One proof reads the lane off the element, for all accesses at
  // once; where that asks for much or fails, another one looks at each pair of them. A launch then
  // needs the conditions of one of the two.
  bool IsApart(uint32_t slot, uint32_t write, const std::vector<ElementUse>& uses) {
    DigitProof proof(*symbolic_, Lanes::kOfLaunch, write, slot);
    Facts facts;
    std::vector<uint32_t> together;
    const bool joint = proof.Run(uses, facts) && symbolic_->Closure(facts, together);
    if (joint && proof.covered() && !IsDoubtful(uses, together)) {
      proved_[slot] = proof.covered();
      return log_.Demand(together, write);
    }
    Facts of_pairs;
    std::vector<uint32_t> apart;
    if (!PairsApart(slot, write, uses, of_pairs) || !symbolic_->Closure(of_pairs, apart)) {
      proved_[slot] = joint && proof.covered();
      return joint && log_.Demand(together, write);
    }
    if (!joint) return log_.Demand(apart, write);
    const auto either = symbolic_->Either(together, apart, write, slot);
    if (!either) proved_[slot] = proof.covered();
    return log_.Demand(either ? *either : together, write);
  }

  // Accesses to different elements, and a proof that wants more of the launch than its shape.
  bool IsDoubtful(const std::vector<ElementUse>& uses, const std::vector<uint32_t>& conditions) {
    if (std::all_of(uses.begin(), uses.end(),
                    [&](const ElementUse& use) { return use.form == uses[0].form; })) {
      return false;
    }
    return std::any_of(conditions.begin(), conditions.end(), [&](uint32_t c) {
      const Obligation& condition = symbolic_->condition(c);
      const Polys::Terms terms = symbolic_->polys().Get(condition.value);
      return condition.kind == ConditionKind::kRace &&
             std::any_of(terms.begin(), terms.end(), [&](const Polys::Term& term) {
               for (int i = 0; i < kMaxDegree; ++i) {
                 const uint16_t s = SymbolAt(term.symbols, i);
                 const CheckOp op = symbolic_->polys().GetSymbol(s).op;
                 if (s != 0 && op != CheckOp::kGridDim && op != CheckOp::kBlockDim) return true;
               }
               return false;
             });
    });
  }

  bool PairsApart(uint32_t slot, uint32_t write, const std::vector<ElementUse>& uses,
                  Facts& facts) {
    const SeparationContext context{*symbolic_,
                                    program_,
                                    cfg_,
                                    ssa_,
                                    Lanes::kOfLaunch,
                                    [this](AtomId id) { return accesses_.IsLaunchAtom(id); },
                                    [this](AtomId id) { return accesses_.FindUniqueLoad(id); }};
    Separation separation(context, write, slot);
    for (size_t i = 0; i < uses.size(); ++i) {
      for (size_t j = i; j < uses.size(); ++j) {
        if (!accesses_.Writes(uses[i].pc) && !accesses_.Writes(uses[j].pc)) continue;
        if (accesses_.StoreTheSame(uses[i].pc, uses[j].pc)) continue;
        if (!budget_.MayLookAtPair(*symbolic_) || !separation.Run(uses[i], uses[j], facts))
          return false;
      }
    }
    return true;
  }

  void FindAliases() {
    const auto& parameters = program_.parameters;
    for (uint32_t a = 0; a < parameters.size(); ++a) {
      for (uint32_t b = a + 1; b < parameters.size(); ++b) {
        if (!parameters[a].is_buffer || !parameters[b].is_buffer) continue;
        const bool writes_a = parameters[a].direction != isa::Direction::kIn;
        const bool writes_b = parameters[b].direction != isa::Direction::kIn;
        if (!writes_a && !writes_b) continue;
        // What is not even read may lie anywhere.
        if ((!writes_a && accesses_.OfSlot(a).empty()) ||
            (!writes_b && accesses_.OfSlot(b).empty()))
          continue;
        AliasRule rule = {a, b, false, false, {}};
        rule.same_element = (proved_[a] || !writes_a) && (proved_[b] || !writes_b) &&
                            parameters[a].type == parameters[b].type &&
                            SameElements(writes_a ? a : b, writes_a ? b : a, rule);
        log_.result.aliases.push_back(std::move(rule));
      }
    }
  }

  // The strides and extents of `b` beside those of `a`.
  Pairs ShapesOf(uint32_t b, uint32_t a) const {
    Pairs pairs;
    const auto& parameters = program_.parameters;
    for (size_t k = program_.NumArguments(); k < parameters.size(); ++k) {
      for (size_t l = program_.NumArguments(); l < parameters.size(); ++l) {
        const isa::Parameter& x = parameters[k];
        const isa::Parameter& y = parameters[l];
        if (x.array == b && y.array == a && x.source == y.source && x.dimension == y.dimension) {
          pairs.emplace_back(k, l);
        }
      }
    }
    return pairs;
  }

  // All accesses of both have one form, in the launches that `rule` then says, and the
  // proof that it is injective was made for them. `a` is written.
  bool SameElements(uint32_t a, uint32_t b, AliasRule& rule) {
    const Pairs shapes = ShapesOf(b, a);
    if (accesses_.OfSlot(a).empty() || accesses_.OfSlot(b).empty()) return false;
    budget_.work += 16 * (accesses_.OfSlot(a).size() + accesses_.OfSlot(b).size());
    if (budget_.Spent()) return false;
    std::vector<ElementUse> uses;
    for (const uint32_t slot : {a, b}) {
      for (const uint32_t pc : accesses_.OfSlot(slot)) {
        uses.push_back(accesses_.WithFirstLoads(accesses_.UseOf(pc)));
        Form& form = uses.back().form;
        for (uint32_t i = 0; slot == b && !shapes.empty() && i < form.size; ++i) {
          const PolyId renamed = symbolic_->polys().Rename(form.terms[i].factor, shapes);
          if (renamed != form.terms[i].factor) rule.equal = shapes;
          form.terms[i].factor = renamed;
        }
        // Guards bound what a proof spans, so a form without a proof of its own needs the digits to
        // be the element itself.
        if (uses.back().form != uses[0].form) return false;
      }
    }
    if (proved_[a] && CoveredBy(b, a)) return true;
    if (proved_[b] && CoveredBy(a, b)) return true;
    DigitProof proof(*symbolic_, Lanes::kOfLaunch, uses[0].pc, a);
    Facts facts;
    return proof.Run(uses, facts) && proof.covered() && Demanded(facts, rule.needs_proof);
  }

  // Each access of `slot` uses an index at a place where `proved` uses it too.
  bool CoveredBy(uint32_t slot, uint32_t proved) const {
    const auto same = [this](uint32_t pc, uint32_t other) {
      return cfg_.block_of[pc] == cfg_.block_of[other] &&
             IndexOf(program_, ssa_, pc) == IndexOf(program_, ssa_, other) &&
             program_.code[pc].displacement() == program_.code[other].displacement();
    };
    const std::vector<uint32_t>& pcs = accesses_.OfSlot(slot);
    const std::vector<uint32_t>& known = accesses_.OfSlot(proved);
    return std::all_of(pcs.begin(), pcs.end(), [&](uint32_t pc) {
      return std::any_of(known.begin(), known.end(),
                         [&](uint32_t other) { return same(pc, other); });
    });
  }

  // What the facts rest on is part of the launch check for another reason already. A launch that
  // shares no memory between the two must not be refused for what only sharing needs.
  bool Demanded(const Facts& facts, bool& needs_proof) {
    std::vector<uint32_t> conditions;
    if (!symbolic_->Closure(facts, conditions)) return false;
    const auto& demanded = log_.result.conditions;
    return std::all_of(conditions.begin(), conditions.end(), [&](uint32_t c) {
      const bool emitted = c < emitted_.size() && emitted_[c];
      needs_proof |= emitted;
      return emitted || std::any_of(demanded.begin(), demanded.end(), [&](const auto& known) {
               return symbolic_->condition(known.first).value == symbolic_->condition(c).value;
             });
    });
  }

  Symbolic* symbolic_;
  const isa::Program& program_;
  const Cfg& cfg_;
  const Ssa& ssa_;
  const std::vector<bool>& emitted_;
  const Accesses accesses_;
  RaceLog log_;
  RaceBudget budget_;
  BlockRaces block_races_;
  std::vector<bool> proved_;  // slots whose elements name the lane
};

}  // namespace

RaceResult FindRaces(Symbolic* symbolic, const isa::Program& program, const Cfg& cfg,
                     const Ssa& ssa, const std::vector<bool>& emitted) {
  return RaceFinder(symbolic, program, cfg, ssa, emitted).Run();
}

}  // namespace hologram::verify
