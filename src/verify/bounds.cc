// Bounds: atoms are eliminated one at a time, the youngest first, each by one of the bounds that it
// has by itself or by a guard that holds in the scope. What several ways give is combined by a
// minimum that the launch evaluates.
#include <algorithm>

#include "verify/symbolic.h"

namespace hologram::verify {
namespace {
constexpr int kMaxElimination = 7;
constexpr int kMaxGuardTrials = 4;

// The size of a block less something: `256 - 2 * halo`. Of `n - 2` and `1 - stride` one knows which
// sign is meant, and asks for that.
bool MayHaveEitherSign(Polys::Terms factor) {
  constexpr int64_t kBlock = 16;
  if (factor.size() < 2 || factor[0].symbols != 0) return false;
  const bool positive = factor[0].factor > 0;
  return (positive ? factor[0].factor >= kBlock : factor[0].factor <= -kBlock) &&
         std::all_of(factor.begin() + 1, factor.end(),
                     [&](const Polys::Term& term) { return (term.factor > 0) != positive; });
}
}  // namespace

std::optional<PolyId> Symbolic::Upper(const Form& form, const Scope& scope, bool narrow,
                                      Facts& facts) {
  // The bound of a quotient asks for that of its dividend, which a guard may bound by the quotient.
  constexpr int kMaxNesting = 5;
  if (nesting_ >= kMaxNesting) return std::nullopt;
  ++nesting_;
  const auto upper = Search(form, scope, narrow, 0, facts);
  --nesting_;
  return upper;
}

std::optional<PolyId> Symbolic::Lower(const Form& form, const Scope& scope, bool narrow,
                                      Facts& facts) {
  const auto upper = Upper(Scale(form, MinusOne()), scope, narrow, facts);
  if (!upper) return std::nullopt;
  const PolyId lower = polys_.Scale(*upper, -1);
  return lower == kNoPoly ? std::nullopt : std::optional(lower);
}

std::optional<PolyId> Symbolic::Search(const Form& form, const Scope& scope, bool narrow, int depth,
                                       Facts& facts) {
  if (!form.valid || ++work_ > kMaxWork) return std::nullopt;
  if (form.size == 0) return form.constant;
  if (depth > kMaxElimination) return std::nullopt;
  // The youngest one, but factors of either sign wait: another atom may take them along.
  uint32_t last = form.size - 1;
  const auto waits = [&](uint32_t term) {
    const PolyId of = form.terms[term].factor;
    return of != kNoPoly && MayHaveEitherSign(polys_.Get(of));
  };
  while (last > 0 && waits(last)) --last;
  if (waits(last)) last = form.size - 1;
  const AtomId id = form.terms[last].atom;
  const PolyId factor = form.terms[last].factor;
  if (factor == kNoPoly) return std::nullopt;
  Form rest = form;
  std::copy(rest.terms.begin() + last + 1, rest.terms.begin() + rest.size,
            rest.terms.begin() + last);
  rest.terms[--rest.size] = {};
  bool falling = polys_.RangeOf(factor).high <= 0;
  if (!falling && !polys_.NeverNegative(factor)) {
    if (const auto whole = WholeGuard(form, scope, facts)) return whole;
    if (const auto either = SearchEitherSign(form, factor, scope, narrow, depth, facts)) {
      return either;
    }
    // -s * i asks for the same sign of s as s * i, and (1 - s) * i for that of s - 1.
    const Polys::Terms terms = polys_.Get(factor);
    falling = !terms.empty() && terms.back().factor < 0;
    if (!Nonnegative(falling ? polys_.Scale(factor, -1) : factor, facts)) return std::nullopt;
  }
  if (atoms_[id].kind == AtomKind::kOpaque) AddHull(id, !falling);

  Elimination elimination{form, rest, id, factor, falling, kNoPoly, {}, {}};
  AddOwnBounds(elimination, scope, narrow);
  AddGuards(elimination, scope);
  std::optional<PolyId> best;
  Facts best_facts;
  const auto consider = [&](const Form& replaced, const Facts& because) {
    Facts trial = because;
    const auto result = Search(replaced, scope, narrow, depth + 1, trial);
    if (!result || *result == best) return;
    const PolyId least = best ? polys_.Min(*best, *result) : *result;
    if (least == kNoPoly || least == best) return;
    if (least == *result) best_facts.clear();
    best = least;
    best_facts.Append(trial);
  };
  if (elimination.end != kNoPoly) {
    consider(Add(rest, Constant(polys_.Mul(elimination.end, factor))), elimination.facts);
  }
  for (const AtomBound& other : elimination.others) consider(other.form, other.facts);
  if (best) facts.Append(best_facts);
  return best;
}

// A branch that compares the form itself, or the form and something known at launch, bounds it
// whatever the signs of its factors are.
std::optional<PolyId> Symbolic::WholeGuard(const Form& form, const Scope& scope, Facts& facts) {
  std::optional<PolyId> least;
  Facts because;
  ForEachGuard(scope, [&](const Guard& guard) {
    if (guard.form.size != form.size) return true;
    const Form sum = Add(form, guard.form);
    if (!sum.valid || sum.size != 0) return true;
    const PolyId bound = least ? polys_.Min(*least, sum.constant) : sum.constant;
    if (bound == kNoPoly || bound == least) return true;
    if (bound == sum.constant) because.clear();
    least = bound;
    because.Append(guard.facts);
    return true;
  });
  if (least) facts.Append(because);
  return least;
}

// A stride of either sign, as of an array that is read backwards: the larger of the products with
// both ends of what it multiplies, where the launch knows them. That is a sum where several atoms
// have it: `stride * (16 * block + lane)`, whose ends a guard may know where those of its parts are
// too wide.
std::optional<PolyId> Symbolic::SearchEitherSign(const Form& form, PolyId factor,
                                                 const Scope& scope, bool narrow, int depth,
                                                 Facts& facts) {
  const Polys::Terms stride = polys_.Get(factor);
  const bool single = stride.size() == 1;
  if (!single && !MayHaveEitherSign(stride)) return std::nullopt;
  const PolyId unit = single ? polys_.OfTerm({1, stride[0].symbols}) : factor;
  Form rest = Constant(form.constant);
  Form sum;
  for (uint32_t i = 0; i < form.size; ++i) {
    const PolyId times =
        form.terms[i].factor == unit ? kOne : polys_.ExactQuotient(form.terms[i].factor, unit);
    const bool has_it = times != kNoPoly && polys_.IsConstant(times);
    Form& part = has_it ? sum : rest;
    part.terms[part.size++] = {form.terms[i].atom, has_it ? times : form.terms[i].factor};
  }
  Facts because;
  const auto low = Lower(sum, scope, narrow, because);
  const auto high = low ? Upper(sum, scope, narrow, because) : std::nullopt;
  if (!high) return std::nullopt;
  const PolyId at_low = polys_.Mul(*low, unit);
  const PolyId at_high = polys_.Mul(*high, unit);
  if (at_low == kNoPoly || at_high == kNoPoly) return std::nullopt;
  const PolyId largest = at_low == at_high ? at_low : polys_.Max(at_low, at_high);
  if (largest == kNoPoly) return std::nullopt;
  const auto result = Search(Add(rest, Constant(largest)), scope, narrow, depth + 1, because);
  if (result) facts.Append(because);
  return result;
}

// All bounds of the atom that are known at launch become one.
void Symbolic::Elimination::Known(Polys& polys, PolyId bound, const Facts& because) {
  if (bound == kNoPoly || bound == end) return;
  const PolyId both =
      end == kNoPoly ? bound : (falling ? polys.Max(end, bound) : polys.Min(end, bound));
  if (both == kNoPoly || both == end) return;
  if (both == bound) facts.clear();
  end = both;
  facts.Append(because);
}

// What the atom is bounded by wherever it exists.
void Symbolic::AddOwnBounds(Elimination& e, const Scope& scope, bool narrow) {
  const auto bounds = [&]() -> const std::vector<AtomBound>& {
    return e.falling ? atoms_[e.atom].lowers : atoms_[e.atom].uppers;
  };
  for (size_t k = 0; k < bounds().size(); ++k) {
    const AtomBound bound = bounds()[k];  // by copy: sums of forms may add atoms
    if (bound.form.size == 0) {
      e.Known(polys_, bound.form.constant, bound.facts);
    } else {
      e.others.push_back({Add(e.rest, Scale(bound.form, e.factor)), bound.facts});
    }
  }
  const Atom& atom = atoms_[e.atom];
  if (atom.kind == AtomKind::kRemainder) {
    e.Known(polys_, e.falling ? kZero : polys_.Add(atom.divisor, MinusOne()), {});
  } else if (atom.kind == AtomKind::kQuotient) {
    const Form base = atom.base;
    const PolyId divisor = atom.divisor;
    Facts because;
    const auto end =
        e.falling ? Lower(base, scope, narrow, because) : Upper(base, scope, narrow, because);
    if (end) e.Known(polys_, polys_.FloorDiv(*end, divisor), because);
  } else if (narrow && atom.kind == AtomKind::kOpaque) {
    // Of wide types, only that data without sign is not negative: `if j < n: x[j]`.
    const bool small = atom.range.high - atom.range.low <= 255;
    if (small || (e.falling && atom.range.low == 0)) {
      e.Known(polys_, polys_.Constant(e.falling ? atom.range.low : atom.range.high), {});
    }
  }
}

// Guards that bound the atom on the side that is needed.
void Symbolic::AddGuards(Elimination& e, const Scope& scope) {
  int trials = 0;
  ForEachGuard(scope, [&](const Guard& guard) {
    const PolyId weight = guard.form.FactorOf(e.atom);
    if (weight == kZero) {
      AddQuotientGuard(e, guard, scope);
      return true;
    }
    const auto constant = polys_.ConstantOf(weight);
    const bool unit = constant && *constant == (e.falling ? 1 : -1);
    if (unit && guard.form.size == 1) {
      const PolyId bound = guard.form.constant;
      Facts because = guard.facts;
      const PolyId end = LastStep(e, e.falling ? polys_.Scale(bound, -1) : bound, because);
      e.Known(polys_, end, because);
      return true;
    }
    // The guard times `times` is added, which must cancel the atom and not be negative.
    PolyId times = kNoPoly;
    if (unit) {
      times = e.falling ? polys_.Scale(e.factor, -1) : e.factor;
    } else if (polys_.Add(weight, e.factor) == kZero) {
      times = kOne;
    } else {
      // `width` for `stride * y < height` and `stride * width * y`
      const PolyId ratio = polys_.ExactQuotient(e.factor, weight);
      times = ratio == kNoPoly ? kNoPoly : polys_.Scale(ratio, -1);
      if (!polys_.NeverNegative(times)) return true;
    }
    if (times == kNoPoly) return true;
    if (e.others.empty()) e.others.reserve(kMaxGuardTrials);
    e.others.push_back({Add(e.form, Scale(guard.form, times)), guard.facts});
    return ++trials < kMaxGuardTrials;
  });
}

// The last value within a bound that a counter has: 24 of `range(0, 32, 8)`, where the branch only
// says that it is below 32.
PolyId Symbolic::LastStep(const Elimination& e, PolyId bound, Facts& because) {
  const Atom& counter = atoms_[e.atom];
  const auto step = polys_.ConstantOf(counter.step);
  const auto end = polys_.ConstantOf(bound);
  const auto start =
      counter.start.size == 0 ? polys_.ConstantOf(counter.start.constant) : std::nullopt;
  if (counter.kind != AtomKind::kLoop || !step || !end || !start) return bound;
  if (e.falling ? *step >= -1 : *step <= 1) return bound;
  const Wide size = e.falling ? -Wide{*step} : Wide{*step};
  const Wide room = e.falling ? Wide{*start} - *end : Wide{*end} - *start;
  // With no room the branch lets no lane through; any bound is true then, and this one is theirs.
  if (room < 0 || room % size == 0) return bound;
  because.Append(counter.counted);
  return polys_.Constant(e.falling ? *end + room % size : *end - room % size);
}

// A guard that bounds a quotient bounds what was divided: `t // n < n - 1` is t < n * (n - 1). The
// same one step on, where it is the remainder of another division that was divided.
void Symbolic::AddQuotientGuard(Elimination& e, const Guard& guard, const Scope& scope) {
  if (guard.form.size != 1) return;
  const auto weight = polys_.ConstantOf(guard.form.terms[0].factor);
  if (!weight || *weight != (e.falling ? 1 : -1)) return;
  const Atom& quotient = atoms_[guard.form.terms[0].atom];
  if (quotient.kind != AtomKind::kQuotient || quotient.base.size != 1) return;
  if (quotient.base.terms[0].factor != kOne) return;
  const auto of_base = [&](PolyId end, PolyId divisor) {
    const PolyId product = polys_.Mul(end, divisor);
    return e.falling ? product : polys_.Add(product, polys_.Sub(divisor, kOne));
  };
  const PolyId last = e.falling ? polys_.Scale(guard.form.constant, -1) : guard.form.constant;
  PolyId end = polys_.Sub(of_base(last, quotient.divisor), quotient.base.constant);
  const Atom& base = atoms_[quotient.base.terms[0].atom];
  Facts because = guard.facts;
  if (quotient.base.terms[0].atom != e.atom) {
    if (base.kind != AtomKind::kRemainder || base.base != OfAtom(e.atom)) return;
    const PolyId divisor = base.divisor;
    const Form whole = OfAtom(QuotientAtom(AtomKind::kQuotient, OfAtom(e.atom), divisor));
    const auto blocks =
        e.falling ? Lower(whole, scope, true, because) : Upper(whole, scope, true, because);
    if (!blocks) return;
    end = polys_.Add(polys_.Mul(*blocks, divisor), end);
  }
  e.Known(polys_, end, because);
}

// Sizes and strides are not negative in any sensible launch: where the type allows it, the launch
// must not do it.
bool Symbolic::Nonnegative(PolyId p, Facts& facts) {
  if (polys_.NeverNegative(p)) return true;
  const PolyId value = polys_.Scale(p, -1);
  if (p == kNoPoly || value == kNoPoly) return false;
  if (polys_.RangeOf(p).high < 0) return false;
  facts.push_back(AddCondition({ConditionKind::kInBounds, value, 0, kNone, false, false, {}}));
  return true;
}

// Bounds of a phi, select, minimum or maximum by the bounds of all that can become its value.
void Symbolic::AddHull(AtomId id, bool upper) {
  const ValueId v = atoms_[id].value;
  if (v == kNone || atoms_[id].hull_done[upper]) return;
  atoms_[id].hull_done[upper] = true;
  const Value& value = ssa_.values[v];
  std::vector<std::pair<ValueId, Scope>> sources;
  if (value.kind == ValueKind::kPhi) {
    const auto operands = ssa_.OperandsOf(cfg_, v);
    const std::vector<uint32_t>& from = cfg_.blocks[value.place].predecessors;
    for (size_t k = 0; k < from.size(); ++k) {
      sources.emplace_back(operands[k], *EdgeScope(from[k], value.place));
    }
  } else if (value.kind == ValueKind::kInstruction && IsInteger(types_[v])) {
    const isa::Instruction& i = program_.code[value.place];
    const auto& reads = ssa_.reads[value.place];
    const uint32_t block = cfg_.block_of[value.place];
    if (i.op == isa::Opcode::kSel) {
      const ValueId p = ssa_.predicate_reads[value.place][0];
      sources = {{reads[0], {block, p, true}}, {reads[1], {block, p, false}}};
    } else if (i.op == (upper ? isa::Opcode::kMax : isa::Opcode::kMin)) {
      sources = {{reads[0], {block, kNone, true}}, {reads[1], {block, kNone, true}}};
    }
  }
  PolyId hull = kNoPoly;
  Facts facts;
  for (const auto& [source, scope] : sources) {
    const Form form = FormOf(source);
    const auto bound = upper ? Upper(form, scope, true, facts) : Lower(form, scope, true, facts);
    if (!bound) return;
    facts.push_back(source);
    hull = hull == kNoPoly ? *bound : (upper ? polys_.Max(hull, *bound) : polys_.Min(hull, *bound));
    if (hull == kNoPoly) return;
  }
  if (hull == kNoPoly) return;
  (upper ? atoms_[id].uppers : atoms_[id].lowers).push_back({Constant(hull), std::move(facts)});
}

Fact Symbolic::AddCondition(Obligation condition) {
  conditions_.push_back(std::move(condition));
  return kConditionBit | static_cast<Fact>(conditions_.size() - 1);
}

// If no lane gets to the scope, the condition need not hold: a guard whose form is negative even at
// its largest lets nobody through.
PolyId Symbolic::Relax(PolyId value, const Scope& scope, Facts& facts, bool& always) {
  constexpr int kMaxRelaxations = 2;
  int left = kMaxRelaxations;
  PolyId relaxed = value;
  ForEachGuard(scope, [&](Guard& guard) {
    if (!guard.largest_known) {
      guard.largest_known = true;
      guard.largest_facts = guard.facts;
      // In no scope: block 0 has no guards.
      guard.largest = Upper(guard.form, {0, kNone, true}, true, guard.largest_facts);
    }
    const std::optional<PolyId> largest = guard.largest;
    const Facts& because = guard.largest_facts;
    if (!largest || polys_.IsConstant(*largest)) return true;
    const PolyId admits = polys_.Add(*largest, kOne);  // <= 0: nobody gets through
    if (polys_.SumNeverPositive(value, *largest, 1).value_or(false)) {
      facts.Append(because);
      always = true;
      return false;
    }
    if (polys_.SumNeverPositive(value, admits, -1).value_or(true)) return true;
    const PolyId either = polys_.Min(relaxed, admits);
    if (either == kNoPoly || either == relaxed) return true;
    relaxed = either;
    facts.Append(because);
    return --left > 0;
  });
  return relaxed;
}

bool Symbolic::Require(ConditionKind kind, PolyId value, uint32_t pc, uint32_t slot,
                       const Scope& scope, const Facts& proof, Facts& facts) {
  if (value == kNoPoly) return false;
  if (polys_.NeverPositive(value)) {
    facts.Append(proof);
    return true;
  }
  if (polys_.RangeOf(value).low > 0) return false;
  Obligation condition{kind, value, pc, slot, false, false, proof, value};
  condition.value = Relax(value, scope, condition.facts, condition.always);
  facts.push_back(AddCondition(std::move(condition)));
  return true;
}

std::optional<std::vector<uint32_t>> Symbolic::Either(const std::vector<uint32_t>& a,
                                                      const std::vector<uint32_t>& b, uint32_t pc,
                                                      uint32_t slot) {
  const auto has = [this](const std::vector<uint32_t>& list, uint32_t c) {
    return std::any_of(list.begin(), list.end(), [&](uint32_t other) {
      return conditions_[other].value == conditions_[c].value;
    });
  };
  std::vector<uint32_t> both;
  PolyId worst[2] = {kNoPoly, kNoPoly};
  for (const bool second : {false, true}) {
    for (const uint32_t c : second ? b : a) {
      if (has(second ? a : b, c)) {
        if (!second) both.push_back(c);
        continue;
      }
      PolyId& value = worst[second ? 1 : 0];
      value = value == kNoPoly ? conditions_[c].value : polys_.Max(value, conditions_[c].value);
      if (value == kNoPoly) return std::nullopt;
    }
    // It wants nothing that the other does not want.
    if (worst[second ? 1 : 0] == kNoPoly) return second ? b : a;
  }
  const PolyId least = polys_.Min(worst[0], worst[1]);
  if (least == kNoPoly) return std::nullopt;
  both.push_back(AddCondition({ConditionKind::kRace, least, pc, slot, false, false, {}}) &
                 ~kConditionBit);
  return both;
}

bool Symbolic::RestsOn(ValueId v, const std::vector<bool>& checked) {
  settled_.resize(ssa_.values.size(), false);
  if (OutOfBudget()) return false;
  if (settled_[v]) return true;
  std::vector<uint32_t> conditions;
  if (!value_facts_[v].empty() && !Closure({v}, conditions)) return false;
  for (const uint32_t c : conditions) {
    if (c >= checked.size() || !checked[c]) return false;
  }
  // Whatever was met on the way rests on a part of the same.
  for (const Fact fact : value_facts_[v]) {
    if ((fact & kConditionBit) == 0) settled_[fact] = true;
  }
  settled_[v] = true;
  return true;
}

bool Symbolic::Closure(const Facts& facts, std::vector<uint32_t>& conditions) {
  if (OutOfBudget()) return false;
  ++closure_;
  seen_value_.resize(ssa_.values.size(), 0);
  seen_condition_.resize(conditions_.size(), 0);
  std::vector<const Facts*>& stack = closure_stack_;
  stack.assign(1, &facts);
  while (!stack.empty()) {
    const Facts& list = *stack.back();
    stack.pop_back();
    for (const Fact fact : list) {
      if ((fact & kConditionBit) == 0) {
        if (seen_value_[fact] == closure_) continue;
        seen_value_[fact] = closure_;
        ++closure_work_;
        if (!value_facts_[fact].empty()) stack.push_back(&value_facts_[fact]);
        continue;
      }
      const uint32_t c = fact & ~kConditionBit;
      if (seen_condition_[c] == closure_) continue;
      seen_condition_[c] = closure_;
      ++closure_work_;
      if (conditions_[c].failed) return false;
      if (!conditions_[c].always) conditions.push_back(c);
      stack.push_back(&conditions_[c].facts);
    }
  }
  return true;
}

}  // namespace hologram::verify
