#include "statevector/plan.h"

#include <algorithm>
#include <array>
#include <bit>
#include <optional>

#include "base/check.h"

namespace hologram::statevector {
namespace {

using Kind = TileGate::Kind;

// Runs of at least this many neighbours are loaded: 64 amplitudes of 16 bytes.
constexpr uint32_t kLowQubits = 6;
// A tile has room for these besides, any that gates change.
constexpr uint32_t kFreeQubits = 3;
// 256 KiB of f64: half of a small second-level cache.
constexpr uint32_t kTileBits = 14;

constexpr uint32_t BitOf(uint32_t qubit) {
  return uint32_t{1} << qubit;
}

// A gate on qubits of the state.
struct Gate {
  Kind kind = Kind::kMatrix;
  uint8_t target = 0;
  uint8_t other = 0;
  uint32_t controls = 0;
  Matrix matrix{};

  // Qubits whose value it may change, and those whose value decides what it does.
  uint32_t Changed() const {
    if (kind == Kind::kDiagonal) return 0;
    return BitOf(target) | (kind == Kind::kSwap ? BitOf(other) : 0);
  }
  uint32_t Read() const { return controls | (kind == Kind::kDiagonal ? BitOf(target) : 0); }
};

Kind KindOf(const Matrix& m) {
  if (IsZero(m[1]) && IsZero(m[2])) return Kind::kDiagonal;
  if (m == Matrix{0, 1, 1, 0}) return Kind::kExchange;
  const bool real = std::all_of(m.begin(), m.end(), [](const auto& a) { return a.imag() == 0; });
  return real ? Kind::kReal : Kind::kMatrix;
}

bool IsIdentity(const Matrix& m) {
  return m == Matrix{1, 0, 0, 1};
}

Matrix Times(const Matrix& a, const Matrix& b) {
  const auto product = [](const Amplitude& x, const Amplitude& y) -> Amplitude {
    return {x.real() * y.real() - x.imag() * y.imag(), x.real() * y.imag() + x.imag() * y.real()};
  };
  return {product(a[0], b[0]) + product(a[1], b[2]), product(a[0], b[1]) + product(a[1], b[3]),
          product(a[2], b[0]) + product(a[3], b[2]), product(a[2], b[1]) + product(a[3], b[3])};
}

// The gates, those on one qubit without controls that follow each other as one.
std::vector<Gate> Fused(std::span<const Operation> operations, std::span<const Matrix> matrices,
                        bool fuse) {
  std::vector<Gate> gates;
  std::array<std::optional<Matrix>, 32> waiting;
  const auto flush = [&](uint32_t qubits) {
    for (; qubits != 0; qubits &= qubits - 1) {
      const auto qubit = static_cast<uint8_t>(std::countr_zero(qubits));
      if (!waiting[qubit]) continue;
      const Matrix matrix = *waiting[qubit];
      waiting[qubit].reset();
      if (!IsIdentity(matrix)) gates.push_back({KindOf(matrix), qubit, 0, 0, matrix});
    }
  };
  for (const Operation& operation : operations) {
    const bool swaps = operation.kind == Operation::Kind::kSwap;
    HOLOGRAM_CHECK(swaps || operation.kind == Operation::Kind::kMatrix);
    const Matrix matrix = swaps ? Matrix{} : matrices[operation.matrix];
    if (fuse && !swaps && operation.controls == 0) {
      std::optional<Matrix>& own = waiting[operation.target];
      own = own ? Times(matrix, *own) : matrix;
      continue;
    }
    flush(operation.controls | BitOf(operation.target) | (swaps ? BitOf(operation.other) : 0));
    const Kind kind = swaps ? Kind::kSwap : KindOf(matrix);
    if (!swaps && IsIdentity(matrix)) continue;
    gates.push_back({kind, operation.target, operation.other, operation.controls, matrix});
  }
  flush(UINT32_MAX);
  return gates;
}

// The bits of `mask` at the places of `qubits`, side by side.
uint32_t Gathered(uint32_t mask, uint32_t qubits) {
  uint32_t local = 0;
  for (uint32_t at = 0; qubits != 0; qubits &= qubits - 1, ++at) {
    if ((mask & (qubits & -qubits)) != 0) local |= BitOf(at);
  }
  return local;
}

uint8_t LocalOf(uint32_t qubit, uint32_t qubits) {
  return static_cast<uint8_t>(std::popcount(qubits & (BitOf(qubit) - 1)));
}

TileGate LocalGate(const Gate& gate, uint32_t qubits) {
  TileGate local;
  local.kind = gate.kind;
  local.outside = (qubits >> gate.target & 1) == 0;
  HOLOGRAM_CHECK(!local.outside || gate.kind == Kind::kDiagonal);
  local.target = local.outside ? gate.target : LocalOf(gate.target, qubits);
  local.other = LocalOf(gate.other, qubits);
  local.controls = Gathered(gate.controls, qubits);
  local.conditions = gate.controls & ~qubits;
  for (size_t k = 0; k < 4; ++k) {
    local.matrix[2 * k] = gate.matrix[k].real();
    local.matrix[2 * k + 1] = gate.matrix[k].imag();
  }
  return local;
}

uint32_t TileBitsFor(uint32_t qubits) {
  // Two tiles for each of a few threads where the state is worth them.
  if (qubits <= kTileBits - 2) return qubits;
  return std::min(kTileBits, qubits - 2);
}

}  // namespace

std::vector<Pass> PlanPasses(uint32_t qubits, std::span<const Operation> operations,
                             std::span<const Matrix> matrices, const PlanOptions& options) {
  const uint32_t bits =
      options.tile_bits == 0 ? TileBitsFor(qubits) : std::min(options.tile_bits, qubits);
  const uint32_t all = qubits == 32 ? UINT32_MAX : BitOf(qubits) - 1;
  const uint32_t low = options.low ? std::min(kLowQubits, bits - std::min(bits, kFreeQubits)) : 0;
  std::vector<Gate> left = Fused(operations, matrices, options.fuse);
  std::vector<Pass> passes;
  while (!left.empty()) {
    std::vector<Gate> taken;
    std::vector<Gate> later;
    uint32_t tile = BitOf(low) - 1;
    uint32_t changed = 0;  // by gates that wait for a later pass
    uint32_t read = 0;
    for (const Gate& gate : left) {
      const bool waits = (gate.Read() & changed) != 0 || (gate.Changed() & (changed | read)) != 0;
      const uint32_t wider = tile | gate.Changed();
      if (!waits && static_cast<uint32_t>(std::popcount(wider)) <= bits) {
        tile = wider;
        taken.push_back(gate);
        continue;
      }
      changed |= gate.Changed();
      read |= gate.Read();
      later.push_back(gate);
    }
    HOLOGRAM_CHECK(!taken.empty());
    while (static_cast<uint32_t>(std::popcount(tile)) < bits) tile |= all & ~tile & (tile + 1);
    Pass pass;
    pass.qubits = tile;
    for (const Gate& gate : taken) pass.gates.push_back(LocalGate(gate, tile));
    passes.push_back(std::move(pass));
    left = std::move(later);
  }
  return passes;
}

}  // namespace hologram::statevector
