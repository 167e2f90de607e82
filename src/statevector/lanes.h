// A circuit's gates as launches of the kernels gate_pass and gate_join (kernels/qsim), for
// `hologram qsim --kernels` and circuit.state(engine="kernels"). Tested by
// tests/statevector/lanes_test.cc.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "statevector/circuit.h"

namespace hologram::statevector {

// One gate_pass: its arrays, as kernels/qsim/state_vector.py describes them.
struct GateLaunch {
  std::vector<uint32_t> offsets;
  std::vector<uint32_t> spread;
  std::vector<uint32_t> gates;   // kind, target, controls, conditions
  std::vector<double> matrices;  // eight numbers for each gate
  uint32_t lanes = 0;
};

// The launches in their order, then one gate_join with `high` and `low`.
struct LanePlan {
  std::vector<GateLaunch> launches;
  std::vector<uint32_t> high;
  std::vector<uint32_t> low;
};

// Errors: as FinalState().
Result<LanePlan> PlanLanes(const Circuit& circuit, bool fuse = true);

}  // namespace hologram::statevector
