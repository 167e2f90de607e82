#include "verify/separation.h"

#include <algorithm>
#include <numeric>

#include "verify/launch_values.h"
#include "verify/own_shape.h"

namespace hologram::verify {
namespace {

constexpr int kMaxSplits = 6;
constexpr size_t kMaxEquations = 24;
constexpr Scope kAnywhere{0, kNone, true};

Wide Divisor(Wide a, Wide b) {
  while (b != 0) a = std::exchange(b, a % b);
  return a < 0 ? -a : a;
}

}  // namespace

bool Separation::Run(const ElementUse& x, const ElementUse& y, Facts& facts) {
  Facts own = {x.index, y.index};
  own.Append(x.loads);
  own.Append(y.loads);
  if (!InEachCase(x, y, 0, own)) return false;
  facts.Append(own);
  return true;
}

// The remainder by which ping-pong is made, `(s % 2) * n`, is looked at case by case.
bool Separation::InEachCase(const ElementUse& x, const ElementUse& y, int depth, Facts& facts) {
  constexpr int64_t kMostCases = 4;
  constexpr int kMaxRemainders = 2;
  if (!x.form.valid || !y.form.valid) return false;
  for (uint32_t i = 0; i < x.form.size && depth < kMaxRemainders; ++i) {
    const AtomId id = x.form.terms[i].atom;
    const auto divisor = symbolic_.polys().ConstantOf(symbolic_.atom(id).divisor);
    if (symbolic_.atom(id).kind != AtomKind::kRemainder || !divisor || *divisor > kMostCases ||
        x.form.FactorOf(id) == y.form.FactorOf(id) || !IsCommon(id)) {
      continue;
    }
    for (int64_t value = 0; value < *divisor; ++value) {
      ElementUse cases[] = {x, y};
      for (ElementUse& use : cases) {
        const Form change = symbolic_.Sub(symbolic_.Constant(symbolic_.polys().Constant(value)),
                                          symbolic_.OfAtom(id));
        use.form = symbolic_.Add(use.form, symbolic_.Scale(change, use.form.FactorOf(id)));
      }
      if (!InEachCase(cases[0], cases[1], depth + 1, facts)) return false;
    }
    return true;
  }
  return AreApart(x, y, facts);
}

bool Separation::AreApart(const ElementUse& x, const ElementUse& y, Facts& facts) {
  equations_.clear();
  shifts_.clear();
  partners_.clear();
  AddEquation(x.form, y.form);
  Facts own;
  if (!Follows(x, y, own) && !Apart(x, y, x.form, y.form, false, own) &&
      !Digits(x, y, false, own) && !Digits(x, y, true, own) &&
      !Apart(x, y, x.form, y.form, true, own)) {
    return false;
  }
  facts.Append(own);
  facts.Append(partners_);
  return true;
}

void Separation::AddEquation(const Form& x, const Form& y, int64_t modulus) {
  if (x.valid && y.valid && equations_.size() < kMaxEquations)
    equations_.push_back({x, y, modulus});
}

// What the equations say: that nobody can be at both places, or one lane alone.
bool Separation::Follows(const ElementUse& x, const ElementUse& y, Facts& facts) {
  if (Solve()) return true;
  for (size_t e = 0; e < equations_.size(); ++e) {
    Facts because;
    if (!PartnersMeet(equations_[e], x, y, because)) continue;
    facts.Append(because);
    return true;
  }
  Facts alone;
  if (IsOneLane(x, y, alone)) {
    facts.Append(alone);
    return true;
  }
  const size_t known = equations_.size();
  Facts because;
  AddParities(x, y, because);
  const bool found = Solve();
  if (found) facts.Append(because);
  equations_.resize(std::min(known, equations_.size()));
  return found;
}

// Takes the index apart into digits, which are all equal where the two meet.
bool Separation::Digits(const ElementUse& x, const ElementUse& y, bool constants, Facts& facts) {
  constexpr size_t kMostDigits = 6;
  const auto parts_of = [&](const ElementUse& use) {
    const isa::Instruction& i = context_.program.code[use.pc];
    const bool global = isa::IsGlobalAccess(i.op);
    const int64_t beyond = global ? i.displacement() / static_cast<int64_t>(SizeOf(i.type)) : 0;
    return PartsOf(symbolic_, {context_.program, context_.ssa, constants}, use.index, beyond,
                   use.form);
  };
  std::vector<IndexPart> in_x = parts_of(x);
  std::vector<IndexPart> in_y = parts_of(y);
  MatchUnits(symbolic_, in_x, in_y);
  const size_t count = in_x.size();
  if (count < 2 || count > kMostDigits) return false;
  Polys& polys = symbolic_.polys();
  Facts because;
  PolyId sum = kZero;
  for (size_t d = 0; d < count; ++d) {
    const PolyId excess = polys.Sub(polys.Add(sum, kOne), in_x[d].unit);
    if (!symbolic_.Require(ConditionKind::kRace, excess, pc_, slot_, kAnywhere, {}, because)) {
      return false;
    }
    if (d + 1 == count) break;
    const auto span = SpanOf(x, y, in_x[d].form, in_y[d].form, because);
    if (!span) return false;
    sum = polys.Add(sum, polys.Mul(*span, in_x[d].unit));
    if (sum == kNoPoly) return false;
  }
  const std::vector<Equation> equations = equations_;
  const std::vector<Shift> shifts = shifts_;
  for (size_t d = 0; d < count; ++d) AddEquation(in_x[d].form, in_y[d].form);
  bool proved = Follows(x, y, because);
  for (const bool demand : {false, true}) {
    for (size_t d = 0; d < count && !proved; ++d) {
      proved = Apart(x, y, in_x[d].form, in_y[d].form, demand, because);
    }
  }
  if (proved) {
    facts.Append(because);
  } else {
    equations_ = equations;
    shifts_ = shifts;
  }
  return proved;
}

// ---- Equations

// True if no two lanes satisfy them.
bool Separation::Solve() {
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t e = 0; e < equations_.size(); ++e) {  // there may come more
      const int64_t modulus = equations_[e].modulus;
      const Rest rest = RestOf(equations_[e]);
      if (!rest.usable) continue;
      const Wide divisor = Divisor(rest.divisor, modulus);
      if (divisor == 0 ? rest.amount != 0 : rest.amount % divisor != 0) return true;
      if (modulus == 0 && rest.num_unknown == 1) {
        changed |= AddShift(rest.unknown, rest.amount / rest.factor);
      }
    }
  }
  return false;
}

