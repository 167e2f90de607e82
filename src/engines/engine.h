// Running one launch, the way that launch/way.h has decided: the form it names is run by one of the
// functions below, which gets the program with its facts, the launch, and the code that was made of
// the kernel. An engine of another kind of device is a devices::Device (devices/device.h). Tested
// by tests/runtime.
#pragma once

#include <cstdint>
#include <optional>

#include "base/result.h"
#include "engines/workers.h"
#include "hologram/native_abi.h"
#include "launch/way.h"

namespace hologram::engines {

// The code of the checked form of a kernel (verify/checked_form.h).
struct CheckedCode {
  const launch::KernelFacts& facts;  // of that form
  const hologram_kernel_info* info;
};

// Who has it, or makes it when it is wanted.
class CheckedCodeSource {
 public:
  // Null: there is none, or none yet, for this launch. `must`: it is worth waiting for.
  virtual std::optional<CheckedCode> Find(const launch::Launch& launch, bool must) const = 0;
  // A launch for which there was none took the interpreter `ns`.
  virtual void Interpreted(double ns) const = 0;

 protected:
  ~CheckedCodeSource() = default;
};

class DeviceCode;
namespace devices {
struct Place;
}

struct Task {
  const launch::KernelFacts& facts;
  const launch::Launch& launch;
  const void* code = nullptr;  // what the engine made of the kernel: hologram_kernel_info for cpu
  Workers* workers = nullptr;  // null: the calling thread only
  const CheckedCodeSource* checked = nullptr;  // null: there is no checked form
  const DeviceCode* device = nullptr;          // null: it does not run on devices
  const devices::Place* place = nullptr;       // of the arrays; null: the memory of this process
};

enum class Ran : uint8_t {
  kDone,
  kDeclined,  // nothing was changed: the code's own check did not accept the launch
  kFaulted,   // of RunNativeForm
};

// Each runs what `way` states, which the decider gave for this task. Errors: a fault of the kernel,
// after which written buffers may hold part of the results; no memory; cancelled.
Result<Ran> RunNative(const Task& task, const launch::Way& way);  // kEntry, kParts, kSplit
// The same; the error of a fault is kFaulted instead.
Result<Ran> RunNativeForm(const Task& task, const launch::Way& way);
Result<Ran> RunInterpreted(const Task& task, const launch::Way& way);  // kInterpreted
Result<Ran> RunGuarded(const Task& task, const launch::Way& way);      // kGuarded
// kChecked. Written buffers are as before unless it is done; a launch with a fault is declined, and
// the interpreter finds it again with its words.
Result<Ran> RunChecked(const Task& task, const launch::Limits& limits, launch::Way& way);

// kDevice. Written buffers are as before after an error, that of a fault included.
Result<Ran> RunOnDevice(const Task& task, const launch::Way& way);

// Success, or why nothing can be run on this engine by this build on this machine.
Status CheckAvailable(launch::Engine engine);

// CodeFacts of native code; null: there is none.
launch::CodeFacts FactsOf(const hologram_kernel_info* info);

// Decides and runs one launch; `way` is what was done, also after a fault. Errors name the
// parameter or the line; after a fault (kFault) written buffers may hold part of the results, after
// any other error they are as before. Thread-safe for launches on disjoint memory.
Status Run(const Task& task, launch::Limits limits, launch::Way& way);

}  // namespace hologram::engines
