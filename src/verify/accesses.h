// The memory accesses of a program as proofs about races ask for them: which may change places,
// which may wait, what each stores and where. Tested by tests/verify.
#pragma once

#include <string>
#include <vector>

#include "verify/races.h"

namespace hologram::verify {

class Accesses {
 public:
  // `symbolic`: null if the program was too complex to analyse. The arguments outlive it.
  Accesses(Symbolic* symbolic, const isa::Program& program, const Cfg& cfg, const Ssa& ssa);

  const std::vector<uint32_t>& OfSlot(uint32_t slot) const { return global_[slot]; }
  // By shared array.
  const std::vector<std::vector<uint32_t>>& shared() const { return shared_; }

  bool Writes(uint32_t pc) const { return !isa::IsLoad(program_.code[pc].op); }
  bool IsAtomic(uint32_t pc) const { return isa::IsAtomic(program_.code[pc].op); }
  bool IsFloat(uint32_t pc) const { return isa::IsFloat(program_.code[pc].type); }
  // Both old values are not looked at, and the one operation does not care about order.
  bool CommuteTogether(uint32_t a, uint32_t b) const;
  bool Commutes(uint32_t pc) const;
  // An update of a float that may wait for those of lower lanes, if nothing else looks at the
  // element meanwhile.
  bool MayWait(uint32_t pc) const;
  bool IsLaunchSum(uint32_t pc) const;
  // Whichever lane comes last, the same stays there.
  bool StoreTheSame(uint32_t a, uint32_t b) const;
  bool IndexDependsOnData(uint32_t pc) const;
  // The atom is one value for all lanes of the launch.
  bool IsLaunchAtom(AtomId id) const;

  // REQUIRES: there is a Symbolic.
  ElementUse UseOf(uint32_t pc) const;
  // Null: the atom is none.
  const UniqueLoad* FindUniqueLoad(AtomId atom) const;
  // The same element, where all loads of one element of a unique array are one atom.
  ElementUse WithFirstLoads(ElementUse use) const;
  // Uses that are as different as these: of the elements of a unique array in place of the values
  // there. Empty: these are not such values times a number and a constant. Sets the array.
  std::vector<ElementUse> InUnique(const std::vector<ElementUse>& uses, uint32_t& slot) const;
  // The access in words of the source, else the name of its array.
  std::string TextOf(uint32_t pc) const;
  // REQUIRES: an atomic instruction that neither commutes nor may wait.
  std::string WhyOrderMatters(uint32_t pc) const;
  std::string RemedyOf(uint32_t pc) const { return RaceRemedy(program_, pc); }

 private:
  void FindUsedValues();
  void FindUniqueLoads();
  bool OldValueUsed(uint32_t pc) const { return !ssa_.built || used_[ssa_.writes[pc]]; }

  Symbolic* symbolic_;
  const isa::Program& program_;
  const Cfg& cfg_;
  const Ssa& ssa_;
  std::vector<std::vector<uint32_t>> global_;  // by parameter
  std::vector<std::vector<uint32_t>> shared_;  // by array
  std::vector<bool> used_;                     // values that are read
  std::vector<UniqueLoad> unique_loads_;
};

// The findings of FindRaces, and the words for them.
class RaceLog {
 public:
  RaceLog(Symbolic* symbolic, const Accesses& accesses)
      : symbolic_(symbolic), accesses_(accesses) {}

  void Report(uint32_t pc, const std::string& message);
  // Reports an element that is updated at `atomic` and accessed at `pcs` too: at the
  // access that is the reason.
  void ReportAtomic(uint32_t atomic, const std::vector<uint32_t>& pcs);
  // Always true: the end of a proof.
  bool Demand(const std::vector<uint32_t>& conditions, uint32_t pc);
  // Demands what the facts rest on, or is false and demands nothing.
  bool Keep(const Facts& facts, uint32_t pc);
  void AddOrdered(const std::vector<uint32_t>& pcs);

  RaceResult result;

 private:
  Symbolic* symbolic_;
  const Accesses& accesses_;
};

// How much work FindRaces may do on one program.
struct RaceBudget {
  bool Spent() const { return work > kMaxWork; }
  // Pairs that are looked at one by one; the analysis has work left for the other proofs.
  bool MayLookAtPair(const Symbolic& symbolic) {
    return ++pairs <= kMaxPairs && !symbolic.HalfSpent();
  }

  static constexpr size_t kMaxWork = size_t{1} << 24;
  static constexpr uint32_t kMaxPairs = 1024;
  size_t work = 0;  // pairs of accesses and blocks that were walked
  uint32_t pairs = 0;
};

}  // namespace hologram::verify