Separation::Rest Separation::RestOf(const Equation& equation) const {
  Rest rest;
  Polys& polys = symbolic_.polys();
  const auto constant = polys.ConstantOf(polys.Sub(equation.y.constant, equation.x.constant));
  if (!constant) return rest;
  rest.amount = *constant;
  rest.usable = true;
  const auto add = [&](AtomId atom) {
    const PolyId a = equation.x.FactorOf(atom);
    const PolyId b = equation.y.FactorOf(atom);
    if (a == b && ShiftOf(atom) == 0) return;
    const auto in_x = polys.ConstantOf(a);
    const auto in_y = polys.ConstantOf(b);
    if (!in_x || !in_y) {
      rest.usable = false;
    } else {
      AddTerm(atom, *in_x, *in_y, rest);
    }
  };
  for (uint32_t i = 0; i < equation.x.size; ++i) add(equation.x.terms[i].atom);
  for (uint32_t i = 0; i < equation.y.size; ++i) {
    if (equation.x.FactorOf(equation.y.terms[i].atom) == kZero) add(equation.y.terms[i].atom);
  }
  return rest;
}

void Separation::AddTerm(AtomId id, int64_t in_x, int64_t in_y, Rest& rest) const {
  const Atom& atom = symbolic_.atom(id);
  if (in_x != in_y) {
    rest.divisor = Divisor(Divisor(rest.divisor, in_x), in_y);
    rest.num_unknown += 2;
    return;
  }
  if (const auto shift = ShiftOf(id)) {
    rest.amount -= Wide{in_x} * *shift;
    return;
  }
  ++rest.num_unknown;
  rest.unknown = id;
  rest.factor = in_x;
  // The remainders differ by what was divided does, and perhaps the divisor.
  const auto divisor = symbolic_.polys().ConstantOf(atom.divisor);
  if (atom.kind == AtomKind::kRemainder && divisor) {
    if (const auto shift = ShiftOfForm(atom.base, kMaxSplits - 1)) {
      rest.amount -= Wide{in_x} * *shift;
      rest.divisor = Divisor(rest.divisor, Wide{in_x} * *divisor);
      ++rest.num_unknown;
      return;
    }
  }
  rest.divisor = Divisor(rest.divisor, in_x);
}

