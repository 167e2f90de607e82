// Linear forms and their atoms.
#include <algorithm>

#include "verify/symbolic.h"

namespace hologram::verify {

Symbolic::Symbolic(const isa::Program& program, const Cfg& cfg, const Ssa& ssa, Ids ids)
    : program_(program), cfg_(cfg), ssa_(ssa), ids_(ids) {
  const size_t count = ssa.values.size();
  types_.assign(count, isa::Type::kI8);
  state_.assign(count, State::kUnknown);
  forms_.resize(count);
  value_facts_.resize(count);
  guards_.resize(cfg.num_blocks());
  guards_done_.assign(cfg.num_blocks(), false);
  guards_met_.assign(cfg.num_blocks(), false);
  id_atoms_.fill(UINT16_MAX);
  atoms_.reserve(32);
  for (ValueId v = 0; v < count; ++v) {
    const Value& value = ssa.values[v];
    if (value.slot >= kFirstPredicate) continue;
    if (value.kind == ValueKind::kParameter) {
      const isa::Parameter& p = program.parameters[value.slot - 1u];
      types_[v] = p.is_buffer ? isa::Type::kU64 : p.type;
    } else if (value.kind == ValueKind::kSpecial) {
      types_[v] = value.slot == isa::kNumRegisters - 1 ? isa::Type::kU64 : isa::Type::kU32;
    } else if (value.kind == ValueKind::kInstruction) {
      types_[v] = *cfg.uses[value.place].write->type;
    }
  }
  // Phis come in block order, and in reducible code one operand comes from an earlier block. A phi
  // that has no type here is a float for the analysis: it has no form.
  for (const ValueId phi : ssa.phis) types_[phi] = isa::Type::kF64;
  for (const ValueId phi : ssa.phis) {
    for (const ValueId operand : ssa.OperandsOf(cfg, phi)) {
      if (ssa.is_phi(operand) && operand >= phi) continue;
      types_[phi] = types_[operand];
      break;
    }
  }
}

AtomId Symbolic::NewAtom(Atom atom) {
  constexpr size_t kMaxAtoms = 20000;
  if (atoms_.size() >= kMaxAtoms) {
    work_ = kMaxWork + 1;  // no proof counts any more
    return 0;
  }
  atoms_.push_back(std::move(atom));
  return static_cast<AtomId>(atoms_.size() - 1);
}

PolyId Symbolic::GridSize(int d) {
  return polys_.Symbol(CheckOp::kGridDim, d, {1, UINT32_MAX});
}

PolyId Symbolic::BlockSize(int d) {
  return polys_.Symbol(CheckOp::kBlockDim, d, {1, isa::kMaxLanesPerBlock});
}

AtomId Symbolic::IdAtom(AtomKind kind, int dimension) {
  const auto index = static_cast<size_t>(kind) * 3 + static_cast<size_t>(dimension);
  if (id_atoms_[index] != UINT16_MAX) return id_atoms_[index];
  Atom atom;
  atom.kind = kind;
  atom.dimension = static_cast<uint8_t>(dimension);
  PolyId size = GridSize(dimension);
  atom.range = {0, Wide{UINT32_MAX} - 1};
  if (kind == AtomKind::kLane) {
    size = BlockSize(dimension);
    atom.range.high = isa::kMaxLanesPerBlock - 1;
  } else if (kind == AtomKind::kGlobal) {
    size = polys_.Mul(size, BlockSize(dimension));
  }
  PolyId low = kZero;
  PolyId high = polys_.Add(size, MinusOne());
  if (ids_ == Ids::kWindow && kind != AtomKind::kLane) {
    const int64_t number = dimension + (kind == AtomKind::kGlobal ? 3 : 0);
    low = polys_.Symbol(CheckOp::kIdLow, number, atom.range);
    high = polys_.Symbol(CheckOp::kIdHigh, number, atom.range);
  }
  atom.uppers.push_back({Constant(high), {}});
  atom.lowers.push_back({Constant(low), {}});
  id_atoms_[index] = NewAtom(std::move(atom));
  return id_atoms_[index];
}

Form Symbolic::Constant(PolyId p) const {
  Form form;
  form.constant = p;
  form.valid = p != kNoPoly;
  return form;
}

Form Symbolic::OfAtom(AtomId atom) const {
  Form form;
  form.size = 1;
  form.terms[0] = {atom, kOne};
  return form;
}

Form Symbolic::Add(const Form& a, const Form& b) {
  Form sum;
  sum.constant = polys_.Add(a.constant, b.constant);
  sum.valid = a.valid && b.valid && sum.constant != kNoPoly;
  for (uint32_t i = 0, j = 0; sum.valid && (i < a.size || j < b.size);) {
    Form::Term term;
    if (j == b.size || (i < a.size && a.terms[i].atom < b.terms[j].atom)) {
      term = a.terms[i++];
    } else if (i == a.size || b.terms[j].atom < a.terms[i].atom) {
      term = b.terms[j++];
    } else {
      term = {a.terms[i].atom, polys_.Add(a.terms[i].factor, b.terms[j].factor)};
      ++i;
      ++j;
    }
    if (term.factor == kZero) continue;
    if (term.factor == kNoPoly || sum.size == Form::kMaxTerms) {
      sum.valid = false;
    } else {
      sum.terms[sum.size++] = term;
    }
  }
  return Normalize(sum);
}

Form Symbolic::Scale(const Form& a, PolyId factor) {
  Form scaled;
  if (factor == kZero) return scaled;
  scaled.constant = polys_.Mul(a.constant, factor);
  scaled.valid = a.valid && factor != kNoPoly && scaled.constant != kNoPoly;
  for (uint32_t i = 0; scaled.valid && i < a.size; ++i) {
    const PolyId product = polys_.Mul(a.terms[i].factor, factor);
    scaled.valid = product != kNoPoly;
    scaled.terms[scaled.size++] = {a.terms[i].atom, product};
  }
  return scaled;
}

FactorWeight Symbolic::WeightOf(PolyId factor) const {
  if (const auto constant = polys_.ConstantOf(factor)) return {0, *constant, 0};
  const Polys::Term& last = polys_.Get(factor).back();
  FactorWeight weight{0, last.factor, 0};
  for (int i = 0; i < kMaxDegree; ++i) {
    const uint16_t s = SymbolAt(last.symbols, i);
    if (s == 0) continue;
    ++weight.degree;
    const Polys::SymbolInfo& symbol = polys_.GetSymbol(s);
    if (symbol.op != CheckOp::kScalar) continue;
    const isa::Parameter& p = program_.parameters[static_cast<size_t>(symbol.value)];
    if (p.source == isa::Source::kStride) weight.dimension -= p.dimension;
  }
  return weight;
}

// block * block_dim + lane is the global id, and quotient * divisor + remainder is what was
// divided.
Form Symbolic::Normalize(Form form) {
  if (!form.valid || form.size < 2) return form;
  const auto remove = [&](AtomId atom) {
    const auto at = std::find_if(form.terms.begin(), form.terms.begin() + form.size,
                                 [&](const Form::Term& t) { return t.atom == atom; });
    std::copy(at + 1, form.terms.begin() + form.size, at);
    form.terms[--form.size] = {};
  };
  for (uint32_t i = 0; i < form.size; ++i) {
    const AtomId id = form.terms[i].atom;
    const PolyId factor = form.terms[i].factor;
    const Atom& atom = atoms_[id];
    if (atom.kind == AtomKind::kLane) {
      const AtomId block = id_atoms_[static_cast<size_t>(AtomKind::kBlock) * 3 + atom.dimension];
      if (block == UINT16_MAX ||
          form.FactorOf(block) != polys_.Mul(factor, BlockSize(atom.dimension))) {
        continue;
      }
      const int dimension = atom.dimension;
      remove(id);
      remove(block);
      return Add(form, Scale(OfAtom(IdAtom(AtomKind::kGlobal, dimension)), factor));
    }
    if (atom.kind == AtomKind::kRemainder) {
      for (uint32_t j = 0; j < form.size; ++j) {
        const AtomId other = form.terms[j].atom;
        const Atom& quotient = atoms_[other];
        if (quotient.kind != AtomKind::kQuotient || quotient.divisor != atom.divisor ||
            quotient.base != atom.base ||
            form.terms[j].factor != polys_.Mul(factor, atom.divisor)) {
          continue;
        }
        const Form base = atom.base;
        remove(id);
        remove(other);
        return Add(form, Scale(base, factor));
      }
    }
  }
  return form;
}

Range Symbolic::RangeOf(const Form& form) const {
  if (!form.valid) return {-kHuge, kHuge};
  Range sum = polys_.RangeOf(form.constant);
  for (uint32_t i = 0; i < form.size; ++i) {
    sum = sum + polys_.RangeOf(form.terms[i].factor) * atoms_[form.terms[i].atom].range;
  }
  return sum;
}

}  // namespace hologram::verify
