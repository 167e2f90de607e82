#include "verify/index_parts.h"

#include <algorithm>

namespace hologram::verify {
namespace {

using isa::Instruction;
using isa::Opcode;

class Splitter {
 public:
  Splitter(Symbolic& symbolic, const IndexSource& source) : symbolic_(symbolic), source_(source) {}

  // Adds `value` times `unit` times `sign`.
  void Split(ValueId value, PolyId unit, int64_t sign, int depth) {
    constexpr int kMaxDepth = 12;
    const Value& v = source_.ssa.values[value];
    if (v.kind != ValueKind::kInstruction || depth > kMaxDepth) return AddLeaf(value, unit, sign);
    const Instruction& i = source_.program.code[v.place];
    const auto& reads = source_.ssa.reads[v.place];
    if (i.op == Opcode::kMov || i.op == Opcode::kCvt) {
      return Split(reads[0], unit, sign, depth + 1);
    }
    if (i.op == Opcode::kAdd || i.op == Opcode::kSub) {
      Split(reads[0], unit, sign, depth + 1);
      return Split(reads[1], unit, i.op == Opcode::kAdd ? sign : -sign, depth + 1);
    }
    const bool multiplies = i.op == Opcode::kMul || i.op == Opcode::kMad;
    if (multiplies && SplitProduct(reads[0], reads[1], unit, sign, depth)) {
      if (i.op == Opcode::kMad) Split(reads[2], unit, sign, depth + 1);
      return;
    }
    if (i.op == Opcode::kShl) {
      const auto count = symbolic_.polys().ConstantOf(symbolic_.FormOf(reads[1]).constant);
      const bool known = symbolic_.FormOf(reads[1]).size == 0 && count;
      if (source_.constants && known && *count >= 0 && *count <= 40) {
        const PolyId power = symbolic_.polys().Constant(Wide{1} << *count);
        return Split(reads[0], symbolic_.polys().Mul(unit, power), sign, depth + 1);
      }
    }
    AddLeaf(value, unit, sign);
  }

  void AddPart(PolyId unit, const Form& form) {
    const auto at = std::find_if(parts_.begin(), parts_.end(),
                                 [&](const IndexPart& part) { return part.unit == unit; });
    if (at == parts_.end()) {
      parts_.push_back({unit, form});
    } else {
      at->form = symbolic_.Add(at->form, form);
    }
  }

  std::vector<IndexPart> Take() { return std::move(parts_); }

 private:
  bool SplitProduct(ValueId x, ValueId y, PolyId unit, int64_t sign, int depth) {
    Polys& polys = symbolic_.polys();
    for (const auto& [known, other] : {std::pair(x, y), std::pair(y, x)}) {
      const Form form = symbolic_.FormOf(known);
      if (!form.valid || form.size != 0 || symbolic_.FormOf(other).size == 0) continue;
      const auto constant = polys.ConstantOf(form.constant);
      if (constant && !source_.constants) return false;
      const bool negative = constant && *constant < 0;
      const PolyId times = negative ? polys.Scale(form.constant, -1) : form.constant;
      Split(other, polys.Mul(unit, times), negative ? -sign : sign, depth + 1);
      return true;
    }
    return false;
  }

  void AddLeaf(ValueId value, PolyId unit, int64_t sign) {
    const Form form = symbolic_.Scale(symbolic_.FormOf(value), symbolic_.polys().Constant(sign));
    if (form.size == 0) {
      AddPart(kOne, symbolic_.Scale(form, unit));
    } else {
      AddPart(unit, form);
    }
  }

  Symbolic& symbolic_;
  const IndexSource& source_;
  std::vector<IndexPart> parts_;
};

bool IsSumOf(Symbolic& symbolic, const std::vector<IndexPart>& parts, const Form& whole) {
  Form sum;
  for (const IndexPart& part : parts) {
    if (part.unit == kNoPoly || part.unit == kZero || !part.form.valid) return false;
    sum = symbolic.Add(sum, symbolic.Scale(part.form, part.unit));
  }
  return sum.valid && sum == whole;
}

// Each term is a part.
std::vector<IndexPart> TermsOf(Symbolic& symbolic, const Form& whole) {
  Polys& polys = symbolic.polys();
  std::vector<IndexPart> parts = {{kOne, symbolic.Constant(whole.constant)}};
  for (uint32_t i = 0; i < whole.size; ++i) {
    const bool negative = polys.RangeOf(whole.terms[i].factor).high < 0;
    const PolyId unit = negative ? polys.Scale(whole.terms[i].factor, -1) : whole.terms[i].factor;
    const Form form =
        symbolic.Scale(symbolic.OfAtom(whole.terms[i].atom), negative ? symbolic.MinusOne() : kOne);
    const auto at = std::find_if(parts.begin(), parts.end(),
                                 [&](const IndexPart& part) { return part.unit == unit; });
    if (at == parts.end()) {
      parts.push_back({unit, form});
    } else {
      at->form = symbolic.Add(at->form, form);
    }
  }
  return parts;
}

}  // namespace

std::vector<IndexPart> PartsOf(Symbolic& symbolic, const IndexSource& source, ValueId index,
                               int64_t beyond, const Form& whole) {
  Splitter splitter(symbolic, source);
  splitter.AddPart(kOne, symbolic.Constant(symbolic.polys().Constant(beyond)));
  splitter.Split(index, kOne, 1, 0);
  std::vector<IndexPart> parts = splitter.Take();
  return IsSumOf(symbolic, parts, whole) ? parts : TermsOf(symbolic, whole);
}

void MatchUnits(Symbolic& symbolic, std::vector<IndexPart>& x, std::vector<IndexPart>& y) {
  Polys& polys = symbolic.polys();
  const auto add_units = [](std::vector<IndexPart>& to, const std::vector<IndexPart>& from) {
    for (const IndexPart& part : from) {
      if (std::none_of(to.begin(), to.end(),
                       [&](const IndexPart& known) { return known.unit == part.unit; })) {
        to.push_back({part.unit, {}});
      }
    }
  };
  add_units(x, y);
  add_units(y, x);
  for (std::vector<IndexPart>* parts : {&x, &y}) {
    std::sort(parts->begin(), parts->end(), [&](const IndexPart& a, const IndexPart& b) {
      return std::pair(symbolic.WeightOf(a.unit), a.unit) <
             std::pair(symbolic.WeightOf(b.unit), b.unit);
    });
    const auto ones = std::find_if(parts->begin(), parts->end(),
                                   [](const IndexPart& part) { return part.unit == kOne; });
    if (ones == parts->end()) continue;
    const Polys::Terms found = polys.Get(ones->form.constant);
    for (const Polys::Term& term : std::vector<Polys::Term>(found.begin(), found.end())) {
      const PolyId amount = polys.OfTerm(term);
      for (auto part = parts->rbegin(); part->unit != kOne; ++part) {
        const PolyId times = polys.ExactQuotient(amount, part->unit);
        if (times == kNoPoly) continue;
        part->form = symbolic.Add(part->form, symbolic.Constant(times));
        ones->form = symbolic.Sub(ones->form, symbolic.Constant(amount));
        break;
      }
    }
  }
}

}  // namespace hologram::verify
