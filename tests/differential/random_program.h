// Random programs that pass the verifier, with a launch that fits them. Two families: arbitrary
// control flow over integers (random_cfg.cc) and structured kernels over all types, with memory,
// barriers, atomics, and the instructions of the Atlas (random_structured.cc). Races do not show:
// what lanes share is only updated by one commuting operation, or between barriers.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "hologram/native_abi.h"
#include "isa/program.h"
#include "launch/stream.h"

namespace hologram::tests {

class Random {
 public:
  explicit Random(uint64_t seed) : engine_(seed) {}
  // Programs then hold no transcendental instructions.
  void set_exact(bool exact) { exact_ = exact; }
  bool exact() const { return exact_; }
  // Programs then use few types: they are compiled in a fraction of the time.
  void set_small(bool small) { small_ = small; }
  bool small() const { return small_; }
  uint64_t Bits() { return engine_(); }
  // In [0, n).
  uint32_t Below(uint32_t n) { return static_cast<uint32_t>(engine_() % n); }
  bool Chance(uint32_t percent) { return Below(100) < percent; }
  // Bits of a value of the type: any bits, a small number, or an edge.
  uint64_t ValueOf(isa::Type type);
  template <class T>
  T Pick(const std::vector<T>& all) {
    return all[Below(static_cast<uint32_t>(all.size()))];
  }
  // Any order of all elements but the first.
  template <class T>
  void Shuffle(std::vector<T>& all) {
    for (size_t i = all.size(); i > 2; --i) {
      std::swap(all[i - 1], all[1 + Below(static_cast<uint32_t>(i - 1))]);
    }
  }

 private:
  std::mt19937_64 engine_;
  bool exact_ = false;
  bool small_ = false;
};

// The types, and those of them that are integers.
const std::vector<isa::Type>& AllTypes();
const std::vector<isa::Type>& IntegerTypes();

struct TestLaunch {
  hologram_launch_shape shape{{1, 1, 1}, {1, 1, 1}};
  uint64_t budget = 0;
  uint32_t class_base = 0;
  std::vector<uint64_t> scalars;
  std::vector<std::vector<uint8_t>> buffers;
  launch::Stream stream;
  std::string ToText() const;
};

struct TestProgram {
  isa::Program program;
  TestLaunch launch;
};

TestProgram RandomCfgProgram(Random& random);
TestProgram RandomStructuredProgram(Random& random);

}  // namespace hologram::tests
