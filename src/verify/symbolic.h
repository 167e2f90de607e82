// Integer values as exact linear forms, what branches say about them, and bounds in terms of what
// is known at launch. This is the part of the verifier that proofs rest on.
//
// A form is a sum of atoms (ids, loop counters, quotients, opaque data) times polynomials over
// launch symbols. Machine integers wrap, forms do not, so every arithmetic instruction that a form
// looks through must be shown not to wrap, at once or by a condition on the launch. What a fact
// rests on is recorded as a list of `Fact`s: a value (the form of that value is exact) or a
// condition. A proof counts only if the closure of its facts holds no failed condition, and it
// brings all conditions of the closure into the launch check.
//
// Why using guards to show that something does not wrap is not circular: only guards that dominate
// the instruction itself are used, so by induction over the steps of a lane every form was exact
// when the instruction was reached.
//
// forms.cc: forms and atoms. values.cc: instructions. guards.cc: branches. choices.cc: conditions
// in variables. loops.cc: counters. bounds.cc: bounds and conditions. Tested by tests/verify.
#pragma once

#include <span>

#include "verify/divergence.h"
#include "verify/launch_polynomials.h"
#include "verify/small_vector.h"
#include "verify/ssa.h"

namespace hologram::verify {

using AtomId = uint16_t;

struct Form {
  struct Term {
    AtomId atom = 0;
    PolyId factor = kZero;
    bool operator==(const Term&) const = default;
  };
  static constexpr uint32_t kMaxTerms = 6;
  std::array<Term, kMaxTerms> terms{};  // by atom, ascending; no zero factors
  uint32_t size = 0;
  PolyId constant = kZero;
  bool valid = true;  // false: too large; carries no information

  bool operator==(const Form&) const = default;
  PolyId FactorOf(AtomId atom) const {
    for (uint32_t i = 0; i < size; ++i) {
      if (terms[i].atom == atom) return terms[i].factor;
    }
    return kZero;
  }
};

// Orders factors by what they are likely to be: constants by size, then products by their degree;
// the strides of one array with the last dimension first.
struct FactorWeight {
  int degree = 0;
  Wide factor = 0;
  int dimension = 0;
  auto operator<=>(const FactorWeight&) const = default;
};

using Fact = uint32_t;  // a ValueId, or a condition with the top bit set
using Facts = SmallVector<Fact, 6>;
inline constexpr Fact kConditionBit = uint32_t{1} << 31;

// Holds if value <= 0.
struct Obligation {
  ConditionKind kind = ConditionKind::kNoWrap;
  PolyId value = kZero;
  uint32_t pc = 0;
  uint32_t slot = 0;
  bool failed = false;  // not proved under any condition
  bool always = false;  // holds in every launch, given its facts
  Facts facts;
  PolyId wanted = kNoPoly;  // its value where lanes get to where it is demanded
};

enum class AtomKind : uint8_t { kLane, kBlock, kGlobal, kOpaque, kLoop, kQuotient, kRemainder };

struct AtomBound {
  Form form;
  Facts facts;
};

struct Atom {
  static constexpr AtomId kNoTrips = UINT16_MAX;
  AtomKind kind = AtomKind::kOpaque;
  uint8_t dimension = 0;          // of an id
  ValueId value = kNone;          // what it is, for opaque values and counters
  Range range;                    // true of the machine value always
  std::vector<AtomBound> uppers;  // atom <= form
  std::vector<AtomBound> lowers;
  Form base;  // of quotient and remainder: base == quotient * divisor + remainder
  PolyId divisor = kZero;
  // Of a counter: it is start + step * trips, where trips counts the steps made so far.
  Form start;
  PolyId step = kZero;       // kZero: not known to be so
  bool every_round = false;  // a step is made in each round of the loop
  AtomId trips = kNoTrips;
  Facts counted;                       // what that rests on
  bool hull_done[2] = {false, false};  // bounds by what flows into a phi or select are computed
};

// Known conditions: the branches that dominate a block, and perhaps one more predicate.
struct Scope {
  uint32_t block = 0;
  ValueId predicate = kNone;
  bool holds = true;
};

// form >= 0
struct Guard {
  Form form;
  bool equality = false;  // form == 0
  Facts facts;
  // The largest value of the form in any lane, once it was requested.
  bool largest_known = false;
  std::optional<PolyId> largest;
  Facts largest_facts;
};

class Symbolic {
 public:
  // Known of ids: they are any of the grid, or between two numbers that a window of it gives.
  enum class Ids : uint8_t { kGrid, kWindow };
  Symbolic(const isa::Program& program, const Cfg& cfg, const Ssa& ssa, Ids ids = Ids::kGrid);

  Polys& polys() { return polys_; }
  const Polys& polys() const { return polys_; }
  const Atom& atom(AtomId id) const { return atoms_[id]; }
  isa::Type TypeOf(ValueId v) const { return types_[v]; }

