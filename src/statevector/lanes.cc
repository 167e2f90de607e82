#include "statevector/lanes.h"

#include <algorithm>
#include <numeric>

#include "statevector/run.h"

namespace hologram::statevector {
namespace {

// Amplitudes of a lane, 2^10: the local arrays of gate_pass.
constexpr uint32_t kLaneBits = 10;

// Kinds of gate_pass.
enum : uint32_t { kMatrix, kReal, kDiagonal, kOutside, kExchange };

uint32_t LaneBitsFor(uint32_t qubits) {
  // A swap needs two; some lanes side by side are worth more than a large tile.
  const uint32_t wide = qubits < 6 ? std::min(qubits, 2U) : qubits - 4;
  return std::min(kLaneBits, wide);
}

// The sum of the steps at the bits of k that are 1, for each k.
std::vector<uint32_t> Sums(const std::vector<uint32_t>& steps) {
  std::vector<uint32_t> sums = {0};
  for (const uint32_t step : steps) {
    const size_t size = sums.size();
    for (size_t k = 0; k < size; ++k) sums.push_back(sums[k] + step);
  }
  return sums;
}

class Encoder {
 public:
  Encoder(const std::vector<uint32_t>& outside, GateLaunch& launch)
      : outside_(outside), launch_(launch) {}

  void Add(const TileGate& gate) {
    uint32_t conditions = 0;  // as bits of the lane's number
    for (size_t bit = 0; bit < outside_.size(); ++bit) {
      conditions |= (gate.conditions >> outside_[bit] & 1) << bit;
    }
    switch (gate.kind) {
      case TileGate::Kind::kMatrix:
        return Put(kMatrix, gate.target, gate.controls, conditions, gate.matrix);
      case TileGate::Kind::kReal:
        return Put(kReal, gate.target, gate.controls, conditions, gate.matrix);
      case TileGate::Kind::kExchange:
        return Put(kExchange, gate.target, gate.controls, conditions, gate.matrix);
      case TileGate::Kind::kDiagonal:
        if (!gate.outside)
          return Put(kDiagonal, gate.target, gate.controls, conditions, gate.matrix);
        return Put(kOutside, BitOf(gate.target), gate.controls, conditions, gate.matrix);
      case TileGate::Kind::kSwap:
        for (int k = 0; k < 3; ++k) {  // three exchanges under control
          const uint32_t target = k == 1 ? gate.other : gate.target;
          const uint32_t control = k == 1 ? gate.target : gate.other;
          Put(kExchange, target, gate.controls | uint32_t{1} << control, conditions, gate.matrix);
        }
    }
  }

 private:
  uint32_t BitOf(uint32_t qubit) const {
    const auto at = std::find(outside_.begin(), outside_.end(), qubit);
    return static_cast<uint32_t>(at - outside_.begin());
  }
  void Put(uint32_t kind, uint32_t target, uint32_t controls, uint32_t conditions,
           const double* matrix) {
    launch_.gates.insert(launch_.gates.end(), {kind, target, controls, conditions});
    launch_.matrices.insert(launch_.matrices.end(), matrix, matrix + 8);
  }

  const std::vector<uint32_t>& outside_;
  GateLaunch& launch_;
};

}  // namespace

Result<LanePlan> PlanLanes(const Circuit& circuit, bool fuse) {
  const uint32_t qubits = circuit.qubits;
  HOLOGRAM_ASSIGN_OR_RETURN(
      const std::vector<Pass> passes,
      FinalPasses(circuit, {.fuse = fuse, .tile_bits = LaneBitsFor(qubits), .low = false}));
  std::vector<uint32_t> place(qubits);  // of each qubit, in the numbers of the amplitudes
  std::iota(place.begin(), place.end(), 0U);
  LanePlan plan;
  for (const Pass& pass : passes) {
    std::vector<uint32_t> inside;
    std::vector<uint32_t> outside;
    for (uint32_t qubit = 0; qubit < qubits; ++qubit) {
      ((pass.qubits >> qubit & 1) != 0 ? inside : outside).push_back(qubit);
    }
    // Lanes next to each other are as near in memory as they can be.
    std::sort(outside.begin(), outside.end(),
              [&](uint32_t a, uint32_t b) { return place[a] < place[b]; });
    GateLaunch launch;
    launch.lanes = uint32_t{1} << outside.size();
    std::vector<uint32_t> steps;
    for (const uint32_t qubit : inside) steps.push_back(uint32_t{1} << place[qubit]);
    launch.offsets = Sums(steps);
    for (const uint32_t qubit : outside) launch.spread.push_back(uint32_t{1} << place[qubit]);
    Encoder encoder(outside, launch);
    for (const TileGate& gate : pass.gates) encoder.Add(gate);
    plan.launches.push_back(std::move(launch));
    uint32_t at = 0;
    for (const auto* part : {&outside, &inside}) {
      for (const uint32_t qubit : *part) place[qubit] = at++;
    }
  }
  std::vector<uint32_t> low;
  std::vector<uint32_t> high;
  for (uint32_t qubit = 0; qubit < qubits; ++qubit) {
    (qubit < qubits / 2 ? low : high).push_back(uint32_t{1} << place[qubit]);
  }
  plan.low = Sums(low);
  plan.high = Sums(high);
  return plan;
}

}  // namespace hologram::statevector
