// What the branches that dominate a block say. An edge of a conditional branch dominates its target
// if all other edges into it come from blocks that the target dominates: it is the only one, or the
// target begins a loop. In SSA form the comparison then still speaks of the values as they are.
#include "isa/condition.h"
#include "verify/symbolic.h"

namespace hologram::verify {

using isa::Condition;
using isa::Opcode;

namespace {
constexpr int kMaxPredicates = 12;  // nested in each other
}  // namespace

const std::vector<Guard>& Symbolic::GuardsOf(uint32_t block) {
  if (guards_done_[block]) return guards_[block];
  const uint32_t from = cfg_.EntryOf(block);
  std::optional<Scope> edge;
  if (from != kNone) edge = EdgeScope(from, block);
  if (edge && edge->predicate != kNone && !guards_met_[block]) {
    // A counter that is met here for the first time asks for the guards of this block itself: that
    // it is below its bound. So it is met before they are written down.
    guards_met_[block] = true;
    MeetOperands(edge->predicate, 0);
    if (guards_done_[block]) return guards_[block];
  }
  guards_done_[block] = true;  // while it is computed, a block has no guards of its own
  std::vector<Guard> guards;
  if (edge && edge->predicate != kNone) AddPredicate(edge->predicate, edge->holds, guards, 0);
  guards_[block] = std::move(guards);
  return guards_[block];
}

// Finds the forms of all that the predicate compares, in the order of AddPredicate.
void Symbolic::MeetOperands(ValueId p, int depth) {
  const Value& value = ssa_.values[p];
  if (value.kind != ValueKind::kInstruction || depth > kMaxPredicates || work_ > kMaxWork) return;
  ++work_;
  const isa::Instruction& i = program_.code[value.place];
  if (i.op == Opcode::kSet) {
    if (!IsInteger(i.type)) return;
    FormOf(ssa_.reads[value.place][1]);
    FormOf(ssa_.reads[value.place][0]);
    const Value& kept = ssa_.values[BehindMoves(ssa_.reads[value.place][0])];
    if (kept.kind == ValueKind::kInstruction && program_.code[kept.place].op == Opcode::kSel) {
      MeetOperands(ssa_.predicate_reads[kept.place][0], depth + 1);
    }
    return;
  }
  if (i.op != Opcode::kPnot && i.op != Opcode::kPand && i.op != Opcode::kPor) return;
  MeetOperands(ssa_.predicate_reads[value.place][0], depth + 1);
  if (i.op != Opcode::kPnot) MeetOperands(ssa_.predicate_reads[value.place][1], depth + 1);
}

// The end of `from` on its way to `to`.
std::optional<Scope> Symbolic::EdgeScope(uint32_t from, uint32_t to) const {
  const uint32_t last = cfg_.blocks[from].end - 1;
  if (!program_.code[last].conditional()) return Scope{from, kNone, true};
  const bool taken = cfg_.Target(program_, from, true) == to;
  const bool falls = cfg_.Target(program_, from, false) == to;
  if (taken == falls) return Scope{from, kNone, true};
  return Scope{from, ssa_.predicate_reads[last][0], taken};
}

void Symbolic::AddPredicate(ValueId p, bool holds, std::vector<Guard>& out, int depth) {
  const Value& value = ssa_.values[p];
  if (value.kind != ValueKind::kInstruction || depth > kMaxPredicates || work_ > kMaxWork) return;
  ++work_;
  const auto& operands = ssa_.predicate_reads[value.place];
  const Opcode op = program_.code[value.place].op;
  if (op == Opcode::kSet) {
    AddCompare(value.place, holds, out);
    return AddChoice(value.place, holds, out, depth);
  }
  if (op == Opcode::kPnot) return AddPredicate(operands[0], !holds, out, depth + 1);
  if (op != Opcode::kPand && op != Opcode::kPor) return;
  // Both sides are known when a conjunction holds or a disjunction does not.
  if (holds == (op == Opcode::kPand)) {
    AddPredicate(operands[0], holds, out, depth + 1);
    AddPredicate(operands[1], holds, out, depth + 1);
  }
}

// `form` is not zero. Where a branch before has said that it is not negative, it is positive:
// `c != n - 1` behind `c < n`.
void Symbolic::AddUnequal(uint32_t pc, const Form& form, std::vector<Guard>& out) {
  const auto says = [&](const Guard& guard) {
    const Form more = Sub(form, guard.form);
    return more.valid && more.size == 0 && polys_.NeverPositive(polys_.Scale(more.constant, -1));
  };
  Facts facts = {ssa_.reads[pc][0], ssa_.reads[pc][1]};
  bool known = false;
  for (const Guard& guard : out) {
    if (known || !says(guard)) continue;
    facts.Append(guard.facts);
    known = true;
  }
  if (!known) {
    ForEachGuard({cfg_.block_of[pc], kNone, true}, [&](const Guard& guard) {
      if (!says(guard)) return true;
      facts.Append(guard.facts);
      known = true;
      return false;
    });
  }
  const Form positive = Add(form, Constant(MinusOne()));
  if (!known || !positive.valid) return;
  out.emplace_back();
  out.back().form = positive;
  out.back().facts = facts;
}

void Symbolic::AddCompare(uint32_t pc, bool holds, std::vector<Guard>& out) {
  const isa::Instruction& i = program_.code[pc];
  if (!IsInteger(i.type)) return;
  const ValueId x = ssa_.reads[pc][0];
  const ValueId y = ssa_.reads[pc][1];
  const Form right = FormOf(y);  // the right side first, as in arithmetic
  const Form difference = Sub(FormOf(x), right);
  if (!difference.valid) return;
  const Condition condition = holds ? i.condition() : isa::Negated(i.condition());
  const Form reverse = Scale(difference, MinusOne());
  const Form minus_one = Constant(MinusOne());
  const auto add = [&](const Form& form, bool equality) {
    if (!form.valid) return;
    out.emplace_back();
    out.back().form = form;
    out.back().equality = equality;
    out.back().facts = {x, y};
  };
  switch (condition) {
    case Condition::kEq:
      add(difference, true);
      add(reverse, true);
      break;
    case Condition::kNe: {
      // x != 0 of something that is never negative.
      const Range range = RangeOf(difference);
      const bool above = range.low >= 0;
      const bool below = range.high <= 0;
      if (above) add(Add(difference, minus_one), false);
      if (below) add(Add(reverse, minus_one), false);
      if (!above) AddUnequal(pc, difference, out);
      if (!below) AddUnequal(pc, reverse, out);
      break;
    }
    case Condition::kLt:
      add(Add(reverse, minus_one), false);
      break;
    case Condition::kLe:
      add(reverse, false);
      break;
    case Condition::kGt:
      add(Add(difference, minus_one), false);
      break;
    case Condition::kGe:
      add(difference, false);
      break;
  }
}

}  // namespace hologram::verify
