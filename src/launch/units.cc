#include "launch/units.h"

#include <algorithm>

#include "launch/cut.h"
#include "launch/unique.h"

namespace hologram::launch {
namespace {

// Buffers of arrays that are nowhere: for questions about lengths.
std::vector<hologram_buffer_ref> WholeArrays(const isa::Program& program,
                                             std::span<const uint64_t> extents) {
  std::vector<hologram_buffer_ref> buffers;
  for (const isa::Parameter& parameter : program.parameters) {
    if (!parameter.is_buffer) continue;
    buffers.push_back({nullptr, extents[buffers.size()] * isa::SizeOf(parameter.type)});
  }
  return buffers;
}

}  // namespace

Result<Units> UnitsOf(const WholeLaunch& whole) {
  const isa::Program& program = whole.program.program();
  HOLOGRAM_RETURN_IF_ERROR(RefuseUnique(program, "a launch in windows"));
  Units units;
  units.unit = UnitOf(whole.program);
  if (whole.shape.grid && whole.shape.block) {
    std::copy_n(whole.shape.grid->begin(), 3, units.shape.grid);
    std::copy_n(whole.shape.block->begin(), 3, units.shape.block);
  } else {
    HOLOGRAM_ASSIGN_OR_RETURN(
        units.shape, whole.default_shape.Resolve(whole.shape, WholeArrays(program, whole.extents),
                                                 whole.scalars));
  }
  units.count = UnitsOf(units.unit, units.shape);
  return units;
}

Result<std::vector<BufferReach>> ReachOf(const WholeLaunch& whole, const verify::Reach& reach,
                                         uint64_t first, uint64_t last) {
  HOLOGRAM_ASSIGN_OR_RETURN(const Units units, UnitsOf(whole));
  const std::vector<hologram_buffer_ref> none(whole.extents.size(), hologram_buffer_ref{});
  const std::vector<uint64_t> at_start(whole.extents.size(), 0);
  Window window;
  window.first = first;
  window.last = last;
  window.unit = units.unit;
  window.base = at_start;
  window.extent = whole.extents;
  Launch launch;
  launch.buffers = none;
  launch.scalars = whole.scalars;
  launch.shape = units.shape;
  launch.window = &window;
  HOLOGRAM_RETURN_IF_ERROR(CheckUnits(whole.program, launch));
  const Result<LaunchTier> tier = CheckLaunch(whole.program, launch);
  if (!tier.ok()) return tier.errors();
  return ReachOf(whole.program, reach, launch);
}

}  // namespace hologram::launch
