// Mixes the mutations of mutations.h into those of libFuzzer.
#include <algorithm>
#include <cstdint>
#include <random>

#include "mutations.h"

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t most);

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t most, unsigned seed) {
  using hologram::fuzz::Bytes;
  std::mt19937_64 random(seed);
  if (random() % 2 == 0) return LLVMFuzzerMutate(data, size, most);
  Bytes bytes(data, data + size);
  const Bytes before = bytes;
  hologram::fuzz::Mutate(bytes, before, most, random);
  std::copy(bytes.begin(), bytes.end(), data);
  return bytes.size();
}
