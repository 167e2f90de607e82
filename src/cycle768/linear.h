// Systems of linear equations modulo 768, solved completely.
//
// The matrix is brought to the normal form of Smith, U A V = D, by changes of rows and columns that
// can be taken back (determinant 1): D is diagonal, and gcd(d, 768) of each entry d divides that of
// the next. Each equation d y = c of it has gcd(d, 768) solutions or none, so all solutions are
// known, or a reason why there are none.
// O(rows * columns * min(rows, columns)) for the form, times a few for the Euclidean steps.
// Tested by tests/cycle768/cycle_test.cc and python/tests/test_cycle768.py.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "cycle768/error.h"

namespace hologram::cycle768 {

// Row by row; entries are reduced modulo 768.
struct System {
  uint32_t rows = 0;
  uint32_t columns = 0;
  std::vector<uint32_t> matrix;  // rows * columns
  std::vector<uint32_t> right;   // rows
};

// One direction of the solutions: multiples 0 to order - 1 of it are different.
struct Generator {
  std::vector<uint32_t> step;
  uint32_t order = 1;  // divides 768
};

// Every solution is particular + the sum of t_i * generators[i].step, 0 <= t_i < order, in exactly
// one way. Each order divides the next; the orders are a property of the system, whatever the
// order of its equations and unknowns is.
struct Solutions {
  std::vector<uint32_t> particular;
  std::vector<Generator> generators;  // those with an order above 1

  // The product of the orders; nothing above 2^64 - 1.
  std::optional<uint64_t> Count() const;
};

// Multiples of the equations that add up to 0 = `remainder`, which is not 0 modulo 768: the left
// side vanishes whatever the unknowns are.
struct Contradiction {
  std::vector<uint32_t> multiples;
  uint32_t remainder = 0;
};

struct Solved {
  std::optional<Solutions> solutions;
  std::optional<Contradiction> contradiction;  // if and only if there are no solutions
};

// REQUIRES: the sizes of the vectors are those of the system
Solved Solve(const System& system);

// One equation for one unknown, coefficient * x = value modulo 768: all x, ascending; none if
// gcd(coefficient, 768) does not divide the value.
std::vector<uint32_t> SolveOne(uint32_t coefficient, uint32_t value);

}  // namespace hologram::cycle768
