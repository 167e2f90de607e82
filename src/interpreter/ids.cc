// READ_SREG, and the columns of the registers that hold ids from the start. Lanes of a chunk are
// consecutive in the linear order, so they are walked as rows: runs of lanes of one block that are
// neighbours in x.
#include <numeric>

#include "interpreter/columns.h"
#include "interpreter/instructions.h"

namespace hologram::interpreter {
namespace {

using isa::Instruction;
using isa::Sreg;

struct Position {
  uint32_t lane[3];
  uint32_t block[3];
};

Position PositionOf(const hologram_launch_shape& shape, uint64_t linear) {
  const uint64_t lanes = launch::LanesPerBlock(shape);
  uint64_t lane = linear % lanes;
  uint64_t block = linear / lanes;
  Position position{};
  for (int k = 0; k < 3; ++k) {
    position.lane[k] = static_cast<uint32_t>(lane % shape.block[k]);
    position.block[k] = static_cast<uint32_t>(block % shape.grid[k]);
    lane /= shape.block[k];
    block /= shape.grid[k];
  }
  return position;
}

// Moves past the end of a row.
void NextRow(const hologram_launch_shape& shape, Position* position) {
  position->lane[0] = 0;
  for (int k = 1; k < 3; ++k) {
    if (++position->lane[k] < shape.block[k]) return;
    position->lane[k] = 0;
  }
  for (int k = 0; k < 3; ++k) {
    if (++position->block[k] < shape.grid[k]) return;
    position->block[k] = 0;
  }
}

// The value at the start of a row, and whether it counts up along the row.
struct RowValue {
  uint32_t start;
  bool counts;
};

RowValue ValueIn(const hologram_launch_shape& shape, const Position& position, Sreg sreg) {
  switch (sreg) {
    case Sreg::kLaneX:
      return {position.lane[0], true};
    case Sreg::kLaneY:
      return {position.lane[1], false};
    case Sreg::kLaneZ:
      return {position.lane[2], false};
    case Sreg::kBlockX:
      return {position.block[0], false};
    case Sreg::kBlockY:
      return {position.block[1], false};
    case Sreg::kBlockZ:
      return {position.block[2], false};
    case Sreg::kBlockDimX:
      return {shape.block[0], false};
    case Sreg::kBlockDimY:
      return {shape.block[1], false};
    case Sreg::kBlockDimZ:
      return {shape.block[2], false};
    case Sreg::kGridDimX:
      return {shape.grid[0], false};
    case Sreg::kGridDimY:
      return {shape.grid[1], false};
    case Sreg::kGridDimZ:
      return {shape.grid[2], false};
    case Sreg::kGlobalX:
      return {position.block[0] * shape.block[0] + position.lane[0], true};
    case Sreg::kGlobalY:
      return {position.block[1] * shape.block[1] + position.lane[1], false};
    case Sreg::kGlobalZ:
      return {position.block[2] * shape.block[2] + position.lane[2], false};
    case Sreg::kLinear:
      break;  // 64 bits; the callers handle it
  }
  HOLOGRAM_CHECK(false);
}

}  // namespace

void FillIds(const Chunk& chunk, Sreg sreg, uint32_t* out) {
  const hologram_launch_shape& shape = chunk.launch().shape;
  Position position = PositionOf(shape, chunk.first_lane());
  uint32_t i = 0;
  while (i < chunk.count()) {
    const uint32_t row = std::min(shape.block[0] - position.lane[0], chunk.count() - i);
    const RowValue value = ValueIn(shape, position, sreg);
    if (value.counts) {
      std::iota(out + i, out + i + row, value.start);
    } else {
      std::fill(out + i, out + i + row, value.start);
    }
    i += row;
    NextRow(shape, &position);
  }
}

void ReadSreg(Chunk& chunk, const Instruction& in) {
  if (in.sreg() == Sreg::kLinear) {
    uint64_t* const out = chunk.Column<uint64_t>(in.d);
    const uint64_t first = chunk.first_lane();
    return ForEachLane(chunk, [=](uint32_t i) { out[i] = first + i; });
  }
  uint32_t* const out = chunk.Column<uint32_t>(in.d);
  std::array<uint32_t, kMaxChunkLanes> ids;  // lanes that do not run keep what they have
  FillIds(chunk, in.sreg(), ids.data());
  const uint32_t* const source = ids.data();
  ForEachLane(chunk, [=](uint32_t i) { out[i] = source[i]; });
}

}  // namespace hologram::interpreter
