#include "verify/lowering.h"

#include <algorithm>
#include <array>

namespace hologram::verify {
namespace {

size_t HashOf(const CheckNode& node) {
  uint64_t hash = (static_cast<uint64_t>(node.value) ^ static_cast<uint64_t>(node.op) << 56) *
                  0x9E3779B97F4A7C15u;
  hash = (hash ^ (uint64_t{node.lhs} << 32 | node.rhs) ^ hash >> 32) * 0xD6E8FEB86659FD93u;
  return static_cast<size_t>(hash ^ hash >> 32);
}

}  // namespace

Lowering::Lowering(const Polys& polys, std::vector<CheckNode>& nodes)
    : polys_(polys), nodes_(nodes), table_(128, kNoNode) {}

void Lowering::GrowTable() {
  table_.assign(table_.size() * 4, kNoNode);  // the size is a power of two
  for (uint32_t n = 0; n < nodes_.size(); ++n) {
    size_t at = HashOf(nodes_[n]) & (table_.size() - 1);
    while (table_[at] != kNoNode) at = (at + 1) & (table_.size() - 1);
    table_[at] = n;
  }
}

uint32_t Lowering::Node(const CheckNode& node) {
  if (nodes_.size() * 2 > table_.size()) GrowTable();
  size_t at = HashOf(node) & (table_.size() - 1);
  for (; table_[at] != kNoNode; at = (at + 1) & (table_.size() - 1)) {
    if (nodes_[table_[at]] == node) return table_[at];
  }
  table_[at] = static_cast<uint32_t>(nodes_.size());
  nodes_.push_back(node);
  return table_[at];
}

uint32_t Lowering::Symbol(uint16_t symbol) {
  if (symbol >= symbols_.size()) symbols_.resize(symbol + size_t{1}, kNoNode);
  if (symbols_[symbol] != kNoNode) return symbols_[symbol];
  const Polys::SymbolInfo& info = polys_.GetSymbol(symbol);
  CheckNode node{info.op, info.value, 0, 0};
  if (info.lhs != kNoPoly) {
    node.lhs = Sum(polys_.Get(info.lhs));
    node.rhs = Sum(polys_.Get(info.rhs));
  }
  const uint32_t made = Node(node);
  symbols_[symbol] = made;
  return made;
}

uint32_t Lowering::Product(int64_t factor, Monomial symbols) {
  uint32_t product = factor == 1 && symbols != 0 ? kNoNode : ConstantNode(factor);
  for (int i = 0; i < kMaxDegree; ++i) {
    const uint16_t s = SymbolAt(symbols, i);
    if (s == 0) continue;
    const uint32_t node = Symbol(s);
    product = product == kNoNode ? node : Node({CheckOp::kMul, 0, product, node});
  }
  return product;
}

// Positive terms first, then what is subtracted.
uint32_t Lowering::Sum(Polys::Terms poly) {
  uint32_t sum = kNoNode;
  for (const bool positive : {true, false}) {
    for (size_t i = poly.size(); i-- > 0;) {
      const Polys::Term& term = poly[i];
      if ((term.factor > 0) != positive) continue;
      const bool subtract = !positive && sum != kNoNode && term.factor != INT64_MIN;
      const uint32_t product = Product(subtract ? -term.factor : term.factor, term.symbols);
      const CheckOp op = subtract ? CheckOp::kSub : CheckOp::kAdd;
      sum = sum == kNoNode ? product : Node({op, 0, sum, product});
    }
  }
  return sum == kNoNode ? ConstantNode(0) : sum;
}

bool Lowering::IsNew(uint32_t lhs, uint32_t rhs, bool race) {
  const std::pair condition(uint64_t{lhs} << 32 | rhs, race);
  const auto find = [&](const std::pair<uint64_t, bool>& c) {
    const uint64_t hash = (c.first * 2 + (c.second ? 1 : 0)) * 0x9E3779B97F4A7C15u;
    size_t at = static_cast<size_t>(hash >> 32) & (condition_table_.size() - 1);
    while (condition_table_[at] != kNoNode && conditions_[condition_table_[at]] != c) {
      at = (at + 1) & (condition_table_.size() - 1);
    }
    return at;
  };
  if (conditions_.size() * 2 >= condition_table_.size()) {
    condition_table_.assign(std::max<size_t>(64, condition_table_.size() * 4), kNoNode);
    for (uint32_t c = 0; c < conditions_.size(); ++c) condition_table_[find(conditions_[c])] = c;
  }
  const size_t at = find(condition);
  if (condition_table_[at] != kNoNode) return false;
  condition_table_[at] = static_cast<uint32_t>(conditions_.size());
  conditions_.push_back(condition);
  return true;
}

std::pair<uint32_t, uint32_t> Lowering::Sides(PolyId p) {
  std::array<Polys::Term, Polys::kMaxTerms> left;
  std::array<Polys::Term, Polys::kMaxTerms> right;
  size_t num_left = 0;
  size_t num_right = 0;
  for (Polys::Term term : polys_.Get(p)) {
    if (term.factor == INT64_MIN) {
      const uint32_t whole = Sum(polys_.Get(p));
      return {whole, ConstantNode(0)};
    }
    const bool subtract = term.factor < 0;
    if (subtract) term.factor = -term.factor;
    (subtract ? right[num_right++] : left[num_left++]) = term;
  }
  const uint32_t lhs = Sum({left.data(), num_left});
  return {lhs, Sum({right.data(), num_right})};
}

}  // namespace hologram::verify
