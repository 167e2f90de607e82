#include "engines/device_code.h"

#include <algorithm>

#include "engines/devices/devices.h"
#include "engines/devices/resident.h"
#include "engines/guarded.h"
#include "launch/fault_text.h"

namespace hologram::engines {

Result<devices::Kernel*> DeviceCode::For(devices::Device& device,
                                         const verify::VerifiedProgram& program) const {
  const std::lock_guard lock(mutex_);
  auto made = std::find_if(made_.begin(), made_.end(),
                           [&](const Made& other) { return other.device == &device; });
  if (made == made_.end()) {
    made_.push_back({&device, devices::Kernel::Make(device, program)});
    made = made_.end() - 1;
  }
  if (!made->kernel.ok()) return made->kernel.errors();
  return made->kernel.value().get();
}

namespace {

// The device says that there is a fault; the interpreter finds it, on copies: the arrays are as
// they were.
Result<Ran> FaultOf(const verify::VerifiedProgram& program, const launch::Launch& launch) {
  HOLOGRAM_ASSIGN_OR_RETURN(std::optional<launch::Fault> fault,
                            RunOnCopies(program, launch, /*commit=*/false));
  if (!fault) {
    return Error(ErrorCode::kInternal,
                 "'" + program.program().name + "' faulted on the device, and nowhere else");
  }
  if (!KnowsValues(program, launch, *fault)) fault->ForgetValues();
  return launch::DescribeFault(program, launch, *fault);
}

}  // namespace

Result<Ran> RunOnDevice(const Task& task, const launch::Way& way) {
  if (task.device == nullptr) {
    return Error(ErrorCode::kUnsupported,
                 "'" + task.facts.program.program().name + "' has no code for devices");
  }
  devices::Device* device = task.place == nullptr ? nullptr : task.place->device;
  if (device == nullptr) {
    HOLOGRAM_ASSIGN_OR_RETURN(device, devices::UsedDevice(way.engine));
  }
  HOLOGRAM_ASSIGN_OR_RETURN(devices::Kernel* const kernel,
                            task.device->For(*device, task.facts.program));
  HOLOGRAM_ASSIGN_OR_RETURN(const bool done, kernel->Run(task.launch));
  if (done) return Ran::kDone;
  HOLOGRAM_ASSIGN_OR_RETURN(const devices::HostCopies copies,
                            devices::HostCopies::Of(task.launch.buffers));
  return FaultOf(task.facts.program, copies.On(task.launch));
}

}  // namespace hologram::engines
