// Global memory: per slot that is written, over all lanes of the launch. Shared memory: per array,
// for every two accesses that lanes of a block may make between the same two barriers.
#include "verify/races.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "verify/launch_values.h"
#include "verify/separation.h"

namespace hologram::verify {
namespace {

using isa::AtomicOp;
using isa::Instruction;

class RaceFinder {
 public:
  RaceFinder(Symbolic* symbolic, const isa::Program& program, const Cfg& cfg, const Ssa& ssa,
             const std::vector<bool>& emitted)
      : symbolic_(symbolic), program_(program), cfg_(cfg), ssa_(ssa), emitted_(emitted) {}

  RaceResult Run() {
    Collect();
    for (uint32_t slot = 0; slot < program_.parameters.size(); ++slot) CheckSlot(slot);
    std::sort(result_.launch_sums.begin(), result_.launch_sums.end());
    FindAliases();
    if (std::any_of(shared_.begin(), shared_.end(), [](const auto& a) { return !a.empty(); })) {
      CheckShared();
    }
    auto& ordered = result_.ordered_updates;
    std::sort(ordered.begin(), ordered.end());
    ordered.erase(std::unique(ordered.begin(), ordered.end()), ordered.end());
    return std::move(result_);
  }

 private:
  using Pairs = std::vector<std::pair<uint32_t, uint32_t>>;

  void Collect() {
    global_.resize(program_.parameters.size());
    shared_.resize(program_.shared.size());
    proved_.assign(program_.parameters.size(), false);
    for (uint32_t b = 0; b < cfg_.num_blocks(); ++b) {
      if (!cfg_.Reachable(b)) continue;
      for (uint32_t pc = cfg_.blocks[b].begin; pc < cfg_.blocks[b].end; ++pc) {
        const Instruction& i = program_.code[pc];
        if (isa::IsGlobalAccess(i.op)) global_[i.a - 1u].push_back(pc);
        if (isa::IsSharedAccess(i.op)) shared_[i.a].push_back(pc);
      }
    }
    if (!ssa_.built) return;
    used_.assign(ssa_.values.size(), false);
    for (const auto& reads : ssa_.reads) {
      for (const ValueId v : reads) {
        if (v != kNone) used_[v] = true;
      }
    }
    for (const ValueId v : ssa_.run_reads) {
      if (v != kNone) used_[v] = true;
    }
    for (const ValueId v : ssa_.phi_operands) {
      if (v != kNone) used_[v] = true;
    }
  }

  std::string TextOf(uint32_t pc) const {
    if (pc < program_.debug.size() && !program_.debug[pc].text.empty()) {
      return program_.debug[pc].text;
    }
    const Instruction& i = program_.code[pc];
    return isa::IsSharedAccess(i.op) ? program_.shared[i.a].name
                                     : program_.parameters[i.a - 1u].name;
  }

  void Report(uint32_t pc, const std::string& message) {
    result_.races.push_back({pc, TextOf(pc) + message + kOrderMatters});
  }

  bool Keep(const Facts& facts, uint32_t pc) {
    std::vector<uint32_t> conditions;
    if (!symbolic_->Closure(facts, conditions)) return false;
    for (const uint32_t c : conditions) result_.conditions.emplace_back(c, pc);
    return true;
  }

  ElementUse UseOf(uint32_t pc) {
    const Instruction& i = program_.code[pc];
    ElementUse use;
    use.pc = pc;
    use.index = IndexOf(program_, ssa_, pc);
    use.form = symbolic_->FormOf(use.index);
    if (isa::IsGlobalAccess(i.op)) {
      const int64_t elements = i.displacement() / static_cast<int64_t>(SizeOf(i.type));
      use.form =
          symbolic_->Add(use.form, symbolic_->Constant(symbolic_->polys().Constant(elements)));
    }
    use.scope = {cfg_.block_of[pc], kNone, true};
    return use;
  }

  static bool Writes(const Instruction& i) { return !isa::IsLoad(i.op); }

  bool OldValueUsed(uint32_t pc) const { return !ssa_.built || used_[ssa_.writes[pc]]; }