// By how much the one lane's value is more than the other's, if that follows.
std::optional<int64_t> Separation::ShiftOf(AtomId id, int depth) const {
  for (const Shift& shift : shifts_) {
    if (shift.atom == id) return shift.amount;
  }
  if (IsCommon(id)) return 0;
  if (depth > kMaxSplits) return std::nullopt;
  const Atom& atom = symbolic_.atom(id);
  if (atom.kind == AtomKind::kQuotient || atom.kind == AtomKind::kRemainder) {
    const auto shift = ShiftOfForm(atom.base, depth + 1);
    if (!shift || *shift == 0) return shift;
    const auto divisor = symbolic_.polys().ConstantOf(atom.divisor);
    if (!divisor || *shift % *divisor != 0) return std::nullopt;
    return atom.kind == AtomKind::kRemainder ? 0 : *shift / *divisor;
  }
  const auto named = NamedBy(id);
  if (named && ShiftOfForm(*named, depth + 1) == 0) return 0;
  return std::nullopt;
}

std::optional<int64_t> Separation::ShiftOfForm(const Form& form, int depth) const {
  Wide sum = 0;
  for (uint32_t i = 0; i < form.size; ++i) {
    const auto shift = ShiftOf(form.terms[i].atom, depth);
    if (!shift) return std::nullopt;
    if (*shift == 0) continue;
    const auto factor = symbolic_.polys().ConstantOf(form.terms[i].factor);
    if (!factor) return std::nullopt;
    sum += Wide{*factor} * *shift;
  }
  if (sum < -kMostShift || sum > kMostShift) return std::nullopt;
  return static_cast<int64_t>(sum);
}

bool Separation::AddShift(AtomId id, Wide amount) {
  if (amount < -kMostShift || amount > kMostShift) return false;
  shifts_.push_back({id, static_cast<int64_t>(amount)});
  if (amount != 0) return true;
  if (const auto named = NamedBy(id)) AddEquation(*named, *named);
  // Quotient and remainder name what was divided.
  for (const Shift& other : shifts_) {
    if (other.amount != 0) continue;
    for (const bool swap : {false, true}) {
      const Atom& quotient = symbolic_.atom(swap ? other.atom : id);
      const Atom& remainder = symbolic_.atom(swap ? id : other.atom);
      if (NameDivided(symbolic_, quotient, remainder)) AddEquation(remainder.base, remainder.base);
    }
  }
  return true;
}

// ---- Parities: `(x + y) % 2 == colour`

// The value of a remainder that a guard leaves no other one.
std::optional<Form> Separation::PinnedRemainder(const Guard& guard, AtomId& found) {
  for (uint32_t i = 0; i < guard.form.size; ++i) {
    const Atom& atom = symbolic_.atom(guard.form.terms[i].atom);
    const auto factor = symbolic_.polys().ConstantOf(guard.form.terms[i].factor);
    if (atom.kind != AtomKind::kRemainder || !factor || (*factor != 1 && *factor != -1)) continue;
    found = guard.form.terms[i].atom;
    const Form alone = symbolic_.Scale(symbolic_.OfAtom(found), guard.form.terms[i].factor);
    const Form rest = symbolic_.Sub(guard.form, alone);
    const Form value = *factor == 1 ? symbolic_.Scale(rest, symbolic_.MinusOne()) : rest;
    if (guard.equality) return value;
    // At least the largest one, or at most the least.
    const PolyId last = symbolic_.polys().Sub(atom.divisor, kOne);
    if (value == symbolic_.Constant(*factor == 1 ? last : kZero)) return value;
  }
  return std::nullopt;
}

void Separation::AddParities(const ElementUse& x, const ElementUse& y, Facts& facts) {
  struct Pinned {
    AtomId remainder;
    Form value;
  };
  std::vector<Pinned> pinned[2];
  for (const bool second : {false, true}) {
    symbolic_.ForEachGuard(second ? y.scope : x.scope, [&](const Guard& guard) {
      AtomId remainder = 0;
      const auto value = PinnedRemainder(guard, remainder);
      if (value) {
        pinned[second ? 1 : 0].push_back({remainder, *value});
        facts.Append(guard.facts);
      }
      return true;
    });
  }
  for (const Pinned& a : pinned[0]) {
    for (const Pinned& b : pinned[1]) {
      const Atom first = symbolic_.atom(a.remainder);
      const Atom second = symbolic_.atom(b.remainder);
      const auto modulus = symbolic_.polys().ConstantOf(first.divisor);
      if (!modulus || first.divisor != second.divisor) continue;
      AddEquation(symbolic_.Sub(first.base, a.value), symbolic_.Sub(second.base, b.value),
                  *modulus);
    }
  }
}

