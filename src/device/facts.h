// Facts about a program that its lowering for a device needs, beside those of the verifier.
#pragma once

#include <optional>
#include <vector>

#include "base/result.h"
#include "device/builder.h"
#include "device/counted_loops.h"
#include "verify/ssa.h"

namespace hologram::device {

struct Facts {
  const verify::VerifiedProgram& verified;
  verify::Cfg cfg;
  verify::Ssa ssa;  // perhaps not built

  const isa::Program& program() const { return verified.program(); }
  // A lane may end before a barrier that others come to. Where all lanes of a block have to come to
  // each barrier, such a lane has to go on to the barriers.
  bool lanes_leave = false;
  bool may_fault = false;
  bool counts_budget = false;
  bool counts_rounds = false;
  // By value: something looks at the bits of a NaN in it. Empty: everything does.
  std::vector<bool> looks_at_bits;
  // By instruction: a store that makes NaNs canonical, so that what it stores need not be.
  std::vector<bool> makes_canonical;

  // Where a lane only goes on or ends, without going round: the blocks in their order. Each but the
  // last computes nothing but whether it goes on. Empty: the program has another form.
  std::vector<uint32_t> chain;

  // Loops whose rounds are known before the first.
  std::vector<CountedLoop> counted;
  // Of those, the one with this header; null: none.
  const CountedLoop* CountedAt(uint32_t header) const;

  // How a jump to a loop header counts.
  enum class Count : uint8_t { kNot, kBudget, kRounds };
  Count CountOf(uint32_t from, uint32_t to) const;
  // The instruction in `pc` may make its lane fault.
  bool MayFault(uint32_t pc) const;
  // The instruction that computes a value, copies skipped; kNone: none does.
  uint32_t OriginOf(verify::ValueId v) const;
  // The number that a value is in each launch, if it is known.
  std::optional<uint64_t> NumberIn(verify::ValueId v) const;
  // Whether the result of the instruction has to have no NaN but the canonical one.
  bool WantsCanonical(uint32_t pc) const;
};

// An error that names what no device code is written for.
Result<Facts> FindFacts(const verify::VerifiedProgram& verified);

}  // namespace hologram::device
