// Backend: one way to run a verified kernel. There are three names: "interpreter", "cpu" (native
// code) and "cuda" (not in this build). A backend does the launch check itself, so no caller can
// forget it. Tested by tests/runtime and, through the command, by tests/cli.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/launch_path.h"
#include "base/result.h"
#include "engines/workers.h"
#include "hologram/native_abi.h"
#include "launch/launch.h"
#include "launch/work_model.h"

namespace hologram::engines {

// What a backend may use of a kernel. Both outlive every launch.
struct RunnableKernel {
  const verify::VerifiedProgram* program = nullptr;
  const hologram_kernel_info* native = nullptr;  // null: no native code for this machine
  std::string_view why_not_native;               // then the reason
  const launch::WorkModel* work = nullptr;       // null: launches stay on the calling thread
};

// How a launch that succeeded was run.
struct Outcome {
  bool native = false;
  bool streaming = false;
  uint32_t threads = 1;  // at most so many took part
  // The proofs did not cover these arguments, so every access was checked on copies of the written
  // buffers; `guarded_pc` is the instruction whose proof did not hold, if it is known.
  bool guarded = false;
  std::optional<uint32_t> guarded_pc;
};

class Backend {
 public:
  virtual ~Backend() = default;
  virtual std::string_view name() const = 0;
  // Success, or why nothing can be run on it by this build on this machine.
  virtual Status Available() const = 0;
  // Success, or why this kernel cannot be run on it. REQUIRES: Available().ok()
  virtual Status CanRun(const RunnableKernel& kernel) const = 0;
  // Checks and runs one launch, on the calling thread and as many others as `parallelism` allows
  // and the work is worth. Errors name the parameter or the line; after a fault (kFault) written
  // buffers may hold part of the results, after any other error they are as before.
  // REQUIRES: CanRun(kernel).ok(). Thread-safe for launches on disjoint memory.
  virtual Result<Outcome> Launch(const RunnableKernel& kernel, const launch::Launch& launch,
                                 const Parallelism& parallelism) const = 0;
};

const Backend& Interpreter();
const Backend& Cpu();
const Backend& Cuda();

// The short way into native code for launches with a shape, which makes no Result and no message.
// Whether a kernel may go it is decided once.
bool MayEnter(const RunnableKernel& kernel);
enum class Entered : uint8_t {
  kDone,
  kFaulted,   // `state` has the fault; DescribeNativeFault tells it
  kDeclined,  // nothing was run: Backend::Launch decides
};
// Runs a launch that is small enough for the calling thread, if the generated check accepts it.
// `threads` are those that the launch could have. REQUIRES: MayEnter(kernel); as many buffers and
// scalars as the kernel has.
HOLOGRAM_LAUNCH_PATH
Entered Enter(const RunnableKernel& kernel, const launch::Launch& launch, uint32_t threads,
              hologram_launch_state& state);

// nullptr for a name that is no backend.
const Backend* FindBackend(std::string_view name);

}  // namespace hologram::engines
