// Negation and swap of the six conditions. For integers; with NaN the negation of `lt` is not
// `ge`.
#pragma once

#include "isa/instruction.h"

namespace hologram::isa {

// Holds exactly when `condition` does not.
constexpr Condition Negated(Condition condition) {
  constexpr Condition kNegated[kNumConditions] = {Condition::kNe, Condition::kEq, Condition::kGe,
                                                  Condition::kGt, Condition::kLe, Condition::kLt};
  return kNegated[static_cast<uint8_t>(condition)];
}

// The condition of b and a equivalent to `condition` of a and b.
constexpr Condition Mirrored(Condition condition) {
  constexpr Condition kMirrored[kNumConditions] = {Condition::kEq, Condition::kNe, Condition::kGt,
                                                   Condition::kGe, Condition::kLt, Condition::kLe};
  return kMirrored[static_cast<uint8_t>(condition)];
}

}  // namespace hologram::isa
