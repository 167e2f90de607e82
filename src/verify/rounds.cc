// Every loop that ends has a bound of its rounds: a polynomial over what the launch knows, or,
// where the count is data, what its type allows. The rounds of a nest are the product. It is
// checked at launch where all factors are known then. Inside a loop whose count is not known, what
// may exceed the limit is counted while it runs.
#include "verify/rounds.h"

#include <algorithm>
#include <optional>

#include "base/wide.h"

namespace hologram::verify {
namespace {

// What a loop that may go round so often costs a nest is taken for a constant.
constexpr Wide kFewRounds = 65536;
// Of a loop that is not proved to end.
constexpr Wide kBudget = HOLOGRAM_DEFAULT_BUDGET;

Wide Product(Wide a, Wide b) {
  Wide product = 0;
  return ProductOverflows(a, b, product) || product > kHuge ? kHuge : product;
}

uint64_t Saturated(Wide value) {
  return value > UINT64_MAX ? UINT64_MAX : static_cast<uint64_t>(value);
}

struct Bound {
  bool ends = false;
  bool ends_if_proved = false;
  Wide machine = kHuge;    // in every launch
  Wide proved = kHuge;     // in those in which the conditions hold
  PolyId known = kNoPoly;  // at launch
  bool needs_proof = false;
  uint32_t parent = kNone;
  std::vector<uint32_t> children;
  bool checked = false;  // it, or a loop in it, is in the launch check

  std::vector<ScalarProduct> products;  // LoopFact::bound

  // How often it goes round is neither computed nor little.
  bool open() const { return !ends_if_proved || (known == kNoPoly && proved > kFewRounds); }
  Wide most(bool if_proved) const {
    if (if_proved) return ends_if_proved ? proved : kBudget;
    return ends ? machine : kBudget;
  }
};

// Appends products that add up to no less than `most`, whatever the signs of scalars. False if it
// depends on more of the launch, or on too many scalars.
bool AppendProducts(const Polys& polys, PolyId most, int depth, std::vector<ScalarProduct>& sum) {
  constexpr size_t kMostProducts = 4;
  constexpr int kMaxNesting = 3;
  if (most == kNoPoly || depth > kMaxNesting) return false;
  for (const Polys::Term& term : polys.Get(most)) {
    ScalarProduct product{static_cast<uint64_t>(term.factor < 0 ? -Wide{term.factor} : term.factor),
                          {}};
    bool may_be_negative = false;
    bool is_product = true;
    for (int i = 0; i < kMaxDegree; ++i) {
      const uint16_t s = SymbolAt(term.symbols, i);
      if (s == 0) continue;
      const Polys::SymbolInfo& symbol = polys.GetSymbol(s);
      may_be_negative |= symbol.range.low < 0;
      is_product &= symbol.op == CheckOp::kScalar;
      product.scalars.push_back(static_cast<uint32_t>(symbol.value));
    }
    if (term.factor < 0 && !may_be_negative) continue;
    if (!is_product) {
      // A lone minimum, maximum or quotient: what it is made of.
      if (!IsSymbol(term.symbols) || term.factor != 1) return false;
      const Polys::SymbolInfo& symbol = polys.GetSymbol(static_cast<uint16_t>(term.symbols));
      const bool is_max = symbol.op == CheckOp::kMax;
      const bool is_min = symbol.op == CheckOp::kMin;
      const bool is_part = symbol.op == CheckOp::kFloorDiv && polys.RangeOf(symbol.rhs).low >= 1;
      const size_t before = sum.size();
      if (!is_max && !is_min && !is_part) return false;
      bool known = AppendProducts(polys, symbol.lhs, depth + 1, sum);
      if (is_min && !known) {
        sum.resize(before);
        known = AppendProducts(polys, symbol.rhs, depth + 1, sum);
      }
      if (is_max) known = known && AppendProducts(polys, symbol.rhs, depth + 1, sum);
      if (!known) return false;
      continue;
    }
    sum.push_back(std::move(product));
    if (sum.size() > kMostProducts) return false;
  }
  return true;
}

class Nests {
 public:
  Nests(Symbolic& symbolic, const Cfg& cfg, const std::vector<bool>& emitted)
      : symbolic_(symbolic), cfg_(cfg), emitted_(emitted), bounds_(cfg.loops.size()) {}

  // REQUIRES: the loop ends where the conditions hold.
  void SetRounds(uint32_t l, const LoopFact& loop, const LoopRounds& rounds) {
    Bound& bound = bounds_[l];
    bound.ends = loop.ends;
    bound.ends_if_proved = true;
    bound.proved = rounds.machine;
    if (bound.ends) bound.machine = rounds.machine;
    for (const LoopRounds::Known& known : rounds.known) {
      std::vector<uint32_t> conditions;
      if (!symbolic_.Closure(known.facts, conditions)) continue;
      if (bound.ends && conditions.empty() && bound.products.empty()) {
        if (!AppendProducts(symbolic_.polys(), known.most, 0, bound.products)) {
          bound.products.clear();
        } else if (bound.products.empty()) {
          bound.products.push_back({});
        }
      }
      const bool checked = std::all_of(conditions.begin(), conditions.end(), [&](uint32_t c) {
        return c < emitted_.size() && emitted_[c];
      });
      if (!checked) continue;
      bound.known = known.most;
      bound.needs_proof = !bound.ends || !conditions.empty();
      const Wide high = symbolic_.polys().RangeOf(known.most).high;
      bound.proved = std::min(bound.proved, std::max<Wide>(high, 1));
      break;
    }
    if (bound.ends && bound.products.empty() && rounds.machine < kHuge) {
      bound.products.push_back({Saturated(rounds.machine), {}});
    }
  }

