// Conditions that a program keeps in a variable: `inside = i < n and j < m`, `found = True` in a
// branch. The variable is compared with a constant later. Where only one of the values that can
// flow into it fits that comparison, lanes have come the way of that value, and what the branches
// on it said holds still: all of it if the values that they compared are those of the same round,
// else what is the same in all rounds.
#include <algorithm>

#include "isa/condition.h"
#include "verify/symbolic.h"

namespace hologram::verify {

using isa::Condition;
using isa::Opcode;

namespace {
constexpr size_t kMaxPhis = 8;
constexpr uint32_t kMaxBlocks = 512;
}  // namespace

struct Symbolic::Choice {
  Wide constant;
  bool equal;              // the value is the constant; false: it is not
  ValueId from = kNone;    // the one value that fits
  uint32_t block = kNone;  // it comes from the end of this block
  uint32_t to = kNone;
  uint32_t fits = 0;
  std::vector<ValueId> phis;
  Facts facts;  // that the others do not fit
};

ValueId Symbolic::BehindMoves(ValueId v) const {
  for (int i = 0; i < 4; ++i) {
    const Value& value = ssa_.values[v];
    if (value.kind != ValueKind::kInstruction || program_.code[value.place].op != Opcode::kMov) {
      break;
    }
    v = ssa_.reads[value.place][0];
  }
  return v;
}

// False where there is more than one way, or too much to look at.
bool Symbolic::FindChoice(ValueId v, uint32_t from, uint32_t to, Choice& choice) {
  v = BehindMoves(v);
  if (ssa_.values[v].kind != ValueKind::kPhi) {
    const Form form = FormOf(v);
    const auto constant = form.size == 0 ? polys_.ConstantOf(form.constant) : std::nullopt;
    if (constant && (*constant == choice.constant) != choice.equal) {
      choice.facts.push_back(v);
      return true;
    }
    if (choice.fits > 0 && (from != choice.block || to != choice.to || v != choice.from)) {
      return false;
    }
    choice.fits = 1;
    choice.from = v;
    choice.block = from;
    choice.to = to;
    return true;
  }
  if (std::find(choice.phis.begin(), choice.phis.end(), v) != choice.phis.end()) return true;
  if (choice.phis.size() >= kMaxPhis) return false;
  choice.phis.push_back(v);
  const uint32_t block = ssa_.values[v].place;
  const auto operands = ssa_.OperandsOf(cfg_, v);
  const std::vector<uint32_t>& predecessors = cfg_.blocks[block].predecessors;
  work_ += static_cast<uint32_t>(predecessors.size());
  for (size_t k = 0; k < predecessors.size(); ++k) {
    if (!FindChoice(operands[k], predecessors[k], block, choice)) return false;
  }
  return true;
}

// Blocks that can follow `from`.
std::vector<bool> Symbolic::After(uint32_t from) const {
  std::vector<bool> reached(cfg_.num_blocks(), false);
  std::vector<uint32_t> left = {from};
  while (!left.empty()) {
    const uint32_t block = left.back();
    left.pop_back();
    for (const uint32_t next : cfg_.blocks[block].successors) {
      if (next >= cfg_.num_blocks() || reached[next]) continue;  // also the end of the program
      reached[next] = true;
      left.push_back(next);
    }
  }
  return reached;
}

// The form has one value from where it was compared on: no value in it is computed again.
bool Symbolic::IsSettled(const Form& form, const std::vector<bool>& again, int depth) const {
  if (depth > 4) return false;
  for (uint32_t i = 0; i < form.size; ++i) {
    const Atom& atom = atoms_[form.terms[i].atom];
    switch (atom.kind) {
      case AtomKind::kLane:
      case AtomKind::kBlock:
      case AtomKind::kGlobal:
        continue;
      case AtomKind::kQuotient:
      case AtomKind::kRemainder:
        if (!IsSettled(atom.base, again, depth + 1)) return false;
        continue;
      case AtomKind::kOpaque:
      case AtomKind::kLoop:
        if (atom.value == kNone || again[ssa_.BlockOf(cfg_, atom.value)]) return false;
        continue;
    }
  }
  return true;
}

void Symbolic::AddChoice(uint32_t pc, bool holds, std::vector<Guard>& out, int depth) {
  const isa::Instruction& i = program_.code[pc];
  const Condition condition = holds ? i.condition() : isa::Negated(i.condition());
  if (!IsInteger(i.type)) return;
  if (condition != Condition::kEq && condition != Condition::kNe) return;
  const ValueId x = BehindMoves(ssa_.reads[pc][0]);
  const Value& value = ssa_.values[x];
  const bool is_phi = value.kind == ValueKind::kPhi;
  const bool selects =
      value.kind == ValueKind::kInstruction && program_.code[value.place].op == Opcode::kSel;
  if ((!is_phi && !selects) || cfg_.num_blocks() > kMaxBlocks) return;
  const Form right = FormOf(ssa_.reads[pc][1]);
  const auto constant = right.size == 0 ? polys_.ConstantOf(right.constant) : std::nullopt;
  if (!constant) return;
  Choice choice{*constant, condition == Condition::kEq, kNone, kNone, kNone, 0, {}, {}};
  choice.facts.push_back(ssa_.reads[pc][1]);
  if (!FindChoice(x, kNone, kNone, choice) || choice.fits == 0) return;
  std::vector<Guard> found;
  AddSelected(choice, found, depth);
  if (is_phi) AddWay(choice, found, depth);
  for (Guard& guard : found) {
    guard.facts.Append(choice.facts);
    guard.largest_known = false;
    out.push_back(std::move(guard));
  }
}

// What the predicate of a selection says if only one of its operands fits.
void Symbolic::AddSelected(const Choice& choice, std::vector<Guard>& out, int depth) {
  const Value& value = ssa_.values[choice.from];
  if (value.kind != ValueKind::kInstruction) return;
  if (program_.code[value.place].op != Opcode::kSel) return;
  bool fits[2];
  for (const size_t side : {0u, 1u}) {
    const Form form = FormOf(ssa_.reads[value.place][side]);
    const auto constant = form.size == 0 ? polys_.ConstantOf(form.constant) : std::nullopt;
    fits[side] = !constant || (*constant == choice.constant) == choice.equal;
  }
  if (fits[0] == fits[1]) return;
  const size_t first = out.size();
  AddPredicate(ssa_.predicate_reads[value.place][0], fits[0], out, depth + 1);
  for (size_t k = first; k < out.size(); ++k) {
    for (const size_t side : {0u, 1u}) out[k].facts.push_back(ssa_.reads[value.place][side]);
  }
}

// What the branches said on the way of the value, as far as it is true still.
void Symbolic::AddWay(const Choice& choice, std::vector<Guard>& out, int depth) {
  const uint32_t meets = cfg_.idom[choice.to];
  int blocks = 32;
  for (uint32_t b = choice.block; b != kNone && b != meets && blocks-- > 0; b = cfg_.idom[b]) {
    const std::vector<Guard> guards = GuardsOf(b);
    out.insert(out.end(), guards.begin(), guards.end());
  }
  if (const auto edge = EdgeScope(choice.block, choice.to); edge && edge->predicate != kNone) {
    AddPredicate(edge->predicate, edge->holds, out, depth + 1);
  }
  // No block of a phi comes before the way in each round: then none of it is gone again between
  // the phi and the comparison, as a way from there to the comparison would have no phi on it.
  const bool same_round = std::none_of(choice.phis.begin(), choice.phis.end(), [&](ValueId phi) {
    return cfg_.Dominates(ssa_.values[phi].place, choice.block);
  });
  if (same_round) return;
  work_ += cfg_.num_blocks();
  const std::vector<bool> again = After(choice.block);
  std::erase_if(out, [&](const Guard& guard) { return !IsSettled(guard.form, again, 0); });
}

}  // namespace hologram::verify
