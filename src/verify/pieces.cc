#include "verify/pieces.h"

#include <algorithm>
#include <iterator>

namespace hologram::verify {

using isa::Opcode;

Pieces::Pieces(Symbolic& symbolic, PolyId divisor, const std::vector<PolyId>& factors)
    : symbolic_(symbolic), divisor_(divisor), multiples_{divisor} {
  for (const PolyId factor : factors) multiples_.push_back(symbolic.polys().Mul(divisor, factor));
}

std::vector<PolyId> Pieces::FactorsOf(Symbolic& symbolic, const isa::Program& program,
                                      const Cfg& cfg, const Ssa& ssa) {
  constexpr size_t kMost = 16;
  std::vector<PolyId> factors;
  for (const uint32_t b : cfg.order) {
    for (uint32_t pc = cfg.blocks[b].begin; pc < cfg.blocks[b].end; ++pc) {
      if (program.code[pc].op != Opcode::kMul || !isa::IsInteger(program.code[pc].type)) continue;
      for (const ValueId v : ssa.reads[pc]) {
        if (v == kNone || factors.size() == kMost) continue;
        const Form form = symbolic.FormOf(v);
        const bool is_new =
            std::find(factors.begin(), factors.end(), form.constant) == factors.end();
        if (form.valid && form.size == 0 && is_new) factors.push_back(form.constant);
      }
    }
  }
  return factors;
}

// Both are positive, so the factor is too.
bool Pieces::IsMultiple(PolyId divisor) const {
  if (divisor == kNoPoly) return false;
  return std::find(multiples_.begin(), multiples_.end(), divisor) != multiples_.end() ||
         symbolic_.polys().ExactQuotient(divisor, divisor_) != kNoPoly;
}

bool Pieces::CountsFromCut(const Form& base) const {
  if (!base.valid || base.size != 1 || base.constant != kZero) return false;
  if (base.terms[0].factor != kOne) return false;
  const Atom& atom = symbolic_.atom(base.terms[0].atom);
  if (atom.kind == AtomKind::kGlobal) return atom.dimension == 0;
  return atom.kind == AtomKind::kRemainder && Cuts(base.terms[0].atom);
}

bool Pieces::Cuts(AtomId id) const {
  const Atom& atom = symbolic_.atom(id);
  return IsMultiple(atom.divisor) && CountsFromCut(atom.base);
}

namespace {

// Computed from scalars of the launch, without branches.
bool IsOfParameters(const isa::Program& program, const Ssa& ssa, ValueId v, int depth) {
  constexpr int kMostSteps = 6;
  const Value& value = ssa.values[v];
  if (value.kind == ValueKind::kParameter) return !program.parameters[value.slot - 1u].is_buffer;
  if (value.kind != ValueKind::kInstruction || depth > kMostSteps) return false;
  const Opcode op = program.code[value.place].op;
  if (op == Opcode::kMovImm) return true;
  constexpr Opcode kSimple[] = {Opcode::kMov, Opcode::kCvt, Opcode::kAdd, Opcode::kSub,
                                Opcode::kMul, Opcode::kMin, Opcode::kMax};
  if (std::find(std::begin(kSimple), std::end(kSimple), op) == std::end(kSimple)) return false;
  const auto& reads = ssa.reads[value.place];
  return std::all_of(reads.begin(), reads.end(), [&](ValueId read) {
    return read == kNone || IsOfParameters(program, ssa, read, depth + 1);
  });
}

}  // namespace

uint32_t Pieces::FindDivision(Symbolic& symbolic, const isa::Program& program, const Cfg& cfg,
                              const Ssa& ssa, const std::vector<PolyId>& factors) {
  constexpr int64_t kShortest = 64;  // lanes of a piece
  std::vector<std::pair<uint32_t, AtomId>> divisions;
  for (const uint32_t b : cfg.order) {
    for (uint32_t pc = cfg.blocks[b].begin; pc < cfg.blocks[b].end; ++pc) {
      const isa::Instruction& in = program.code[pc];
      if (in.op != Opcode::kDiv && in.op != Opcode::kRem) continue;
      if (!isa::IsInteger(in.type) || ssa.writes[pc] == kNone) continue;
      const Form form = symbolic.FormOf(ssa.writes[pc]);
      if (form.size != 1 || form.constant != kZero || form.terms[0].factor != kOne) continue;
      const AtomKind kind = symbolic.atom(form.terms[0].atom).kind;
      if (kind != AtomKind::kQuotient && kind != AtomKind::kRemainder) continue;
      divisions.emplace_back(pc, form.terms[0].atom);
    }
  }
  uint32_t best = kNone;
  size_t most = 0;
  for (const auto& [pc, atom] : divisions) {
    const PolyId divisor = symbolic.atom(atom).divisor;
    if (symbolic.polys().ConstantOf(divisor).value_or(kShortest) < kShortest) continue;
    if (!IsOfParameters(program, ssa, ssa.reads[pc][1], 0)) continue;
    const Pieces pieces(symbolic, divisor, factors);
    const auto count = static_cast<size_t>(
        std::count_if(divisions.begin(), divisions.end(),
                      [&](const auto& other) { return pieces.Cuts(other.second); }));
    if (count <= most) continue;
    most = count;
    best = pc;
  }
  return best;
}

}  // namespace hologram::verify
