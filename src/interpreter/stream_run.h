// Effects of one launch on its stream, and the state of lanes that only instructions of the Atlas
// know: steps of the phase, contributions to the resonance, pools. The lanes of a chunk are
// numbered from 0; each chunk starts anew.
#pragma once

#include <cstdlib>
#include <memory>
#include <optional>
#include <vector>

#include "base/result.h"
#include "isa/program.h"
#include "launch/stream.h"

namespace hologram::interpreter {

class StreamRun {
 public:
  // `stream` may be null: a stream of its own, for this launch.
  StreamRun(const isa::Program& program, launch::Stream* stream, uint32_t lanes);

  // Lanes [first, ...) of the launch begin.
  void Start(uint64_t first);
  // The launch has succeeded. Errors: a class whose fraction does not fit; nothing has changed
  // then.
  Status Commit();

  void set_steps_of_lane_0(uint32_t steps) { steps_of_lane_0_ = steps; }
  uint32_t stream_phase() const { return stream_->phase; }
  uint32_t PhaseSteps(uint32_t lane) const { return steps_[lane]; }  // below 768
  void AdvancePhase(uint32_t lane, uint64_t delta);

  void Accumulate(uint32_t lane, uint8_t class_index, __int128 units);
  bool TestUnity(uint32_t lane, double bound);

  // A handle, or 0 if there is no memory for it.
  uint64_t AllocatePool(uint32_t lane, uint64_t bytes);
  // False: the lane has no such pool, or it is the class memory.
  bool FreePool(uint32_t lane, uint64_t handle);
  enum class PoolAccess : uint8_t { kOk, kNoPool, kOutOfBounds };
  // Where `size` bytes at `offset` of a pool are.
  PoolAccess FindInPool(uint32_t lane, uint64_t handle, uint64_t offset, uint32_t size,
                        uint8_t** at);

 private:
  struct Free {
    void operator()(uint8_t* memory) const { std::free(memory); }
  };
  struct Pool {
    std::unique_ptr<uint8_t, Free> memory;
    uint64_t bytes = 0;
    bool live = false;
  };
  struct LanePools {
    std::vector<Pool> pools;  // handle k is number k - 1
    uint64_t bytes = 0;
  };
  Pool* FindPool(uint32_t lane, uint64_t handle);

  launch::Stream own_;
  launch::Stream* stream_;
  uint64_t first_lane_ = 0;
  uint32_t steps_of_lane_0_ = 0;
  std::vector<uint32_t> steps_;         // by lane, if the program steps the phase
  std::vector<launch::FixedSum> sums_;  // by lane, if the program tests for unity
  std::vector<LanePools> pools_;        // by lane, if the program has pools
  std::optional<launch::UnityTester> tester_;
  std::array<launch::FixedSum, isa::kNumClasses> added_{};
};

}  // namespace hologram::interpreter
