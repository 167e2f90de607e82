#include "scalar_stream.h"

#include <bit>
#include <cmath>

namespace hologram::tests {
namespace {

using Wide = __int128;

constexpr uint64_t kOne = uint64_t{1} << 62;
constexpr int kTwelve = 12;

// An f32 or f64, exactly.
long double FloatOf(isa::Type type, uint64_t bits) {
  if (type == isa::Type::kF32) return std::bit_cast<float>(static_cast<uint32_t>(bits));
  return std::bit_cast<double>(bits);
}

}  // namespace

bool ExactSum::Add(isa::Type type, uint64_t bits) {
  if (type == isa::Type::kI32 || type == isa::Type::kI64) {
    whole_ += type == isa::Type::kI32 ? static_cast<int32_t>(bits) : static_cast<int64_t>(bits);
    return true;
  }
  const long double value = FloatOf(type, bits);
  const long double limit = std::ldexp(1.0L, 63);
  if (!(value >= -limit && value < limit)) return false;
  const long double whole = std::floor(value);
  const long double part = std::ldexp(value - whole, 62);
  if (part != std::floor(part)) return false;
  // value - whole loses bits only where the number is negative and tiny, which ldexp shows.
  if (whole + std::ldexp(part, -62) != value) return false;
  whole_ += static_cast<Wide>(whole);
  part_ += static_cast<uint64_t>(part);
  if (part_ >= kOne) {
    part_ -= kOne;
    ++whole_;
  }
  return true;
}

bool ExactSum::IsWithin(const launch::Resonance& classes, double bound) const {
  // Twelve times everything: a whole number and a part of one.
  const Wide parts = Wide{part_} * kTwelve;
  Wide whole = whole_ * kTwelve + parts / kOne;
  Wide part = parts % kOne;
  for (const launch::Ratio& ratio : classes) {
    whole += Wide{ratio.numerator} * (kTwelve / ratio.denominator);
  }
  if (bound == 0) return whole == 0 && part == 0;
  if (whole < 0) {
    whole = part == 0 ? -whole : -whole - 1;
    part = part == 0 ? 0 : Wide{kOne} - part;
  }
  const long double limit = static_cast<long double>(bound) * kTwelve;
  if (limit >= std::ldexp(1.0L, 120)) return true;
  const auto limit_whole = static_cast<Wide>(std::floor(limit));
  if (whole != limit_whole) return whole < limit_whole;
  return static_cast<long double>(part) < std::ldexp(limit - std::floor(limit), 62);
}

std::optional<launch::Ratio> ExactSum::PlusClass(launch::Ratio of_class) const {
  const int places = part_ == 0 ? 0 : 62 - std::countr_zero(part_);
  const Wide magnitude = whole_ < 0 ? -whole_ : whole_;
  // The class takes away at most two of the places and 256 of the number: no numerator fits then.
  if (places > 4 && magnitude >> (72 - places) != 0) return std::nullopt;
  const Wide scale = Wide{1} << places;
  const Wide sum = whole_ * scale + (part_ == 0 ? 0 : part_ >> std::countr_zero(part_));
  Wide numerator = sum * of_class.denominator + of_class.numerator * scale;
  Wide denominator = scale * of_class.denominator;
  Wide a = numerator < 0 ? -numerator : numerator;
  Wide b = denominator;
  while (a != 0) {
    const Wide rest = b % a;
    b = a;
    a = rest;
  }
  numerator /= b;
  denominator /= b;
  const Wide limit = Wide{1} << 63;
  if (numerator < -limit || numerator >= limit || denominator >= limit) return std::nullopt;
  return launch::Ratio{static_cast<int64_t>(numerator), static_cast<int64_t>(denominator)};
}

uint64_t LaneStream::Allocate(uint64_t bytes) {
  uint64_t live = 0;
  for (const auto& pool : pools) live += pool ? pool->size() : 0;
  if (bytes > 262144 || live + bytes > 262144 || pools.size() == 4096) return 0;
  pools.emplace_back(std::vector<uint8_t>(bytes));
  return pools.size();
}

std::vector<uint8_t>* LaneStream::Find(uint64_t handle) {
  if (handle == 0 || handle > pools.size() || !pools[handle - 1]) return nullptr;
  return &*pools[handle - 1];
}

bool LaneStream::Free(uint64_t handle) {
  if (Find(handle) == nullptr) return false;
  pools[handle - 1].reset();
  return true;
}

}  // namespace hologram::tests
