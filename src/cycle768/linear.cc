#include "cycle768/linear.h"

#include <algorithm>
#include <numeric>

#include "cycle768/position.h"

namespace hologram::cycle768 {
namespace {

// a * s + b * t = g, and g is positive.
struct Euclid {
  int64_t g, s, t;
};

// REQUIRES: a > 0, b >= 0
Euclid Extended(int64_t a, int64_t b) {
  // If a divides b nothing of b goes into a, so that a cleared row stays cleared.
  if (b % a == 0) return {a, 1, 0};
  int64_t s0 = 1, t0 = 0, s1 = 0, t1 = 1;
  while (b != 0) {
    const int64_t q = a / b;
    a = std::exchange(b, a - q * b);
    s0 = std::exchange(s1, s0 - q * s1);
    t0 = std::exchange(t1, t0 - q * t1);
  }
  return {a, s0, t0};
}

class Square {
 public:
  explicit Square(uint32_t size) : Square(size, size) {
    for (uint32_t i = 0; i < size; ++i) at(i, i) = 1;
  }
  Square(uint32_t rows, uint32_t columns) : columns_(columns), entries_(size_t{rows} * columns) {}
  uint32_t& at(uint32_t i, uint32_t j) { return entries_[size_t{i} * columns_ + j]; }
  uint32_t at(uint32_t i, uint32_t j) const { return entries_[size_t{i} * columns_ + j]; }

 private:
  uint32_t columns_;
  std::vector<uint32_t> entries_;
};

// (x, y) := (s x + t y, v x + u y) for each pair.
struct Turn {
  int64_t s, t, v, u;
  void operator()(uint32_t& x, uint32_t& y) const {
    const int64_t a = x;
    const int64_t b = y;
    x = Reduce(s * a + t * b);
    y = Reduce(v * a + u * b);
  }
};

// Makes b 0 beside a, by a matrix of determinant 1. REQUIRES: a > 0
Turn Clearing(uint32_t a, uint32_t b) {
  const Euclid e = Extended(a, b);
  return {e.s, e.t, -(int64_t{b} / e.g), int64_t{a} / e.g};
}

uint32_t GcdWithCycle(uint32_t number) {
  return std::gcd(number, kPositions);  // 768 for 0
}

struct Form {
  Form(const System& system)
      : rows(system.rows),
        columns(system.columns),
        matrix(system.rows, system.columns),
        left(system.rows),
        right(system.columns) {
    for (uint32_t i = 0; i < rows; ++i) {
      for (uint32_t j = 0; j < columns; ++j) {
        matrix.at(i, j) = Reduce(system.matrix[size_t{i} * columns + j]);
      }
    }
  }

  void TurnRows(uint32_t a, uint32_t b, const Turn& turn) {
    for (uint32_t j = 0; j < columns; ++j) turn(matrix.at(a, j), matrix.at(b, j));
    for (uint32_t j = 0; j < rows; ++j) turn(left.at(a, j), left.at(b, j));
  }
  void TurnColumns(uint32_t a, uint32_t b, const Turn& turn) {
    for (uint32_t i = 0; i < rows; ++i) turn(matrix.at(i, a), matrix.at(i, b));
    for (uint32_t i = 0; i < columns; ++i) turn(right.at(i, a), right.at(i, b));
  }

  // Brings an entry that is not 0 to (k, k); false if there is none behind.
  bool FindPivot(uint32_t k) {
    for (uint32_t i = k; i < rows; ++i) {
      for (uint32_t j = k; j < columns; ++j) {
        if (matrix.at(i, j) == 0) continue;
        constexpr Turn kExchange = {0, 1, -1, 0};
        if (i != k) TurnRows(k, i, kExchange);
        if (j != k) TurnColumns(k, j, kExchange);
        return true;
      }
    }
    return false;
  }

  // Clears row and column k beside (k, k). The entry there only changes to a proper divisor of
  // itself, so this ends.
  void Clear(uint32_t k) {
    for (bool is_clear = false; !is_clear;) {
      for (uint32_t i = k + 1; i < rows; ++i) {
        if (matrix.at(i, k) != 0) TurnRows(k, i, Clearing(matrix.at(k, k), matrix.at(i, k)));
      }
      for (uint32_t j = k + 1; j < columns; ++j) {
        if (matrix.at(k, j) != 0) TurnColumns(k, j, Clearing(matrix.at(k, k), matrix.at(k, j)));
      }
      is_clear = true;
      for (uint32_t i = k + 1; i < rows; ++i) is_clear = is_clear && matrix.at(i, k) == 0;
    }
  }

