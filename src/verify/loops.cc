// Loop counters: phis of a loop header whose next value is the phi plus or minus something that is
// known at launch, of one sign, or the phi halved or doubled.
#include <algorithm>

#include "verify/symbolic.h"

namespace hologram::verify {

using isa::Opcode;

const Loop* Symbolic::LoopAt(uint32_t block) const {
  for (const Loop& loop : cfg_.loops) {
    if (loop.header == block && loop.natural) return &loop;
  }
  return nullptr;
}

Symbolic::Step Symbolic::StepOf(ValueId next, ValueId phi) {
  for (int i = 0; i < 4; ++i) {  // through a few moves
    const Value& value = ssa_.values[next];
    if (value.kind != ValueKind::kInstruction) return {};
    if (program_.code[value.place].op != Opcode::kMov) break;
    next = ssa_.reads[value.place][0];
  }
  if (ssa_.values[next].kind != ValueKind::kInstruction || !IsInteger(types_[next])) return {};
  const uint32_t pc = ssa_.values[next].place;
  const isa::Instruction& i = program_.code[pc];
  // Never more than it was, and never negative: it counts down to zero and stays there.
  if (i.op == Opcode::kLoop && ssa_.reads[pc][0] == phi) return {Step::kShrink, kOne, pc, phi};
  ValueId other = ssa_.reads[pc][1];
  if (i.op == Opcode::kAdd && other == phi) {
    other = ssa_.reads[pc][0];
  } else if (cfg_.uses[pc].num_reads != 2 || ssa_.reads[pc][0] != phi) {
    return {};
  }
  const bool adds = i.op == Opcode::kAdd || i.op == Opcode::kSub;
  const bool scales =
      i.op == Opcode::kShr || i.op == Opcode::kDiv || i.op == Opcode::kShl || i.op == Opcode::kMul;
  if ((!adds && !scales) || other == phi) return {};
  const Form amount = FormOf(other);
  if (amount.size != 0) return {};
  const Range range = polys_.RangeOf(amount.constant);
  if (adds) {
    const bool positive = range.low >= 0;
    if (!positive && range.high > 0) return {};
    const PolyId size = positive ? amount.constant : polys_.Scale(amount.constant, -1);
    if (size == kNoPoly) return {};
    return {(i.op == Opcode::kAdd) == positive ? Step::kUp : Step::kDown, size, pc, other};
  }
  const auto constant = polys_.ConstantOf(amount.constant);
  const bool shifts = i.op == Opcode::kShr || i.op == Opcode::kShl;
  if (!constant || *constant < (shifts ? 1 : 2) || (shifts && *constant >= BitsOf(i.type))) {
    return {};
  }
  const bool shrinks = i.op == Opcode::kShr || i.op == Opcode::kDiv;
  return {shrinks ? Step::kShrink : Step::kGrow, amount.constant, pc, other};
}

Form Symbolic::ComputePhi(ValueId phi) {
  const Form form = Opaque(phi);
  const Loop* loop = LoopAt(ssa_.values[phi].place);
  if (loop != nullptr) Induction(phi, *loop, form.terms[0].atom);
  return form;
}

// The counter is at least (or at most) its initial value as long as no step wraps. The conditions
// for that are entered into the facts of the bound before they are computed, because whatever is
// found meanwhile may already rest on the bound.
bool Symbolic::Induction(ValueId phi, const Loop& loop, AtomId counter) {
  const auto operands = ssa_.OperandsOf(cfg_, phi);
  const std::vector<uint32_t>& from = cfg_.blocks[loop.header].predecessors;
  ValueId initial = kNone;
  std::vector<Step> steps;
  for (size_t k = 0; k < from.size(); ++k) {
    if (!cfg_.InLoop(loop, from[k])) {
      if (initial != kNone && initial != operands[k]) return false;
      initial = operands[k];
      continue;
    }
    if (operands[k] == phi) continue;
    const Step step = StepOf(operands[k], phi);
    if (step.kind == Step::kUnknown || (!steps.empty() && steps[0].kind != step.kind)) return false;
    steps.push_back(step);
  }
  if (initial == kNone || steps.empty()) return false;
  const Step::Kind kind = steps[0].kind;
  const Form start = FormOf(initial);
  if (!start.valid) return false;
  Facts facts = {initial};
  for (const Step& step : steps) facts.push_back(step.other);
  if (kind == Step::kShrink || kind == Step::kGrow) {
    // Halving and doubling keep to one side of the start only if that is not negative.
    const uint32_t pc = steps[0].pc;
    Facts proof;
    const auto lower = Lower(start, {ssa_.BlockOf(cfg_, initial), kNone, true}, true, proof);
    if (!lower || !Require(ConditionKind::kNoWrap, polys_.Scale(*lower, -1), pc, 0,
                           {loop.header, kNone, true}, proof, facts)) {
      return false;
    }
  }
  if (kind == Step::kShrink) {
    atoms_[counter].kind = AtomKind::kLoop;
    atoms_[counter].uppers.push_back({start, facts});
    atoms_[counter].lowers.push_back({Constant(kZero), facts});
    return true;
  }
  std::vector<uint32_t> pending;
  for (const Step& step : steps) {
    pending.push_back(static_cast<uint32_t>(conditions_.size()));
    facts.push_back(kConditionBit | pending.back());
    conditions_.push_back({ConditionKind::kNoWrap, kZero, step.pc, 0, false, true, {}});
  }
  atoms_[counter].kind = AtomKind::kLoop;
  (kind == Step::kDown ? atoms_[counter].uppers : atoms_[counter].lowers).push_back({start, facts});
  const bool even = std::all_of(steps.begin(), steps.end(),
                                [&](const Step& step) { return step.amount == steps[0].amount; });
  if (kind != Step::kGrow && even) {
    atoms_[counter].start = start;
    atoms_[counter].step = kind == Step::kUp ? steps[0].amount : polys_.Scale(steps[0].amount, -1);
    atoms_[counter].counted = facts;
    atoms_[counter].every_round = steps.size() == loop.latches.size();
    if (!polys_.IsConstant(steps[0].amount)) BoundByRounds(phi, counter);
  }
  bool ok = true;
  for (size_t s = 0; s < steps.size(); ++s) {
    PolyId amount = steps[s].amount;
    if (kind == Step::kDown) amount = polys_.Scale(amount, -1);
    Form next = OfAtom(counter);
    if (kind == Step::kGrow) {
      const bool shifts = program_.code[steps[s].pc].op == Opcode::kShl;
      const int64_t factor = *polys_.ConstantOf(amount);
      next =
          factor > 40 ? Form{} : Scale(next, polys_.Constant(shifts ? Wide{1} << factor : factor));
      if (factor > 40) next.valid = false;
    } else {
      next = Add(next, Constant(amount));
    }
    Facts proof;
    if (next.valid && FitsType(next, types_[phi], steps[s].pc, proof)) {
      conditions_[pending[s]].facts = std::move(proof);
    } else {
      conditions_[pending[s]].failed = true;
      ok = false;
    }
  }
  if (!ok) {
    atoms_[counter].kind = AtomKind::kOpaque;
    atoms_[counter].uppers.clear();
    atoms_[counter].lowers.clear();
    atoms_[counter].step = kZero;
  }
  return ok;
}

// `at += n` in a loop that counts its rounds: as many steps as the other counter has made. That is
// what bounds it where no branch asks about it.
void Symbolic::BoundByRounds(ValueId phi, AtomId counter) {
  if (!atoms_[counter].every_round) return;
  for (const ValueId other : ssa_.phis) {
    if (other == phi || ssa_.values[other].place != ssa_.values[phi].place) continue;
    if (!IsInteger(types_[other])) continue;
    const Form form = FormOf(other);
    if (form.size != 1 || form != OfAtom(form.terms[0].atom)) continue;
    const Atom& rounds = atoms_[form.terms[0].atom];
    const auto unit = polys_.ConstantOf(rounds.step);
    if (rounds.kind != AtomKind::kLoop || !rounds.every_round || !unit) continue;
    if (*unit != 1 && *unit != -1) continue;
    Facts facts = atoms_[counter].counted;
    facts.Append(rounds.counted);
    const PolyId step = polys_.Scale(atoms_[counter].step, *unit);
    const Form made = Scale(Sub(form, Form(rounds.start)), step);
    const Form now = Add(Form(atoms_[counter].start), made);
    if (!now.valid) continue;
    const bool up = polys_.RangeOf(atoms_[counter].step).low >= 0;
    Atom& atom = atoms_[counter];
    (up ? atom.uppers : atom.lowers).push_back({now, std::move(facts)});
    return;
  }
}

std::optional<Form> Symbolic::InSteps(AtomId counter, Facts& facts) {
  const PolyId step = atoms_[counter].step;
  if (step == kZero || step == kNoPoly) return std::nullopt;
  const Range range = polys_.RangeOf(step);
  if (range.low < 1 && range.high > -1) return std::nullopt;
  const Form start = atoms_[counter].start;
  if (atoms_[counter].trips == Atom::kNoTrips) {
    // There are no more of them than the counter is away from where it started.
    const bool up = polys_.RangeOf(step).low > 0;
    const Form gone = Sub(OfAtom(counter), start);
    Atom trips;
    trips.range = {0, kHuge};
    trips.uppers.push_back({up ? gone : Scale(gone, MinusOne()), atoms_[counter].counted});
    trips.lowers.push_back({Constant(kZero), {}});
    const AtomId id = NewAtom(std::move(trips));
    atoms_[counter].trips = id;
  }
  facts.Append(atoms_[counter].counted);
  const Form form = Add(start, Scale(OfAtom(atoms_[counter].trips), step));
  return form.valid ? std::optional(form) : std::nullopt;
}

}  // namespace hologram::verify