  // Old values are not looked at and the operation does not care about order.
  bool Commutes(uint32_t pc) const {
    const Instruction& i = program_.code[pc];
    return isa::IsOrderless(i) && !OldValueUsed(pc);
  }

  bool CommuteTogether(uint32_t a, uint32_t b) const {
    return Commutes(a) && Commutes(b) &&
           program_.code[a].atomic_op() == program_.code[b].atomic_op();
  }

  // An update of a float that may wait for those of lower lanes, if nothing else looks at the
  // element meanwhile.
  bool MayWait(uint32_t pc) const {
    const Instruction& i = program_.code[pc];
    return isa::IsAtomic(i.op) && isa::IsFloat(i.type) && !isa::IsCompareAndSwap(i.op) &&
           !OldValueUsed(pc);
  }

  // REQUIRES: an atomic instruction that neither commutes nor may wait.
  std::string WhyOrderMatters(uint32_t pc) const {
    const Instruction& i = program_.code[pc];
    if (isa::IsCompareAndSwap(i.op)) {
      return " is compared and swapped, where the first lane decides what others find";
    }
    if (i.atomic_op() == AtomicOp::kExchange && !isa::IsFloat(i.type)) {
      return " is exchanged atomically and keeps what the last lane puts there";
    }
    return " is updated atomically and its old value is used";
  }

  bool IsLaunchSum(uint32_t pc) const {
    const Instruction& i = program_.code[pc];
    return i.op == isa::Opcode::kAtgFloat && i.atomic_op() == AtomicOp::kAdd && !OldValueUsed(pc) &&
           MayBeLaunchSum(program_, cfg_, ssa_, pc);
  }

  // What is wrong with an element that is updated at `atomic` and accessed at `pcs` too: at the
  // access that is the reason.
  void ReportAtomic(uint32_t atomic, const std::vector<uint32_t>& pcs) {
    for (const uint32_t pc : pcs) {
      if (!isa::IsAtomic(program_.code[pc].op) || Commutes(pc) || MayWait(pc)) continue;
      return Report(pc, WhyOrderMatters(pc));
    }
    if (isa::IsFloat(program_.code[atomic].type)) {
      return Report(atomic, " is a float that is also accessed in another way");
    }
    const bool all = std::all_of(pcs.begin(), pcs.end(),
                                 [&](uint32_t pc) { return isa::IsAtomic(program_.code[pc].op); });
    Report(atomic, all ? " is updated by different atomic operations"
                       : " is updated atomically and accessed in another way");
  }

  void AddOrdered(const std::vector<uint32_t>& pcs) {
    result_.ordered_updates.insert(result_.ordered_updates.end(), pcs.begin(), pcs.end());
  }

  void CheckSlot(uint32_t slot) {
    const std::vector<uint32_t>& pcs = global_[slot];
    const auto write = std::find_if(pcs.begin(), pcs.end(),
                                    [&](uint32_t pc) { return Writes(program_.code[pc]); });
    if (write == pcs.end()) return;
    if (std::all_of(pcs.begin(), pcs.end(),
                    [&](uint32_t pc) { return CommuteTogether(pcs[0], pc); })) {
      return;
    }
    if (std::all_of(pcs.begin(), pcs.end(), [&](uint32_t pc) { return IsLaunchSum(pc); })) {
      result_.launch_sums.insert(result_.launch_sums.end(), pcs.begin(), pcs.end());
      return;
    }
    if (std::all_of(pcs.begin(), pcs.end(), [&](uint32_t pc) { return MayWait(pc); })) {
      return AddOrdered(pcs);
    }
    const auto atomic = std::find_if(
        pcs.begin(), pcs.end(), [&](uint32_t pc) { return isa::IsAtomic(program_.code[pc].op); });
    if (atomic != pcs.end()) return ReportAtomic(*atomic, pcs);
    if (symbolic_ != nullptr) {
      std::vector<ElementUse> uses;
      for (const uint32_t pc : pcs) uses.push_back(UseOf(pc));
      if (IsApart(slot, *write, uses)) return;
    }
    if (IsApartInOneBlock(slot, *write)) return;
    Report(*write, DependsOnData(*write)
                       ? " is written at an index that depends on data: two lanes may write the "
                         "same element"
                       : " is not shown to be an element that only one lane touches");
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
      return Demand(together, write);
    }
    Facts of_pairs;
    std::vector<uint32_t> apart;
    if (!PairsApart(slot, write, uses, of_pairs) || !symbolic_->Closure(of_pairs, apart)) {
      proved_[slot] = joint && proof.covered();
      return joint && Demand(together, write);
    }
    if (!joint) return Demand(apart, write);
    const auto either = symbolic_->Either(together, apart, write, slot);
    if (!either) proved_[slot] = proof.covered();
    return Demand(either ? *either : together, write);
  }

