#include "verify/launch_polynomials.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/wide.h"

namespace hologram::verify {
namespace {

constexpr size_t kMaxSymbols = 1024;
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
  if (ProductOverflows(a, b, result)) return (a < 0) != (b < 0) ? -kHuge : kHuge;
  return Clamp(result);
}

size_t HashOf(Polys::Terms poly) {
  uint64_t hash = poly.size();
  for (const Polys::Term& term : poly) {
    hash = (hash ^ static_cast<uint64_t>(term.factor)) * 0x9E3779B97F4A7C15u;
    hash = (hash ^ term.symbols ^ (hash >> 32)) * 0xD6E8FEB86659FD93u;
  }
  return static_cast<size_t>(hash ^ (hash >> 32));
}

Range Times(const Range& range, int64_t factor) {
  if (factor == 1) return range;
  if (factor == -1) return {-range.high, -range.low};
  return Range{factor, factor} * range;
}

// The product of two monomials; false if it has too many factors.
bool MulSymbols(Monomial a, Monomial b, Monomial& result) {
  if (a == 0 || b == 0) {
    result = a | b;
    return true;
  }
  result = 0;
  for (int shift = 0; a != 0 || b != 0; shift += 16) {
    if (shift == 16 * kMaxDegree) return false;
    Monomial& larger = (a & UINT16_MAX) >= (b & UINT16_MAX) ? a : b;
    result |= (larger & UINT16_MAX) << shift;
    larger >>= 16;
  }
  return true;
}

// The monomial without one factor `symbol`, if it has it.
bool Divide(Monomial m, uint16_t symbol, Monomial& quotient) {
  for (int shift = 0; shift < 16 * kMaxDegree; shift += 16) {
    if (static_cast<uint16_t>(m >> shift) != symbol) continue;
    const Monomial below = (Monomial{1} << shift) - 1;
    quotient = (m & below) | (m >> 16 & ~below);
    return true;
  }
  return false;
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
  if (a.low >= 0 && b.low >= 0) return {MulClamped(a.low, b.low), MulClamped(a.high, b.high)};
  const Wide corners[] = {MulClamped(a.low, b.low), MulClamped(a.low, b.high),
                          MulClamped(a.high, b.low), MulClamped(a.high, b.high)};
  const auto [low, high] = std::minmax_element(std::begin(corners), std::end(corners));
  return {*low, *high};
}

Polys::Polys() {
  polys_.reserve(192);
  symbols_.reserve(32);
  table_.assign(512, kNoPoly);
  symbols_.push_back({CheckOp::kConstant, 0, kNoPoly, kNoPoly, {0, 0}, {}});
  Constant(0);
  Constant(1);
}

void Polys::GrowTable() {
  table_.assign(table_.size() * 4, kNoPoly);  // the size is a power of two
  for (PolyId id = 0; id < polys_.size(); ++id) {
    size_t at = HashOf(Get(id)) & (table_.size() - 1);
    while (table_[at] != kNoPoly) at = (at + 1) & (table_.size() - 1);
    table_[at] = id;
  }
}

// Terms stay where they are, so that they may be read while others are added.
const Polys::Term* Polys::Keep(Terms poly) {
  if (static_cast<size_t>(end_ - free_) < poly.size()) {
    constexpr size_t kChunk = 512;
    chunks_.push_back(std::make_unique_for_overwrite<Term[]>(kChunk));
    free_ = chunks_.back().get();
    end_ = free_ + kChunk;
  }
  Term* at = free_;
  free_ = std::copy(poly.begin(), poly.end(), at);
  return at;
}

PolyId Polys::Intern(Terms poly) {
  if (polys_.size() >= kMaxPolys) return kNoPoly;
  if (polys_.size() * 2 > table_.size()) GrowTable();
  size_t at = HashOf(poly) & (table_.size() - 1);
  for (; table_[at] != kNoPoly; at = (at + 1) & (table_.size() - 1)) {
    const Terms known = Get(table_[at]);
    if (std::equal(known.begin(), known.end(), poly.begin(), poly.end())) return table_[at];
  }
  table_[at] = static_cast<PolyId>(polys_.size());
  const auto size = static_cast<uint32_t>(poly.size());
  polys_.push_back({Keep(poly), size, Answer::kNotAsked, false, {1, 0}, {}});
  return table_[at];
}

PolyId Polys::SymbolOf(CheckOp op, int64_t value, PolyId lhs, PolyId rhs, Range range) {
  size_t s = 1;
  for (; s < symbols_.size(); ++s) {
    const SymbolInfo& known = symbols_[s];
    if (known.op == op && known.value == value && known.lhs == lhs && known.rhs == rhs) break;
  }
  if (s >= kMaxSymbols) return kNoPoly;
  if (s == symbols_.size()) {
    SymbolInfo symbol{op, value, lhs, rhs, range, {}};
    symbol.sample = SampleOfSymbol(symbol);
    symbols_.push_back(symbol);
  }
  const Term term{1, s};
  return Intern({&term, 1});
}

PolyId Polys::Symbol(CheckOp op, int64_t value, Range range) {
  return SymbolOf(op, value, kNoPoly, kNoPoly, range);
}

PolyId Polys::Constant(Wide value) {
  if (value < INT64_MIN || value > INT64_MAX) return kNoPoly;
  if (value == 0 && !polys_.empty()) return kZero;
  const Term term{static_cast<int64_t>(value), 0};
  return Intern({&term, value == 0 ? size_t{0} : size_t{1}});
}

bool Polys::AddScaled(Terms x, Terms y, int64_t times, Poly& sum) {
  size_t i = 0;
  size_t j = 0;
  while (i < x.size() || j < y.size()) {
    if (j == y.size() || (i < x.size() && x[i].symbols < y[j].symbols)) {
      if (!sum.Push(x[i++])) return false;
      continue;
    }
    Term term = y[j];
    if (__builtin_mul_overflow(term.factor, times, &term.factor)) return false;
    if (i < x.size() && x[i].symbols == y[j].symbols &&
        __builtin_add_overflow(x[i++].factor, term.factor, &term.factor)) {
      return false;
    }
    ++j;
    if (!sum.Push(term)) return false;
  }
  return true;
}

PolyId Polys::Add(PolyId a, PolyId b) {
  if (a == kNoPoly || b == kNoPoly) return kNoPoly;
  if (a == kZero) return b;
  if (b == kZero) return a;
  Known& known = KnownAt(CheckOp::kAdd, a, b);
  if (known.op == CheckOp::kAdd && known.a == a && known.b == b) return known.result;
  Poly sum;
  const PolyId result = AddScaled(Get(a), Get(b), 1, sum) ? Intern(sum) : kNoPoly;
  known = {CheckOp::kAdd, a, b, result};
  return result;
}

PolyId Polys::Sub(PolyId a, PolyId b) {
  if (a == kNoPoly || b == kNoPoly) return kNoPoly;
  if (b == kZero) return a;
  Known& known = KnownAt(CheckOp::kSub, a, b);
  if (known.op == CheckOp::kSub && known.a == a && known.b == b) return known.result;
  Poly difference;
  const PolyId result = AddScaled(Get(a), Get(b), -1, difference) ? Intern(difference) : kNoPoly;
  known = {CheckOp::kSub, a, b, result};
  return result;
}

PolyId Polys::Scale(PolyId a, int64_t factor) {
  if (a == kNoPoly || factor == 1) return a;
  if (factor == 0) return kZero;
  Poly scaled;
  return AddScaled({}, Get(a), factor, scaled) ? Intern(scaled) : kNoPoly;
}

// sum += x * term
bool Polys::AddProduct(Terms x, const Term& term, Poly& sum) {
  if (term.symbols == 0) {
    const Poly before = sum;
    sum.size = 0;
    return AddScaled(before, x, term.factor, sum);
  }
  for (const Term& t : x) {
    Term product{0, 0};
    if (__builtin_mul_overflow(t.factor, term.factor, &product.factor) ||
        !MulSymbols(t.symbols, term.symbols, product.symbols)) {
      return false;
    }
    const Poly before = sum;
    sum.size = 0;
    if (!AddScaled(before, {&product, 1}, 1, sum)) return false;
  }
  return true;
}

PolyId Polys::Mul(PolyId a, PolyId b) {
  if (a == kNoPoly || b == kNoPoly) return kNoPoly;
  if (a == kOne) return b;
  if (b == kOne) return a;
  Poly sum;
  for (const Term& term : Get(b)) {
    if (!AddProduct(Get(a), term, sum)) return kNoPoly;
  }
  return Intern(sum);
}

PolyId Polys::Rename(PolyId p, std::span<const std::pair<uint32_t, uint32_t>> from_to) {
  if (p == kNoPoly) return kNoPoly;
  PolyId sum = kZero;
  const std::vector<Term> terms(Get(p).begin(), Get(p).end());  // interning may move them
  for (const Term& term : terms) {
    PolyId product = Constant(term.factor);
    for (int i = 0; i < kMaxDegree; ++i) {
      const uint16_t symbol = SymbolAt(term.symbols, i);
      if (symbol == 0) continue;
      Monomial renamed = symbol;
      const SymbolInfo& from = GetSymbol(symbol);
      for (uint16_t other = 1; other < symbols_.size() && from.op == CheckOp::kScalar; ++other) {
        if (symbols_[other].op != CheckOp::kScalar) continue;
        const std::pair pair(static_cast<uint32_t>(from.value),
                             static_cast<uint32_t>(symbols_[other].value));
        if (std::find(from_to.begin(), from_to.end(), pair) != from_to.end()) renamed = other;
      }
      product = Mul(product, OfTerm({1, renamed}));
    }
    sum = Add(sum, product);
  }
  return sum;
}

PolyId Polys::ExactQuotient(PolyId a, PolyId b) {
  if (a == kNoPoly || b == kNoPoly || Get(b).size() != 1) return kNoPoly;
  const Term divisor = Get(b)[0];
  Poly quotient;
  for (const Term& term : Get(a)) {
    if (divisor.factor == -1 ? term.factor == INT64_MIN : term.factor % divisor.factor != 0) {
      return kNoPoly;
    }
    Term part{term.factor / divisor.factor, term.symbols};
    for (int i = 0; i < kMaxDegree; ++i) {
      const uint16_t symbol = SymbolAt(divisor.symbols, i);
      if (symbol != 0 && !Divide(part.symbols, symbol, part.symbols)) return kNoPoly;
    }
    const Poly before = quotient;
    quotient.size = 0;
    if (!AddScaled(before, {&part, 1}, 1, quotient)) return kNoPoly;
  }
  return Intern(quotient);
}

PolyId Polys::Extreme(CheckOp op, PolyId a, PolyId b) {
  if (a == kNoPoly || b == kNoPoly) return kNoPoly;
  Known& known = KnownAt(op, a, b);
  if (known.op == op && known.a == a && known.b == b) return known.result;
  const PolyId result = ComputeExtreme(op, a, b);
  known = {op, a, b, result};
  return result;
}

PolyId Polys::ComputeExtreme(CheckOp op, PolyId a, PolyId b) {
  const bool is_min = op == CheckOp::kMin;
  if (SumNeverPositive(a, b, -1).value_or(false)) return is_min ? a : b;
  if (SumNeverPositive(b, a, -1).value_or(false)) return is_min ? b : a;
  // min(n - 1, g - 1) is min(n, g) - 1: one node serves all such bounds.
  const auto constant_term = [&](PolyId p) {
    const Terms poly = Get(p);
    return !poly.empty() && poly[0].symbols == 0 ? poly[0].factor : 0;
  };
  const PolyId shift = Constant(std::max(constant_term(a), constant_term(b)));
  PolyId lhs = Sub(a, shift);
  PolyId rhs = Sub(b, shift);
  if (lhs == kNoPoly || rhs == kNoPoly) return kNoPoly;
  if (lhs > rhs) std::swap(lhs, rhs);
  const Range x = RangeOf(lhs);
  const Range y = RangeOf(rhs);
  const Range range = is_min ? Range{std::min(x.low, y.low), std::min(x.high, y.high)}
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
  for (const Term& term : Get(a).first(std::min<size_t>(Get(a).size(), 2))) {
    if (!IsSymbol(term.symbols) || term.factor != 1) continue;
    const SymbolInfo info = symbols_[term.symbols];
    if (info.op != CheckOp::kMin && info.op != CheckOp::kMax) continue;
    const PolyId rest = Sub(a, SymbolOf(info.op, info.value, info.lhs, info.rhs, info.range));
    if (!IsConstant(rest)) continue;
    return Extreme(info.op, FloorDiv(Add(info.lhs, rest), b), FloorDiv(Add(info.rhs, rest), b));
  }
  // (q * b + c) / b = q + floor(c / b), where c is 0 or -1.
  const Terms y = Get(b);
  if (y.size() == 1 && y[0].factor == 1 && IsSymbol(y[0].symbols)) {
    Poly quotient;
    int64_t rest = 0;
    bool divides = true;
    for (const Term& term : Get(a)) {
      Term divided{term.factor, 0};
      if (Divide(term.symbols, static_cast<uint16_t>(y[0].symbols), divided.symbols)) {
        quotient.Push(divided);
      } else if (term.symbols == 0 && term.factor == -1) {
        rest = -1;
      } else {
        divides = false;
        break;
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
  const Terms poly = Get(p);
  if (poly.empty()) return 0;
  if (poly.size() == 1 && poly[0].symbols == 0) return poly[0].factor;
  return std::nullopt;
}

Range Polys::RangeOfTerm(const Term& term) const {
  if (term.symbols == 0) return {term.factor, term.factor};
  if (IsSymbol(term.symbols)) {
    return Times(symbols_[term.symbols].range, term.factor);
  }
  // Few monomials are asked for, but often.
  KnownProduct& known = products_[(term.symbols ^ term.symbols >> 16) % kProducts];
  if (known.symbols != term.symbols) {
    Range product{1, 1};
    for (int i = 0; i < kMaxDegree; ++i) {
      const uint16_t s = SymbolAt(term.symbols, i);
      if (s != 0) product = product * symbols_[s].range;
    }
    known = {term.symbols, product};
  }
  return Times(known.range, term.factor);
}

Range Polys::ComputeRange(Terms poly) const {
  Range sum;
  for (const Term& term : poly) sum = sum + RangeOfTerm(term);
  return sum;
}

Wide Polys::HighOf(Terms poly) const {
  Wide sum = 0;
  for (const Term& term : poly) {
    Wide high = term.factor;
    if (IsSymbol(term.symbols)) {
      const Range& range = symbols_[term.symbols].range;
      high = term.factor == 1    ? range.high
             : term.factor == -1 ? -range.low
                                 : Times(range, term.factor).high;
    } else if (term.symbols != 0) {
      high = RangeOfTerm(term).high;
    }
    if (high >= kHuge) return kHuge;
    sum = Clamp(sum + high);
  }
  return sum;
}

bool Polys::ComputeNeverPositive(Terms poly) const {
  if (HighOf(poly) <= 0) return true;
  for (const Term& term : poly) {
    if (!IsSymbol(term.symbols)) continue;
    // A minimum is at most either side; minus a maximum is at most minus either side.
    const SymbolInfo& info = symbols_[term.symbols];
    if (info.op != (term.factor > 0 ? CheckOp::kMin : CheckOp::kMax)) continue;
    Poly rest;
    for (const Term& other : poly) {
      if (&other != &term) rest.Push(other);
    }
    for (const PolyId side : {info.lhs, info.rhs}) {
      Poly larger;
      if (AddScaled(rest, Get(side), term.factor, larger) && HighOf(larger) <= 0) return true;
    }
  }
  return false;
}

int Polys::SamplesAbove(PolyId p) const {
  const Sample& sample = SampleOf(p);
  return static_cast<int>(
      std::count_if(sample.begin(), sample.end(), [](double value) { return value > 0; }));
}

// Nearly nothing that is asked is true, and one launch in which it is false says so at once.
bool Polys::SampledPositive(PolyId a, PolyId b, int64_t times) const {
  const Sample& x = SampleOf(a);
  const Sample& y = SampleOf(b);
  bool positive = false;
  for (size_t k = 0; k < x.size(); ++k) positive |= x[k] + static_cast<double>(times) * y[k] > 0;
  return positive;
}

namespace {

// Integers below 2^53 are exact, and so are sums and products that stay below.
double Exactly(double value) {
  constexpr double kLimit = 9007199254740992.0;
  return value > -kLimit && value < kLimit ? value : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

Polys::Sample Polys::SampleOfSymbol(const SymbolInfo& symbol) const {
  Sample sample;
  const bool leaf = symbol.lhs == kNoPoly;
  for (size_t k = 0; k < sample.size(); ++k) {
    if (leaf) {
      // Other values in another order for each symbol; two are large, whose products wrap.
      constexpr int64_t kSmall[] = {3, 700, 40, 1, 25000, 11, 5, 160};
      constexpr int64_t kLarge[] = {300000, 90000, 200000, 70000};
      const size_t number = symbols_.size();
      const int64_t value =
          k < 2 ? kSmall[(number * 5 + k * (number % 3 + 1)) % 8] : kLarge[(number * 3 + k) % 4];
      sample[k] = static_cast<double>(std::clamp<Wide>(value, symbol.range.low, symbol.range.high));
      continue;
    }
    const double x = SampleOf(symbol.lhs)[k];
    const double y = SampleOf(symbol.rhs)[k];
    if (std::isnan(x) || std::isnan(y) || (symbol.op == CheckOp::kFloorDiv && y < 1)) {
      sample[k] = std::numeric_limits<double>::quiet_NaN();
    } else if (symbol.op == CheckOp::kFloorDiv) {
      const auto a = static_cast<int64_t>(x);
      const auto b = static_cast<int64_t>(y);
      sample[k] = static_cast<double>(a / b - (a % b < 0 ? 1 : 0));
    } else {
      sample[k] = symbol.op == CheckOp::kMin ? std::min(x, y) : std::max(x, y);
    }
  }
  return sample;
}

const Polys::Sample& Polys::SampleOf(PolyId p) const {
  const Interned& poly = polys_[p];
  if (poly.sampled) return poly.sample;
  poly.sampled = true;
  poly.sample = {};
  for (const Term& term : Get(p)) {
    Sample product;
    product.fill(Exactly(static_cast<double>(term.factor)));
    for (Monomial m = term.symbols; m != 0; m >>= 16) {
      const Sample& symbol = symbols_[m & UINT16_MAX].sample;
      for (size_t k = 0; k < product.size(); ++k) product[k] = Exactly(product[k] * symbol[k]);
    }
    for (size_t k = 0; k < product.size(); ++k) {
      poly.sample[k] = Exactly(poly.sample[k] + product[k]);
    }
  }
  return poly.sample;
}

bool Polys::NeverPositive(PolyId p) const {
  if (p == kNoPoly) return false;
  Answer& known = polys_[p].never_positive;
  if (known == Answer::kNotAsked) {
    const bool yes = !SampledPositive(p, kZero, 1) && ComputeNeverPositive(Get(p));
    known = yes ? Answer::kYes : Answer::kNo;
  }
  return known == Answer::kYes;
}

std::optional<bool> Polys::SumNeverPositive(PolyId a, PolyId b, int64_t times) const {
  if (a == kNoPoly || b == kNoPoly) return std::nullopt;
  if (SampledPositive(a, b, times)) return false;
  Poly sum;
  if (!AddScaled(Get(a), Get(b), times, sum)) return std::nullopt;
  return ComputeNeverPositive(sum);
}

}  // namespace hologram::verify
