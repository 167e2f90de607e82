// How long a launch will take on one thread, roughly: enough to decide whether it is worth
// spreading over threads. Each instruction has a price per lane, in nanoseconds of a processor with
// vectors; it counts as often as the loops around it go round. How often that is follows from what
// the loop's counter is compared with: a constant, or an integer scalar of the launch. Where the
// count is data, a guess takes its place. Being wrong costs time, never bits. Tested by
// tests/launch/work_model_test.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "launch/launch.h"
#include "verify/verified_program.h"

namespace hologram::launch {

// How much longer than native code the interpreter takes, and how long a kernel is compiled: from
// more work than kWorthCompilingNs on, the compiler is not waited for as long as the interpreter.
inline constexpr double kInterpreterTimes = 30;
inline constexpr double kInterpreterTimesAtMost = 100;  // for bounds of how long a launch takes
inline constexpr double kCompilingNs = 20e6;
inline constexpr double kWorthCompilingNs = kCompilingNs / kInterpreterTimes;

class WorkModel {
 public:
  // Rounds of a loop that ends by data.
  static constexpr double kRoundsOfDataLoop = 16;

  explicit WorkModel(const VerifiedProgram& program);

  // Of one lane, given the scalars of the launch. REQUIRES: as many as the program has.
  double LaneNs(std::span<const uint64_t> scalars) const;
  // The same where the scalars are not known: each loop whose count depends on the launch or on
  // data goes round `rounds` times.
  double LaneNs(double rounds) const;
  // Of the whole launch on the calling thread.
  double LaunchNs(const Launch& launch) const;
  // On `threads` threads: atomic updates of buffers one after another, at the price of contention,
  // everything else divided.
  double SplitNs(const Launch& launch, uint32_t threads) const;

  // `ns` times the product of these scalars of the launch, each taken as at least 1. Some are there
  // several times: as often as loops that they end are nested.
  struct Product {
    double ns = 0;
    std::vector<uint32_t> scalars;  // number among the scalars
  };
  // True only if LaunchNs(launch) is less than `ns`; needs one multiplication for each scalar.
  bool IsSurelyBelow(const Launch& launch, double ns) const;

  // No guesses: a lane takes hardly longer, whatever its data. Empty if some loop has no bound that
  // the scalars of a launch give.
  const std::optional<Product>& limit_of_lane() const { return limit_; }
  // The same, closer, from the scalars of a launch; infinite if there is no such limit.
  double MostLaneNs(std::span<const uint64_t> scalars) const;

 private:
  enum class Rounds : uint8_t { kConstant, kScalar, kData };
  struct Loop {
    Rounds rounds = Rounds::kData;
    double count = 0;     // kConstant
    uint32_t scalar = 0;  // kScalar: number among the scalars
    bool is_signed = false;
    uint32_t bits = 0;
    std::vector<verify::ScalarProduct> bound;  // of LoopFact; numbers among the scalars
  };
  struct Part {
    double ns = 0;       // per round of all its loops
    double most_ns = 0;  // the same of a lane that shares nothing with others
    double updates = 0;  // of buffers by atomics, of which LaneNs counts the price without rivals
    uint64_t loops = 0;  // bit k: loops_[k] is around it
  };
  class Builder;

  template <class F>
  double Sum(double Part::* amount, F rounds_of) const;
  double Sum(double Part::* amount, std::span<const uint64_t> scalars) const;
  Product MakeProduct() const;
  std::optional<Product> MakeLimit() const;

  std::vector<Loop> loops_;  // at most 64: of a program with more, the others count once
  std::vector<Part> parts_;
  Product product_;               // no less than LaneNs()
  std::optional<Product> limit_;  // of most_ns and the bounds of the loops
};

}  // namespace hologram::launch
