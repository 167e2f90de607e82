// hologram qsim --kernels: the gates of a circuit by the standard kernels gate_pass and gate_join.
#pragma once

#include <cstdint>
#include <vector>

#include "statevector/circuit.h"
#include "statevector/run.h"

namespace hologram::tool {

// Outcomes, as statevector::CountShots counts them, in f32 if `single`. Throws Failure: also
// UNSUPPORTED for circuits that are not computed once for all shots.
std::vector<statevector::Count> CountByKernels(const statevector::Circuit& circuit, uint64_t shots,
                                               uint64_t seed, bool single, uint32_t threads);

}  // namespace hologram::tool
