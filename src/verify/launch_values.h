// Values that are the same in every lane of a launch, whatever it is: computed from scalars, sizes
// and constants alone. Tested by tests/verify.
#pragma once

#include "verify/ssa.h"

namespace hologram::verify {

// `v` is such a value.
bool IsLaunchValue(const isa::Program& program, const Cfg& cfg, const Ssa& ssa, ValueId v);
// `a` and `b` are the same one.
bool IsSameLaunchValue(const isa::Program& program, const Cfg& cfg, const Ssa& ssa, ValueId a,
                       ValueId b);

}  // namespace hologram::verify
