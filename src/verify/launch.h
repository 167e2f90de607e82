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
#include "isa/print_log.h"
#include "isa/stream.h"
#include "verify/verified_program.h"

namespace hologram::verify {

inline constexpr uint64_t kDefaultBudget = HOLOGRAM_DEFAULT_BUDGET;

// Arguments in parameter order, each kind counted by itself (as in native_abi.h).
// The end of every message about a race.
inline constexpr const char* kOrderMatters =
    ", so the result may depend on order; deterministic=False (library) or --nondeterministic "
    "(command) allows it";

struct Launch {
  std::span<const hologram_buffer_ref> buffers;
  std::span<const uint64_t> scalars;
  hologram_launch_shape shape{{1, 1, 1}, {1, 1, 1}};
  uint64_t budget = kDefaultBudget;
  uint32_t class_base = 0;  // below 96; CLS.GET gives (class_base + block.x) mod 96
  bool deterministic = true;
  // What earlier launches left and this one changes; null: as at the start, and changes are lost.
  isa::Stream* stream = nullptr;
  isa::PrintLog* prints = nullptr;  // gets what lanes print; null: nobody does
  // Once it is not 0 the launch stops, with kCancelled; null: nothing stops it.
  const std::atomic<uint32_t>* cancel = nullptr;
  // The conditions of the launch check do not hold.
  bool guarded = false;
  // Of the back edges of loops that end and are counted all the same.
  uint64_t most_rounds() const { return budget > kMostRounds ? budget : kMostRounds; }
  bool cancelled() const {
    return cancel != nullptr && cancel->load(std::memory_order_relaxed) != 0;
  }
};

enum class LaunchTier : uint8_t {
  kProved,   // every proved access is in bounds: run without checks
  kGuarded,  // some condition of a proof fails for these arguments: run with every access guarded
};

// Argument counts, shape limits (1..1024 lanes a block, ids fit 32 bits), class_base, buffer
// alignment to the element type, aliasing, races (when deterministic), then the conditions of the
// proofs. Errors name the parameter or the line. Table-driven; the generated check decides the
// same.
Result<LaunchTier> CheckLaunch(const VerifiedProgram& program, const Launch& launch);

// The instruction whose proof does not cover this launch: why it is kGuarded, for notes to the
// user.
std::optional<uint32_t> FindUnproved(const VerifiedProgram& program, const Launch& launch);

struct Fault {
  uint32_t code = HOLOGRAM_FAULT_NONE;  // HOLOGRAM_FAULT_*
  uint32_t pc = 0;
  uint64_t lane = 0;  // linear
  int64_t index = 0;
  // The values of DebugLine::variables of that instruction in that lane, as text ("i = 498");
  // filled by the interpreter only.
  std::string variables;
  // Of two operands that decide, the one that is not `index`: the bits of what RES.ACCUM adds, the
  // pool of an access beyond its end.
  uint64_t other = 0;
};

// What native code gets before the launch.
inline hologram_launch_state InitialState(const Launch& launch) {
  hologram_launch_state state{};
  state.budget = launch.budget;
  state.fault_lane = UINT64_MAX;
  state.class_base = launch.class_base;
  return state;
}

// The error of a launch that was stopped.
Diagnostic CancelledError(const VerifiedProgram& program);

// What native code left in `state`; `other` is that of the service, if there is one.
Fault FaultOf(const hologram_launch_state& state, uint64_t other);

// The registers whose values made the instruction fault, with these values: both operands of a
// division, the index of an access, classes, pages, pools and offsets, and what is added to a
// class. None of a budget or of a depth of calls.
std::vector<OperandRecord> OperandsOf(const VerifiedProgram& program, const Fault& fault);

// "blur.py:12:18: error: src[i + 2] reads element 500 of 500 (i = 498)" as a Diagnostic of kFault,
// with its FaultRecord.
Diagnostic DescribeFault(const VerifiedProgram& program, const Launch& launch, const Fault& fault);

}  // namespace hologram::verify