  // The exact value of an integer value, as long as the facts of the value hold.
  Form FormOf(ValueId v);
  const Facts& FactsOf(ValueId v) const { return value_facts_[v]; }
  Range RangeOf(const Form& form) const;

  Form Constant(PolyId p) const;
  Form OfAtom(AtomId atom) const;
  Form Add(const Form& a, const Form& b);
  Form Sub(const Form& a, const Form& b) { return Add(a, Scale(b, MinusOne())); }
  Form Scale(const Form& a, PolyId factor);
  PolyId MinusOne() { return polys_.Constant(-1); }
  FactorWeight WeightOf(PolyId factor) const;

  // A counter as where it starts and the steps it has made: start + step * trips, which is what it
  // always is. Empty for atoms that are no such counter.
  std::optional<Form> InSteps(AtomId counter, Facts& facts);

  // Calls f(Guard&) for what is known in `scope`, nearest first, until f returns false.
  template <class F>
  void ForEachGuard(const Scope& scope, F f);

  // A polynomial that the form never exceeds in lanes that get to `scope`. `narrow`: the range of
  // an 8-bit type is good enough a bound for data.
  std::optional<PolyId> Upper(const Form& form, const Scope& scope, bool narrow, Facts& facts);
  std::optional<PolyId> Lower(const Form& form, const Scope& scope, bool narrow, Facts& facts);

  // Demands value <= 0 for lanes that get to `scope`, where `proof` is what `value` rests on.
  // Appends to `facts` what makes it true; false if it holds in no launch.
  bool Require(ConditionKind kind, PolyId value, uint32_t pc, uint32_t slot, const Scope& scope,
               const Facts& proof, Facts& facts);

  // All conditions that the form of `v` rests on are among those `checked` (by condition; more may
  // be added from call to call, none taken away).
  bool RestsOn(ValueId v, const std::vector<bool>& checked);

  // Appends all conditions that `facts` rest on; false if one of them has failed.
  bool Closure(const Facts& facts, std::vector<uint32_t>& conditions);
  const Obligation& condition(uint32_t c) const { return conditions_[c]; }
  uint32_t num_conditions() const { return static_cast<uint32_t>(conditions_.size()); }

  // Conditions that hold where all of `a` do or all of `b` do; empty if that is too much to say.
  std::optional<std::vector<uint32_t>> Either(const std::vector<uint32_t>& a,
                                              const std::vector<uint32_t>& b, uint32_t pc,
                                              uint32_t slot);

  // The step of a counter that was recognised, for the proof that its loop ends.
  struct Step {
    enum Kind : uint8_t { kUnknown, kUp, kDown, kShrink, kGrow } kind = kUnknown;
    PolyId amount = kZero;  // of kUp and kDown, not negative
    uint32_t pc = 0;
    ValueId other = kNone;  // the operand that is not the counter
  };
  Step StepOf(ValueId next, ValueId phi);
  bool HalfSpent() const { return work_ > kMaxWork / 2 || closure_work_ > kMaxClosureWork / 2; }
  bool OutOfBudget() const { return work_ > kMaxWork || closure_work_ > kMaxClosureWork; }

 private:
  static constexpr uint32_t kMaxWork = 400000;
  static constexpr uint32_t kMaxClosureWork = 8000000;
  static constexpr int kMaxDepth = 64;
  enum class State : uint8_t { kUnknown, kDone };

  // forms.cc
  AtomId NewAtom(Atom atom);
  AtomId IdAtom(AtomKind kind, int dimension);
  Form Normalize(Form form);
  PolyId GridSize(int d);
  PolyId BlockSize(int d);

  // values.cc
  Form Compute(ValueId v);
  Form ComputeInstruction(ValueId v, uint32_t pc);
  Form ComputeArithmetic(ValueId v, uint32_t pc);
  Form ComputeSreg(ValueId v, isa::Sreg sreg);
  Form ComputeParameter(ValueId v, uint32_t k);
  Form Opaque(ValueId v);
  Form Exact(ValueId v, const Form& form, uint32_t pc, Facts facts);
  bool FitsType(const Form& form, isa::Type type, uint32_t pc, Facts& facts);
  bool IsLaneCount(const Form& form) const;
  bool Plausible(const Form& form, isa::Type type) const;
  Form Divide(ValueId v, uint32_t pc, const Form& a, const Form& d, bool remainder, bool floors,
              Facts facts);
  AtomId QuotientAtom(AtomKind kind, const Form& base, PolyId divisor);
  bool StaysInside(const Form& form, PolyId limit, uint32_t pc, bool is_min, Facts& facts);
  Form MinMax(ValueId v, uint32_t pc, bool is_min);
  Form BitAnd(ValueId v, uint32_t pc);
  Form Between(ValueId v, Wide low, Wide high);
  Form CountDown(ValueId v, uint32_t pc);
  Form Reduce(ValueId v, uint32_t pc);
  Form Select(ValueId v, uint32_t pc);
  void BoundSelected(AtomId atom, uint32_t pc, const Form& a, const Form& b);
  bool NeverHolds(ValueId predicate, Facts& facts, int depth);
  bool AtLeast(const Form& form, int64_t least, uint32_t pc, Facts& facts);

