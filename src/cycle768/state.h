// Elements on the cycle with constraints between them: the sum of coefficient * position over an
// explicit list of elements is fixed modulo 768. A constraint holds at all times: what moves one
// element moves others with it, and what cannot be is an error that leaves the state as it was.
//
//   Gates       Advance and Set move one element; others follow so that all constraints hold.
//   Reversible  Not, Swap, with controls: exact maps of positions; sums of constraints follow, so
//               that each of them is its own inverse, and no constraint comes or goes.
//
// An element is one number, so n of them are n numbers: there is no superposition and no
// interference here, and nothing is faster than its arithmetic. docs/cycle768.md has more.
// Tested by tests/cycle768/cycle_test.cc and python/tests/test_cycle768.py.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cycle768/error.h"
#include "cycle768/linear.h"

namespace hologram::cycle768 {

struct Constraint {
  std::vector<uint32_t> indices;  // of different elements
  std::vector<int64_t> coefficients;
  uint32_t sum = 0;
  bool operator==(const Constraint&) const = default;
};

class State {
 public:
  // Errors: kPosition.
  static Checked<State> Create(std::span<const int64_t> positions);

  uint32_t size() const { return static_cast<uint32_t>(positions_.size()); }
  std::span<const uint32_t> positions() const { return positions_; }
  const std::vector<Constraint>& constraints() const { return constraints_; }
  bool operator==(const State&) const = default;

  // Errors: kIndex.
  Checked<uint32_t> Position(uint64_t index) const;

  // Adds a constraint that the positions satisfy already. Errors: kSum for 768 and above,
  // kCoefficientCount, kTooFew without indices, kIndex, kRepeated, kViolated.
  Outcome Constrain(std::span<const uint64_t> indices, std::span<const int64_t> coefficients,
                    int64_t sum);
  // Adds one that they need not satisfy, and moves elements so that all constraints hold. Errors:
  // as Constrain but kViolated; kNoSolution.
  Outcome Impose(std::span<const uint64_t> indices, std::span<const int64_t> coefficients,
                 int64_t sum);
  // Removes all constraints on any of these elements. Errors: kIndex.
  Outcome Free(std::span<const uint64_t> indices);

  // Moves an element, and others as the constraints ask. Errors: kIndex, kPosition; kNoSolution
  // where the constraints do not admit it.
  Outcome Set(uint64_t index, int64_t position);
  // The same by any number. Errors: kIndex, kNoSolution.
  Outcome Advance(uint64_t index, int64_t by);
  // The same by a gate: I H X Y Z S T. Errors: also kUnknownGate.
  Outcome Gate(char gate, uint64_t index);

  // Half a turn of the target where all controls read 1 (from 384 on): CNOT, Toffoli, and CZ and
  // CCZ, since Z is half a turn as X is. Errors: kIndex, kRepeated.
  Outcome Not(std::span<const uint64_t> controls, uint64_t target);
  // Exchanges two positions where all controls read 1: SWAP, Fredkin. Errors: as Not.
  Outcome Swap(std::span<const uint64_t> controls, uint64_t a, uint64_t b);

  // Removes elements and gives their positions. Constraints lose the terms, and the sum what these
  // were. Errors: kTooFew for none, kIndex, kRepeated.
  Checked<std::vector<uint32_t>> Measure(std::span<const uint64_t> indices);

  // All positions that the constraints admit.
  Solutions Admitted() const;

 private:
  explicit State(std::vector<uint32_t> positions) : positions_(std::move(positions)) {}

  Outcome CheckIndices(std::span<const uint64_t> indices) const;
  Checked<Constraint> Checking(std::span<const uint64_t> indices,
                               std::span<const int64_t> coefficients, int64_t sum) const;
  uint32_t SumOf(const Constraint& constraint) const;
  bool AllRead1(std::span<const uint64_t> controls) const;
  System SystemOf() const;
  Outcome MoveTo(uint64_t index, uint32_t position);
  void Follow(std::span<const uint32_t> before);

  std::vector<uint32_t> positions_;
  std::vector<Constraint> constraints_;
};

enum class Bell : uint8_t { kPhiPlus, kPhiMinus, kPsiPlus, kPsiMinus };

// Configurations under old names: positions and one constraint, nothing quantum about them.
//   Bell: (192, 0) and (576, 384) with sum 192; (192, 384) and (576, 0) with sum 576
//   GHZ:  (192, 0, ..., 0), all coefficients 1, sum 192.  Errors: kTooFew below 2
//   W:    (384, 0, 0), coefficients 1, 5, 7, sum 384
State BellPair(Bell which);
Checked<State> GhzChain(uint64_t size);
State WTriple();

}  // namespace hologram::cycle768