  bool Demand(const std::vector<uint32_t>& conditions, uint32_t pc) {
    for (const uint32_t c : conditions) result_.conditions.emplace_back(c, pc);
    return true;
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
    const SeparationContext context{
        *symbolic_, program_,         cfg_,
        ssa_,       Lanes::kOfLaunch, [this](AtomId id) {
                                      return IsLaunchAtom(id); }};
    Separation separation(context, write, slot);
    for (size_t i = 0; i < uses.size(); ++i) {
      for (size_t j = i; j < uses.size(); ++j) {
        if (!Writes(program_.code[uses[i].pc]) && !Writes(program_.code[uses[j].pc])) continue;
        if (StoreTheSame(uses[i].pc, uses[j].pc)) continue;
        if (!MayLookAtPair() || !separation.Run(uses[i], uses[j], facts)) return false;
      }
    }
    return true;
  }

  // The analysis has work left for the other proofs.
  bool MayLookAtPair() { return ++pairs_ <= kMaxPairs && !symbolic_->HalfSpent(); }

  bool IsLaunchAtom(AtomId id) const {
    const Atom& atom = symbolic_->atom(id);
    return atom.kind == AtomKind::kOpaque && atom.value != kNone &&
           IsLaunchValue(program_, cfg_, ssa_, atom.value);
  }

  // Whichever lane comes last, the same stays there.
  bool StoreTheSame(uint32_t a, uint32_t b) const {
    const auto value = [this](uint32_t pc) {
      return ssa_.reads[pc][isa::IsGlobalAccess(program_.code[pc].op) ? 2 : 1];
    };
    return isa::IsStore(program_.code[a].op) && isa::IsStore(program_.code[b].op) &&
           program_.code[a].type == program_.code[b].type &&
           IsSameLaunchValue(program_, cfg_, ssa_, value(a), value(b));
  }

