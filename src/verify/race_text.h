// Remedies that the message of a race offers, besides a launch that allows it. Tested by tests/cli
// (races).
#pragma once

#include <cstdint>
#include <string>

#include "isa/program.h"

namespace hologram::verify {

// The start of messages about a condition that a launch does not meet, behind the access, and the
// end of most messages about a race: kOrderMatters, RaceRemedy() and kAllowsOrder.
inline constexpr const char* kLanesMeet =
    " may be touched by several lanes of this launch at one element";
inline constexpr const char* kOrderMatters = ", so the result may depend on order";
inline constexpr const char* kAllowsOrder =
    "; deterministic=False (library) or --nondeterministic (command) allows it";

// "; to add from several lanes, use atomic_add or block_reduce_add" for the store at `pc` of
// `s[0] += x[i]`; for one of `x[i] = x[i - 1]` another array. Empty: neither helps.
std::string RaceRemedy(const isa::Program& program, uint32_t pc);

// ", unless unique(p) declares that no two elements of p are equal" for the access at `pc` of
// `y[p[i]] = x[i]`. Empty: it is none like that.
inline constexpr const char* kUnlessUnique = ", unless unique(";
std::string UniqueRemedy(const isa::Program& program, uint32_t pc);

}  // namespace hologram::verify
