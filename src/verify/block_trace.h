// The accesses of lanes of one block of the default size between the same two barriers, followed
// with numbers: counters that do not depend on data have one in each round. So the trees of
// textbooks
// (`if lane % (2 * step) == 0: s[lane] += s[lane + step]`) need no formula. Tested by tests/verify.
#pragma once

#include <map>
#include <set>
#include <utility>
#include <vector>

#include "verify/divergence.h"
#include "verify/lane_numbers.h"

namespace hologram::verify {

class BlockTrace {
 public:
  // `work` grows with each place. The arguments outlive it.
  BlockTrace(const isa::Program& program, const Cfg& cfg, const Ssa& ssa, const Variation& lanes,
             size_t* work);

  // Two different lanes of a block that are at the accesses `a` and `b` to one shared array, after
  // the barrier before the block `start` of the program and before the next one, are at different
  // elements. False where that is not found out.
  bool AreApart(uint32_t start, uint32_t a, uint32_t b);
  // It holds for blocks of exactly the default size, not for smaller ones.
  bool reads_size() const { return one_.reads_size() || each_.reads_size(); }

 private:
  // A block that lanes come to, and the numbers of its phis.
  struct Place {
    uint32_t block = 0;
    const PhiNumbers* phis = nullptr;
    auto operator<=>(const Place&) const = default;
  };
  // The places that lanes come to between two barriers.
  struct Interval {
    uint32_t start = 0;
    std::set<Place> places;
  };
  // By element of a shared array: the lane that comes to it and 1, or kMany, or 0. Empty: unknown.
  using Owners = std::vector<uint16_t>;
  static constexpr uint16_t kMany = UINT16_MAX;

  bool FollowAll();
  bool Follow();
  void Walk(Interval& interval, const Place& first, std::vector<Place>& next);
  bool ForgetOne();
  const PhiNumbers* Passed(const Place& from, uint32_t to);
  const PhiNumbers* SharedAt(const PhiNumbers& phis, uint32_t block);
  const PhiNumbers* Keep(PhiNumbers phis) { return &*kept_.insert(std::move(phis)).first; }
  const Owners& OwnersOf(size_t interval, uint32_t pc);
  bool AddOwners(const Place& place, uint32_t pc, Owners& owners);
  std::vector<bool> LanesAt(uint32_t block);
  bool Spend(size_t work);

  static constexpr size_t kMaxPlaces = 4096;
  static constexpr size_t kMaxWork = size_t{1} << 20;

  const isa::Program& program_;
  const Cfg& cfg_;
  const Ssa& ssa_;
  const Variation& lanes_;
  size_t* work_;
  size_t spent_ = 0;
  LaneNumbers one_;                            // of all lanes
  LaneNumbers each_;                           // of each lane
  std::vector<std::vector<ValueId>> phis_of_;  // by block
  std::set<PhiNumbers> kept_;
  std::map<ValueId, std::set<uint64_t>> seen_;
  std::set<ValueId> forgotten_;  // phis with too many numbers
  std::vector<Interval> intervals_;
  size_t num_places_ = 0;
  std::map<std::pair<size_t, uint32_t>, Owners> owners_;  // by interval and instruction
  bool followed_ = false;
  bool complete_ = false;
};

}  // namespace hologram::verify
