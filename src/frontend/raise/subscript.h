// Numbers of elements in terms of what a launch and a loop know: sums of multiples of the lane, the
// block, the size and the round of a loop. Not a public header.
#pragma once

#include <cstdint>
#include <optional>

namespace hologram::frontend {

struct Subscript {
  int64_t constant = 0;
  int64_t lane = 0;
  int64_t block = 0;
  int64_t row = 0;  // block times size
  int64_t size = 0;
  int64_t round = 0;        // of the loop around
  int64_t rounds_of = 0;    // not 0: ceil(size / rounds_of), and nothing else
  int size_parameter = -1;  // where size or row or rounds_of is not 0

  bool operator==(const Subscript&) const = default;

  static Subscript Constant(int64_t value) {
    Subscript place;
    place.constant = value;
    return place;
  }
  // The same for all lanes of a launch, in all rounds.
  bool IsUniform() const { return lane == 0 && block == 0 && row == 0 && round == 0; }
  bool IsConstant() const { return IsUniform() && size == 0 && rounds_of == 0; }
};

namespace subscript_detail {

constexpr int64_t kMost = int64_t{1} << 40;

inline bool IsSmall(const Subscript& place) {
  for (const int64_t part :
       {place.constant, place.lane, place.block, place.row, place.size, place.round}) {
    if (part < 0 || part > kMost) return false;
  }
  return true;
}

inline std::optional<Subscript> Checked(const Subscript& place) {
  if (!IsSmall(place)) return std::nullopt;
  return place;
}

}  // namespace subscript_detail

// Nothing where the result has no such form, or could be below 0.
inline std::optional<Subscript> Sum(const Subscript& a, const Subscript& b, int64_t sign) {
  if (a.rounds_of != 0 || b.rounds_of != 0) return std::nullopt;
  if (a.size_parameter >= 0 && b.size_parameter >= 0 && a.size_parameter != b.size_parameter) {
    return std::nullopt;
  }
  Subscript sum = a;
  sum.constant += sign * b.constant;
  sum.lane += sign * b.lane;
  sum.block += sign * b.block;
  sum.row += sign * b.row;
  sum.size += sign * b.size;
  sum.round += sign * b.round;
  if (sum.size_parameter < 0) sum.size_parameter = b.size_parameter;
  return subscript_detail::Checked(sum);
}

inline std::optional<Subscript> Product(const Subscript& a, const Subscript& b) {
  if (a.rounds_of != 0 || b.rounds_of != 0) return std::nullopt;
  if (!a.IsConstant() && b.IsConstant()) return Product(b, a);
  if (a.IsConstant()) {
    Subscript product = b;
    if (a.constant > (int64_t{1} << 20)) return std::nullopt;
    for (int64_t* part : {&product.constant, &product.lane, &product.block, &product.row,
                          &product.size, &product.round}) {
      *part *= a.constant;
    }
    return subscript_detail::Checked(product);
  }
  Subscript block;
  block.block = 1;
  Subscript size;
  size.size = 1;
  size.size_parameter = a.size != 0 ? a.size_parameter : b.size_parameter;
  if (!(a == block && b == size) && !(a == size && b == block)) return std::nullopt;
  Subscript row;
  row.row = 1;
  row.size_parameter = size.size_parameter;
  return row;
}

// (size + divisor - 1) // divisor.
inline std::optional<Subscript> RoundsOf(const Subscript& a, int64_t divisor) {
  Subscript wanted = Subscript::Constant(divisor - 1);
  wanted.size = 1;
  wanted.size_parameter = a.size_parameter;
  if (divisor < 1 || !(a == wanted)) return std::nullopt;
  Subscript rounds;
  rounds.rounds_of = divisor;
  rounds.size_parameter = a.size_parameter;
  return rounds;
}

}  // namespace hologram::frontend
