#include "verify/block_races.h"

#include <algorithm>
#include <iterator>

#include "verify/own_shape.h"
#include "verify/separation.h"

namespace hologram::verify {

Intervals& BlockRaces::FindIntervals() {
  if (!intervals_) intervals_.emplace(program_, cfg_, ssa_, &budget_->work);
  return *intervals_;
}

void BlockRaces::CheckShared() {
  const auto& shared = accesses_.shared();
  if (std::all_of(shared.begin(), shared.end(), [](const auto& pcs) { return pcs.empty(); })) {
    return;
  }
  for (const uint32_t start : FindIntervals().starts()) {
    intervals_->Enter(start);
    for (const std::vector<uint32_t>& pcs : shared) CheckArray(pcs);
  }
  for (const uint32_t array : waiting_) CheckWaiting(shared[array]);
}

bool BlockRaces::IsApartInOneBlock(uint32_t slot, uint32_t write) {
  if (symbolic_ == nullptr || FindIntervals().starts().size() == 1) return false;
  RaceResult& result = log_->result;
  const size_t conditions = result.conditions.size();
  const size_t races = result.races.size();
  for (const uint32_t start : intervals_->starts()) {
    intervals_->Enter(start);
    CheckArray(accesses_.OfSlot(slot));
    if (result.races.size() != races) break;
  }
  Facts facts;
  bool apart = result.races.size() == races;
  for (int d = 0; d < 3 && apart; ++d) {
    Polys& polys = symbolic_->polys();
    const PolyId grid = polys.Symbol(CheckOp::kGridDim, d, {1, UINT32_MAX});
    apart = symbolic_->Require(ConditionKind::kRace, polys.Sub(grid, kOne), write, slot,
                               {0, kNone, true}, {}, facts);
  }
  if (apart && log_->Keep(facts, write)) return true;
  result.conditions.resize(conditions);
  result.races.resize(races);
  return false;
}

void BlockRaces::CheckArray(const std::vector<uint32_t>& pcs) {
  for (size_t i = 0; i < pcs.size(); ++i) {
    for (size_t j = i; j < pcs.size(); ++j) {
      budget_->work += 1 + (reported_.size() + disjoint_.size()) / 8;
      if (budget_->Spent()) return GiveUp(pcs);
      CheckPair(pcs[i], pcs[j], pcs);
    }
  }
}

void BlockRaces::CheckPair(uint32_t a, uint32_t b, const std::vector<uint32_t>& pcs) {
  if (!accesses_.Writes(a) && !accesses_.Writes(b)) return;
  if (!intervals_->Has(a) || !intervals_->Has(b)) return;
  if (accesses_.CommuteTogether(a, b) || Contains(reported_, a, b)) return;
  if (Contains(disjoint_, a, b)) return;
  const bool waits = accesses_.MayWait(a) && accesses_.MayWait(b);
  if (symbolic_ != nullptr &&
      (intervals_->Exclusive(a, b) || (waits ? AlwaysDisjoint(a, b, pcs) : NeverMeet(a, b)))) {
    return;
  }
  if (waits) {
    waiting_.insert(program_.code[a].a);
    return;
  }
  reported_.emplace_back(a, b);
  if (accesses_.IsAtomic(a) && accesses_.IsAtomic(b)) {
    return log_->ReportAtomic(a, {a, b});
  }
  const uint32_t other = accesses_.Writes(a) ? b : a;
  const uint32_t writer = accesses_.Writes(a) ? a : b;
  log_->Report(other, " may be the element of " + accesses_.TextOf(writer) +
                          " that another lane of the block writes before the next barrier()");
}

// Lanes meet at updates of the array: all of them wait, so that each lane keeps its own order, and
// nothing may look at the array meanwhile.
void BlockRaces::CheckWaiting(const std::vector<uint32_t>& pcs) {
  std::vector<uint32_t> updates;
  std::copy_if(pcs.begin(), pcs.end(), std::back_inserter(updates),
               [&](uint32_t pc) { return accesses_.MayWait(pc); });
  for (const uint32_t start : intervals_->starts()) {
    intervals_->Enter(start);
    for (const uint32_t update : updates) {
      const auto other = std::find_if(pcs.begin(), pcs.end(), [&](uint32_t pc) {
        return intervals_->Has(update) && intervals_->Has(pc) && !accesses_.MayWait(pc) &&
               !intervals_->Exclusive(update, pc);
      });
      if (other == pcs.end()) continue;
      return log_->Report(update, " is a float that is also accessed in another way");
    }
  }
  log_->AddOrdered(updates);
}

// There are too many accesses to compare them one by one.
void BlockRaces::GiveUp(const std::vector<uint32_t>& pcs) {
  const auto write =
      std::find_if(pcs.begin(), pcs.end(), [&](uint32_t pc) { return accesses_.Writes(pc); });
  if (write == pcs.end() || Contains(reported_, *write, *write)) return;
  reported_.emplace_back(*write, *write);
  log_->Report(*write, " is one of too many accesses to be told apart from those of other lanes");
}

bool BlockRaces::Contains(const Pairs& pairs, uint32_t a, uint32_t b) {
  return std::find(pairs.begin(), pairs.end(), std::pair(a, b)) != pairs.end();
}

bool BlockRaces::NeverMeet(uint32_t a, uint32_t b) {
  if (intervals_->OnOtherWays(a, b) || Disjoint(a, b, false) || accesses_.StoreTheSame(a, b)) {
    return true;
  }
  auto& demanded = log_->result.conditions;
  const auto before = static_cast<std::ptrdiff_t>(demanded.size());
  const bool separate = AreSeparate(a, b);
  const std::vector demands(demanded.begin() + before, demanded.end());
  if (separate && MetByDefault(demands)) return true;
  demanded.resize(static_cast<size_t>(before));
  if (AreApartInNumbers(a, b)) return true;
  demanded.insert(demanded.end(), demands.begin(), demands.end());
  return separate || Disjoint(a, b, true);
}

bool BlockRaces::MetByDefault(const Pairs& demands) const {
  return std::all_of(demands.begin(), demands.end(), [&](const auto& demand) {
    const PolyId value = symbolic_->condition(demand.first).value;
    return AtOwnShape(symbolic_->polys(), program_, value).value_or(0) <= 0;
  });
}

bool BlockRaces::AlwaysDisjoint(uint32_t a, uint32_t b, const std::vector<uint32_t>& pcs) {
  auto& demanded = log_->result.conditions;
  const size_t conditions = demanded.size();
  const size_t pairs = disjoint_.size();
  if (!Disjoint(a, b, false)) return false;
  const bool alone = std::all_of(pcs.begin(), pcs.end(), [&](uint32_t pc) {
    return !intervals_->Has(pc) || accesses_.MayWait(pc) || intervals_->Exclusive(a, pc);
  });
  if (!alone || demanded.size() == conditions) return true;
  demanded.resize(conditions);
  disjoint_.resize(pairs);
  return false;
}

bool BlockRaces::Disjoint(uint32_t a, uint32_t b, bool narrow) {
  const ElementUse x = accesses_.UseOf(a);
  const ElementUse y = accesses_.UseOf(b);
  if (!x.form.valid || !y.form.valid) return false;
  const Form commons[] = {CommonPart(x.form, a, b), CommonPart(y.form, a, b)};
  if (commons[0] != commons[1]) return Apart(x, y, commons[0]) || Apart(x, y, commons[1]);
  if (OneLaneEach(x, y, commons[0], narrow)) {
    if (commons[0].size == 0) disjoint_.emplace_back(a, b);
    return true;
  }
  return Apart(x, y, commons[0]);
}

Form BlockRaces::CommonPart(const Form& form, uint32_t a, uint32_t b) const {
  Form common;
  for (uint32_t i = 0; i < form.size; ++i) {
    if (intervals_->HasOneValue(symbolic_->atom(form.terms[i].atom), a, b)) {
      common.terms[common.size++] = form.terms[i];
    }
  }
  return common;
}

bool BlockRaces::AreSeparate(uint32_t a, uint32_t b) {
  const auto is_common = [&](AtomId id) {
    return accesses_.IsLaunchAtom(id) || intervals_->HasOneValue(symbolic_->atom(id), a, b);
  };
  const auto find_unique_load = [&](AtomId id) { return accesses_.FindUniqueLoad(id); };
  const SeparationContext context{*symbolic_, program_,        cfg_, ssa_, Lanes::kOfBlock,
                                  is_common,  find_unique_load};
  Separation separation(context, a, 0);
  Facts facts;
  return budget_->MayLookAtPair(*symbolic_) &&
         separation.Run(accesses_.WithFirstLoads(accesses_.UseOf(a)),
                        accesses_.WithFirstLoads(accesses_.UseOf(b)), facts) &&
         log_->Keep(facts, a);
}

bool BlockRaces::AreApartInNumbers(uint32_t a, uint32_t b) {
  if (isa::IsGlobalAccess(program_.code[a].op)) return false;
  if (!trace_) trace_.emplace(program_, cfg_, ssa_, intervals_->lanes(), &budget_->work);
  if (!trace_->AreApart(intervals_->start(), a, b)) return false;
  Polys& polys = symbolic_->polys();
  Facts facts;
  for (int d = 0; d < 3; ++d) {
    const PolyId size = polys.Symbol(CheckOp::kBlockDim, d, {1, isa::kMaxLanesPerBlock});
    const PolyId beyond =
        polys.Sub(size, polys.Constant(program_.DefaultBlock()[static_cast<size_t>(d)]));
    if (!symbolic_->Require(ConditionKind::kRace, beyond, a, 0, {0, kNone, true}, {}, facts)) {
      return false;
    }
    if (trace_->reads_size() && !symbolic_->Require(ConditionKind::kRace, polys.Scale(beyond, -1),
                                                    a, 0, {0, kNone, true}, {}, facts)) {
      return false;
    }
  }
  return log_->Keep(facts, a);
}

bool BlockRaces::OneLaneEach(ElementUse x, ElementUse y, const Form& common, bool narrow) {
  x.form = symbolic_->Sub(x.form, common);
  y.form = symbolic_->Sub(y.form, common);
  for (const bool swap : {false, true}) {
    ElementUse first = swap ? y : x;
    ElementUse second = swap ? x : y;
    Facts facts;
    AddPin(first, second, facts);
    DigitProof proof(*symbolic_, Lanes::kOfBlock, x.pc, 0);
    if (!proof.Run({first, second}, facts) || (!narrow && !proof.covered())) continue;
    if (log_->Keep(facts, x.pc)) return true;
  }
  return false;
}

bool BlockRaces::Apart(const ElementUse& x, const ElementUse& y, const Form& common) {
  for (const bool swap : {false, true}) {
    const ElementUse& low = swap ? y : x;
    const ElementUse& high = swap ? x : y;
    Facts facts = {x.index, y.index};
    const auto end = symbolic_->Upper(symbolic_->Sub(low.form, common), low.scope, true, facts);
    const auto begin = symbolic_->Lower(symbolic_->Sub(high.form, common), high.scope, true, facts);
    if (!end || !begin) continue;
    const PolyId overlap = symbolic_->polys().Add(symbolic_->polys().Sub(*end, *begin), kOne);
    if (symbolic_->polys().NeverPositive(overlap) && log_->Keep(facts, x.pc)) return true;
  }
  return false;
}

void BlockRaces::AddPin(const ElementUse& first, ElementUse& second, Facts& facts) {
  symbolic_->ForEachGuard(second.scope, [&](const Guard& guard) {
    if (!guard.equality || guard.form.size != 1) return true;
    const AtomId id = guard.form.terms[0].atom;
    const PolyId missing =
        symbolic_->polys().Sub(first.form.FactorOf(id), second.form.FactorOf(id));
    const auto factor = symbolic_->polys().ConstantOf(guard.form.terms[0].factor);
    if (missing == kZero || missing == kNoPoly || !factor || *factor != 1) return true;
    second.form = symbolic_->Add(second.form, symbolic_->Scale(guard.form, missing));
    facts.Append(guard.facts);
    return true;
  });
}

}  // namespace hologram::verify
