// The proof that two lanes, one at each of two accesses, never meet at one element: if they did,
// the digits of both indices would be equal, and what follows from that and from the branches that
// lead there is a contradiction, or that the lanes are one. Tested by tests/verify.
#pragma once

#include <functional>
#include <vector>

#include "verify/index_parts.h"
#include "verify/races.h"

namespace hologram::verify {

// The same for all pairs of accesses of a program.
struct SeparationContext {
  Symbolic& symbolic;
  const isa::Program& program;
  const Cfg& cfg;
  const Ssa& ssa;
  Lanes lanes = Lanes::kOfLaunch;
  // The atom has one value for all these lanes at both accesses.
  std::function<bool(AtomId)> is_common;
  std::function<const UniqueLoad*(AtomId)> find_unique_load;  // null: the atom is none
};

class Separation {
 public:
  // `pc`, `slot`: of the demands on the launch.
  Separation(const SeparationContext& context, uint32_t pc, uint32_t slot)
      : context_(context), symbolic_(context.symbolic), pc_(pc), slot_(slot) {}
  // Appends what the proof rests on.
  bool Run(const ElementUse& x, const ElementUse& y, Facts& facts);

 private:
  // One lane's x less the other's y is a multiple of the modulus; of 0: is zero.
  struct Equation {
    Form x;
    Form y;
    int64_t modulus = 0;
  };
  struct Shift {
    AtomId atom;
    int64_t amount;  // of one lane, less that of the other
  };
  // The unknown part of an equation, once the known shifts are taken out.
  struct Rest {
    bool usable = false;
    Wide amount = 0;   // that the unknown terms add up to
    Wide divisor = 0;  // of all of these terms; 0: there are none
    int num_unknown = 0;
    AtomId unknown = 0;
    int64_t factor = 0;
  };

  bool InEachCase(const ElementUse& x, const ElementUse& y, int depth, Facts& facts);
  bool AreApart(const ElementUse& x, const ElementUse& y, Facts& facts);
  bool Follows(const ElementUse& x, const ElementUse& y, Facts& facts);
  bool Digits(const ElementUse& x, const ElementUse& y, bool constants, Facts& facts);
  void AddEquation(const Form& x, const Form& y, int64_t modulus = 0);
  void AddParities(const ElementUse& x, const ElementUse& y, Facts& facts);
  std::optional<Form> PinnedRemainder(const Guard& guard, AtomId& found);
  bool Solve();
  Rest RestOf(const Equation& equation) const;
  void AddTerm(AtomId atom, int64_t in_x, int64_t in_y, Rest& rest) const;
  std::optional<int64_t> ShiftOf(AtomId atom, int depth = 0) const;
  std::optional<int64_t> ShiftOfForm(const Form& form, int depth) const;
  bool AddShift(AtomId atom, Wide amount);
  std::optional<Form> PartnerOf(AtomId atom) const;
  std::optional<Form> NamedBy(AtomId atom) const;
  bool ArePartners(const Form& number, const Form& other) const;
  bool PartnersMeet(const Equation& equation, const ElementUse& x, const ElementUse& y,
                    Facts& facts);
  bool IsCommon(AtomId id, int depth = 0) const;
  bool Mentions(const Form& form, int dimension, int depth) const;
  bool IsOneLane(const ElementUse& x, const ElementUse& y, Facts& facts);
  bool Apart(const ElementUse& x, const ElementUse& y, const Form& in_x, const Form& in_y,
             bool demand, Facts& facts);
  bool AsksForSigns(const Facts& facts) const;
  std::optional<PolyId> SpanOf(const ElementUse& x, const ElementUse& y, const Form& in_x,
                               const Form& in_y, Facts& facts);
  std::pair<Form, Form> WithoutCommon(const Form& x, const Form& y);

  static constexpr Wide kMostShift = Wide{1} << 40;

  const SeparationContext& context_;
  Symbolic& symbolic_;
  uint32_t pc_;
  uint32_t slot_;
  std::vector<Equation> equations_;
  std::vector<Shift> shifts_;
  mutable Facts partners_;  // what the partners that were met rest on
};

}  // namespace hologram::verify
