#include "verify/proofs.h"

#include "verify/pieces.h"

namespace hologram::verify {

using isa::Instruction;

ValueId IndexOf(const isa::Program& program, const Ssa& ssa, uint32_t pc) {
  return ssa.reads[pc][isa::IsGlobalAccess(program.code[pc].op) ? 1 : 0];
}

PolyId ExtentOf(Symbolic& symbolic, const isa::Program& program, uint32_t pc) {
  const Instruction& i = program.code[pc];
  if (isa::IsSharedAccess(i.op)) return symbolic.polys().Constant(program.shared[i.a].count);
  if (isa::IsLocalAccess(i.op)) return symbolic.polys().Constant(program.locals[i.a].count);
  return symbolic.polys().Symbol(CheckOp::kExtent, i.a - 1, {0, Wide{UINT64_MAX} / SizeOf(i.type)});
}

AccessProof ProveAccess(Symbolic& symbolic, const isa::Program& program, const Cfg& cfg,
                        const Ssa& ssa, uint32_t pc) {
  const Instruction& i = program.code[pc];
  Polys& polys = symbolic.polys();
  AccessProof proof;
  proof.pc = pc;
  const ValueId index = IndexOf(program, ssa, pc);
  proof.index = symbolic.FormOf(index);
  if (isa::IsGlobalAccess(i.op)) {
    const int64_t elements = i.displacement() / static_cast<int64_t>(SizeOf(i.type));
    proof.index = symbolic.Add(proof.index, symbolic.Constant(polys.Constant(elements)));
  }
  if (!proof.index.valid) {
    proof.why = "the index is too complex";
    return proof;
  }
  const Scope scope{cfg.block_of[pc], kNone, true};
  // Eight bits of data are a bound where they are the whole index, as in a table of 256.
  const bool table = proof.index.size == 1;
  Facts high_proof = {index};
  Facts low_proof = {index};
  const auto high = symbolic.Upper(proof.index, scope, table, high_proof);
  const auto low = symbolic.Lower(proof.index, scope, table, low_proof);
  if (!high || !low) {
    proof.why = "no bounds of the index are known before it is computed";
    return proof;
  }
  proof.low = *low;
  proof.high = *high;
  const uint32_t slot = isa::IsGlobalAccess(i.op) ? i.a - 1u : i.a;
  const PolyId last = polys.Sub(ExtentOf(symbolic, program, pc), kOne);
  Facts facts = {index};
  if (!symbolic.Require(ConditionKind::kInBounds, polys.Sub(*high, last), pc, slot, scope,
                        high_proof, facts) ||
      !symbolic.Require(ConditionKind::kInBounds, polys.Scale(*low, -1), pc, slot, scope, low_proof,
                        facts)) {
    proof.why = "the range of the index is not inside the array";
    return proof;
  }
  proof.proved = symbolic.Closure(facts, proof.conditions);
  if (!proof.proved) proof.why = "a part of the index may wrap";
  return proof;
}

namespace {

// Between neighbours in x where a block uses it. Ids count, but for those of blocks.
class AtomVariation {
 public:
  AtomVariation(const Symbolic& symbolic, const Cfg& cfg, const Ssa& ssa, const Variation& row,
                uint32_t block, const Pieces* pieces)
      : symbolic_(symbolic), cfg_(cfg), ssa_(ssa), row_(row), block_(block), pieces_(pieces) {}

  bool Varies(AtomId id) const {
    const Atom& atom = symbolic_.atom(id);
    switch (atom.kind) {
      case AtomKind::kLane:
      case AtomKind::kGlobal:
        return atom.dimension == 0;
      case AtomKind::kBlock:
        return false;
      case AtomKind::kOpaque:
      case AtomKind::kLoop:
        return atom.value == kNone || row_.VariesAt(cfg_, ssa_, atom.value, block_);
      case AtomKind::kQuotient:
      case AtomKind::kRemainder:
        if (pieces_ != nullptr && pieces_->IsShared(id)) return false;
        for (uint32_t i = 0; i < atom.base.size; ++i) {
          if (Varies(atom.base.terms[i].atom)) return true;
        }
        return false;
    }
    return true;
  }

 private:
  const Symbolic& symbolic_;
  const Cfg& cfg_;
  const Ssa& ssa_;
  const Variation& row_;
  uint32_t block_;
  const Pieces* pieces_;
};

}  // namespace

namespace {

// The start and the steps of a counter whose rounds lanes make together; null for other atoms.
const Atom* CounterInStep(const Symbolic& symbolic, const Cfg& cfg, const Ssa& ssa,
                          const Variation& row, AtomId id, uint32_t block) {
  const Atom& atom = symbolic.atom(id);
  const bool counts = atom.kind == AtomKind::kLoop && atom.step != kZero && atom.step != kNoPoly;
  if (!counts || row.RoundsVary(cfg, ssa.values[atom.value].place, block)) return nullptr;
  return &atom;
}

}  // namespace

std::optional<int64_t> StrideOf(Symbolic& symbolic, const Cfg& cfg, const Ssa& ssa,
                                const Variation& row, const Form& form, uint32_t block,
                                Facts& facts, const Pieces* pieces) {
  constexpr int kMostCounters = 8;  // that start at each other
  const AtomVariation variation(symbolic, cfg, ssa, row, block, pieces);
  std::vector<std::pair<Form, int64_t>> forms{{form, 1}};
  int64_t stride = 0;
  for (int counters = 0; !forms.empty();) {
    const auto [sum, times] = forms.back();
    forms.pop_back();
    if (!sum.valid) return std::nullopt;
    for (uint32_t i = 0; i < sum.size; ++i) {
      const AtomId id = sum.terms[i].atom;
      if (!variation.Varies(id)) continue;
      const AtomKind kind = symbolic.atom(id).kind;
      const auto factor = symbolic.polys().ConstantOf(sum.terms[i].factor);
      int64_t by = 0;
      if (!factor || __builtin_mul_overflow(*factor, times, &by)) return std::nullopt;
      if (const Atom* counter = CounterInStep(symbolic, cfg, ssa, row, id, block)) {
        if (++counters > kMostCounters) return std::nullopt;
        facts.Append(counter->counted);
        forms.emplace_back(counter->start, by);
        continue;
      }
      const bool counts = kind == AtomKind::kLane || kind == AtomKind::kGlobal ||
                          (pieces != nullptr && pieces->Counts(id));
      if (!counts || __builtin_add_overflow(stride, by, &stride)) {
        return std::nullopt;
      }
    }
  }
  return stride;
}

bool IsSharedIn(const Pieces& pieces, const Symbolic& symbolic, const Cfg& cfg, const Ssa& ssa,
                const Variation& row, const Form& form, uint32_t block) {
  const AtomVariation variation(symbolic, cfg, ssa, row, block, &pieces);
  for (uint32_t i = 0; i < form.size; ++i) {
    if (variation.Varies(form.terms[i].atom)) return false;
  }
  return form.valid;
}

}  // namespace hologram::verify