  // guards.cc
  const std::vector<Guard>& GuardsOf(uint32_t block);
  void MeetOperands(ValueId p, int depth);
  void AddPredicate(ValueId p, bool holds, std::vector<Guard>& out, int depth);
  void AddCompare(uint32_t pc, bool holds, std::vector<Guard>& out);
  void AddUnequal(uint32_t pc, const Form& form, std::vector<Guard>& out);

  // choices.cc
  struct Choice;
  ValueId BehindMoves(ValueId v) const;
  bool FindChoice(ValueId v, uint32_t from, uint32_t to, Choice& choice);
  std::vector<bool> After(uint32_t from) const;
  bool IsSettled(const Form& form, const std::vector<bool>& again, int depth) const;
  void AddChoice(uint32_t pc, bool holds, std::vector<Guard>& out, int depth);
  void AddSelected(const Choice& choice, std::vector<Guard>& out, int depth);
  void AddWay(const Choice& choice, std::vector<Guard>& out, int depth);

  // loops.cc
  const Loop* LoopAt(uint32_t block) const;
  Form ComputePhi(ValueId phi);
  bool Induction(ValueId phi, const Loop& loop, AtomId counter);
  void BoundByRounds(ValueId phi, AtomId counter);

  // bounds.cc
  std::optional<PolyId> Search(const Form& form, const Scope& scope, bool narrow, int depth,
                               Facts& facts);
  std::optional<PolyId> WholeGuard(const Form& form, const Scope& scope, Facts& facts);
  std::optional<PolyId> SearchEitherSign(const Form& form, PolyId factor, const Scope& scope,
                                         bool narrow, int depth, Facts& facts);
  // One atom of a form on its way out, and what can take its place.
  struct Elimination {
    const Form& form;
    const Form& rest;  // without the atom
    AtomId atom;
    PolyId factor;
    bool falling;          // the factor is never positive: a lower bound is wanted
    PolyId end = kNoPoly;  // bound of the atom that is known at launch
    Facts facts;
    std::vector<AtomBound> others;  // whole forms that are at least the form

    void Known(Polys& polys, PolyId bound, const Facts& because);
  };
  void AddOwnBounds(Elimination& e, const Scope& scope, bool narrow);
  void AddGuards(Elimination& e, const Scope& scope);
  PolyId LastStep(const Elimination& e, PolyId bound, Facts& because);
  void AddQuotientGuard(Elimination& e, const Guard& guard, const Scope& scope);
  bool Nonnegative(PolyId p, Facts& facts);
  void AddHull(AtomId id, bool upper);
  std::optional<Scope> EdgeScope(uint32_t from, uint32_t to) const;
  PolyId Relax(PolyId value, const Scope& scope, Facts& facts, bool& always);
  Fact AddCondition(Obligation condition);

  const isa::Program& program_;
  const Cfg& cfg_;
  const Ssa& ssa_;
  const Ids ids_;
  Polys polys_;
  std::vector<isa::Type> types_;  // by value; kI8 for predicates
  std::vector<State> state_;
  std::vector<Form> forms_;
  std::vector<Facts> value_facts_;
  std::vector<Atom> atoms_;
  std::array<AtomId, 9> id_atoms_;
  std::vector<std::vector<Guard>> guards_;
  std::vector<bool> guards_done_;
  std::vector<bool> guards_met_;
  std::vector<Obligation> conditions_;
  // Visit marks of Closure(), by call number.
  uint32_t closure_ = 0;
  uint32_t closure_work_ = 0;
  std::vector<uint32_t> seen_value_;
  std::vector<uint32_t> seen_condition_;
  std::vector<const Facts*> closure_stack_;
  std::vector<bool> settled_;  // values that rest on what is checked
  int depth_ = 0;              // of FormOf
  int nesting_ = 0;            // of Upper
  uint32_t work_ = 0;
};

template <class F>
void Symbolic::ForEachGuard(const Scope& scope, F f) {
  constexpr int kMaxGuards = 48;
  int left = kMaxGuards;
  if (scope.predicate != kNone) {
    std::vector<Guard> own;
    AddPredicate(scope.predicate, scope.holds, own, 0);
    for (Guard& guard : own) {
      if (left-- == 0 || !f(guard)) return;
    }
  }
  int blocks = 512;
  for (uint32_t b = scope.block; b != kNone && blocks-- > 0; b = cfg_.idom[b]) {
    GuardsOf(b);
    // f may look at more guards, but those of `b` are complete and stay where they are.
    for (Guard& guard : guards_[b]) {
      if (left-- == 0 || !f(guard)) return;
    }
  }
}

}  // namespace hologram::verify
