// Races between lanes of one block: every two accesses to an array that they may make between the
// same two barriers. Tested by tests/verify.
#pragma once

#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "verify/accesses.h"
#include "verify/block_trace.h"
#include "verify/intervals.h"

namespace hologram::verify {

class BlockRaces {
 public:
  // The arguments outlive it. `symbolic`: null if the program was too complex to analyse.
  BlockRaces(Symbolic* symbolic, const isa::Program& program, const Cfg& cfg, const Ssa& ssa,
             const Accesses& accesses, RaceLog* log, RaceBudget* budget)
      : symbolic_(symbolic),
        program_(program),
        cfg_(cfg),
        ssa_(ssa),
        accesses_(accesses),
        log_(log),
        budget_(budget) {}

  // Reports races in shared arrays.
  void CheckShared();
  // Barriers order what one block does to a buffer too. In a launch of one block, which is then
  // demanded, that is all. Demands and reports nothing where it is false.
  bool IsApartInOneBlock(uint32_t slot, uint32_t write);

 private:
  using Pairs = std::vector<std::pair<uint32_t, uint32_t>>;

  Intervals& FindIntervals();
  void CheckArray(const std::vector<uint32_t>& pcs);
  void CheckPair(uint32_t a, uint32_t b, const std::vector<uint32_t>& pcs);
  void CheckWaiting(const std::vector<uint32_t>& pcs);
  void GiveUp(const std::vector<uint32_t>& pcs);
  static bool Contains(const Pairs& pairs, uint32_t a, uint32_t b);

  // Two different lanes that are at `a` and at `b` in the interval do not disturb each other.
  bool NeverMeet(uint32_t a, uint32_t b);
  // The same of updates that may wait. A launch is not refused for what keeps their lanes apart,
  // unless something else looks at the array meanwhile.
  bool AlwaysDisjoint(uint32_t a, uint32_t b, const std::vector<uint32_t>& pcs);
  // Two different lanes, one at `a` and one at `b`, are at different elements; `narrow`: perhaps
  // only in blocks with one lane in x.
  bool Disjoint(uint32_t a, uint32_t b, bool narrow);
  bool AreSeparate(uint32_t a, uint32_t b);
  // Blocks of the default size meet the conditions, each with its access.
  bool MetByDefault(const Pairs& demands) const;
  // Lanes that meet at an element are one lane.
  bool OneLaneEach(ElementUse x, ElementUse y, const Form& common, bool narrow);
  // The same, found by following the lanes of a block of the default size with numbers.
  bool AreApartInNumbers(uint32_t a, uint32_t b);
  // One range ends before the other begins, relative to a common value.
  bool Apart(const ElementUse& x, const ElementUse& y, const Form& common);
  // `second` is under a guard `lane == value`: it may be written with the lane in it, as `first`
  // is.
  void AddPin(const ElementUse& first, ElementUse& second, Facts& facts);
  // The part of a form that is the same for all lanes of the block.
  Form CommonPart(const Form& form, uint32_t a, uint32_t b) const;

  Symbolic* symbolic_;
  const isa::Program& program_;
  const Cfg& cfg_;
  const Ssa& ssa_;
  const Accesses& accesses_;
  RaceLog* log_;
  RaceBudget* budget_;
  std::optional<Intervals> intervals_;  // made when it is first needed
  std::optional<BlockTrace> trace_;     // and this
  std::set<uint32_t> waiting_;          // arrays with updates at which lanes may meet
  Pairs reported_;
  Pairs disjoint_;  // in every interval
};

}  // namespace hologram::verify