  bool DependsOnData(uint32_t pc) {
    if (symbolic_ == nullptr) return false;
    const Form form = symbolic_->FormOf(IndexOf(program_, ssa_, pc));
    return std::any_of(form.terms.begin(), form.terms.begin() + form.size, [&](const auto& term) {
      return symbolic_->atom(term.atom).kind == AtomKind::kOpaque;
    });
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
        if ((!writes_a && global_[a].empty()) || (!writes_b && global_[b].empty())) continue;
        AliasRule rule = {a, b, false, false, {}};
        rule.same_element = (proved_[a] || !writes_a) && (proved_[b] || !writes_b) &&
                            parameters[a].type == parameters[b].type &&
                            SameElements(writes_a ? a : b, writes_a ? b : a, rule);
        result_.aliases.push_back(std::move(rule));
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
    if (global_[a].empty() || global_[b].empty()) return false;
    work_ += 16 * (global_[a].size() + global_[b].size());
    if (work_ > kMaxWork) return false;
    std::vector<ElementUse> uses;
    for (const uint32_t slot : {a, b}) {
      for (const uint32_t pc : global_[slot]) {
        uses.push_back(UseOf(pc));
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
    return std::all_of(global_[slot].begin(), global_[slot].end(), [&](uint32_t pc) {
      return std::any_of(global_[proved].begin(), global_[proved].end(), [&](uint32_t other) {
        const Instruction& x = program_.code[pc];
        const Instruction& y = program_.code[other];
        return cfg_.block_of[pc] == cfg_.block_of[other] &&
               IndexOf(program_, ssa_, pc) == IndexOf(program_, ssa_, other) &&
               x.displacement() == y.displacement();
      });
    });
  }

  // What the facts rest on is part of the launch check for another reason already. A launch that
  // shares no memory between the two must not be refused for what only sharing needs.
  bool Demanded(const Facts& facts, bool& needs_proof) {
    std::vector<uint32_t> conditions;
    if (!symbolic_->Closure(facts, conditions)) return false;
    return std::all_of(conditions.begin(), conditions.end(), [&](uint32_t c) {
      const bool emitted = c < emitted_.size() && emitted_[c];
      needs_proof |= emitted;
      return emitted ||
             std::any_of(
                 result_.conditions.begin(), result_.conditions.end(), [&](const auto& known) {
                   return symbolic_->condition(known.first).value == symbolic_->condition(c).value;
                 });
    });
  }

  // ---- Shared memory ----

  void FindStarts() {
    if (!starts_.empty()) return;
    block_ = ComputeVariation(program_, cfg_, ssa_, Among::kBlock);
    starts_ = {0};
    for (const uint32_t b : cfg_.order) {
      if (!isa::IsBarrier(program_.code[cfg_.blocks[b].end - 1].op)) continue;
      const uint32_t next = cfg_.blocks[b].successors[0];
      if (next != kExitBlock) starts_.push_back(next);
    }
    std::sort(starts_.begin(), starts_.end());
    starts_.erase(std::unique(starts_.begin(), starts_.end()), starts_.end());
  }

  void CheckShared() {
    FindStarts();
    for (const uint32_t start : starts_) {
      start_ = start;
      interval_ = Reach(start, kNone);
      for (const std::vector<uint32_t>& pcs : shared_) CheckArray(pcs);
    }
    for (const uint32_t array : waiting_) CheckWaiting(shared_[array], starts_);
  }

  // Lanes meet at updates of the array: all of them wait, so that each lane keeps its own order,
  // and nothing may look at the array meanwhile.
  void CheckWaiting(const std::vector<uint32_t>& pcs, const std::vector<uint32_t>& starts) {
    std::vector<uint32_t> updates;
    std::copy_if(pcs.begin(), pcs.end(), std::back_inserter(updates),
                 [&](uint32_t pc) { return MayWait(pc); });
    for (const uint32_t start : starts) {
      start_ = start;
      interval_ = Reach(start, kNone);
      const auto inside = [&](uint32_t pc) { return interval_[cfg_.block_of[pc]]; };
      for (const uint32_t update : updates) {
        const auto other = std::find_if(pcs.begin(), pcs.end(), [&](uint32_t pc) {
          return inside(update) && inside(pc) && !MayWait(pc) && !Exclusive(update, pc);
        });
        if (other == pcs.end()) continue;
        return Report(update, " is a float that is also accessed in another way");
      }
    }
    AddOrdered(updates);
  }

  // Barriers order what one block does to a buffer too. In a launch of one block that is all.
  bool IsApartInOneBlock(uint32_t slot, uint32_t write) {
    if (symbolic_ == nullptr) return false;
    FindStarts();
    if (starts_.size() == 1) return false;
    const size_t conditions = result_.conditions.size();
    const size_t races = result_.races.size();
    for (const uint32_t start : starts_) {
      start_ = start;
      interval_ = Reach(start, kNone);
      CheckArray(global_[slot]);
      if (result_.races.size() != races) break;
    }
    Facts facts;
    bool apart = result_.races.size() == races;
    for (int d = 0; d < 3 && apart; ++d) {
      Polys& polys = symbolic_->polys();
      const PolyId grid = polys.Symbol(CheckOp::kGridDim, d, {1, UINT32_MAX});
      apart = symbolic_->Require(ConditionKind::kRace, polys.Sub(grid, kOne), write, slot,
                                 {0, kNone, true}, {}, facts);
    }
    if (apart && Keep(facts, write)) return true;
    result_.conditions.resize(conditions);
    result_.races.resize(races);
    return false;
  }

  // Blocks on barrier-free paths from `from`, not passing `without`.
  std::vector<bool> Reach(uint32_t from, uint32_t without) const {
    std::vector<bool> seen(cfg_.num_blocks(), false);
    std::vector<uint32_t> stack;
    work_ += cfg_.num_blocks() / 16;
    const auto visit = [&](uint32_t b) {
      if (b == kExitBlock || b == without || seen[b]) return;
      seen[b] = true;
      stack.push_back(b);
    };
    visit(from);
    while (!stack.empty()) {
      const uint32_t b = stack.back();
      stack.pop_back();
      ++work_;
      if (isa::IsBarrier(program_.code[cfg_.blocks[b].end - 1].op)) continue;
      for (const uint32_t to : cfg_.blocks[b].successors) visit(to);
    }
    return seen;
  }

  void CheckArray(const std::vector<uint32_t>& pcs) {
    for (size_t i = 0; i < pcs.size(); ++i) {
      for (size_t j = i; j < pcs.size(); ++j) {
        const uint32_t a = pcs[i];
        const uint32_t b = pcs[j];
        work_ += 1 + (reported_.size() + disjoint_.size()) / 8;
        if (work_ > kMaxWork) return GiveUp(pcs);
        if (!Writes(program_.code[a]) && !Writes(program_.code[b])) continue;
        if (!interval_[cfg_.block_of[a]] || !interval_[cfg_.block_of[b]]) continue;
        if (CommuteTogether(a, b) || Contains(reported_, a, b)) continue;
        if (Contains(disjoint_, a, b)) continue;
        const bool waits = MayWait(a) && MayWait(b);
        if (symbolic_ != nullptr &&
            (Exclusive(a, b) || (waits ? AlwaysDisjoint(a, b, pcs) : NeverMeet(a, b)))) {
          continue;
        }
        if (waits) {
          waiting_.insert(program_.code[a].a);
          continue;
        }
        reported_.emplace_back(a, b);
        if (isa::IsAtomic(program_.code[a].op) && isa::IsAtomic(program_.code[b].op)) {
          ReportAtomic(a, {a, b});
          continue;
        }
        const uint32_t other = Writes(program_.code[a]) ? b : a;
        const uint32_t writer = Writes(program_.code[a]) ? a : b;
        Report(other, " may be the element of " + TextOf(writer) +
                          " that another lane of the block writes before the next barrier()");
      }
    }
  }

  // So many accesses that they are not compared one by one.
  void GiveUp(const std::vector<uint32_t>& pcs) {
    const auto write = std::find_if(pcs.begin(), pcs.end(),
                                    [&](uint32_t pc) { return Writes(program_.code[pc]); });
    if (write == pcs.end() || Contains(reported_, *write, *write)) return;
    reported_.emplace_back(*write, *write);
    Report(*write, " is one of too many accesses to be told apart from those of other lanes");
  }

  static bool Contains(const Pairs& pairs, uint32_t a, uint32_t b) {
    return std::find(pairs.begin(), pairs.end(), std::pair(a, b)) != pairs.end();
  }

  // A branch on which all lanes of a block agree, passed at most once between two barriers, leads
  // to one of the two or to the other.
  bool Exclusive(uint32_t a, uint32_t b) const {
    const uint32_t block_a = cfg_.block_of[a];
    const uint32_t block_b = cfg_.block_of[b];
    if (block_a == block_b) return false;
    for (uint32_t u = 0; u < cfg_.num_blocks(); ++u) {
      if (!interval_[u] || cfg_.blocks[u].successors.size() != 2 || block_.divergent[u]) continue;
      const ValueId predicate = ssa_.predicate_reads[cfg_.blocks[u].end - 1][0];
      if (predicate == kNone) continue;  // a counter, which changes from round to round
      if (block_.varying[predicate] || block_.divergent[ssa_.BlockOf(cfg_, predicate)]) continue;
      if (u == block_a || u == block_b) continue;
      const std::vector<bool> around = Reach(start_, u);
      if (around[block_a] || around[block_b]) continue;
      const std::vector<bool> one = ReachFrom(cfg_.blocks[u].successors[0]);
      const std::vector<bool> two = ReachFrom(cfg_.blocks[u].successors[1]);
      if (one[u] || two[u]) continue;
      if (one[block_a] != one[block_b] && two[block_a] != two[block_b] &&
          one[block_a] != two[block_a]) {
        return true;
      }
    }
    return false;
  }

  // Lanes that go the same way at every branch come to one of the two or to the other: neither is
  // behind the other, and branches that lead to both, by different edges, are the same for all.
  bool OnOtherWays(uint32_t a, uint32_t b) const {
    const uint32_t block_a = cfg_.block_of[a];
    const uint32_t block_b = cfg_.block_of[b];
    if (Reach(block_a, kNone)[block_b] || Reach(block_b, kNone)[block_a]) return false;
    for (uint32_t u = 0; u < cfg_.num_blocks(); ++u) {
      if (!interval_[u] || cfg_.blocks[u].successors.size() != 2) continue;
      const std::vector<bool> one = ReachFrom(cfg_.blocks[u].successors[0]);
      const std::vector<bool> two = ReachFrom(cfg_.blocks[u].successors[1]);
      const bool parts = (one[block_a] && two[block_b]) || (one[block_b] && two[block_a]);
      if (!parts) continue;
      const ValueId predicate = ssa_.predicate_reads[cfg_.blocks[u].end - 1][0];
      if (predicate == kNone || block_.divergent[u] || block_.varying[predicate] ||
          block_.divergent[ssa_.BlockOf(cfg_, predicate)]) {
        return false;
      }
    }
    return true;
  }

  std::vector<bool> ReachFrom(uint32_t b) const {
    return b == kExitBlock ? std::vector<bool>(cfg_.num_blocks(), false) : Reach(b, kNone);
  }

  // The atom has one value for all lanes of a block at all uses in the interval.
  bool OneValue(AtomId id, uint32_t a, uint32_t b) const {
    const Atom& atom = symbolic_->atom(id);
    if (atom.kind == AtomKind::kBlock) return true;
    if (atom.kind != AtomKind::kLoop && atom.kind != AtomKind::kOpaque) return false;
    if (atom.value == kNone || block_.varying[atom.value]) return false;
    const uint32_t made = ssa_.BlockOf(cfg_, atom.value);
    if (block_.divergent[made]) return false;
    if (!interval_[made]) return true;
    // Made once in the interval, before both accesses.
    const std::vector<bool> around = Reach(start_, made);
    if (around[cfg_.block_of[a]] || around[cfg_.block_of[b]]) return false;
    const std::vector<uint32_t>& next = cfg_.blocks[made].successors;
    bool again = false;
    if (!isa::IsBarrier(program_.code[cfg_.blocks[made].end - 1].op)) {
      for (const uint32_t to : next) again = again || ReachFrom(to)[made];
    }
    // All lanes make it as often; nobody does behind an access, so the last one is what counts.
    return !again ||
           (!Reach(cfg_.block_of[a], kNone)[made] && !Reach(cfg_.block_of[b], kNone)[made]);
  }

  // The part of a form that is the same for all lanes of the block.
  Form CommonPart(const Form& form, uint32_t a, uint32_t b) const {
    Form common;
    for (uint32_t i = 0; i < form.size; ++i) {
      if (OneValue(form.terms[i].atom, a, b)) common.terms[common.size++] = form.terms[i];
    }
    return common;
  }

  // Two different lanes, one at `a` and one at `b`, are at different elements; `narrow`: perhaps
  // only in blocks with one lane in x.
  bool Disjoint(uint32_t a, uint32_t b, bool narrow) {
    ElementUse x = UseOf(a);
    ElementUse y = UseOf(b);
    if (!x.form.valid || !y.form.valid) return false;
    const Form commons[] = {CommonPart(x.form, a, b), CommonPart(y.form, a, b)};
    if (commons[0] != commons[1]) return Apart(x, y, commons[0]) || Apart(x, y, commons[1]);
    if (OneLaneEach(x, y, commons[0], narrow)) {
      if (commons[0].size == 0) disjoint_.emplace_back(a, b);
      return true;
    }
    return Apart(x, y, commons[0]);
  }

  // Two different lanes that are at `a` and at `b` in the interval do not disturb each other.
  bool NeverMeet(uint32_t a, uint32_t b) {
    return OnOtherWays(a, b) || Disjoint(a, b, false) || StoreTheSame(a, b) || AreSeparate(a, b) ||
           Disjoint(a, b, true);
  }

  bool AreSeparate(uint32_t a, uint32_t b) {
    const SeparationContext context{*symbolic_,
                                    program_,
                                    cfg_,
                                    ssa_,
                                    Lanes::kOfBlock,
                                    [&](AtomId id) {
                                      return IsLaunchAtom(id) || OneValue(id, a, b); }};
    Separation separation(context, a, 0);
    Facts facts;
    return MayLookAtPair() && separation.Run(UseOf(a), UseOf(b), facts) && Keep(facts, a);
  }

  // The same of updates that may wait. A launch is not refused for what keeps their lanes apart,
  // unless something else looks at the array meanwhile.
  bool AlwaysDisjoint(uint32_t a, uint32_t b, const std::vector<uint32_t>& pcs) {
    const size_t conditions = result_.conditions.size();
    const size_t pairs = disjoint_.size();
    if (!Disjoint(a, b, false)) return false;
    const bool alone = std::all_of(pcs.begin(), pcs.end(), [&](uint32_t pc) {
      return !interval_[cfg_.block_of[pc]] || MayWait(pc) || Exclusive(a, pc);
    });
    if (!alone || result_.conditions.size() == conditions) return true;
    result_.conditions.resize(conditions);
    disjoint_.resize(pairs);
    return false;
  }

  // Lanes that meet at an element are one lane.
  bool OneLaneEach(ElementUse x, ElementUse y, const Form& common, bool narrow) {
    x.form = symbolic_->Sub(x.form, common);
    y.form = symbolic_->Sub(y.form, common);
    for (const bool swap : {false, true}) {
      ElementUse first = swap ? y : x;
      ElementUse second = swap ? x : y;
      Facts facts;
      AddPin(first, second, facts);
      DigitProof proof(*symbolic_, Lanes::kOfBlock, x.pc, 0);
      if (!proof.Run({first, second}, facts) || (!narrow && !proof.covered())) continue;
      if (Keep(facts, x.pc)) return true;
    }
    return false;
  }

  // One range ends before the other begins, relative to a common value.
  bool Apart(const ElementUse& x, const ElementUse& y, const Form& common) {
    for (const bool swap : {false, true}) {
      const ElementUse& low = swap ? y : x;
      const ElementUse& high = swap ? x : y;
      Facts facts = {x.index, y.index};
      const auto end = symbolic_->Upper(symbolic_->Sub(low.form, common), low.scope, true, facts);
      const auto begin =
          symbolic_->Lower(symbolic_->Sub(high.form, common), high.scope, true, facts);
      if (!end || !begin) continue;
      const PolyId overlap = symbolic_->polys().Add(symbolic_->polys().Sub(*end, *begin), kOne);
      if (symbolic_->polys().NeverPositive(overlap) && Keep(facts, x.pc)) return true;
    }
    return false;
  }

  // `second` is under a guard `lane == value`: it may be written with the lane in it, as `first`
  // is.
  void AddPin(const ElementUse& first, ElementUse& second, Facts& facts) {
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

  Symbolic* symbolic_;
  const isa::Program& program_;
  const Cfg& cfg_;
  const Ssa& ssa_;
  const std::vector<bool>& emitted_;
  RaceResult result_;
  std::vector<std::vector<uint32_t>> global_;  // accesses by parameter
  std::vector<std::vector<uint32_t>> shared_;  // accesses by array
  std::vector<bool> used_;                     // values that are read
  std::vector<bool> proved_;                   // slots whose elements name the lane
  static constexpr size_t kMaxWork = size_t{1} << 24;
  mutable size_t work_ = 0;  // pairs of accesses and blocks that were walked
  static constexpr uint32_t kMaxPairs = 1024;
  uint32_t pairs_ = 0;  // that were looked at one by one
  Variation block_;
  std::vector<uint32_t> starts_;  // of intervals between barriers, by block; empty: not looked for
  uint32_t start_ = 0;
  std::vector<bool> interval_;
  std::set<uint32_t> waiting_;  // arrays with updates at which lanes may meet
  Pairs reported_;
  Pairs disjoint_;  // in every interval
};

}  // namespace

RaceResult FindRaces(Symbolic* symbolic, const isa::Program& program, const Cfg& cfg,
                     const Ssa& ssa, const std::vector<bool>& emitted) {
  return RaceFinder(symbolic, program, cfg, ssa, emitted).Run();
}

}  // namespace hologram::verify
