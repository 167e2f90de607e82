// How a launch is cut, for threads or for looks at what stops it: its units (lanes, rows or blocks;
// native_abi.h) in runs of equal length. Tested by tests/runtime/split_launch_test.cc.
#pragma once

#include <cstdint>
#include <optional>

#include "hologram/native_abi.h"
#include "verify/verified_program.h"

namespace hologram::launch {

// Chunks and windows of lanes start at multiples of this, so that vectors are whole and threads do
// not write to the same cache lines.
inline constexpr uint64_t kLaneGranule = 1024;

// How a launch may be spread over threads. Results never depend on it.
struct Parallelism {
  uint32_t threads = 1;  // the calling one included
  // Work that takes less than this in all is not worth waking anybody for.
  double min_work_ns = 20e3;
  // Chunks are made to take about this long: little enough that the last one is not waited for
  // long.
  double chunk_work_ns = 10e3;
  uint64_t lane_granule = kLaneGranule;
};

// The unit that launches of the program are cut into, HOLOGRAM_UNIT_*; the same in all engines.
uint32_t UnitOf(const verify::VerifiedProgram& program);

// How many units a launch has.
uint64_t UnitsOf(uint32_t unit, const hologram_launch_shape& shape);

// Whether these are all lanes of the launch: of a kernel of one row, in launches of one row.
bool UnitsCover(uint32_t unit, const hologram_launch_shape& shape);

struct Cut {
  uint64_t first = 0;            // unit; 0 but in a window
  uint64_t units = 0;            // of the launch, or of its window
  uint64_t units_per_chunk = 0;  // of each chunk but the last
  uint32_t chunks = 0;
};

// Work between two polls of the cancellation word, on one thread: in loops
// inside a lane the code looks itself, so what counts is lanes.
inline constexpr double kLongPartNs = 20e6;

// How many of `units`, which take about `work_ns` together, take about kLongPartNs.
uint64_t UnitsOfPart(uint32_t unit, uint64_t units, double work_ns, uint64_t lane_granule);

// How to cut `units` that take about `work_ns` on one thread; nothing if they are to stay on one.
std::optional<Cut> CutUnits(uint32_t unit, uint64_t units, double work_ns,
                            const Parallelism& parallelism);
// The same of all units of a launch.
std::optional<Cut> CutLaunch(uint32_t unit, const hologram_launch_shape& shape, double work_ns,
                             const Parallelism& parallelism);

}  // namespace hologram::launch
