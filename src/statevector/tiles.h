// Gates on a tile: 2^bits amplitudes in a buffer that fits into a core's cache, their real and
// imaginary parts apart. Bit i of an index is the local qubit i. Compiled once for each level of
// x86-64, from tiles.inc; all compute the same bits, since each amplitude is computed by the same
// operations, none of them contracted, whatever the width of the vectors is.
#pragma once

#include <cstddef>
#include <cstdint>

namespace hologram::statevector {

struct TileGate {
  enum class Kind : uint8_t { kMatrix, kReal, kDiagonal, kExchange, kSwap };
  Kind kind = Kind::kMatrix;
  uint8_t target = 0;
  uint8_t other = 0;        // of kSwap
  bool outside = false;     // kDiagonal: `target` is a qubit of the state that is not in the tile
  uint32_t controls = 0;    // local qubits
  uint32_t conditions = 0;  // qubits of the state outside of the tile that must be 1
  double matrix[8] = {};    // row by row, real and imaginary parts
};

// The place of a tile in the state: runs of 2^run amplitudes at `base` with the bits of `places` in
// all ways, ascending.
struct TilePlace {
  size_t base = 0;
  size_t places = 0;
  uint32_t run = 0;
  uint32_t bits = 0;
};

// Applies the gates to one tile of a state of pairs (real, imaginary). `re` and `im` have room for
// 2^max(bits, 4) elements and are at multiples of 64 bytes.
template <class Real>
using RunTile = void (*)(Real* state, const TilePlace& place, const TileGate* gates, size_t count,
                         Real* re, Real* im);

// That of the best level which this processor has, up to `most`: 2, 3 or 4.
template <class Real>
RunTile<Real> TileRunner(int most = 4);

}  // namespace hologram::statevector
