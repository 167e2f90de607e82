#include "engines/device_code.h"

#include "engines/devices/devices.h"
#include "engines/guarded.h"
#include "launch/fault_text.h"

namespace hologram::engines {
namespace {

Result<std::unique_ptr<devices::Kernel>> MakeKernel(launch::Engine engine,
                                                    const verify::VerifiedProgram& program) {
  HOLOGRAM_ASSIGN_OR_RETURN(devices::Device* const device, devices::UsedDevice(engine));
  return devices::Kernel::Make(*device, program);
}

}  // namespace

Result<devices::Kernel*> DeviceCode::For(launch::Engine engine,
                                         const verify::VerifiedProgram& program) const {
  const std::lock_guard lock(mutex_);
  Made& made = engine == launch::Engine::kCuda ? cuda_ : opencl_;
  if (!made) made.emplace(MakeKernel(engine, program));
  if (!made->ok()) return made->errors();
  return made->value().get();
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
  HOLOGRAM_ASSIGN_OR_RETURN(devices::Kernel* const kernel,
                            task.device->For(way.engine, task.facts.program));
  HOLOGRAM_ASSIGN_OR_RETURN(const bool done, kernel->Run(task.launch));
  if (!done) return FaultOf(task.facts.program, task.launch);
  return Ran::kDone;
}

}  // namespace hologram::engines