// ---- Partners, each of which is that of the other: `i ^ mask`, `n - i`

// What the value is the partner of.
std::optional<Form> Separation::PartnerOf(AtomId id) const {
  const ValueId v = symbolic_.atom(id).value;
  if (symbolic_.atom(id).kind != AtomKind::kOpaque || v == kNone) return std::nullopt;
  const Value& value = context_.ssa.values[v];
  if (value.kind != ValueKind::kInstruction ||
      context_.program.code[value.place].op != isa::Opcode::kXor) {
    return std::nullopt;
  }
  const auto& reads = context_.ssa.reads[value.place];
  for (const bool second : {true, false}) {
    const ValueId mask = reads[second ? 1 : 0];
    const Form form = symbolic_.FormOf(mask);
    bool common = form.valid;
    for (uint32_t i = 0; i < form.size; ++i) common &= IsCommon(form.terms[i].atom);
    if (!common) continue;
    const ValueId of = reads[second ? 0 : 1];
    partners_.push_back(of);
    partners_.push_back(mask);
    return symbolic_.FormOf(of);
  }
  return std::nullopt;
}

// What is equal in two lanes in which the value is: numbers whose exclusive or with one mask is
// equal; the elements of a unique array that equal values were loaded from.
std::optional<Form> Separation::NamedBy(AtomId id) const {
  if (const UniqueLoad* const load = context_.find_unique_load(id)) {
    partners_.Append(load->facts);
    return load->element;
  }
  return PartnerOf(id);
}

// `i ^ mask`, or `n - i`, of the number `i`.
bool Separation::ArePartners(const Form& number, const Form& other) const {
  const Form sum = symbolic_.Add(number, other);
  if (sum.valid && std::all_of(sum.terms.begin(), sum.terms.begin() + sum.size,
                               [&](const auto& term) { return IsCommon(term.atom); })) {
    return true;
  }
  if (other.size != 1 || other.terms[0].factor != kOne || other.constant != kZero) return false;
  const auto partner = PartnerOf(other.terms[0].atom);
  return partner && *partner == number;
}

// A lane's number is the other's partner, so its partner is the other's number. Both lanes are the
// lesser (or the greater) ones of their pairs, which only one of a pair is.
bool Separation::PartnersMeet(const Equation& equation, const ElementUse& x, const ElementUse& y,
                              Facts& facts) {
  if (equation.modulus != 0) return false;
  for (const bool swap : {false, true}) {
    const Form& number = swap ? equation.y : equation.x;
    const Form& other = swap ? equation.x : equation.y;
    if (!ArePartners(number, other)) continue;
    for (const bool greater : {true, false}) {
      const Form excess = greater ? symbolic_.Sub(number, other) : symbolic_.Sub(other, number);
      Facts because;
      PolyId most = kOne;
      for (const ElementUse* use : {&x, &y}) {
        const auto high = symbolic_.Upper(excess, use->scope, true, because);
        most = symbolic_.polys().Add(most, high.value_or(kNoPoly));
      }
      if (!symbolic_.polys().NeverPositive(most)) continue;
      facts.Append(because);
      return true;
    }
  }
  return false;
}

// ---- Lanes and ranges

bool Separation::IsCommon(AtomId id, int depth) const {
  const Atom& atom = symbolic_.atom(id);
  if (atom.kind != AtomKind::kQuotient && atom.kind != AtomKind::kRemainder) {
    return context_.is_common(id);
  }
  return depth < kMaxSplits &&
         std::all_of(
             atom.base.terms.begin(), atom.base.terms.begin() + atom.base.size,
             [&](const auto& term) { return IsCommon(term.atom, depth + 1); });
}

bool Separation::Mentions(const Form& form, int dimension, int depth) const {
  if (depth > kMaxSplits) return false;
  for (uint32_t i = 0; i < form.size; ++i) {
    const Atom& atom = symbolic_.atom(form.terms[i].atom);
    switch (atom.kind) {
      case AtomKind::kGlobal:
      case AtomKind::kLane:
      case AtomKind::kBlock:
        if (atom.dimension == dimension) return true;
        break;
      case AtomKind::kQuotient:
      case AtomKind::kRemainder:
        if (Mentions(atom.base, dimension, depth + 1)) return true;
        break;
      default: {
        const auto named = NamedBy(form.terms[i].atom);
        if (named && Mentions(*named, dimension, depth + 1)) return true;
      }
    }
  }
  return false;
}

