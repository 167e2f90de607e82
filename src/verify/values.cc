// The forms of instructions.
#include <algorithm>

#include "isa/atlas.h"
#include "verify/symbolic.h"

namespace hologram::verify {

using isa::Instruction;
using isa::Opcode;
using isa::Sreg;
using isa::Type;

Form Symbolic::FormOf(ValueId v) {
  if (state_[v] == State::kDone) return forms_[v];
  if (depth_ >= kMaxDepth || work_ > kMaxWork || !IsInteger(types_[v])) return Opaque(v);
  ++depth_;
  ++work_;
  const Form form = Compute(v);
  --depth_;
  if (!form.valid) return Opaque(v);
  forms_[v] = form;
  state_[v] = State::kDone;
  return form;
}

Form Symbolic::Opaque(ValueId v) {
  if (state_[v] == State::kDone) return forms_[v];
  Atom atom;
  atom.value = v;
  atom.range =
      IsInteger(types_[v]) ? Range{MinOf(types_[v]), MaxOf(types_[v])} : Range{-kHuge, kHuge};
  forms_[v] = OfAtom(NewAtom(std::move(atom)));
  value_facts_[v].clear();
  state_[v] = State::kDone;
  return forms_[v];
}

Form Symbolic::Compute(ValueId v) {
  const Value& value = ssa_.values[v];
  switch (value.kind) {
    case ValueKind::kParameter:
      return ComputeParameter(v, value.slot - 1u);
    case ValueKind::kSpecial: {
      constexpr Sreg kSpecial[] = {Sreg::kLaneX, Sreg::kBlockX, Sreg::kBlockDimX, Sreg::kLinear};
      return ComputeSreg(v, kSpecial[value.slot - isa::kFirstSpecialRegister]);
    }
    case ValueKind::kPhi:
      return ComputePhi(v);
    case ValueKind::kInstruction:
      return ComputeInstruction(v, value.place);
  }
  return Opaque(v);
}

Form Symbolic::ComputeParameter(ValueId v, uint32_t k) {
  const isa::Parameter& p = program_.parameters[k];
  if (p.is_buffer) return Opaque(v);
  return Constant(polys_.Symbol(CheckOp::kScalar, k, {MinOf(p.type), MaxOf(p.type)}));
}

Form Symbolic::ComputeSreg(ValueId v, Sreg sreg) {
  const int d = static_cast<int>(sreg) % 3;
  switch (sreg) {
    case Sreg::kLaneX:
    case Sreg::kLaneY:
    case Sreg::kLaneZ:
      return OfAtom(IdAtom(AtomKind::kLane, d));
    case Sreg::kBlockX:
    case Sreg::kBlockY:
    case Sreg::kBlockZ:
      return OfAtom(IdAtom(AtomKind::kBlock, d));
    case Sreg::kBlockDimX:
    case Sreg::kBlockDimY:
    case Sreg::kBlockDimZ:
      return Constant(BlockSize(d));
    case Sreg::kGridDimX:
    case Sreg::kGridDimY:
    case Sreg::kGridDimZ:
      return Constant(GridSize(d));
    case Sreg::kGlobalX:
    case Sreg::kGlobalY:
    case Sreg::kGlobalZ:
      return OfAtom(IdAtom(AtomKind::kGlobal, d));
    case Sreg::kLinear:
      return Opaque(v);
  }
  return Opaque(v);
}

Form Symbolic::ComputeInstruction(ValueId v, uint32_t pc) {
  const Instruction& i = program_.code[pc];
  const auto& reads = ssa_.reads[pc];
  if (i.op == Opcode::kReadSreg) return ComputeSreg(v, i.sreg());
  if (i.op == Opcode::kMovImm) {
    // The immediate is canonical: sign-extended to 64 bits is not assumed, only its low bits.
    const uint32_t unused = 64 - BitsOf(i.type);
    const uint64_t bits = i.imm << unused;
    return Constant(IsSignedInteger(i.type) ? polys_.Constant(static_cast<int64_t>(bits) >> unused)
                                            : polys_.Constant(static_cast<Wide>(bits >> unused)));
  }
  if (i.op == Opcode::kMov) {
    value_facts_[v] = {reads[0]};
    return FormOf(reads[0]);
  }
  if (i.op == Opcode::kCvt) {
    if (!IsInteger(i.source_type())) return Opaque(v);
    return Exact(v, FormOf(reads[0]), pc, {reads[0]});
  }
  if (i.op == Opcode::kMin || i.op == Opcode::kMax) return MinMax(v, pc, i.op == Opcode::kMin);
  if (i.op == Opcode::kAnd) return BitAnd(v, pc);
  if (i.op == Opcode::kSel) return Select(v, pc);
  if (i.op == Opcode::kLoop) return CountDown(v, pc);
  if (i.op == Opcode::kClsGet || i.op == Opcode::kMirror) {
    return Between(v, 0, isa::kNumClasses - 1);
  }
  if (i.op == Opcode::kNbrCount) return Between(v, 5, 6);
  if (i.op == Opcode::kNbrGet) {
    return Between(v, 0, i.mod < 5 ? isa::kNumClasses - 1 : isa::kNoNeighbour);
  }
  if (i.op == Opcode::kPhaseGet) return Between(v, 0, isa::kNumPhases - 1);
  if (i.op == Opcode::kPoolAlloc) return Between(v, 1, isa::kMaxPools);
  if (i.op == Opcode::kBoundMap) {
    const Form byte = FormOf(reads[2]);
    const Form page = Scale(FormOf(reads[1]), polys_.Constant(isa::kBytesPerPage));
    const Form start = Scale(FormOf(reads[0]), polys_.Constant(isa::kBytesPerClass));
    return Exact(v, Add(Add(start, page), byte), pc, {reads[0], reads[1], reads[2]});
  }
  if (i.op == Opcode::kReduceAdd || i.op == Opcode::kReduceMin || i.op == Opcode::kReduceMax) {
    return Reduce(v, pc);
  }
  return ComputeArithmetic(v, pc);
}

Form Symbolic::ComputeArithmetic(ValueId v, uint32_t pc) {
  const Instruction& i = program_.code[pc];
  const auto& reads = ssa_.reads[pc];
  const auto product = [&](ValueId x, ValueId y) {
    const Form a = FormOf(x);
    const Form b = FormOf(y);
    if (b.size == 0) return Scale(a, b.constant);
    if (a.size == 0) return Scale(b, a.constant);
    Form none;
    none.valid = false;
    return none;
  };
  // The right side first: atoms are numbered as they are met, bounds eliminate them by number, so
  // the order must not be the C++ compiler's choice of which argument it evaluates first.
  if (i.op == Opcode::kAdd) {
    const Form right = FormOf(reads[1]);
    return Exact(v, Add(FormOf(reads[0]), right), pc, {reads[0], reads[1]});
  }
  if (i.op == Opcode::kSub) {
    const Form right = FormOf(reads[1]);
    return Exact(v, Sub(FormOf(reads[0]), right), pc, {reads[0], reads[1]});
  }
  if (i.op == Opcode::kNeg) return Exact(v, Scale(FormOf(reads[0]), MinusOne()), pc, {reads[0]});
  if (i.op == Opcode::kMul) return Exact(v, product(reads[0], reads[1]), pc, {reads[0], reads[1]});
  if (i.op == Opcode::kMad) {
    const Form right = FormOf(reads[2]);
    return Exact(v, Add(product(reads[0], reads[1]), right), pc, {reads[0], reads[1], reads[2]});
  }
  if (i.op == Opcode::kDiv || i.op == Opcode::kRem) {
    const Form right = FormOf(reads[1]);
    return Divide(v, pc, FormOf(reads[0]), right, i.op == Opcode::kRem, IsUnsigned(i.type),
                  {reads[0], reads[1]});
  }
  if (i.op == Opcode::kShl || i.op == Opcode::kShr) {
    const Form count = FormOf(reads[1]);
    const auto constant = polys_.ConstantOf(count.constant);
    if (count.size != 0 || !constant || *constant >= 62 || *constant >= BitsOf(i.type)) {
      return Opaque(v);
    }
    const PolyId power = polys_.Constant(Wide{1} << *constant);
    if (i.op == Opcode::kShl) {
      return Exact(v, Scale(FormOf(reads[0]), power), pc, {reads[0], reads[1]});
    }
    return Divide(v, pc, FormOf(reads[0]), Constant(power), false, true, {reads[0], reads[1]});
  }
  return Opaque(v);
}

Form Symbolic::Select(ValueId v, uint32_t pc) {
  const auto& reads = ssa_.reads[pc];
  const Form a = FormOf(reads[0]);
  const Form b = FormOf(reads[1]);
  Facts facts = {reads[0], reads[1]};
  if (a != b && !NeverHolds(ssa_.predicate_reads[pc][0], facts, 0)) {
    const Form form = Opaque(v);
    BoundSelected(form.terms[0].atom, pc, a, b);
    return form;
  }
  value_facts_[v] = std::move(facts);
  return b;
}

// `x if x > 0 else 0` is at least x and at least 0: where the predicate says that what is taken is
// not less than the other operand, the value never is; the same for not more.
void Symbolic::BoundSelected(AtomId atom, uint32_t pc, const Form& a, const Form& b) {
  if (!a.valid || !b.valid) return;
  for (const bool holds : {true, false}) {
    const Form& other = holds ? b : a;
    const Form more = Sub(holds ? a : b, other);
    const Form less = Scale(more, MinusOne());
    std::vector<Guard> guards;
    AddPredicate(ssa_.predicate_reads[pc][0], holds, guards, 0);
    for (const Guard& guard : guards) {
      for (const bool upper : {false, true}) {
        const Form rest = Sub(upper ? less : more, guard.form);
        if (!rest.valid || rest.size != 0 || !polys_.NeverNegative(rest.constant)) continue;
        Facts facts = guard.facts;
        for (const size_t side : {0u, 1u}) facts.push_back(ssa_.reads[pc][side]);
        (upper ? atoms_[atom].uppers : atoms_[atom].lowers).push_back({other, std::move(facts)});
      }
    }
  }
}

// Recognises what corrects a truncated division for operands of different signs:
// `(remainder ^ divisor) < 0` where neither is negative.
bool Symbolic::NeverHolds(ValueId predicate, Facts& facts, int depth) {
  const Value& value = ssa_.values[predicate];
  if (value.kind != ValueKind::kInstruction || depth > 4) return false;
  const uint32_t pc = value.place;
  const Instruction& i = program_.code[pc];
  if (i.op == Opcode::kPand) {
    return NeverHolds(ssa_.predicate_reads[pc][0], facts, depth + 1) ||
           NeverHolds(ssa_.predicate_reads[pc][1], facts, depth + 1);
  }
  if (i.op != Opcode::kSet || !IsSignedInteger(i.type) || i.condition() != isa::Condition::kLt) {
    return false;
  }
  const Form zero = FormOf(ssa_.reads[pc][1]);
  const Value& signs = ssa_.values[ssa_.reads[pc][0]];
  if (zero != Constant(kZero) || signs.kind != ValueKind::kInstruction ||
      program_.code[signs.place].op != Opcode::kXor) {
    return false;
  }
  Facts because = {ssa_.reads[pc][1]};
  for (const size_t side : {0u, 1u}) {
    const ValueId operand = ssa_.reads[signs.place][side];
    because.push_back(operand);
    if (!AtLeast(FormOf(operand), 0, signs.place, because)) return false;
  }
  facts.Append(because);
  return true;
}

// The machine value of `v` is `form` if that fits the type; otherwise it is data.
Form Symbolic::Exact(ValueId v, const Form& form, uint32_t pc, Facts facts) {
  if (!form.valid || !FitsType(form, types_[v], pc, facts)) return Opaque(v);
  value_facts_[v] = std::move(facts);
  return form;
}

bool Symbolic::FitsType(const Form& form, Type type, uint32_t pc, Facts& facts) {
  const Range range = IsLaneCount(form) ? Range{1, UINT32_MAX} : RangeOf(form);
  if (range.low >= MinOf(type) && range.high <= MaxOf(type)) return true;
  if (!Plausible(form, type)) return false;
  const Scope scope{cfg_.block_of[pc], kNone, true};
  if (range.high > MaxOf(type)) {
    Facts proof;
    const auto upper = Upper(form, scope, true, proof);
    const Wide limit = std::min<Wide>(MaxOf(type), INT64_MAX);
    if (!upper) return false;
    PolyId excess = polys_.Sub(*upper, polys_.Constant(limit));
    // Its constant may leave 64 bits, as that of i - 2 does: then a little more is demanded.
    constexpr Wide kLittle = Wide{1} << 40;
    if (excess == kNoPoly) excess = polys_.Sub(*upper, polys_.Constant(limit - kLittle));
    if (!Require(ConditionKind::kNoWrap, excess, pc, 0, scope, proof, facts)) return false;
  }
  if (range.low < MinOf(type)) {
    Facts proof;
    const auto lower = Lower(form, scope, true, proof);
    const PolyId limit = polys_.Constant(MinOf(type));
    if (!lower ||
        !Require(ConditionKind::kNoWrap, polys_.Sub(limit, *lower), pc, 0, scope, proof, facts)) {
      return false;
    }
  }
  return true;
}

// grid_dim * block_dim: no launch has 2^32 lanes in one dimension.
bool Symbolic::IsLaneCount(const Form& form) const {
  if (form.size != 0 || !form.valid) return false;
  const Polys::Terms terms = polys_.Get(form.constant);
  if (terms.size() != 1 || terms[0].factor != 1) return false;
  int64_t dimensions[] = {-1, -1};  // of the grid, of a block
  for (int i = 0; i < kMaxDegree; ++i) {
    const uint16_t symbol = SymbolAt(terms[0].symbols, i);
    if (symbol == 0) continue;
    const Polys::SymbolInfo& info = polys_.GetSymbol(symbol);
    const bool block = info.op == CheckOp::kBlockDim;
    if ((!block && info.op != CheckOp::kGridDim) || dimensions[block] >= 0) return false;
    dimensions[block] = info.value;
  }
  return dimensions[0] >= 0 && dimensions[0] == dimensions[1];
}

// Hashes and random numbers multiply ids by large constants and mean to wrap. A condition that they
// do not would fail in nearly every launch, so they are data from the start.
bool Symbolic::Plausible(const Form& form, Type type) const {
  if (BitsOf(type) > 32) return true;
  for (uint32_t i = 0; i < form.size; ++i) {
    const auto factor = polys_.ConstantOf(form.terms[i].factor);
    if (factor && (*factor >= 65536 || *factor <= -65536)) return false;
  }
  return true;
}

bool Symbolic::AtLeast(const Form& form, int64_t least, uint32_t pc, Facts& facts) {
  if (RangeOf(form).low >= least) return true;
  const Scope scope{cfg_.block_of[pc], kNone, true};
  Facts proof;
  const auto lower = Lower(form, scope, true, proof);
  return lower && Require(ConditionKind::kNoWrap, polys_.Sub(polys_.Constant(least), *lower), pc, 0,
                          scope, proof, facts);
}

AtomId Symbolic::QuotientAtom(AtomKind kind, const Form& base, PolyId divisor) {
  for (size_t id = 0; id < atoms_.size(); ++id) {
    const Atom& atom = atoms_[id];
    if (atom.kind == kind && atom.divisor == divisor && atom.base == base) {
      return static_cast<AtomId>(id);
    }
  }
  Atom atom;
  atom.kind = kind;
  atom.base = base;
  atom.divisor = divisor;
  const Range range = RangeOf(base);
  atom.range = {std::min<Wide>(range.low, 0), std::max<Wide>(range.high, 0)};
  if (kind == AtomKind::kRemainder) {
    atom.range = {0, std::max<Wide>(polys_.RangeOf(divisor).high - 1, 0)};
  }
  return NewAtom(std::move(atom));
}

// The floor quotient or remainder. DIV and REM truncate, which is the same for a dividend that is
// not negative; both need a positive divisor.
Form Symbolic::Divide(ValueId v, uint32_t pc, const Form& a, const Form& d, bool remainder,
                      bool floors, Facts facts) {
  if (!a.valid || d.size != 0 || !d.valid) return Opaque(v);
  const PolyId divisor = d.constant;
  // An unsigned divisor of zero faults, so no lane goes on with it.
  if (!IsUnsigned(types_[v]) && !AtLeast(d, 1, pc, facts)) return Opaque(v);
  if (polys_.ConstantOf(divisor).value_or(1) < 1) return Opaque(v);
  if (!floors && !AtLeast(a, 0, pc, facts)) return Opaque(v);
  Form form;
  if (a.size == 0) {
    const PolyId quotient = polys_.FloorDiv(a.constant, divisor);
    form = Constant(remainder ? polys_.Sub(a.constant, polys_.Mul(quotient, divisor)) : quotient);
  } else if (divisor == kOne) {
    form = remainder ? Constant(kZero) : a;
  } else {
    form = OfAtom(QuotientAtom(remainder ? AtomKind::kRemainder : AtomKind::kQuotient, a, divisor));
  }
  if (!form.valid) return Opaque(v);
  value_facts_[v] = std::move(facts);
  return form;
}

// The minimum (maximum) of the form and the limit is the form. Conversions saturate, so an id as an
// i32 is a minimum too: that launches have fewer lanes than that may be a condition. For a smaller
// limit it may not, because the minimum is there to be reached.
bool Symbolic::StaysInside(const Form& form, PolyId limit, uint32_t pc, bool is_min, Facts& facts) {
  const Scope scope{cfg_.block_of[pc], kNone, true};
  Facts proof;
  const auto end = is_min ? Upper(form, scope, true, proof) : Lower(form, scope, true, proof);
  if (!end) return false;
  const PolyId excess = is_min ? polys_.Sub(*end, limit) : polys_.Sub(limit, *end);
  if (polys_.NeverPositive(excess)) {
    facts.Append(proof);
    return true;
  }
  const auto constant = polys_.ConstantOf(limit);
  return is_min && constant && *constant >= INT32_MAX &&
         Require(ConditionKind::kNoWrap, excess, pc, 0, scope, proof, facts);
}

Form Symbolic::MinMax(ValueId v, uint32_t pc, bool is_min) {
  const ValueId x = ssa_.reads[pc][0];
  const ValueId y = ssa_.reads[pc][1];
  const Form a = FormOf(x);
  const Form b = FormOf(y);
  if (a.valid && b.valid && a.size == 0 && b.size == 0) {
    value_facts_[v] = {x, y};
    return Constant(is_min ? polys_.Min(a.constant, b.constant)
                           : polys_.Max(a.constant, b.constant));
  }
  for (const bool second : {true, false}) {
    const Form& form = second ? a : b;
    const Form& limit = second ? b : a;
    Facts facts = {x, y};
    if (form.valid && limit.valid && limit.size == 0 && form.size != 0 &&
        StaysInside(form, limit.constant, pc, is_min, facts)) {
      value_facts_[v] = std::move(facts);
      return form;
    }
  }
  const Form form = Opaque(v);
  Atom& atom = atoms_[form.terms[0].atom];
  std::vector<AtomBound>& bounds = is_min ? atom.uppers : atom.lowers;
  if (a.valid) bounds.push_back({a, {x}});
  if (b.valid) bounds.push_back({b, {y}});
  return form;
}

Form Symbolic::Between(ValueId v, Wide low, Wide high) {
  const Form form = Opaque(v);
  atoms_[form.terms[0].atom].range = {low, high};
  return form;
}

// At most what it was.
Form Symbolic::CountDown(ValueId v, uint32_t pc) {
  const ValueId x = ssa_.reads[pc][0];
  const Form before = FormOf(x);
  const Form form = Opaque(v);
  if (before.valid) atoms_[form.terms[0].atom].uppers.push_back({before, {x}});
  return form;
}

// Sums wrap only in the end: what wraps on the way comes back if the whole sum fits.
Form Symbolic::Reduce(ValueId v, uint32_t pc) {
  constexpr size_t kMaxRun = 16;
  const std::span<const ValueId> run = ssa_.RunOf(cfg_, pc);
  if (run.empty() || run.size() > kMaxRun) return Opaque(v);
  const Opcode op = program_.code[pc].op;
  std::vector<Form> forms;
  for (const ValueId x : run) forms.push_back(FormOf(x));
  if (op == Opcode::kReduceAdd) {
    Form sum = forms[0];
    for (size_t i = 1; i < forms.size(); ++i) sum = Add(sum, forms[i]);
    Facts facts;
    for (const ValueId x : run) facts.push_back(x);
    return Exact(v, sum, pc, std::move(facts));
  }
  const Form form = Opaque(v);
  Atom& atom = atoms_[form.terms[0].atom];
  std::vector<AtomBound>& bounds = op == Opcode::kReduceMin ? atom.uppers : atom.lowers;
  for (size_t i = 0; i < forms.size(); ++i) {
    if (forms[i].valid) bounds.push_back({forms[i], {run[i]}});
  }
  return form;
}

// x & c is in 0..c for c >= 0, and the remainder of a floor division for c = 2^k - 1.
Form Symbolic::BitAnd(ValueId v, uint32_t pc) {
  const ValueId x = ssa_.reads[pc][0];
  const ValueId y = ssa_.reads[pc][1];
  const Form a = FormOf(x);
  const Form b = FormOf(y);
  for (const bool second : {true, false}) {
    const Form& mask = second ? b : a;
    const auto constant = mask.size == 0 ? polys_.ConstantOf(mask.constant) : std::nullopt;
    if (!constant || *constant < 0 || *constant == INT64_MAX) continue;
    if ((*constant & (*constant + 1)) == 0) {
      return Divide(v, pc, second ? a : b, Constant(polys_.Constant(*constant + Wide{1})), true,
                    true, {x, y});
    }
  }
  const Range ra = RangeOf(a);
  const Range rb = RangeOf(b);
  const Form form = Opaque(v);
  Atom& atom = atoms_[form.terms[0].atom];
  if (rb.low >= 0) atom.uppers.push_back({b, {y}});
  if (ra.low >= 0) atom.uppers.push_back({a, {x}});
  if (ra.low >= 0 || rb.low >= 0) atom.lowers.push_back({Constant(kZero), {x, y}});
  return form;
}

}  // namespace hologram::verify
