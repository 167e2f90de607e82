// The lanes of a chunk that do not run now, and what each lane has counted: for control.cc.
#pragma once

#include <cstdint>
#include <vector>

#include "verify/verified_program.h"

namespace hologram::interpreter {

// Bit i of word i / 64 represents lane i of the chunk.
using LaneMask = std::vector<uint64_t>;
inline constexpr uint32_t kWordBits = 64;

class LaneControl {
 public:
  struct Waiting {
    uint32_t pc;
    LaneMask lanes;
  };

  // For up to `capacity` lanes. `guarded`: of the launch.
  void Allocate(const verify::VerifiedProgram& program, bool guarded, uint32_t capacity);
  // No lane has run.
  void Start();

  std::vector<LaneMask>& pending() { return pending_; }    // per block of the program
  std::vector<uint64_t>& runnable() { return runnable_; }  // bit b: pending[b] is not empty
  std::vector<Waiting>& waiting() { return waiting_; }     // at barriers
  // Whether the jump from a block to another counts on the budget.
  bool IsCounted(uint32_t from, uint32_t to) const { return Has(counted_[from], to); }
  std::vector<uint64_t>& back_edges() { return back_edges_; }  // taken so far, per lane
  // The same of loops that end and are counted all the same.
  bool IsLimited(uint32_t from, uint32_t to) const { return Has(limited_[from], to); }
  std::vector<uint64_t>& rounds() { return rounds_; }
  // Of recursive programs: nested calls of a lane, and where the call number `depth` returns to.
  uint32_t& CallDepth(uint32_t lane) { return call_depth_[lane]; }
  uint32_t& ReturnTo(uint32_t depth, uint32_t lane) {
    return return_to_[size_t{depth} * capacity_ + lane];
  }

 private:
  static bool Has(const std::vector<uint32_t>& targets, uint32_t block) {
    for (const uint32_t target : targets) {
      if (target == block) return true;
    }
    return false;
  }

  uint32_t capacity_ = 0;
  std::vector<LaneMask> pending_;
  std::vector<uint64_t> runnable_;
  std::vector<Waiting> waiting_;
  std::vector<std::vector<uint32_t>> counted_;  // targets of counted jumps, per block
  std::vector<uint64_t> back_edges_;
  std::vector<std::vector<uint32_t>> limited_;
  std::vector<uint64_t> rounds_;  // empty if there are none
  std::vector<uint32_t> call_depth_;
  std::vector<uint32_t> return_to_;
};

}  // namespace hologram::interpreter
