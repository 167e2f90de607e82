#include "launch/cut.h"

#include <algorithm>

namespace hologram::launch {
namespace {

constexpr double kMaxChunksPerThread = 64;

}  // namespace

uint32_t UnitOf(const verify::VerifiedProgram& program) {
  const verify::IdsUsed& ids = program.ids();
  const bool in_block = ids.lane[0] || ids.lane[1] || ids.lane[2] || ids.block[0] || ids.block[1] ||
                        ids.block[2] || program.uses_barrier() || program.uses_print() ||
                        !program.launch_sums().empty() || !program.program().shared.empty();
  const bool rows = ids.global[1] || ids.global[2];
  const bool linear = ids.linear || !program.ordered_updates().empty();
  if (in_block || (rows && linear)) return HOLOGRAM_UNIT_BLOCK;
  return rows ? HOLOGRAM_UNIT_ROW : HOLOGRAM_UNIT_LANE;
}

uint64_t UnitsOf(uint32_t unit, const hologram_launch_shape& shape) {
  const auto lanes = [&](int d) { return uint64_t{shape.grid[d]} * shape.block[d]; };
  switch (unit) {
    case HOLOGRAM_UNIT_LANE:
      return lanes(0);
    case HOLOGRAM_UNIT_ROW:
      return lanes(1) * lanes(2);
    default:
      return uint64_t{shape.grid[0]} * shape.grid[1] * shape.grid[2];
  }
}

bool UnitsCover(uint32_t unit, const hologram_launch_shape& shape) {
  if (unit != HOLOGRAM_UNIT_LANE) return true;
  return shape.grid[1] == 1 && shape.grid[2] == 1 && shape.block[1] == 1 && shape.block[2] == 1;
}

std::optional<Cut> CutLaunch(uint32_t unit, const hologram_launch_shape& shape, double work_ns,
                             const Parallelism& parallelism) {
  return CutUnits(unit, UnitsOf(unit, shape), work_ns, parallelism);
}

std::optional<Cut> CutUnits(uint32_t unit, uint64_t units, double work_ns,
                            const Parallelism& parallelism) {
  if (parallelism.threads <= 1) return std::nullopt;
  if (work_ns < parallelism.min_work_ns) return std::nullopt;
  Cut cut;
  cut.units = units;
  constexpr double kMostChunks = 1e6;
  const double most =
      std::clamp(work_ns / kLongPartNs, kMaxChunksPerThread * parallelism.threads, kMostChunks);
  const double wanted = std::clamp(work_ns / parallelism.chunk_work_ns, 2.0, most);
  const uint64_t granule = unit == HOLOGRAM_UNIT_LANE ? parallelism.lane_granule : 1;
  const uint64_t granules = (cut.units + granule - 1) / granule;
  const auto chunks = static_cast<uint64_t>(wanted);
  cut.units_per_chunk = (granules + chunks - 1) / chunks * granule;
  if (cut.units_per_chunk == 0) return std::nullopt;
  cut.chunks = static_cast<uint32_t>((cut.units + cut.units_per_chunk - 1) / cut.units_per_chunk);
  if (cut.chunks <= 1) return std::nullopt;
  return cut;
}

uint64_t UnitsOfPart(uint32_t unit, uint64_t units, double work_ns, uint64_t lane_granule) {
  const double parts = std::max(work_ns / kLongPartNs, 1.0);
  const auto wanted = static_cast<uint64_t>(static_cast<double>(units) / parts) + 1;
  const uint64_t granule = unit == HOLOGRAM_UNIT_LANE ? lane_granule : 1;
  return (wanted + granule - 1) / granule * granule;
}

}  // namespace hologram::launch
