// The launch of a kernel that is called without a grid (docs/language.md): whole blocks over the
// largest output. Kernels for which that is not what was meant are refused with the grid to write:
// those that use ids of dimension 1 or 2, and those that have work for lanes which such a launch
// does not have. There is such work if a lane behind the last one would touch buffers while lanes
// far behind it would not, as in `if i + 1 < n`; or if it would touch them and stay inside, while
// lanes far behind would leave them: a condition or a length then gives how many lanes the kernel
// is for. launch/missing_lanes.h finds that out by running the program over ranges of ids, whatever
// the form of the condition. Tested by tests/launch/default_shape_test.cc and tests/cli.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/fork_gate.h"
#include "base/result.h"
#include "hologram/native_abi.h"
#include "launch/facts.h"
#include "launch/missing_lanes.h"
#include "verify/verified_program.h"

namespace hologram::launch {

// Who launches: messages write a grid as it is written there.
enum class Caller : uint8_t { kLibrary, kCommand, kPython };

// Options of the caller for a launch; the rest follows from the buffers.
struct RequestedShape {
  std::optional<std::array<uint32_t, 3>> grid;
  std::optional<std::array<uint32_t, 3>> block;
  Caller caller = Caller::kLibrary;
};

class DefaultShape {
 public:
  // The program of the facts must outlive this.
  explicit DefaultShape(const KernelFacts& facts);

  // The full shape of a launch. grid[0] is 0 when the largest output is empty: nothing runs.
  // Thread-safe. REQUIRES: counts of buffers and scalars fit the program.
  Result<hologram_launch_shape> Resolve(const RequestedShape& requested,
                                        std::span<const hologram_buffer_ref> buffers,
                                        std::span<const uint64_t> scalars) const;

  // The launch that the conditions of the kernel ask for, where Resolve() has refused one without a
  // grid; nothing if they do not say it.
  std::optional<hologram_launch_shape> Wanted(const RequestedShape& requested,
                                              std::span<const hologram_buffer_ref> buffers,
                                              std::span<const uint64_t> scalars) const;

  // The grid to say where the conditions of the kernel admit lanes that a launch of the requested
  // grid does not have, as a sentence; nothing where it has them all, or none is requested. Not
  // cheap.
  std::optional<std::string> MissingLanes(const RequestedShape& requested,
                                          std::span<const hologram_buffer_ref> buffers,
                                          std::span<const uint64_t> scalars) const;

 private:
  struct LargestOutput {
    bool found = false;
    std::string name;
    uint64_t elements = 0;
  };

  LargestOutput FindLargestOutput(std::span<const hologram_buffer_ref> buffers) const;
  bool BoundsHold(uint64_t lanes, std::span<const uint64_t> scalars) const;
  bool KnownToBeComplete(const LaneQuestion& question) const;
  Status CheckComplete(const LaneQuestion& question, const LargestOutput& largest,
                       Caller caller) const;
  bool AdmitsNoLane(const std::array<uint32_t, 3>& block,
                    std::span<const hologram_buffer_ref> buffers,
                    std::span<const uint64_t> scalars) const;
  std::optional<std::array<uint32_t, 3>> GuardedGrid(const std::array<uint32_t, 3>& block,
                                                     int highest_dimension,
                                                     std::span<const hologram_buffer_ref> buffers,
                                                     std::span<const uint64_t> scalars) const;
  Result<hologram_launch_shape> ResolveSeveral(int highest_dimension,
                                               const RequestedShape& requested,
                                               std::span<const hologram_buffer_ref> buffers,
                                               std::span<const uint64_t> scalars) const;
  std::string GridToWrite(const std::array<uint32_t, 3>& block, int highest_dimension,
                          Caller caller, std::span<const hologram_buffer_ref> buffers,
                          std::span<const uint64_t> scalars) const;

  const VerifiedProgram& program_;
  std::optional<std::vector<SizeBound>> bounds_;
  std::vector<isa::Type> scalar_types_;
  // Inputs of the last launch that was found to be complete.
  mutable Mutex mutex_;
  mutable std::vector<uint64_t> last_complete_;
  // Of the last launch with ids of several dimensions, and its grid.
  mutable std::vector<uint64_t> last_inputs_;
  mutable std::array<uint32_t, 3> last_grid_ = {};
};

}  // namespace hologram::launch
