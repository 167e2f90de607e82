// Polynomials as nodes of a launch check. Nodes are shared, so equal conditions
// have equal nodes. Tested by tests/verify.
#pragma once

#include <utility>
#include <vector>

#include "verify/launch_polynomials.h"

namespace hologram::verify {

class Lowering {
 public:
  // Appends to `nodes`, which no other thread changes meanwhile.
  Lowering(const Polys& polys, std::vector<CheckNode>& nodes);
  // Both sides of `p <= 0` as `a <= b`, with the terms of either sign on their own side.
  std::pair<uint32_t, uint32_t> Sides(PolyId p);
  // The node of a polynomial.
  uint32_t NodeOf(PolyId p) { return Sum(polys_.Get(p)); }
  // True the first time that this condition is asked about.
  bool IsNew(uint32_t lhs, uint32_t rhs, bool race);

 private:
  static constexpr uint32_t kNoNode = UINT32_MAX;
  uint32_t Node(const CheckNode& node);
  uint32_t ConstantNode(int64_t value) { return Node({CheckOp::kConstant, value, 0, 0}); }
  uint32_t Symbol(uint16_t symbol);
  uint32_t Product(int64_t factor, Monomial symbols);
  uint32_t Sum(Polys::Terms poly);
  void GrowTable();

  const Polys& polys_;
  std::vector<CheckNode>& nodes_;
  std::vector<uint32_t> symbols_;  // node by symbol; kNoNode: not made yet
  std::vector<uint32_t> table_;    // of nodes, open addressing; kNoNode: free
  std::vector<std::pair<uint64_t, bool>> conditions_;
  std::vector<uint32_t> condition_table_;
};

}  // namespace hologram::verify
