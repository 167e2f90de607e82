// A circuit's gates as passes over the state: in each pass every tile (tiles.h) is loaded once and
// all gates of the pass are applied to it. Matrices on one qubit that follow each other are
// multiplied first. Tested by tests/statevector/engine_test.cc.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "statevector/circuit.h"
#include "statevector/tiles.h"

namespace hologram::statevector {

struct Pass {
  uint32_t qubits = 0;          // those of the tile, a bit each
  std::vector<TileGate> gates;  // qubits are local to the tile
};

struct PlanOptions {
  bool fuse = true;
  uint32_t tile_bits = 0;  // 0: as many as suit the number of qubits
  // Every tile has the lowest qubits, so that neighbours are loaded together.
  bool low = true;
};

// REQUIRES: all operations are unitary and unconditional
std::vector<Pass> PlanPasses(uint32_t qubits, std::span<const Operation> operations,
                             std::span<const Matrix> matrices, const PlanOptions& options = {});

}  // namespace hologram::statevector
