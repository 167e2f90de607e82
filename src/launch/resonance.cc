#include "launch/resonance.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/wide.h"
#include "launch/node_values.h"

namespace hologram::launch {
namespace {

using UnsignedWide = unsigned __int128;
using Digits = std::vector<uint32_t>;

UnsignedWide MagnitudeOf(Wide value) {
  return value < 0 ? -static_cast<UnsignedWide>(value) : static_cast<UnsignedWide>(value);
}

UnsignedWide Gcd(UnsignedWide a, UnsignedWide b) {
  while (b != 0) {
    const UnsignedWide rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

std::optional<Ratio> Canonical(Wide numerator, Wide denominator) {
  const auto common =
      static_cast<Wide>(Gcd(MagnitudeOf(numerator), static_cast<UnsignedWide>(denominator)));
  numerator /= common;
  denominator /= common;
  if (numerator < INT64_MIN || numerator > INT64_MAX || denominator > INT64_MAX) {
    return std::nullopt;
  }
  return Ratio{static_cast<int64_t>(numerator), static_cast<int64_t>(denominator)};
}

// ---- Magnitudes of any size

void Trim(Digits& a) {
  while (!a.empty() && a.back() == 0) a.pop_back();
}

Digits FromWord(uint64_t value) {
  Digits digits = {static_cast<uint32_t>(value), static_cast<uint32_t>(value >> 32)};
  Trim(digits);
  return digits;
}

Digits Product(const Digits& a, const Digits& b) {
  Digits product(a.size() + b.size(), 0);
  for (size_t i = 0; i < a.size(); ++i) {
    uint64_t carry = 0;
    for (size_t j = 0; j < b.size(); ++j) {
      carry += uint64_t{a[i]} * b[j] + product[i + j];
      product[i + j] = static_cast<uint32_t>(carry);
      carry >>= 32;
    }
    product[i + b.size()] = static_cast<uint32_t>(carry);
  }
  Trim(product);
  return product;
}

Digits ShiftLeft(const Digits& a, uint32_t bits) {
  Digits shifted(bits / 32, 0);
  uint32_t carry = 0;
  for (const uint32_t digit : a) {
    const uint64_t wide = uint64_t{digit} << (bits % 32);
    shifted.push_back(static_cast<uint32_t>(wide) | carry);
    carry = static_cast<uint32_t>(wide >> 32);
  }
  shifted.push_back(carry);
  Trim(shifted);
  return shifted;
}

// -1, 0, 1
int Compare(const Digits& a, const Digits& b) {
  if (a.size() != b.size()) return a.size() < b.size() ? -1 : 1;
  for (size_t i = a.size(); i-- > 0;) {
    if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
  }
  return 0;
}

// REQUIRES: a >= b
Digits Difference(const Digits& a, const Digits& b) {
  Digits difference = a;
  int64_t borrow = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    const int64_t digit = int64_t{a[i]} - (i < b.size() ? b[i] : 0) + borrow;
    difference[i] = static_cast<uint32_t>(digit);
    borrow = digit < 0 ? -1 : 0;
  }
  Trim(difference);
  return difference;
}

Digits Sum(const Digits& a, const Digits& b) {
  Digits sum;
  uint64_t carry = 0;
  for (size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
    carry += uint64_t{i < a.size() ? a[i] : 0} + (i < b.size() ? b[i] : 0);
    sum.push_back(static_cast<uint32_t>(carry));
    carry >>= 32;
  }
  sum.push_back(static_cast<uint32_t>(carry));
  Trim(sum);
  return sum;
}

// a += b, both with a sign.
void AddSigned(Digits& a, bool& a_negative, const Digits& b, bool b_negative) {
  if (a_negative == b_negative) {
    a = Sum(a, b);
  } else if (Compare(a, b) >= 0) {
    a = Difference(a, b);
  } else {
    a = Difference(b, a);
    a_negative = b_negative;
  }
}

}  // namespace

Status CheckCanonical(Ratio ratio) {
  const auto shown = [&] {
    return std::to_string(ratio.numerator) + "/" + std::to_string(ratio.denominator);
  };
  if (ratio.denominator == 0) {
    return Error(ErrorCode::kInvalidArgument, shown() + " has a denominator of zero");
  }
  if (ratio.denominator < 0) {
    return Error(ErrorCode::kInvalidArgument,
                 shown() + " has a negative denominator; the sign belongs to the numerator");
  }
  const std::optional<Ratio> canonical = Canonical(ratio.numerator, ratio.denominator);
  if (canonical != ratio) {
    return Error(ErrorCode::kInvalidArgument, shown() + " is not reduced; write " +
                                                  std::to_string(canonical->numerator) + "/" +
                                                  std::to_string(canonical->denominator));
  }
  return Success{};
}

// Both products are below 2^126, so nothing overflows.
std::optional<Ratio> SumOf(Ratio a, Ratio b) {
  const Wide numerator = Wide{a.numerator} * b.denominator + Wide{b.numerator} * a.denominator;
  return Canonical(numerator, Wide{a.denominator} * b.denominator);
}

void FixedSum::Add(Wide units) {
  const auto bits = static_cast<UnsignedWide>(units);
  const UnsignedWide before = UnsignedWide{middle_} << 64 | low_;
  const UnsignedWide after = before + bits;
  low_ = static_cast<uint64_t>(after);
  middle_ = static_cast<uint64_t>(after >> 64);
  high_ += (units < 0 ? ~uint64_t{0} : 0) + (after < before ? 1 : 0);
}

void FixedSum::Add(const FixedSum& other) {
  const UnsignedWide before = UnsignedWide{middle_} << 64 | low_;
  const UnsignedWide after = before + (UnsignedWide{other.middle_} << 64 | other.low_);
  low_ = static_cast<uint64_t>(after);
  middle_ = static_cast<uint64_t>(after >> 64);
  high_ += other.high_ + (after < before ? 1 : 0);
}

std::array<uint64_t, 3> FixedSum::Magnitude() const {
  if (!IsNegative()) return {low_, middle_, high_};
  const uint64_t low = ~low_ + 1;
  const uint64_t middle = ~middle_ + (low == 0 ? 1 : 0);
  return {low, middle, ~high_ + (low == 0 && middle == 0 ? 1 : 0)};
}

std::optional<Wide> FixedSum::Units() const {
  const bool negative = (middle_ >> 63) != 0;
  if (high_ != (negative ? ~uint64_t{0} : 0)) return std::nullopt;
  return static_cast<Wide>(UnsignedWide{middle_} << 64 | low_);
}

std::optional<Wide> UnitsOf(double value) {
  constexpr double kLimit = 9223372036854775808.0;  // 2^63
  if (!(value >= -kLimit && value < kLimit)) return std::nullopt;
  if (value == 0) return Wide{0};
  int exponent = 0;
  auto digits = static_cast<int64_t>(std::ldexp(std::frexp(value, &exponent), 53));
  exponent -= 53;
  const int zeros = std::countr_zero(static_cast<uint64_t>(digits));
  digits >>= zeros;
  exponent += zeros;
  if (exponent < -kUnitBits) return std::nullopt;
  return Wide{digits} * (Wide{1} << (kUnitBits + exponent));
}

std::optional<Wide> UnitsOf(int64_t value) {
  return Wide{value} * (Wide{1} << kUnitBits);
}

std::optional<Wide> UnitsOf(isa::Type type, uint64_t bits) {
  const auto narrow = static_cast<uint32_t>(bits);
  if (type == isa::Type::kF32) return UnitsOf(double{std::bit_cast<float>(narrow)});
  if (type == isa::Type::kF64) return UnitsOf(std::bit_cast<double>(bits));
  if (type == isa::Type::kI32) return UnitsOf(int64_t{std::bit_cast<int32_t>(narrow)});
  return UnitsOf(std::bit_cast<int64_t>(bits));
}

// With the powers of two 2^j and 2^k in the denominators, the sum has the larger one, unless they
// are equal; so a denominator that is too large shows before anything overflows.
std::optional<Ratio> SumOf(Ratio ratio, const FixedSum& sum) {
  if (sum.IsZero()) return ratio;
  const std::optional<Wide> units = sum.Units();
  if (!units) return std::nullopt;
  const auto low = static_cast<uint64_t>(*units);
  const int zeros = std::min(low == 0 ? 64 : std::countr_zero(low), kUnitBits);
  const Wide added = *units >> zeros;  // exact
  const int k = kUnitBits - zeros;
  const int j = std::countr_zero(static_cast<uint64_t>(ratio.denominator));
  const Wide odd = ratio.denominator >> j;
  const int both = std::max(j, k);
  if (k > j && odd > INT64_MAX >> k) return std::nullopt;
  Wide numerator = 0;
  Wide more = 0;
  if (ProductOverflows(added, odd * (Wide{1} << (both - k)), more)) return std::nullopt;
  numerator = Wide{ratio.numerator} * (Wide{1} << (both - j));
  if (__builtin_add_overflow(numerator, more, &numerator)) return std::nullopt;
  return Canonical(numerator, odd * (Wide{1} << both));
}

UnityTester::UnityTester(const Resonance& resonance) : denominator_({1}) {
  for (const Ratio& ratio : resonance) {
    if (ratio.numerator == 0) continue;
    const Digits below = FromWord(static_cast<uint64_t>(ratio.denominator));
    const bool negative = ratio.numerator < 0;
    const auto bits = static_cast<uint64_t>(ratio.numerator);
    const Digits above = Product(FromWord(negative ? -bits : bits), denominator_);
    numerator_ = Product(numerator_, below);
    AddSigned(numerator_, negative_, above, negative);
    denominator_ = Product(denominator_, below);
  }
}

bool UnityTester::Test(const FixedSum& own, double bound) const {
  const std::array<uint64_t, 3> words = own.Magnitude();
  Digits units;
  for (const uint64_t word : words) {
    units.push_back(static_cast<uint32_t>(word));
    units.push_back(static_cast<uint32_t>(word >> 32));
  }
  Trim(units);
  // |sum| = total / (denominator * 2^62)
  Digits total = ShiftLeft(numerator_, kUnitBits);
  bool negative = negative_;
  AddSigned(total, negative, Product(units, denominator_), own.IsNegative());
  if (total.empty()) return true;
  if (bound == 0 || std::isinf(bound)) return bound != 0;
  int exponent = 0;
  const auto digits = static_cast<uint64_t>(std::ldexp(std::frexp(bound, &exponent), 53));
  exponent += kUnitBits - 53;
  Digits limit = Product(FromWord(digits), denominator_);
  if (exponent >= 0) {
    limit = ShiftLeft(limit, static_cast<uint32_t>(exponent));
  } else {
    total = ShiftLeft(total, static_cast<uint32_t>(-exponent));
  }
  return Compare(total, limit) < 0;
}

}  // namespace hologram::launch
