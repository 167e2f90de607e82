// One launch, as every engine gets it, and what can be decided about it before it runs.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "hologram/native_abi.h"
#include "launch/print_log.h"
#include "launch/stream.h"
#include "verify/verified_program.h"

namespace hologram::launch {

using verify::VerifiedProgram;

inline constexpr uint64_t kDefaultBudget = HOLOGRAM_DEFAULT_BUDGET;

// A part of a launch: its units (native_abi.h) from `first` on, before `last`. Buffers then hold
// parts of arrays: `base` is the element that the memory of a buffer begins with, `extent` the
// elements of the whole array, which is what lengths mean; one of each for each buffer.
struct Window {
  uint32_t unit = HOLOGRAM_UNIT_LANE;
  uint64_t first = 0;
  uint64_t last = 0;
  std::span<const uint64_t> base;
  std::span<const uint64_t> extent;
};

// Arguments in parameter order, each kind counted by itself (as in native_abi.h).
struct Launch {
  std::span<const hologram_buffer_ref> buffers;
  std::span<const uint64_t> scalars;
  hologram_launch_shape shape{{1, 1, 1}, {1, 1, 1}};
  uint64_t budget = kDefaultBudget;
  uint32_t class_base = 0;  // below 96; CLS.GET gives (class_base + block.x) mod 96
  bool deterministic = true;
  // State of earlier launches, updated by this one; null: as at the start, and changes are lost.
  Stream* stream = nullptr;
  PrintLog* prints = nullptr;  // gets what lanes print; null: prints are dropped
  // Once it is not 0 the launch stops, with kCancelled; null: nothing stops it.
  const std::atomic<uint32_t>* cancel = nullptr;
  // The conditions of the launch check do not hold.
  bool guarded = false;
  const Window* window = nullptr;  // null: all of it
  // Of the whole array. `type` is that of its elements.
  uint64_t ElementsOf(size_t buffer, isa::Type type) const {
    return window != nullptr ? window->extent[buffer] : buffers[buffer].bytes / isa::SizeOf(type);
  }
  // Of the back edges of loops that end and are counted all the same.
  uint64_t most_rounds() const {
    return budget > verify::kMostRounds ? budget : verify::kMostRounds;
  }
  bool cancelled() const {
    return cancel != nullptr && cancel->load(std::memory_order_relaxed) != 0;
  }
};

enum class LaunchTier : uint8_t {
  kProved,   // every proved access is in bounds: run without checks
  kGuarded,  // some condition of a proof fails for these arguments: run with every access guarded
};

// Argument counts, shape limits (1..1024 lanes a block, ids fit 32 bits), class_base, buffer
// alignment to the element type where there are atomics, aliasing, races (when deterministic), then
// the conditions of the proofs. Errors name the parameter or the line. Table-driven; the generated
// check decides the same.
Result<LaunchTier> CheckLaunch(const VerifiedProgram& program, const Launch& launch);

// Why a launch is kGuarded: the instruction whose proof does not cover it, and the condition that
// does not hold, with values ("n + 1 (501) exceeds len(src) (500)"; empty if it is too long).
struct Unproved {
  uint32_t pc = 0;
  std::string condition;
};
std::optional<Unproved> FindUnproved(const VerifiedProgram& program, const Launch& launch);
// The same of the proof that no two lanes touch one element; nothing if it covers the launch.
// REQUIRES: CheckLaunch ok
std::optional<Unproved> FindMeeting(const VerifiedProgram& program, const Launch& launch);

// The accesses that a deterministic launch is refused for, one for each error that CheckLaunch
// gives because of races, in their order. REQUIRES: the counts of arguments are right.
std::vector<uint32_t> FindRaces(const VerifiedProgram& program, const Launch& launch);

inline uint64_t LanesPerBlock(const hologram_launch_shape& shape) {
  return uint64_t{shape.block[0]} * shape.block[1] * shape.block[2];
}

// The block of a lane, which is numbered in the launch, and its place in the block.
inline void LanePlace(const hologram_launch_shape& shape, uint64_t lane,
                      std::span<uint32_t, 3> block, std::span<uint32_t, 3> lane_in_block) {
  const uint64_t lanes = LanesPerBlock(shape);
  uint64_t blocks = lane / lanes;
  lane %= lanes;
  for (size_t d = 0; d < 3; ++d) {
    block[d] = static_cast<uint32_t>(blocks % shape.grid[d]);
    lane_in_block[d] = static_cast<uint32_t>(lane % shape.block[d]);
    blocks /= shape.grid[d];
    lane /= shape.block[d];
  }
}

// Inputs of native code before the launch.
inline hologram_launch_state InitialState(const Launch& launch) {
  hologram_launch_state state{};
  state.budget = launch.budget;
  state.fault_lane = UINT64_MAX;
  state.class_base = launch.class_base;
  return state;
}

}  // namespace hologram::launch
