// The proof that an index map is injective. With digits d1, d2, ... of factors f1 <= f2 <= ... and
// a rest that spans at most s, the digits can be read off the sum if each factor is larger than
// what all before it can add up to; the digits then name the lane.
#include <algorithm>

#include "verify/races.h"

namespace hologram::verify {
namespace {

// The one atom of a form that is plus or minus it and a constant; kNoAtom for any other form.
AtomId OnlyAtom(const Symbolic& symbolic, const Form& form) {
  if (form.size != 1) return kNoAtom;
  const auto factor = symbolic.polys().ConstantOf(form.terms[0].factor);
  return factor && (*factor == 1 || *factor == -1) ? form.terms[0].atom : kNoAtom;
}

// Every use is under a guard `atom == value` with one value, for one atom of those that `is_meant`
// takes. Returns it, or kNoAtom.
template <class F>
AtomId Pinned(Symbolic& symbolic, const std::vector<ElementUse>& uses, F is_meant, Facts& facts) {
  AtomId pinned = kNoAtom;
  PolyId common = kNoPoly;
  Facts because;
  for (const ElementUse& use : uses) {
    PolyId value = kNoPoly;
    symbolic.ForEachGuard(use.scope, [&](const Guard& guard) {
      if (!guard.equality) return true;
      const AtomId atom = OnlyAtom(symbolic, guard.form);
      if (atom == kNoAtom || (pinned != kNoAtom && atom != pinned)) return true;
      if (pinned == kNoAtom && !is_meant(symbolic.atom(atom))) return true;
      const auto factor = symbolic.polys().ConstantOf(guard.form.terms[0].factor);
      value = symbolic.polys().Scale(guard.form.constant, -*factor);
      pinned = atom;
      because.Append(guard.facts);
      return false;
    });
    if (value == kNoPoly || (common != kNoPoly && value != common)) return kNoAtom;
    common = value;
  }
  facts.Append(because);
  return pinned;
}

}  // namespace

bool NameDivided(Symbolic& symbolic, const Atom& quotient, const Atom& remainder) {
  if (quotient.kind != AtomKind::kQuotient || remainder.kind != AtomKind::kRemainder) return false;
  if (quotient.base == remainder.base) return quotient.divisor == remainder.divisor;
  const AtomId divided = OnlyAtom(symbolic, remainder.base);
  if (divided == kNoAtom || remainder.base != symbolic.OfAtom(divided)) return false;
  const Atom& first = symbolic.atom(divided);
  return first.kind == AtomKind::kQuotient && first.base == quotient.base &&
         symbolic.polys().Mul(first.divisor, remainder.divisor) == quotient.divisor;
}

bool LaneCover::Has(AtomKind kind, int dimension) const {
  return std::any_of(named_.begin(), named_.end(), [&](AtomId id) {
    return symbolic_.atom(id).kind == kind && symbolic_.atom(id).dimension == dimension;
  });
}

bool LaneCover::Knows(AtomKind kind, int dimension, Facts& facts) {
  const auto is_id = [&](const Atom& atom) {
    return atom.kind == kind && atom.dimension == dimension;
  };
  return Has(kind, dimension) || Pinned(symbolic_, uses_, is_id, facts) != kNoAtom;
}

bool LaneCover::Covers(int dimension, Facts& facts) {
  if (Knows(AtomKind::kGlobal, dimension, facts)) return true;
  return Knows(AtomKind::kLane, dimension, facts) &&
         (lanes_ == Lanes::kOfBlock || Knows(AtomKind::kBlock, dimension, facts));
}

bool LaneCover::Run(Facts& facts) {
  Polys& polys = symbolic_.polys();
  for (int d = 0; d < 3; ++d) {
    const PolyId grid = polys.Symbol(CheckOp::kGridDim, d, {1, UINT32_MAX});
    const PolyId block = polys.Symbol(CheckOp::kBlockDim, d, {1, isa::kMaxLanesPerBlock});
    const bool global = Knows(AtomKind::kGlobal, d, facts);
    const bool lane = global || Knows(AtomKind::kLane, d, facts);
    const bool of_block = global || lanes_ == Lanes::kOfBlock || Knows(AtomKind::kBlock, d, facts);
    if (lane && of_block) continue;
    // One dimension of a launch may well not be used; that is no lack of the map.
    if (d == 0) covered_ = false;
    const PolyId size = lane ? grid : of_block ? block : polys.Mul(grid, block);
    if (!symbolic_.Require(ConditionKind::kRace, polys.Sub(size, kOne), pc_, slot_,
                           {0, kNone, true}, {}, facts)) {
      return false;
    }
  }
  return true;
}

bool DigitProof::IsIdentity(const Form::Term& term) const {
  const Atom& atom = symbolic_.atom(term.atom);
  switch (atom.kind) {
    case AtomKind::kGlobal:
    case AtomKind::kLane:
      return true;
    case AtomKind::kBlock:
      return lanes_ == Lanes::kOfLaunch;
    case AtomKind::kQuotient:
    case AtomKind::kRemainder:
      return std::all_of(atom.base.terms.begin(), atom.base.terms.begin() + atom.base.size,
                         [&](const Form::Term& t) { return IsIdentity(t); });
    case AtomKind::kOpaque:
    case AtomKind::kLoop:
      return false;
  }
  return false;
}

bool DigitProof::Demand(PolyId value, Facts& facts) {
  return symbolic_.Require(ConditionKind::kRace, value, pc_, slot_, {0, kNone, true}, {}, facts);
}

PolyId DigitProof::Magnitude(PolyId factor) {
  Polys& polys = symbolic_.polys();
  return polys.RangeOf(factor).high <= 0 ? polys.Scale(factor, -1) : factor;
}

// The factor without its sign, or a demand on the launch that it has none.
std::optional<PolyId> DigitProof::Positive(PolyId factor, Facts& facts) {
  Polys& polys = symbolic_.polys();
  factor = Magnitude(factor);
  if (factor == kNoPoly) return std::nullopt;
  if (!polys.NeverNegative(factor) && !Demand(polys.Scale(factor, -1), facts)) return std::nullopt;
  return factor;
}

// A counter that starts at the lane's id and goes on in steps, `lane, lane + 64, ...`, is no digit;
// the id and the steps it has made are two. Only where the steps reach beyond the ids: with smaller
// ones the lanes meet.
Form DigitProof::InSteps(const Form& form, Facts& facts) {
  Form result = form;
  for (uint32_t i = 0; i < form.size; ++i) {
    const AtomId counter = form.terms[i].atom;
    if (symbolic_.atom(counter).step == kZero) continue;
    const Form& start = symbolic_.atom(counter).start;
    const PolyId step = Magnitude(symbolic_.atom(counter).step);
    bool has_id = false;
    bool beyond = step != kNoPoly;
    for (uint32_t k = 0; k < start.size; ++k) {
      if (!IsIdentity(start.terms[k])) continue;
      has_id = true;
      const PolyId factor = Magnitude(start.terms[k].factor);
      beyond = beyond && factor != kNoPoly && symbolic_.WeightOf(factor) < symbolic_.WeightOf(step);
    }
    if (!has_id || !beyond) continue;
    Facts because;
    const auto whole = symbolic_.InSteps(counter, because);
    if (!whole) continue;
    const Form replaced = symbolic_.Add(
        result,
        symbolic_.Scale(symbolic_.Sub(*whole, symbolic_.OfAtom(counter)), form.terms[i].factor));
    if (!replaced.valid) continue;
    result = replaced;
    facts.Append(because);
    const auto known = std::find_if(counters_.begin(), counters_.end(),
                                    [&](const auto& c) { return c.first == counter; });
    if (known == counters_.end()) counters_.push_back({counter, *whole});
  }
  return result;
}

// The form with its counters back where the id and the steps of one stand together; a loop's
// condition bounds the counter.
Form DigitProof::WithCounters(Form form) {
  Polys& polys = symbolic_.polys();
  for (const auto& [counter, whole] : counters_) {
    const Atom& atom = symbolic_.atom(counter);
    const PolyId factor = form.FactorOf(atom.trips);
    if (factor == kZero) continue;
    const PolyId times = polys.ExactQuotient(factor, atom.step);
    if (times == kNoPoly) continue;
    const Form back = symbolic_.Add(
        form, symbolic_.Scale(symbolic_.Sub(symbolic_.OfAtom(counter), whole), times));
    if (back.valid) form = back;
  }
  return form;
}

bool DigitProof::Collect(const Form& identity, size_t num_uses, Facts& facts) {
  for (uint32_t i = 0; i < identity.size; ++i) {
    const auto factor = Positive(identity.terms[i].factor, facts);
    if (!factor) return false;
    Form atom = symbolic_.OfAtom(identity.terms[i].atom);
    // The sums so far are bounded by guards: they must be what is really added up.
    if (*factor != identity.terms[i].factor) atom = symbolic_.Scale(atom, symbolic_.MinusOne());
    digits_.push_back({identity.terms[i].atom, *factor, std::vector<Form>(num_uses, atom)});
  }
  return true;
}

// Terms of the rests that stand above an id become digits, one for each factor: `c` of
// `c * count + n`. What stands below stays in the rest: `k` of `4 * i + k`.
bool DigitProof::CollectOthers(std::vector<Form>& rests, Facts& facts) {
  if (digits_.empty()) return true;
  FactorWeight least = symbolic_.WeightOf(digits_[0].factor);
  for (const Digit& digit : digits_) least = std::min(least, symbolic_.WeightOf(digit.factor));
  const size_t num_ids = digits_.size();
  for (size_t k = 0; k < rests.size(); ++k) {
    const Form whole = rests[k];
    rests[k] = symbolic_.Constant(whole.constant);
    for (uint32_t i = 0; i < whole.size; ++i) {
      const Form::Term& term = whole.terms[i];
      const auto factor = Positive(term.factor, facts);
      if (!factor) return false;
      if (symbolic_.WeightOf(*factor) <= least) {
        rests[k].terms[rests[k].size++] = term;
        continue;
      }
      auto digit = std::find_if(digits_.begin() + static_cast<std::ptrdiff_t>(num_ids),
                                digits_.end(), [&](const Digit& d) { return d.factor == *factor; });
      if (digit == digits_.end()) {
        digits_.push_back({kNoAtom, *factor, std::vector<Form>(rests.size())});
        digit = digits_.end() - 1;
      }
      const Form atom = symbolic_.OfAtom(term.atom);
      const bool negative = *factor != term.factor;
      digit->parts[k] =
          negative ? symbolic_.Sub(digit->parts[k], atom) : symbolic_.Add(digit->parts[k], atom);
    }
  }
  return CollectConstants(rests, facts);
}

// What the constants of the uses differ by, in multiples of something above the ids, is a digit
// too: `r` of `(4 * y + r) * stride + x` where a lane writes the rows r = 0, 1, 2, 3.
bool DigitProof::CollectConstants(std::vector<Form>& rests, Facts& facts) {
  Polys& polys = symbolic_.polys();
  FactorWeight least = symbolic_.WeightOf(digits_[0].factor);
  for (const Digit& digit : digits_) {
    if (digit.atom != kNoAtom) least = std::min(least, symbolic_.WeightOf(digit.factor));
  }
  const PolyId first = rests[0].constant;
  for (size_t k = 0; k < rests.size(); ++k) {
    PolyId difference = polys.Sub(rests[k].constant, first);
    if (difference == kNoPoly) return false;
    const Polys::Terms terms = polys.Get(difference);
    for (const Polys::Term& term : std::vector<Polys::Term>(terms.begin(), terms.end())) {
      if (term.symbols == 0) continue;
      const PolyId part = polys.Constant(term.factor);
      const PolyId whole = polys.OfTerm(term);
      const PolyId unit = polys.ExactQuotient(whole, part);
      if (symbolic_.WeightOf(unit) <= least) continue;
      const auto factor = Positive(unit, facts);
      if (!factor || *factor != unit) return false;
      auto digit = std::find_if(digits_.begin(), digits_.end(), [&](const Digit& d) {
        return d.atom == kNoAtom && d.factor == unit;
      });
      if (digit == digits_.end()) {
        digits_.push_back({kNoAtom, unit, std::vector<Form>(rests.size())});
        digit = digits_.end() - 1;
      }
      digit->parts[k] = symbolic_.Add(digit->parts[k], symbolic_.Constant(part));
      difference = polys.Sub(difference, whole);
    }
    rests[k].constant = difference;
  }
  return true;
}

// How far the forms, one for each use, can be apart.
std::optional<PolyId> DigitProof::Span(const std::vector<ElementUse>& uses,
                                       const std::vector<Form>& forms, Facts& facts) {
  Polys& polys = symbolic_.polys();
  PolyId high = kNoPoly;
  PolyId low = kNoPoly;
  for (size_t k = 0; k < uses.size(); ++k) {
    const Form form = WithCounters(forms[k]);
    const auto upper = symbolic_.Upper(form, uses[k].scope, true, facts);
    const auto lower = symbolic_.Lower(form, uses[k].scope, true, facts);
    if (!upper || !lower) return std::nullopt;
    high = k == 0 ? *upper : polys.Max(high, *upper);
    low = k == 0 ? *lower : polys.Min(low, *lower);
  }
  const PolyId span = polys.Sub(high, low);
  return span == kNoPoly ? std::nullopt : std::optional(span);
}

// What the digits name: themselves, and what follows from them; `i // 32` names `i` where all uses
// are under `i % 32 == 0`.
std::vector<AtomId> DigitProof::Named(const std::vector<ElementUse>& uses, Facts& facts) const {
  std::vector<AtomId> named;
  for (const Digit& digit : digits_) {
    if (digit.atom == kNoAtom) continue;
    named.push_back(digit.atom);
    const auto is_its_remainder = [&](const Atom& atom) {
      return NameDivided(symbolic_, symbolic_.atom(digit.atom), atom);
    };
    const AtomId remainder = Pinned(symbolic_, uses, is_its_remainder, facts);
    if (remainder != kNoAtom) named.push_back(remainder);
  }
  const auto add = [&](AtomId quotient, AtomId remainder) {
    if (!NameDivided(symbolic_, symbolic_.atom(quotient), symbolic_.atom(remainder))) return;
    const AtomId divided = OnlyAtom(symbolic_, symbolic_.atom(remainder).base);
    const bool known = std::find(named.begin(), named.end(), divided) != named.end();
    if (divided != kNoAtom && !known) named.push_back(divided);
  };
  for (size_t i = 1; i < named.size(); ++i) {  // which grows
    for (size_t j = 0; j < i; ++j) {
      add(named[i], named[j]);
      add(named[j], named[i]);
    }
  }
  return named;
}

bool DigitProof::Run(const std::vector<ElementUse>& uses, Facts& facts) {
  Polys& polys = symbolic_.polys();
  Form identity;
  std::vector<Form> rests;
  for (size_t k = 0; k < uses.size(); ++k) {
    if (!uses[k].form.valid) return false;
    const Form whole = InSteps(uses[k].form, facts);
    Form own;
    Form rest = symbolic_.Constant(whole.constant);
    for (uint32_t i = 0; i < whole.size; ++i) {
      Form& to = IsIdentity(whole.terms[i]) ? own : rest;
      to.terms[to.size++] = whole.terms[i];
    }
    if (k == 0) identity = own;
    if (own != identity) return false;
    rests.push_back(rest);
    facts.push_back(uses[k].index);
    facts.Append(uses[k].loads);
  }
  if (!Collect(identity, uses.size(), facts) || !CollectOthers(rests, facts)) return false;
  std::sort(digits_.begin(), digits_.end(), [&](const Digit& a, const Digit& b) {
    return std::pair(symbolic_.WeightOf(a.factor), a.atom) <
           std::pair(symbolic_.WeightOf(b.factor), b.atom);
  });
  auto sum = Span(uses, rests, facts);
  for (const Digit& digit : digits_) {
    if (!sum) return false;
    if (!Demand(polys.Sub(polys.Add(*sum, kOne), digit.factor), facts)) return false;
    const auto range = Span(uses, digit.parts, facts);
    if (!range) return false;
    sum = polys.Add(*sum, polys.Mul(*range, digit.factor));
    if (*sum == kNoPoly) return false;
    // A guard may bound the digits so far together: `16 * block + lane < width`.
    for (size_t k = 0; k < uses.size(); ++k) {
      rests[k] = symbolic_.Add(rests[k], symbolic_.Scale(digit.parts[k], digit.factor));
    }
    Facts because;
    const auto together = Span(uses, rests, because);
    const PolyId less = together ? polys.Min(*sum, *together) : kNoPoly;
    if (less == kNoPoly || less == *sum) continue;
    sum = less;
    facts.Append(because);
  }
  if (!sum) return false;
  LaneCover cover(symbolic_, lanes_, pc_, slot_, Named(uses, facts), uses);
  const bool proved = cover.Run(facts);
  covered_ = cover.covered();
  return proved;
}

}  // namespace hologram::verify