  void FindParents() {
    for (uint32_t l = 0; l < bounds_.size(); ++l) {
      for (uint32_t p = 0; p < bounds_.size(); ++p) {
        const Loop& outer = cfg_.loops[p];
        if (p == l || !outer.natural || !cfg_.InLoop(outer, cfg_.loops[l].header)) continue;
        uint32_t& parent = bounds_[l].parent;
        const size_t size = outer.blocks.size();
        if (parent == kNone || size < cfg_.loops[parent].blocks.size()) parent = p;
      }
      if (bounds_[l].parent != kNone) bounds_[bounds_[l].parent].children.push_back(l);
    }
  }

  // Loops from the outermost to `l`.
  std::vector<uint32_t> PathTo(uint32_t l) const {
    std::vector<uint32_t> path;
    for (; l != kNone; l = bounds_[l].parent) path.push_back(l);
    std::reverse(path.begin(), path.end());
    return path;
  }

  // The rounds of a lane in `l`.
  Wide Most(uint32_t l, bool if_proved) const {
    Wide most = 1;
    for (; l != kNone; l = bounds_[l].parent) most = Product(most, bounds_[l].most(if_proved));
    return most;
  }

  bool InOpen(uint32_t l) const {
    for (; l != kNone; l = bounds_[l].parent) {
      if (bounds_[l].open()) return true;
    }
    return false;
  }

  // Its own, and those of the loops in it.
  Wide NestRounds(uint32_t l) const {
    const Bound& bound = bounds_[l];
    if (!bound.ends) return kHuge;
    Wide inside = 0;
    for (const uint32_t child : bound.children) {
      inside = std::min(inside + NestRounds(child), kHuge);
    }
    return Product(bound.proved, std::max<Wide>(inside, 1));
  }

  Bound& operator[](uint32_t l) { return bounds_[l]; }
  size_t size() const { return bounds_.size(); }

 private:
  Symbolic& symbolic_;
  const Cfg& cfg_;
  const std::vector<bool>& emitted_;
  std::vector<Bound> bounds_;
};

}  // namespace

void FillRounds(Symbolic& symbolic, Lowering& lowering, const Cfg& cfg, const Ssa& ssa,
                const std::vector<bool>& emitted, const isa::Program& program,
                std::vector<LoopFact>& loops, LaunchCheck& check) {
  // Nests of so many loops are no programs; what is not looked at is counted.
  constexpr size_t kMostLoops = 512;
  if (loops.size() > kMostLoops) {
    for (LoopFact& loop : loops) loop.limited = loop.limited_if_guarded = loop.ends;
    return;
  }
  Nests nests(symbolic, cfg, emitted);
  for (uint32_t l = 0; l < loops.size(); ++l) {
    if (!loops[l].ends_if_proved) continue;
    Facts in_the_check;
    Facts* rests_on = loops[l].ends ? nullptr : &in_the_check;
    nests.SetRounds(l, loops[l], RoundsOf(symbolic, program, cfg, ssa, cfg.loops[l], rests_on));
  }
  nests.FindParents();
  std::vector<uint32_t> inner_first(loops.size());
  for (uint32_t l = 0; l < loops.size(); ++l) inner_first[l] = l;
  std::stable_sort(inner_first.begin(), inner_first.end(), [&](uint32_t a, uint32_t b) {
    return nests.PathTo(a).size() > nests.PathTo(b).size();
  });
  for (const uint32_t l : inner_first) {
    LoopFact& loop = loops[l];
    loop.nest_rounds = Saturated(nests.NestRounds(l));
    if (!loop.ends_if_proved) continue;
    loop.bound = std::move(nests[l].products);
    loop.limited_if_guarded = loop.ends && nests.Most(l, /*if_proved=*/false) > kMostRounds;
    if (nests.Most(l, /*if_proved=*/true) <= kMostRounds) continue;
    if (nests.InOpen(l)) {
      loop.limited = true;
      continue;
    }
    // What is checked of a loop in it is no less.
    if (!nests[l].checked) {
      RoundsBound rounds{cfg.blocks[loop.header].begin, 1, {}, false};
      Wide constant = 1;
      for (const uint32_t around : nests.PathTo(l)) {
        const Bound& bound = nests[around];
        if (bound.known != kNoPoly && !symbolic.polys().IsConstant(bound.known)) {
          rounds.factors.push_back(lowering.NodeOf(bound.known));
          rounds.needs_proof |= bound.needs_proof;
        } else {
          constant = Product(constant, bound.proved);
        }
      }
      rounds.constant = Saturated(constant);
      check.rounds.push_back(std::move(rounds));
    }
    for (uint32_t p = l; p != kNone; p = nests[p].parent) nests[p].checked = true;
  }
}

}  // namespace hologram::verify
