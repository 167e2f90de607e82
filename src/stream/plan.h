// How a launch is cut into windows for a stream: which units, and what of each array they need.
// Tested by tests/stream.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "launch/units.h"

namespace hologram::stream {

inline constexpr uint64_t kWindowBytes = uint64_t{1} << 20;  // where a run does not say
inline constexpr uint64_t kDepth = 3;
inline constexpr uint64_t kUnknown = UINT64_MAX;  // elements: until a source ends

// One buffer of the kernel, in the order of its parameters.
struct Array {
  std::string name;   // of the parameter
  uint32_t size = 1;  // bytes of an element
  bool reads = false;
  bool writes = false;
  bool moves = false;  // in windows; else all of it is in memory
  uint64_t extent = 0;
  uint64_t capacity = 0;  // elements of the largest window
};

struct WindowPlan {
  hologram_launch_shape shape{};
  uint64_t units = 0;
  uint64_t step = 1;  // units of each window but the last
  uint64_t count = 0;
  uint64_t slot_bytes = 0;  // of one window of each array that moves
};

// Windows that need nothing of each other: `length` elements of each array, of which windows but
// the last have a multiple of `row`. As long as windows are not the smallest, `depth` of them fit
// `pool_bytes` (0: any). Sets the capacities.
WindowPlan PlanApart(std::vector<Array>& arrays, uint64_t length, uint64_t row,
                     uint64_t window_bytes, uint64_t depth, uint64_t pool_bytes);

struct WindowReach {
  uint64_t first = 0;  // units
  uint64_t last = 0;
  std::vector<launch::BufferReach> of_arrays;
};

// A launch on whole arrays, as its plan asks about it.
struct Planned {
  std::string name;  // of the kernel
  std::function<Result<launch::Units>(std::span<const uint64_t> extents)> units;
  // Of units [first, last).
  std::function<Result<std::vector<launch::BufferReach>>(std::span<const uint64_t> extents,
                                                         uint64_t first, uint64_t last)>
      reach;
};

class Planner {
 public:
  // The arrays must outlive this.
  Planner(Planned launch, std::vector<Array>& arrays);

  // Windows whose inputs (or, without any, outputs) have about `window_bytes`, and of which `depth`
  // fit `pool_bytes` (0: any). Sets the capacities. Errors: a launch that is refused, an array that
  // moves and may be touched anywhere (kInvalidArgument), a window of one unit that is too large
  // (kResourceLimit).
  Result<WindowPlan> Make(uint64_t window_bytes, uint64_t depth, uint64_t pool_bytes);

  // Of window k of the plan.
  Result<WindowReach> Reach(const WindowPlan& plan, uint64_t k) const;

 private:
  Result<WindowReach> ReachOfUnits(uint64_t first, uint64_t last) const;
  Status CheckBounded(const WindowReach& reach) const;
  Result<uint64_t> BytesOfUnits(uint64_t first, uint64_t last) const;
  Status SetCapacities(WindowPlan& plan);

  const Planned launch_;
  std::vector<Array>& arrays_;
  std::vector<uint64_t> extents_;
};

}  // namespace hologram::stream
