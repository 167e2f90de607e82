// Polynomials over what is known at launch: integer scalars, grid and block sizes, extents, and
// minima, maxima and floor quotients of polynomials. Canonical and interned: equal polynomials have
// equal ids, so sums cancel and bounds compare exactly. Tested by tests/verify.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
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

class Polys {
 public:
  Polys();
  // `range`: all values that a launch can give the symbol.
  PolyId Symbol(CheckOp op, int64_t value, Range range);
  PolyId Constant(Wide value);
  PolyId Add(PolyId a, PolyId b);
  PolyId Sub(PolyId a, PolyId b) { return Add(a, Scale(b, -1)); }
  PolyId Mul(PolyId a, PolyId b);
  PolyId Scale(PolyId a, int64_t factor);
  PolyId Min(PolyId a, PolyId b) { return Extreme(CheckOp::kMin, a, b); }
  PolyId Max(PolyId a, PolyId b) { return Extreme(CheckOp::kMax, a, b); }
  // floor(a / b), for launches in which b >= 1.
  PolyId FloorDiv(PolyId a, PolyId b);

  std::optional<int64_t> ConstantOf(PolyId p) const;
  bool IsConstant(PolyId p) const { return ConstantOf(p).has_value(); }
  // Values in all possible launches; of kNoPoly: everything.
  Range RangeOf(PolyId p) const {
    if (p == kNoPoly) return {-kHuge, kHuge};
    Range& range = ranges_[p];
    if (range.low > range.high) range = ComputeRange(polys_[p]);
    return range;
  }
  bool NeverNegative(PolyId p) const { return p != kNoPoly && RangeOf(p).low >= 0; }
  // At most zero in every launch, also looking through minima and maxima.
  bool NeverPositive(PolyId p);

  // Nodes of a launch check that compute `p`; shared nodes are found again.
  uint32_t Lower(PolyId p, std::vector<CheckNode>& nodes) const;

  // The polynomial as `a <= b` with terms of either sign on their own side.
  std::pair<PolyId, PolyId> SplitSigns(PolyId p);

  struct Term {
    int64_t factor = 0;
    std::array<uint16_t, 4> symbols{};  // ascending, 0 is no symbol and comes first
    bool operator==(const Term&) const = default;
  };
  struct Poly {
    std::array<Term, 8> terms;  // by symbols, ascending; no zero factors
    uint32_t size = 0;
  };
  struct SymbolInfo {
    CheckOp op;
    int64_t value;
    PolyId lhs;
    PolyId rhs;
    Range range;
  };
  const Poly& Get(PolyId p) const { return polys_[p]; }
  const SymbolInfo& GetSymbol(uint16_t symbol) const { return symbols_[symbol]; }

 private:
  PolyId Intern(const Poly& poly);
  Range ComputeRange(const Poly& poly) const;
  PolyId Extreme(CheckOp op, PolyId a, PolyId b);
  PolyId ComputeExtreme(CheckOp op, PolyId a, PolyId b);
  PolyId ComputeSum(PolyId a, PolyId b);
  PolyId SymbolOf(CheckOp op, int64_t value, PolyId lhs, PolyId rhs, Range range);
  PolyId Substitute(PolyId p, uint16_t symbol, PolyId by);

  // The last results, by a hash of the operation: proofs ask the same again and again.
  struct Known {
    CheckOp op = CheckOp::kConstant;
    PolyId a = kNoPoly;
    PolyId b = kNoPoly;
    PolyId result = kNoPoly;
  };
  static constexpr size_t kKnown = 1024;
  std::array<Known, kKnown> known_{};
  std::vector<Poly> polys_;
  mutable std::vector<Range> ranges_;  // by polynomial; low > high: not asked for yet
  std::vector<SymbolInfo> symbols_;
  std::vector<PolyId> table_;  // open addressing, kNoPoly is free
};

}  // namespace hologram::verify
