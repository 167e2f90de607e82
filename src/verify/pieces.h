// Rows in pieces. `i = t // n` and `j = t % n` of a lane's place in its row are what a nest of two
// loops would count: where a row is cut at the multiples of n, the quotient is the same in all
// lanes of a piece, and the remainder counts. Tested by tests/verify/pieces_test.cc and by
// tests/strangers.
#pragma once

#include "verify/proofs.h"
#include "verify/symbolic.h"

namespace hologram::verify {

class Pieces {
 public:
  // Rows are cut at the multiples of a divisor that is positive. `factors`: numbers of the launch
  // whose products with it are known for multiples.
  Pieces(Symbolic& symbolic, PolyId divisor, const std::vector<PolyId>& factors);

  // Numbers known to the launch by which the program multiplies.
  static std::vector<PolyId> FactorsOf(Symbolic& symbolic, const isa::Program& program,
                                       const Cfg& cfg, const Ssa& ssa);

  // A quotient that is the same in all lanes of a piece.
  bool IsShared(AtomId id) const {
    return symbolic_.atom(id).kind == AtomKind::kQuotient && Cuts(id);
  }
  // A remainder that grows by 1 from lane to lane of a piece.
  bool Counts(AtomId id) const {
    return symbolic_.atom(id).kind == AtomKind::kRemainder && Cuts(id);
  }

  // The division or remainder by whose divisor most others of the program become simple, if its
  // divisor is made of parameters alone; kNone if there is none.
  static uint32_t FindDivision(Symbolic& symbolic, const isa::Program& program, const Cfg& cfg,
                               const Ssa& ssa, const std::vector<PolyId>& factors);

 private:
  // Whether no lane of a piece but the first can be at a multiple of what the atom divides by.
  bool Cuts(AtomId id) const;
  // The place of a lane in the row, or its remainder by a multiple of the divisor.
  bool CountsFromCut(const Form& base) const;
  bool IsMultiple(PolyId divisor) const;

  Symbolic& symbolic_;
  PolyId divisor_;
  std::vector<PolyId> multiples_;
};

}  // namespace hologram::verify