bool Separation::IsOneLane(const ElementUse& x, const ElementUse& y, Facts& facts) {
  std::vector<AtomId> named;
  bool any = false;
  for (const Shift& shift : shifts_) {
    if (shift.amount != 0) continue;
    named.push_back(shift.atom);
    const AtomKind kind = symbolic_.atom(shift.atom).kind;
    any |= kind == AtomKind::kGlobal || kind == AtomKind::kLane || kind == AtomKind::kBlock;
  }
  const std::vector<ElementUse> uses = {x, y};
  LaneCover cover(symbolic_, context_.lanes, pc_, slot_, std::move(named), uses);
  // A launch need not be small in a dimension that the indices look at.
  for (int d = 0; d < 3; ++d) {
    const bool looked_at = Mentions(x.form, d, 0) || Mentions(y.form, d, 0);
    if (looked_at && !cover.Covers(d, facts)) return false;
  }
  return cover.Run(facts) && (any || cover.covered());
}

// The parts that are the same in both are left out.
std::pair<Form, Form> Separation::WithoutCommon(const Form& x, const Form& y) {
  Form common;
  for (uint32_t i = 0; i < x.size; ++i) {
    const Form::Term& term = x.terms[i];
    if (y.FactorOf(term.atom) == term.factor && IsCommon(term.atom)) {
      common.terms[common.size++] = term;
    }
  }
  return {symbolic_.Sub(x, common), symbolic_.Sub(y, common)};
}

std::optional<PolyId> Separation::SpanOf(const ElementUse& x, const ElementUse& y, const Form& in_x,
                                         const Form& in_y, Facts& facts) {
  Polys& polys = symbolic_.polys();
  const auto [first, second] = WithoutCommon(in_x, in_y);
  const auto high_x = symbolic_.Upper(first, x.scope, true, facts);
  const auto high_y = symbolic_.Upper(second, y.scope, true, facts);
  const auto low_x = symbolic_.Lower(first, x.scope, true, facts);
  const auto low_y = symbolic_.Lower(second, y.scope, true, facts);
  if (!high_x || !high_y || !low_x || !low_y) return std::nullopt;
  const PolyId span = polys.Sub(polys.Max(*high_x, *high_y), polys.Min(*low_x, *low_y));
  return span == kNoPoly ? std::nullopt : std::optional(span);
}

// Bounds may rest on the sign of a stride, which is a demand on the launch.
bool Separation::AsksForSigns(const Facts& facts) const {
  return std::any_of(facts.begin(), facts.end(), [&](Fact fact) {
    return (fact & kConditionBit) != 0 &&
           symbolic_.condition(fact & ~kConditionBit).kind == ConditionKind::kInBounds;
  });
}

// One range ends before the other begins: always, or if the launch is asked for it, where that is
// no idle question.
bool Separation::Apart(const ElementUse& x, const ElementUse& y, const Form& in_x, const Form& in_y,
                       bool demand, Facts& facts) {
  Polys& polys = symbolic_.polys();
  const auto [first, second] = WithoutCommon(in_x, in_y);
  int best = Polys::kSamples / 2 + 1;
  PolyId demanded = kNoPoly;
  Facts best_because;
  for (const bool swap : {false, true}) {
    Facts because;
    const auto end = swap ? symbolic_.Upper(second, y.scope, true, because)
                          : symbolic_.Upper(first, x.scope, true, because);
    const auto begin = swap ? symbolic_.Lower(first, x.scope, true, because)
                            : symbolic_.Lower(second, y.scope, true, because);
    if (!end || !begin) continue;
    const PolyId overlap = polys.Add(polys.Sub(*end, *begin), kOne);
    if (overlap == kNoPoly) continue;
    if (polys.NeverPositive(overlap) && (demand || !AsksForSigns(because))) {
      facts.Append(because);
      return true;
    }
    const auto own = AtOwnShape(polys, context_.program, overlap);
    const int positive = !own ? polys.SamplesAbove(overlap) : *own > 0 ? Polys::kSamples : 0;
    if (positive >= best) continue;
    best = positive;
    demanded = overlap;
    best_because = because;
  }
  if (!demand || demanded == kNoPoly ||
      !symbolic_.Require(ConditionKind::kRace, demanded, pc_, slot_, kAnywhere, {}, best_because)) {
    return false;
  }
  facts.Append(best_because);
  return true;
}

}  // namespace hologram::verify
