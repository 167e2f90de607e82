#include "arrays.h"

#include <cstring>

#include "base/check.h"
#include "fuzzer.h"

namespace hologram::fuzz {

void CheckArray(const tool::Array& array) {
  HOLOGRAM_CHECK(array.shape.size() <= tool::kMaxRank);
  uint64_t bytes = isa::SizeOf(array.type);
  for (const uint64_t extent : array.shape) {
    HOLOGRAM_CHECK(!__builtin_mul_overflow(bytes, extent, &bytes));
  }
  HOLOGRAM_CHECK(bytes == array.bytes.size());
  HOLOGRAM_CHECK(array.bytes.data() != nullptr);
  uint64_t sum = 0;
  for (uint64_t i = 0; i < bytes; ++i) sum += static_cast<uint8_t>(array.bytes.data()[i]);
  read_sum = sum;
}

bool Same(const tool::Array& a, const tool::Array& b) {
  return a.type == b.type && a.shape == b.shape && a.bytes.size() == b.bytes.size() &&
         std::memcmp(a.bytes.data(), b.bytes.data(), a.bytes.size()) == 0;
}

}  // namespace hologram::fuzz
