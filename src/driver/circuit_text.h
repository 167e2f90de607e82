// Calls and circuits of kernels as text.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "frontend/raise/circuit.h"
#include "sigmatics/canonical.h"

namespace hologram::driver {

// A line: "Merge src=0 ctx=1 dst=2 variant=Add".
std::string CallText(const sigmatics::Call& call);
// The header, if there is one, and a line for each call.
std::string CallsText(const sigmatics::Canonical& canonical);

// The circuits of kernels, one line each, or with `calls` their calls. Several have their names as
// comments before them. Errors: the obstacles of kernels that are not circuits.
Result<std::string> CircuitsText(const std::vector<frontend::KernelCircuit>& circuits, bool calls);

// "1 op -> 1 op (0.0 % fewer)".
std::string SavedText(size_t original, size_t canonical);

}  // namespace hologram::driver
