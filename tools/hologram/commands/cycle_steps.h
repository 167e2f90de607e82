// The steps of hologram cycle: a state, what is done to it, and how it is shown.
#pragma once

#include <string>
#include <string_view>

namespace hologram::tool {

// A state from positions ("100 668 5") or a name (phi+ phi- psi+ psi- w, "ghz 4"), after steps that
// `;` separates: "constrain 0:1 1:1 = 0; S 0; cnot 0 2; measure 1". The text has measured
// positions, those that are left, and the constraints, a line each. Throws Failure.
std::string CycleSteps(std::string_view start, std::string_view steps);

}  // namespace hologram::tool
