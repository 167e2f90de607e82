#include "verify/own_shape.h"

#include <algorithm>

#include "base/wide.h"

namespace hologram::verify {
namespace {

class OwnShape {
 public:
  OwnShape(const Polys& polys, const isa::Program& program) : polys_(polys), program_(program) {}

  std::optional<Wide> ValueOf(PolyId p, int depth) const {
    if (p == kNoPoly || depth > kMaxNested) return std::nullopt;
    Wide sum = 0;
    for (const Polys::Term& term : polys_.Get(p)) {
      Wide product = term.factor;
      for (int i = 0; i < kMaxDegree; ++i) {
        const uint16_t s = SymbolAt(term.symbols, i);
        if (s == 0) continue;
        const auto value = ValueOf(polys_.GetSymbol(s), depth + 1);
        if (!value || ProductOverflows(product, *value, product)) return std::nullopt;
      }
      if (__builtin_add_overflow(sum, product, &sum)) return std::nullopt;
    }
    return sum;
  }

 private:
  static constexpr int kMaxNested = 6;
  static constexpr Wide kManyBlocks = 1000;

  std::optional<Wide> ValueOf(const Polys::SymbolInfo& symbol, int depth) const {
    if (symbol.op == CheckOp::kGridDim) return symbol.value == 0 ? kManyBlocks : 1;
    if (symbol.op == CheckOp::kBlockDim) {
      return symbol.value < 3 ? program_.DefaultBlock()[static_cast<size_t>(symbol.value)] : 1;
    }
    if (symbol.op != CheckOp::kMin && symbol.op != CheckOp::kMax) return std::nullopt;
    const auto lhs = ValueOf(symbol.lhs, depth);
    const auto rhs = ValueOf(symbol.rhs, depth);
    if (!lhs || !rhs) return std::nullopt;
    return symbol.op == CheckOp::kMin ? std::min(*lhs, *rhs) : std::max(*lhs, *rhs);
  }

  const Polys& polys_;
  const isa::Program& program_;
};

}  // namespace

std::optional<Wide> AtOwnShape(const Polys& polys, const isa::Program& program, PolyId p) {
  return OwnShape(polys, program).ValueOf(p, 0);
}

}  // namespace hologram::verify
