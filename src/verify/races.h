// Races: do different lanes touch different elements wherever one of them writes? Tested by
// tests/verify.
#pragma once

#include "verify/proofs.h"

namespace hologram::verify {

struct RaceResult {
  std::vector<RaceFact> races;  // what could not be proved
  // Assumptions of the proofs: conditions of the Symbolic, each with the access it is needed for.
  std::vector<std::pair<uint32_t, uint32_t>> conditions;
  std::vector<AliasRule> aliases;
  std::vector<uint32_t> launch_sums;      // ascending
  std::vector<uint32_t> ordered_updates;  // ascending
  std::vector<UniqueWrite> unique_writes;
};

// Whether an ATGF.ADD whose old value is not used happens once for the launch, if the program does
// nothing else to the buffer: a lane comes there at most once, at the element of all lanes.
bool MayBeLaunchSum(const isa::Program& program, const Cfg& cfg, const Ssa& ssa, uint32_t pc);

// `symbolic`: null if the program was too complex to analyse. `emitted`: by number, whether a
// condition of it is in the launch check already.
RaceResult FindRaces(Symbolic* symbolic, const isa::Program& program, const Cfg& cfg,
                     const Ssa& ssa, const std::vector<bool>& emitted);

// Facts shared by accesses that are made by lanes of one block only, or by all lanes of a
// launch.
enum class Lanes : uint8_t { kOfBlock, kOfLaunch };

inline constexpr AtomId kNoAtom = UINT16_MAX;

struct ElementUse {
  uint32_t pc = 0;
  Form form;
  ValueId index = kNone;
  Scope scope;
  Facts loads = {};  // what the form rests on besides the index
};

// A value that was loaded from an array whose elements are all different: where two are equal, so
// are the elements.
struct UniqueLoad {
  AtomId atom = kNoAtom;   // the value
  AtomId first = kNoAtom;  // the value of the first such load of the same element
  uint32_t slot = 0;
  Form element;
  Facts facts;  // what `element` and `first` rest on
};

// Quotient and remainder of one division name what was divided. So do `t // (b * c)` and
// `t // c % b`: the first is `t // c // b`. In both cases that is the base of the remainder.
bool NameDivided(Symbolic& symbolic, const Atom& quotient, const Atom& remainder);

// Proves that lanes for which the named atoms are equal are one lane: by its ids, by guards that
// all uses are under, and by demands on the size of the launch.
class LaneCover {
 public:
  LaneCover(Symbolic& symbolic, Lanes lanes, uint32_t pc, uint32_t slot, std::vector<AtomId> named,
            const std::vector<ElementUse>& uses)
      : symbolic_(symbolic),
        lanes_(lanes),
        pc_(pc),
        slot_(slot),
        named_(std::move(named)),
        uses_(uses) {}
  // The ids of the dimension are equal, whatever the size of the launch.
  bool Covers(int dimension, Facts& facts);
  bool Run(Facts& facts);
  // Without demands on the size of the launch in x.
  bool covered() const { return covered_; }

 private:
  bool Has(AtomKind kind, int dimension) const;
  bool Knows(AtomKind kind, int dimension, Facts& facts);

  Symbolic& symbolic_;
  Lanes lanes_;
  uint32_t pc_;
  uint32_t slot_;
  std::vector<AtomId> named_;
  const std::vector<ElementUse>& uses_;
  bool covered_ = true;
};

// Proves that two different lanes never meet at one element, whichever of the uses each makes:
// the lane can be read off the element like a number written in digits of mixed radix. Digits are
// the lane's ids and, where they are above one of those, loop counters and the like. Appends what
// the proof rests on. `covered`: without demands on the size of the launch. `shared_part` is cut
// from every form first: atoms that have one value for all lanes.
class DigitProof {
 public:
  DigitProof(Symbolic& symbolic, Lanes lanes, uint32_t pc, uint32_t slot)
      : symbolic_(symbolic), lanes_(lanes), pc_(pc), slot_(slot) {}
  bool Run(const std::vector<ElementUse>& uses, Facts& facts);
  bool covered() const { return covered_; }

 private:
  struct Digit {
    AtomId atom;              // kNoAtom: no id, but something that is read off with the ids
    PolyId factor;            // never negative
    std::vector<Form> parts;  // the digit's value at each use
  };
  Form InSteps(const Form& form, Facts& facts);
  Form WithCounters(Form form);
  PolyId Magnitude(PolyId factor);
  bool IsIdentity(const Form::Term& term) const;
  bool Demand(PolyId value, Facts& facts);
  bool Collect(const Form& identity, size_t num_uses, Facts& facts);
  bool CollectOthers(std::vector<Form>& rests, Facts& facts);
  bool CollectConstants(std::vector<Form>& rests, Facts& facts);
  std::optional<PolyId> Positive(PolyId factor, Facts& facts);
  std::optional<PolyId> Span(const std::vector<ElementUse>& uses, const std::vector<Form>& forms,
                             Facts& facts);
  std::vector<AtomId> Named(const std::vector<ElementUse>& uses, Facts& facts) const;

  Symbolic& symbolic_;
  Lanes lanes_;
  uint32_t pc_;
  uint32_t slot_;
  std::vector<Digit> digits_;
  std::vector<std::pair<AtomId, Form>> counters_;  // taken apart, and into what
  bool covered_ = true;
};

}  // namespace hologram::verify
