#include "stream/plan.h"

#include <algorithm>
#include <utility>

#include "launch/cut.h"
#include "stream/pool.h"

namespace hologram::stream {
namespace {

constexpr uint64_t kProbedUnits = 4096;

uint64_t RoundUp(uint64_t bytes) {
  return (bytes + kPoolAlignment - 1) / kPoolAlignment * kPoolAlignment;
}

}  // namespace

WindowPlan PlanApart(std::vector<Array>& arrays, uint64_t length, uint64_t row,
                     uint64_t window_bytes, uint64_t depth, uint64_t pool_bytes) {
  uint64_t size = 1;
  for (const Array& array : arrays) size = std::max<uint64_t>(size, array.size);
  const uint64_t granule = row == 1 ? launch::kLaneGranule : row;
  WindowPlan plan;
  plan.step = std::max(window_bytes / size / granule * granule, granule);
  for (;; plan.step = std::max(plan.step / 2 / row * row, row)) {
    plan.slot_bytes = 0;
    for (Array& array : arrays) {
      array.capacity = plan.step;
      plan.slot_bytes += RoundUp(plan.step * array.size);
    }
    if (pool_bytes == 0 || plan.slot_bytes * depth <= pool_bytes || plan.step == row) break;
  }
  plan.count = length == kUnknown ? UINT64_MAX : (length + plan.step - 1) / plan.step;
  return plan;
}

Planner::Planner(Planned launch, std::vector<Array>& arrays)
    : launch_(std::move(launch)), arrays_(arrays) {
  for (const Array& array : arrays) extents_.push_back(array.extent);
}

Result<WindowReach> Planner::ReachOfUnits(uint64_t first, uint64_t last) const {
  WindowReach reach;
  reach.first = first;
  reach.last = last;
  HOLOGRAM_ASSIGN_OR_RETURN(reach.of_arrays, launch_.reach(extents_, first, last));
  return reach;
}

Result<WindowReach> Planner::Reach(const WindowPlan& plan, uint64_t k) const {
  const uint64_t first = k * plan.step;
  return ReachOfUnits(first, first + std::min(plan.step, plan.units - first));
}

Status Planner::CheckBounded(const WindowReach& reach) const {
  for (size_t b = 0; b < arrays_.size(); ++b) {
    const launch::BufferReach& touched = reach.of_arrays[b];
    if (!arrays_[b].moves || touched.bounded) continue;
    return Error(ErrorCode::kInvalidArgument,
                 "kernel '" + launch_.name + "' may touch any element of '" + arrays_[b].name +
                     "': it cannot be streamed; give an array in memory");
  }
  return Success{};
}

// Of inputs that move; without any, of outputs.
Result<uint64_t> Planner::BytesOfUnits(uint64_t first, uint64_t last) const {
  HOLOGRAM_ASSIGN_OR_RETURN(const WindowReach reach, ReachOfUnits(first, last));
  HOLOGRAM_RETURN_IF_ERROR(CheckBounded(reach));
  uint64_t in = 0;
  uint64_t out = 0;
  for (size_t b = 0; b < arrays_.size(); ++b) {
    if (!arrays_[b].moves) continue;
    const launch::BufferReach& touched = reach.of_arrays[b];
    (arrays_[b].reads ? in : out) += (touched.high - touched.low) * arrays_[b].size;
  }
  return in != 0 ? in : out;
}

Status Planner::SetCapacities(WindowPlan& plan) {
  for (Array& array : arrays_) array.capacity = 0;
  plan.count = (plan.units + plan.step - 1) / plan.step;
  for (const uint64_t k : {uint64_t{0}, uint64_t{1}, uint64_t{2}, plan.count / 2,
                           plan.count / 2 + 1, plan.count - 2, plan.count - 1}) {
    if (k >= plan.count) continue;
    HOLOGRAM_ASSIGN_OR_RETURN(const WindowReach reach, Reach(plan, k));
    HOLOGRAM_RETURN_IF_ERROR(CheckBounded(reach));
    for (size_t b = 0; b < arrays_.size(); ++b) {
      if (!arrays_[b].moves) continue;
      const launch::BufferReach& touched = reach.of_arrays[b];
      arrays_[b].capacity = std::max(arrays_[b].capacity, touched.high - touched.low);
    }
  }
  plan.slot_bytes = 0;
  for (const Array& array : arrays_) {
    if (array.moves) plan.slot_bytes += RoundUp(array.capacity * array.size);
  }
  return Success{};
}

Result<WindowPlan> Planner::Make(uint64_t window_bytes, uint64_t depth, uint64_t pool_bytes) {
  HOLOGRAM_ASSIGN_OR_RETURN(const launch::Units units, launch_.units(extents_));
  WindowPlan plan;
  plan.units = units.count;
  plan.shape = units.shape;
  if (plan.units == 0) return plan;
  // In the middle, where arrays have no edge.
  const uint64_t probed = std::min(kProbedUnits, std::max<uint64_t>(plan.units / 4, 1));
  const uint64_t begin = (plan.units - probed) / 2;
  HOLOGRAM_ASSIGN_OR_RETURN(const uint64_t bytes, BytesOfUnits(begin, begin + probed));
  const double each = std::max(static_cast<double>(bytes) / static_cast<double>(probed), 0.001);
  const double wanted = std::min(static_cast<double>(window_bytes) / each, 1e18);
  plan.step = std::clamp<uint64_t>(static_cast<uint64_t>(wanted), 1, plan.units);
  for (;;) {
    const bool granular = units.unit == HOLOGRAM_UNIT_LANE && plan.step > launch::kLaneGranule;
    if (granular && plan.step < plan.units)
      plan.step = plan.step / launch::kLaneGranule * launch::kLaneGranule;
    HOLOGRAM_RETURN_IF_ERROR(SetCapacities(plan));
    if (pool_bytes == 0 || plan.slot_bytes * depth <= pool_bytes) return plan;
    if (plan.step == 1) break;
    plan.step = plan.step * 3 / 4;
  }
  return Error(ErrorCode::kResourceLimit, "the smallest windows need " +
                                              std::to_string(plan.slot_bytes * depth) +
                                              " bytes, the pool has " + std::to_string(pool_bytes));
}

}  // namespace hologram::stream
