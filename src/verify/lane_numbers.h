// Integers and predicates in each lane of one block of the default size, as the machine computes
// them: those that follow from ids, constants and phis whose numbers are given. Tested by
// tests/verify.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "verify/ssa.h"

namespace hologram::verify {

// Phis and their numbers; predicates hold 0 or 1. Integers are extended to 64 bits, by their sign
// if they have one.
using PhiNumbers = std::map<ValueId, uint64_t>;

class LaneNumbers {
 public:
  // One number if all lanes have the same, else one for each lane, x fastest. Empty: not known.
  using Numbers = std::vector<uint64_t>;

  // `ids`: without, numbers that depend on the lane are not known. The arguments outlive it.
  LaneNumbers(const isa::Program& program, const Ssa& ssa, bool ids);

  // The numbers of phis from here on. `phis` outlives the calls of Of.
  void Enter(const PhiNumbers& phis);
  const Numbers& Of(ValueId v) { return Find(v, 0); }
  std::optional<uint64_t> OneOf(ValueId v);

  uint32_t num_lanes() const { return num_lanes_; }
  // Something that was asked for depends on the size of the block.
  bool reads_size() const { return reads_size_; }
  // Grows with the values that were computed, each for up to 16 lanes.
  size_t work() const { return work_; }

 private:
  const Numbers& Find(ValueId v, int depth);
  Numbers Compute(ValueId v, int depth);
  Numbers ComputeInstruction(uint32_t pc, int depth);
  Numbers OfSreg(isa::Sreg sreg);

  static constexpr int kMaxDepth = 100;
  const isa::Program& program_;
  const Ssa& ssa_;
  const bool ids_;
  uint32_t num_lanes_ = 1;
  const PhiNumbers* phis_ = nullptr;
  std::map<ValueId, Numbers> known_;
  bool reads_size_ = false;
  size_t work_ = 0;
};

}  // namespace hologram::verify