  // Makes each of the first entries of the diagonal divide those behind it, as ideals of Z/768: the
  // normal form of Smith. An entry changes to a proper divisor only, so this ends.
  void Order(uint32_t rank) {
    constexpr Turn kAdd = {1, 1, 0, 1};
    for (uint32_t k = 0; k < rank; ++k) {
      for (uint32_t j = k + 1; j < rank; ++j) {
        if (GcdWithCycle(matrix.at(j, j)) % GcdWithCycle(matrix.at(k, k)) == 0) continue;
        TurnColumns(k, j, kAdd);
        Clear(k);
      }
    }
  }

  uint32_t rows, columns;
  Square matrix;  // diagonal in the end
  Square left;    // U
  Square right;   // V
};

// The least x with a * x = c modulo 768. REQUIRES: gcd(a, 768) divides c
uint32_t LeastRoot(uint32_t a, uint32_t c) {
  const uint32_t modulus = kPositions / GcdWithCycle(a);
  for (uint32_t x = 0; x < modulus; ++x) {
    if (a * x % kPositions == c) return x;
  }
  HOLOGRAM_CHECK(false);
}

Contradiction MultiplesOf(const Form& form, uint32_t row, uint32_t factor, uint32_t value) {
  Contradiction found;
  for (uint32_t i = 0; i < form.rows; ++i) {
    found.multiples.push_back(Reduce(int64_t{form.left.at(row, i)} * factor));
  }
  found.remainder = Reduce(int64_t{factor} * value);
  return found;
}

}  // namespace

std::optional<uint64_t> Solutions::Count() const {
  uint64_t count = 1;
  for (const Generator& generator : generators) {
    if (__builtin_mul_overflow(count, uint64_t{generator.order}, &count)) return std::nullopt;
  }
  return count;
}

Solved Solve(const System& system) {
  HOLOGRAM_CHECK(system.matrix.size() == size_t{system.rows} * system.columns);
  HOLOGRAM_CHECK(system.right.size() == system.rows);
  Form form(system);
  uint32_t rank = 0;
  for (; rank < std::min(form.rows, form.columns) && form.FindPivot(rank); ++rank) {
    form.Clear(rank);
  }
  form.Order(rank);
  Solutions solutions;
  solutions.particular.assign(form.columns, 0);
  for (uint32_t k = 0; k < std::max(form.rows, form.columns); ++k) {
    const uint32_t entry = k < form.rows && k < form.columns ? form.matrix.at(k, k) : 0;
    uint32_t value = 0;  // of U b
    for (uint32_t i = 0; k < form.rows && i < form.rows; ++i) {
      value = Reduce(value + int64_t{form.left.at(k, i)} * Reduce(system.right[i]));
    }
    const uint32_t g = GcdWithCycle(entry);
    const uint32_t factor = kPositions / g;
    if (value % g != 0) return {std::nullopt, MultiplesOf(form, k, factor, value)};
    if (k >= form.columns) continue;
    const uint32_t root = LeastRoot(entry, value);
    Generator generator;
    generator.order = g;
    for (uint32_t j = 0; j < form.columns; ++j) {
      const int64_t direction = form.right.at(j, k);
      solutions.particular[j] = Reduce(solutions.particular[j] + direction * root);
      generator.step.push_back(Reduce(direction * factor));
    }
    if (g > 1) solutions.generators.push_back(std::move(generator));
  }
  return {std::move(solutions), std::nullopt};
}

std::vector<uint32_t> SolveOne(uint32_t coefficient, uint32_t value) {
  std::vector<uint32_t> roots;
  for (uint32_t x = 0; x < kPositions; ++x) {
    if (Reduce(int64_t{Reduce(coefficient)} * x) == Reduce(value)) roots.push_back(x);
  }
  return roots;
}

}  // namespace hologram::cycle768
