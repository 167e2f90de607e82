// Resonance and pools once more, for the scalar reference. Sums are a whole number and a fraction
// in units of 2^-62, each wide enough for any launch of the tests; pools are vectors.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "isa/instruction.h"
#include "launch/stream.h"

namespace hologram::tests {

// A sum of what RES.ACCUM adds.
class ExactSum {
 public:
  // False: the bits, of an i32, i64, f32 or f64, cannot be a fraction of 64-bit numbers.
  bool Add(isa::Type type, uint64_t bits);
  // |this + the sum of the classes| < bound; bound 0: is zero. REQUIRES: the classes are twelfths
  // below 256.
  bool IsWithin(const launch::Resonance& classes, double bound) const;
  // The sum with a class, if it fits. REQUIRES: as above.
  std::optional<launch::Ratio> PlusClass(launch::Ratio of_class) const;

 private:
  __int128 whole_ = 0;
  uint64_t part_ = 0;  // below 2^62
};

// Effects of a lane that only instructions of the stream see.
struct LaneStream {
  // A handle; 0: too much memory.
  uint64_t Allocate(uint64_t bytes);
  // nullptr: the lane has no such pool.
  std::vector<uint8_t>* Find(uint64_t handle);
  bool Free(uint64_t handle);

  ExactSum sum;
  std::vector<std::optional<std::vector<uint8_t>>> pools;
};

}  // namespace hologram::tests
