#include "verify/poly.h"

#include <algorithm>
#include <bit>

namespace hologram::verify {
namespace {

constexpr size_t kMaxSymbols = 4096;
constexpr size_t kMaxPolys = 1 << 16;

Wide Clamp(Wide value) {
  return std::clamp(value, -kHuge, kHuge);
}

Wide MulClamped(Wide a, Wide b) {
  // Nearly always: one multiplication instead of the checked one of 128 bits.
  const auto short_a = static_cast<int64_t>(a);
  const auto short_b = static_cast<int64_t>(b);
  if (short_a == a && short_b == b) return Clamp(Wide{short_a} * short_b);
  Wide result = 0;
  if (__builtin_mul_overflow(a, b, &result)) return (a < 0) != (b < 0) ? -kHuge : kHuge;
  return Clamp(result);
}

size_t HashOf(const Polys::Poly& poly) {
  uint64_t hash = poly.size;
  for (uint32_t i = 0; i < poly.size; ++i) {
    const auto symbols = std::bit_cast<uint64_t>(poly.terms[i].symbols);
    hash = (hash ^ static_cast<uint64_t>(poly.terms[i].factor)) * 0x9E3779B97F4A7C15u;
    hash = (hash ^ symbols ^ (hash >> 32)) * 0xD6E8FEB86659FD93u;
  }
  return static_cast<size_t>(hash ^ (hash >> 32));
}

bool Equal(const Polys::Poly& a, const Polys::Poly& b) {
  if (a.size != b.size) return false;
  for (uint32_t i = 0; i < a.size; ++i) {
    if (a.terms[i].factor != b.terms[i].factor || std::bit_cast<uint64_t>(a.terms[i].symbols) !=
                                                      std::bit_cast<uint64_t>(b.terms[i].symbols)) {
      return false;
    }
  }
  return true;
}

// The product of two monomials; false if it has too many factors.
bool MulSymbols(const std::array<uint16_t, 4>& a, const std::array<uint16_t, 4>& b,
                std::array<uint16_t, 4>& result) {
  std::array<uint16_t, 8> all{};
  std::merge(a.begin(), a.end(), b.begin(), b.end(), all.begin());
  if (all[3] != 0) return false;
  std::copy(all.begin() + 4, all.end(), result.begin());
  return true;
}

}  // namespace

Range operator+(Range a, Range b) {
  return {a.low <= -kHuge || b.low <= -kHuge ? -kHuge : Clamp(a.low + b.low),
          a.high >= kHuge || b.high >= kHuge ? kHuge : Clamp(a.high + b.high)};
}

Range operator*(Range a, Range b) {
  if (a.low == a.high) {  // a constant
    const Range scaled{MulClamped(a.low, b.low), MulClamped(a.low, b.high)};
    return a.low >= 0 ? scaled : Range{scaled.high, scaled.low};
  }
  const Wide corners[] = {MulClamped(a.low, b.low), MulClamped(a.low, b.high),
                          MulClamped(a.high, b.low), MulClamped(a.high, b.high)};
  const auto [low, high] = std::minmax_element(std::begin(corners), std::end(corners));
  return {*low, *high};
}

Polys::Polys() {
  polys_.reserve(128);
  table_.assign(1024, kNoPoly);
  symbols_.push_back({CheckOp::kConstant, 0, kNoPoly, kNoPoly, {0, 0}});
  Constant(0);
  Constant(1);
}

PolyId Polys::Intern(const Poly& poly) {
  if (polys_.size() >= kMaxPolys) return kNoPoly;
  // The size of the table is a power of two.
  if (polys_.size() * 2 > table_.size()) {
    table_.assign(table_.size() * 4, kNoPoly);
    for (PolyId id = 0; id < polys_.size(); ++id) {
      size_t at = HashOf(polys_[id]) & (table_.size() - 1);
      while (table_[at] != kNoPoly) at = (at + 1) & (table_.size() - 1);
      table_[at] = id;
    }
  }
  size_t at = HashOf(poly) & (table_.size() - 1);
  while (table_[at] != kNoPoly) {
    if (Equal(polys_[table_[at]], poly)) return table_[at];
    at = (at + 1) & (table_.size() - 1);
  }
  table_[at] = static_cast<PolyId>(polys_.size());
  polys_.push_back(poly);
  ranges_.push_back({1, 0});
  return table_[at];
}

PolyId Polys::SymbolOf(CheckOp op, int64_t value, PolyId lhs, PolyId rhs, Range range) {
  size_t s = 1;
  for (; s < symbols_.size(); ++s) {
    const SymbolInfo& known = symbols_[s];
    if (known.op == op && known.value == value && known.lhs == lhs && known.rhs == rhs) break;
  }
  if (s >= kMaxSymbols) return kNoPoly;
  if (s == symbols_.size()) symbols_.push_back({op, value, lhs, rhs, range});
  Poly poly;
  poly.terms[0] = {1, {0, 0, 0, static_cast<uint16_t>(s)}};
  poly.size = 1;
  return Intern(poly);
}

PolyId Polys::Symbol(CheckOp op, int64_t value, Range range) {
  return SymbolOf(op, value, kNoPoly, kNoPoly, range);
}

PolyId Polys::Constant(Wide value) {
  if (value < INT64_MIN || value > INT64_MAX) return kNoPoly;
  Poly poly;
  if (value != 0) {
    poly.terms[0] = {static_cast<int64_t>(value), {}};
    poly.size = 1;
  }
  return Intern(poly);
}

PolyId Polys::Add(PolyId a, PolyId b) {
  if (a == kNoPoly || b == kNoPoly) return kNoPoly;
  if (a == kZero) return b;
  if (b == kZero) return a;
  Known& known = known_[(a * 31 + b * 2) % kKnown];
  if (known.op == CheckOp::kAdd && known.a == a && known.b == b) return known.result;
  const PolyId result = ComputeSum(a, b);
  known = {CheckOp::kAdd, a, b, result};
  return result;
}

PolyId Polys::ComputeSum(PolyId a, PolyId b) {
  const Poly& x = polys_[a];
  const Poly& y = polys_[b];
  Poly sum;
  for (uint32_t i = 0, j = 0; i < x.size || j < y.size;) {
    Term term;
    if (j == y.size || (i < x.size && x.terms[i].symbols < y.terms[j].symbols)) {
      term = x.terms[i++];
    } else if (i == x.size || y.terms[j].symbols < x.terms[i].symbols) {
      term = y.terms[j++];
    } else {
      term = x.terms[i];
      if (__builtin_add_overflow(x.terms[i++].factor, y.terms[j++].factor, &term.factor)) {
        return kNoPoly;
      }
    }
    if (term.factor == 0) continue;
    if (sum.size == sum.terms.size()) return kNoPoly;
    sum.terms[sum.size++] = term;
  }
  return Intern(sum);
}

PolyId Polys::Scale(PolyId a, int64_t factor) {
  if (a == kNoPoly || factor == 1) return a;
  if (factor == 0) return kZero;
  Poly scaled = polys_[a];
  for (uint32_t i = 0; i < scaled.size; ++i) {
    if (__builtin_mul_overflow(scaled.terms[i].factor, factor, &scaled.terms[i].factor)) {
      return kNoPoly;
    }
  }
  return Intern(scaled);
}

PolyId Polys::Mul(PolyId a, PolyId b) {
  if (a == kNoPoly || b == kNoPoly) return kNoPoly;
  if (a == kOne) return b;
  if (b == kOne) return a;
  const Poly y = polys_[b];
  PolyId sum = kZero;
  for (uint32_t j = 0; j < y.size; ++j) {
    const Poly x = polys_[a];
    for (uint32_t i = 0; i < x.size; ++i) {
      Poly product;
      product.size = 1;
      if (__builtin_mul_overflow(x.terms[i].factor, y.terms[j].factor, &product.terms[0].factor) ||
          !MulSymbols(x.terms[i].symbols, y.terms[j].symbols, product.terms[0].symbols)) {
        return kNoPoly;
      }
      sum = Add(sum, Intern(product));
    }
  }
  return sum;
}

PolyId Polys::Extreme(CheckOp op, PolyId a, PolyId b) {
  if (a == kNoPoly || b == kNoPoly) return kNoPoly;
  Known& known = known_[(a * 31 + b * 2 + (op == CheckOp::kMin ? 1 : 0)) % kKnown];
  if (known.op == op && known.a == a && known.b == b) return known.result;
  const PolyId result = ComputeExtreme(op, a, b);
  known = {op, a, b, result};
  return result;
}

PolyId Polys::ComputeExtreme(CheckOp op, PolyId a, PolyId b) {
  const PolyId difference = Sub(a, b);
  if (NeverPositive(difference)) return op == CheckOp::kMin ? a : b;
  if (NeverPositive(Scale(difference, -1))) return op == CheckOp::kMin ? b : a;
  // min(n - 1, g - 1) is min(n, g) - 1: one node serves all such bounds.
  const auto constant_term = [&](PolyId p) {
    const Poly& poly = polys_[p];
    return poly.size > 0 && poly.terms[0].symbols[3] == 0 ? poly.terms[0].factor : 0;
  };
  const PolyId shift = Constant(std::max(constant_term(a), constant_term(b)));
  PolyId lhs = Sub(a, shift);
  PolyId rhs = Sub(b, shift);
  if (lhs == kNoPoly || rhs == kNoPoly) return kNoPoly;
  if (lhs > rhs) std::swap(lhs, rhs);
  const Range x = RangeOf(lhs);
  const Range y = RangeOf(rhs);
  const Range range = op == CheckOp::kMin ? Range{std::min(x.low, y.low), std::min(x.high, y.high)}
                                          : Range{std::max(x.low, y.low), std::max(x.high, y.high)};
  return Add(SymbolOf(op, 0, lhs, rhs, range), shift);
}

PolyId Polys::FloorDiv(PolyId a, PolyId b) {
  if (a == kNoPoly || b == kNoPoly) return kNoPoly;
  if (b == kOne) return a;
  const auto numerator = ConstantOf(a);
  const auto divisor = ConstantOf(b);
  if (divisor && *divisor <= 0) return kNoPoly;
  if (numerator && divisor) {
    return Constant(*numerator / *divisor - (*numerator % *divisor < 0 ? 1 : 0));
  }
  // The quotient of a minimum is the minimum of the quotients.
  for (const Term& term : {polys_[a].terms[0], polys_[a].terms[1]}) {
    const uint16_t s = term.symbols[3];
    if (s == 0 || term.symbols[2] != 0 || term.factor != 1) continue;
    const SymbolInfo info = symbols_[s];
    if (info.op != CheckOp::kMin && info.op != CheckOp::kMax) continue;
    const PolyId rest = Sub(a, SymbolOf(info.op, info.value, info.lhs, info.rhs, info.range));
    if (!IsConstant(rest)) continue;
    return Extreme(info.op, FloorDiv(Add(info.lhs, rest), b), FloorDiv(Add(info.rhs, rest), b));
  }
  // (q * b + c) / b = q + floor(c / b), where c is 0 or -1.
  if (polys_[b].size == 1 && polys_[b].terms[0].factor == 1 && !divisor) {
    const Poly& x = polys_[a];
    const uint16_t symbol = polys_[b].terms[0].symbols[3];
    Poly quotient;
    int64_t rest = 0;
    bool divides = polys_[b].terms[0].symbols[2] == 0;
    for (uint32_t i = 0; i < x.size && divides; ++i) {
      Term term = x.terms[i];
      const auto at = std::find(term.symbols.begin(), term.symbols.end(), symbol);
      if (at != term.symbols.end()) {
        std::copy_backward(term.symbols.begin(), at, at + 1);
        term.symbols[0] = 0;
        quotient.terms[quotient.size++] = term;
      } else if (term.symbols[3] == 0 && term.factor == -1) {
        rest = -1;
      } else {
        divides = false;
      }
    }
    if (divides) {
      const auto less = [](const Term& s, const Term& t) { return s.symbols < t.symbols; };
      std::sort(quotient.terms.begin(), quotient.terms.begin() + quotient.size, less);
      return Add(Intern(quotient), Constant(rest));
    }
  }
  const Range range = RangeOf(a);
  return SymbolOf(CheckOp::kFloorDiv, 0, a, b,
                  {std::min<Wide>(range.low, 0), std::max<Wide>(range.high, 0)});
}

std::optional<int64_t> Polys::ConstantOf(PolyId p) const {
  if (p == kNoPoly) return std::nullopt;
  const Poly& poly = polys_[p];
  if (poly.size == 0) return 0;
  if (poly.size == 1 && poly.terms[0].symbols[3] == 0) return poly.terms[0].factor;
  return std::nullopt;
}

Range Polys::ComputeRange(const Poly& poly) const {
  Range sum;
  for (uint32_t i = 0; i < poly.size; ++i) {
    Range product{poly.terms[i].factor, poly.terms[i].factor};
    for (const uint16_t s : poly.terms[i].symbols) {
      if (s != 0) product = product * symbols_[s].range;
    }
    sum = sum + product;
  }
  return sum;
}

PolyId Polys::Substitute(PolyId p, uint16_t symbol, PolyId by) {
  const Poly poly = polys_[p];
  PolyId sum = kZero;
  for (uint32_t i = 0; i < poly.size; ++i) {
    Poly one;
    one.size = 1;
    one.terms[0] = poly.terms[i];
    auto& symbols = one.terms[0].symbols;
    const auto at = std::find(symbols.begin(), symbols.end(), symbol);
    const bool found = at != symbols.end();
    if (found) {
      std::copy_backward(symbols.begin(), at, at + 1);
      symbols[0] = 0;
    }
    const PolyId rest = Intern(one);
    sum = Add(sum, found ? Mul(rest, by) : rest);
  }
  return sum;
}

bool Polys::NeverPositive(PolyId p) {
  if (p == kNoPoly) return false;
  if (RangeOf(p).high <= 0) return true;
  const Poly poly = polys_[p];
  for (uint32_t i = 0; i < poly.size; ++i) {
    const Term& term = poly.terms[i];
    const uint16_t s = term.symbols[3];
    if (s == 0 || term.symbols[2] != 0) continue;
    // A minimum is at most either side; minus a maximum is at most minus either side.
    const SymbolInfo info = symbols_[s];
    const bool helps = term.factor > 0 ? info.op == CheckOp::kMin : info.op == CheckOp::kMax;
    if (!helps) continue;
    for (const PolyId side : {info.lhs, info.rhs}) {
      const PolyId larger = Substitute(p, s, side);
      if (larger != kNoPoly && RangeOf(larger).high <= 0) return true;
    }
  }
  return false;
}

std::pair<PolyId, PolyId> Polys::SplitSigns(PolyId p) {
  const Poly poly = polys_[p];
  Poly left;
  Poly right;
  for (uint32_t i = 0; i < poly.size; ++i) {
    Term term = poly.terms[i];
    if (term.factor > 0) {
      left.terms[left.size++] = term;
    } else if (term.factor != INT64_MIN) {
      term.factor = -term.factor;
      right.terms[right.size++] = term;
    } else {
      return {p, kZero};
    }
  }
  return {Intern(left), Intern(right)};
}

namespace {

uint32_t AddNode(std::vector<CheckNode>& nodes, const CheckNode& node) {
  const auto known = std::find(nodes.begin(), nodes.end(), node);
  if (known != nodes.end()) return static_cast<uint32_t>(known - nodes.begin());
  nodes.push_back(node);
  return static_cast<uint32_t>(nodes.size() - 1);
}

uint32_t ConstantNode(std::vector<CheckNode>& nodes, int64_t value) {
  return AddNode(nodes, {CheckOp::kConstant, value, 0, 0});
}

}  // namespace

uint32_t Polys::Lower(PolyId p, std::vector<CheckNode>& nodes) const {
  const Poly& poly = polys_[p];
  uint32_t sum = kNoPoly;
  // Positive terms first, then what is subtracted.
  for (const bool positive : {true, false}) {
    for (uint32_t i = poly.size; i-- > 0;) {
      const Term& term = poly.terms[i];
      if ((term.factor > 0) != positive) continue;
      const bool subtract = !positive && sum != kNoPoly && term.factor != INT64_MIN;
      const int64_t factor = subtract ? -term.factor : term.factor;
      uint32_t product =
          factor == 1 && term.symbols[3] != 0 ? kNoPoly : ConstantNode(nodes, factor);
      for (const uint16_t s : term.symbols) {
        if (s == 0) continue;
        const SymbolInfo& info = symbols_[s];
        CheckNode leaf{info.op, info.value, 0, 0};
        if (info.lhs != kNoPoly) {
          leaf.lhs = Lower(info.lhs, nodes);
          leaf.rhs = Lower(info.rhs, nodes);
        }
        const uint32_t node = AddNode(nodes, leaf);
        product = product == kNoPoly ? node : AddNode(nodes, {CheckOp::kMul, 0, product, node});
      }
      const CheckOp op = subtract ? CheckOp::kSub : CheckOp::kAdd;
      sum = sum == kNoPoly ? product : AddNode(nodes, {op, 0, sum, product});
    }
  }
  return sum == kNoPoly ? ConstantNode(nodes, 0) : sum;
}

}  // namespace hologram::verify
