// Polynomials over what is known at launch: integer scalars, grid and block sizes, extents, and
// minima, maxima and floor quotients of polynomials. Canonical and interned: equal polynomials have
// equal ids, so sums cancel and bounds compare exactly. What is only looked at, as the difference
// of two bounds, is computed on the stack and never gets an id. Tested by tests/verify.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "verify/launch_check.h"

namespace hologram::verify {

using Wide = __int128;

// A range of exact integers; ends that would leave +-2^100 stay there and mean "no bound".
struct Range {
  Wide low = 0;
  Wide high = 0;
};
inline constexpr Wide kHuge = Wide{1} << 100;
Range operator+(Range a, Range b);
Range operator*(Range a, Range b);

using PolyId = uint32_t;
inline constexpr PolyId kNoPoly = UINT32_MAX;  // too large for the analysis; absorbs all operations
inline constexpr PolyId kZero = 0;
inline constexpr PolyId kOne = 1;

// A product of up to four symbols: their numbers, ascending from the top; 0 is not a symbol.
using Monomial = uint64_t;
inline constexpr int kMaxDegree = 4;
inline uint16_t SymbolAt(Monomial m, int i) {
  return static_cast<uint16_t>(m >> (16 * (kMaxDegree - 1 - i)));
}
inline bool IsSymbol(Monomial m) {
  return m != 0 && m <= UINT16_MAX;
}

class Polys {
 public:
  struct Term {
    int64_t factor;
    Monomial symbols;
    bool operator==(const Term&) const = default;
  };
  using Terms = std::span<const Term>;  // by symbols, ascending; no zero factors
  static constexpr uint32_t kMaxTerms = 8;

  // The values at a few assignments to the symbols; not a number where that is not exact.
  static constexpr int kSamples = 4;
  using Sample = std::array<double, kSamples>;

  Polys();
  // `range`: all values that a launch can give the symbol.
  PolyId Symbol(CheckOp op, int64_t value, Range range);
  PolyId Constant(Wide value);
  PolyId OfTerm(const Term& term) { return Intern({&term, 1}); }  // its factor is not zero
  PolyId Add(PolyId a, PolyId b);
  PolyId Sub(PolyId a, PolyId b);
  PolyId Mul(PolyId a, PolyId b);
  PolyId Scale(PolyId a, int64_t factor);
  PolyId Min(PolyId a, PolyId b) { return Extreme(CheckOp::kMin, a, b); }
  PolyId Max(PolyId a, PolyId b) { return Extreme(CheckOp::kMax, a, b); }
  // p with the symbols of scalar parameters `from` replaced by those of `to`, pair by pair. What
  // is inside minima, maxima and quotients stays.
  PolyId Rename(PolyId p, std::span<const std::pair<uint32_t, uint32_t>> from_to);
  // q with q * b == a, if `b` is a single term and divides each term of `a`; else kNoPoly.
  PolyId ExactQuotient(PolyId a, PolyId b);
  // floor(a / b), for launches in which b >= 1.
  PolyId FloorDiv(PolyId a, PolyId b);

  std::optional<int64_t> ConstantOf(PolyId p) const;
  bool IsConstant(PolyId p) const { return ConstantOf(p).has_value(); }
  // Values in all possible launches; of kNoPoly: everything.
  Range RangeOf(PolyId p) const {
    if (p == kNoPoly) return {-kHuge, kHuge};
    Range& range = polys_[p].range;
    if (range.low > range.high) range = ComputeRange(Get(p));
    return range;
  }
  bool NeverNegative(PolyId p) const { return p != kNoPoly && RangeOf(p).low >= 0; }
  // At most zero in every launch, also looking through minima and maxima.
  bool NeverPositive(PolyId p) const;
  // At how many of the samples it is positive.
  int SamplesAbove(PolyId p) const;
  // NeverPositive of a + times * b; empty if that is too large for the analysis.
  std::optional<bool> SumNeverPositive(PolyId a, PolyId b, int64_t times) const;

  struct SymbolInfo {
    CheckOp op;
    int64_t value;
    PolyId lhs;
    PolyId rhs;
    Range range;
    Sample sample;
  };
  Terms Get(PolyId p) const { return {polys_[p].terms, polys_[p].size}; }
  const SymbolInfo& GetSymbol(uint16_t symbol) const { return symbols_[symbol]; }

 private:
  // On the stack. Not initialised: most hold one or two terms.
  struct Poly {
    Poly() : size(0) {}
    std::array<Term, kMaxTerms> terms;
    uint32_t size;

    operator Terms() const { return {terms.data(), size}; }
    bool Push(Term term) {
      if (term.factor == 0) return true;
      if (size == kMaxTerms) return false;
      terms[size++] = term;
      return true;
    }
  };
  enum class Answer : uint8_t { kNotAsked, kNo, kYes };
  struct Interned {
    const Term* terms;
    uint32_t size;
    mutable Answer never_positive;
    mutable bool sampled;
    mutable Range range;  // low > high: not asked for yet
    mutable Sample sample;
  };

  PolyId Intern(Terms poly);
  void GrowTable();
  const Term* Keep(Terms poly);
  Range RangeOfTerm(const Term& term) const;
  Wide HighOf(Terms poly) const;
  Range ComputeRange(Terms poly) const;
  bool ComputeNeverPositive(Terms poly) const;
  PolyId Extreme(CheckOp op, PolyId a, PolyId b);
  PolyId ComputeExtreme(CheckOp op, PolyId a, PolyId b);
  PolyId SymbolOf(CheckOp op, int64_t value, PolyId lhs, PolyId rhs, Range range);
  const Sample& SampleOf(PolyId p) const;
  Sample SampleOfSymbol(const SymbolInfo& symbol) const;
  bool SampledPositive(PolyId a, PolyId b, int64_t times) const;

  static bool AddScaled(Terms x, Terms y, int64_t times, Poly& sum);
  static bool AddProduct(Terms x, const Term& term, Poly& sum);

  // The last results, by a hash of the operation: proofs ask the same again and again.
  struct Known {
    CheckOp op = CheckOp::kConstant;
    PolyId a = 0;
    PolyId b = 0;
    PolyId result = 0;
  };
  static constexpr size_t kKnown = 256;
  Known& KnownAt(CheckOp op, PolyId a, PolyId b) {
    return known_[(a * 31 + b * 2 + static_cast<uint32_t>(op)) % kKnown];
  }
  std::array<Known, kKnown> known_{};
  struct KnownProduct {
    Monomial symbols = 0;
    Range range;
  };
  static constexpr size_t kProducts = 32;
  mutable std::array<KnownProduct, kProducts> products_{};
  std::vector<Interned> polys_;
  std::vector<SymbolInfo> symbols_;
  std::vector<PolyId> table_;  // open addressing, kNoPoly is free
  std::vector<std::unique_ptr<Term[]>> chunks_;
  Term* free_ = nullptr;  // in the last chunk
  Term* end_ = nullptr;
};

}  // namespace hologram::verify
