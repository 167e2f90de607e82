// Philox-4x32-10 (J. Salmon and others, "Parallel random numbers: as easy as 1, 2, 3", 2011): four
// words as a function of a 128-bit counter and a 64-bit key, no state. The same function as that of
// the kernel language (lang_library/random.py): the counter is `index` below `stream`, the
// key is `seed`. Tested by tests/base/philox_test.cc with the published vectors.
#pragma once

#include <array>
#include <cstdint>

namespace hologram {

constexpr std::array<uint32_t, 4> Philox(uint64_t seed, uint64_t index, uint64_t stream) {
  uint32_t a = static_cast<uint32_t>(index);
  uint32_t b = static_cast<uint32_t>(index >> 32);
  uint32_t c = static_cast<uint32_t>(stream);
  uint32_t d = static_cast<uint32_t>(stream >> 32);
  uint32_t key = static_cast<uint32_t>(seed);
  uint32_t other = static_cast<uint32_t>(seed >> 32);
  for (int round = 0; round < 10; ++round) {
    const uint64_t first = uint64_t{a} * 0xD2511F53;
    const uint64_t second = uint64_t{c} * 0xCD9E8D57;
    a = static_cast<uint32_t>(second >> 32) ^ b ^ key;
    b = static_cast<uint32_t>(second);
    c = static_cast<uint32_t>(first >> 32) ^ d ^ other;
    d = static_cast<uint32_t>(first);
    key += 0x9E3779B9;
    other += 0xBB67AE85;
  }
  return {a, b, c, d};
}

// A number in [0, 1): the highest 53 bits of the first two words, the second above the first.
constexpr double PhiloxUniform(uint64_t seed, uint64_t index, uint64_t stream) {
  const std::array<uint32_t, 4> words = Philox(seed, index, stream);
  const uint64_t bits = uint64_t{words[1]} << 32 | words[0];
  return static_cast<double>(bits >> 11) * 0x1p-53;
}

}  // namespace hologram
