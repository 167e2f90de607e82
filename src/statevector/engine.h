// Runs the gates of a circuit on a state: passes (plan.h) over tiles (tiles.h), by several threads.
// The bits depend on the circuit and on whether gates are fused, not on threads or processor.
// Tested by tests/statevector/engine_test.cc.
#pragma once

#include <atomic>
#include <complex>
#include <cstdint>
#include <span>

#include "statevector/circuit.h"

namespace hologram::statevector {

// Of a run that lasts: operations that are done, and all of them, for a bar.
struct Advance {
  std::atomic<uint64_t>& done;
  std::atomic<uint64_t>& all;
};

struct EngineOptions {
  bool fuse = true;
  uint32_t threads = 0;              // 0: the processors that this process may use
  int level = 4;                     // of x86-64, at most
  uint32_t tile_bits = 0;            // 0: what suits; for tests
  const Advance* advance = nullptr;  // `done` grows by the number of operations; null: unheard
};

// Applies the operations in order. `state` has 2^qubits amplitudes.
// REQUIRES: all operations are unitary and unconditional, on qubits below `qubits`
template <class Real>
void ApplyOperations(std::complex<Real>* state, uint32_t qubits,
                     std::span<const Operation> operations, std::span<const Matrix> matrices,
                     const EngineOptions& options = {});

}  // namespace hologram::statevector
