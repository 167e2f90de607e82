// The reference engine: obviously right, many lanes at a time. Every access is checked, always.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "base/result.h"
#include "launch/fault_text.h"
#include "launch/launch.h"

namespace hologram::interpreter {

// Bytes that lanes loaded from buffers and stored to them, each access counted. Atomics, class
// memory and what a block or a lane has for itself are not in it.
struct Traffic {
  uint64_t loaded = 0;
  uint64_t stored = 0;
};

// Watches a run. Lanes are linear.
class Observer {
 public:
  virtual ~Observer() = default;
  // A lane accesses an element of a buffer or a shared array, in bounds, at `pc` of the program.
  virtual void Access(uint32_t pc, uint64_t lane, uint64_t element) = 0;
  // The lane waits for the others of its block.
  virtual void Barrier(uint64_t lane) = 0;
  // Asked before each basic block, with the lanes that run it: false stops the run.
  virtual bool GoesOn(uint64_t lanes) = 0;
  // Called for each instruction of the program, before it runs in those lanes: a bit for each of a
  // chunk, of which the first is at a multiple of 64 in the launch or the first of a block.
  virtual void Runs(uint32_t /*pc*/, std::span<const uint64_t> /*lanes*/) {}
};

// Runs all lanes on the calling thread, and adds what they moved to `traffic`. Returns the fault of
// the lowest linear lane, or nothing. After a fault, only memory of written buffers may have
// changed. REQUIRES: CheckLaunch(program, launch).ok(). Thread-safe for launches on disjoint
// memory. Without a fault, what the launch leaves to its stream is committed, except if R[96] would
// not fit (kFault). Errors: out of memory for the registers of a block (kResourceLimit), a launch
// that was stopped, also by the observer (kCancelled), of which outputs may hold anything.
Result<std::optional<launch::Fault>> Run(const verify::VerifiedProgram& program,
                                         const launch::Launch& launch, Traffic* traffic = nullptr,
                                         Observer* observer = nullptr);

// The same for one lane alone, without what it would leave to its stream. REQUIRES: lanes have no
// barriers and no shared memory.
Result<std::optional<launch::Fault>> RunLane(const verify::VerifiedProgram& program,
                                             const launch::Launch& launch, uint64_t lane);

}  // namespace hologram::interpreter
