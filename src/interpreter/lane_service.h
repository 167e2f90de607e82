// Printing and the instructions of the Atlas that compiled code does not have, one lane at a time:
// it calls back for each. Sums of a launch, for which it calls back with the lanes of a chunk.
// Lanes come block by block, so what lanes have for themselves is kept for one block. Tested by
// tests/conformance/atlas_cases.py on native engines.
#pragma once

#include <optional>

#include "interpreter/launch_sums.h"
#include "interpreter/stream_run.h"
#include "launch/fault_text.h"
#include "launch/launch.h"

namespace hologram::interpreter {

class LaneService {
 public:
  // `program` and `launch` outlive it. REQUIRES: program.needs_session()
  LaneService(const verify::VerifiedProgram& program, const launch::Launch& launch);
  LaneService(const LaneService&) = delete;
  LaneService& operator=(const LaneService&) = delete;

  // The state of the launch.
  hologram_launch_state* state() { return &state_.launch; }
  // launch::Fault::other of the fault that it has recorded last.
  uint64_t fault_other() const { return fault_other_; }
  // A call of native code could not be answered for want of memory: the launch has failed, whatever
  // its state.
  bool has_failed() const { return has_failed_; }
  // The launch has succeeded. Errors as of StreamRun::Commit.
  Status Commit();

 private:
  // Native code has no unwind tables: what is called from it throws nothing.
  static int32_t Serve(hologram_launch_state* state, uint32_t pc, uint64_t lane,
                       const uint64_t* operands, uint64_t* result);
  int32_t Answer(uint32_t pc, uint64_t lane, const uint64_t* operands, uint64_t* result);
  // Returns the fault's code; `index` and `other` belong to it.
  uint32_t Run(const isa::Instruction& in, uint32_t lane, const uint64_t* operands,
               uint64_t* result, int64_t* index, uint64_t* other);
  static void AddToSum(hologram_launch_state* state, uint32_t pc, uint64_t first, uint64_t lanes,
                       uint64_t element, const void* values);
  void Print(const isa::Instruction& in, uint32_t pc, uint64_t lane, const uint64_t* operands);

  const verify::VerifiedProgram& program_;
  const launch::Launch& launch_;
  std::optional<LaunchSums> sums_;
  uint64_t lanes_per_block_;
  std::optional<uint64_t> block_;
  StreamRun run_;
  hologram_stream_state state_{};
  uint64_t fault_other_ = 0;
  bool has_failed_ = false;
};

}  // namespace hologram::interpreter
