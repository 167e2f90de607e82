#include "engines/opencl.h"

#include "engines/guarded.h"
#include "launch/fault_text.h"

namespace hologram::engines {
namespace {

Result<std::unique_ptr<opencl::Kernel>> MakeKernel(const verify::VerifiedProgram& program) {
  HOLOGRAM_ASSIGN_OR_RETURN(opencl::Device* const device, opencl::UsedDevice());
  return opencl::Kernel::Make(*device, program);
}

}  // namespace

Result<opencl::Kernel*> DeviceCode::OpenCl(const verify::VerifiedProgram& program) const {
  const std::lock_guard lock(mutex_);
  if (!opencl_) opencl_.emplace(MakeKernel(program));
  if (!opencl_->ok()) return opencl_->errors();
  return opencl_->value().get();
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

Result<Ran> RunOnDevice(const Task& task) {
  if (task.device == nullptr) {
    return Error(ErrorCode::kUnsupported,
                 "'" + task.facts.program.program().name + "' has no code for devices");
  }
  HOLOGRAM_ASSIGN_OR_RETURN(opencl::Kernel* const kernel, task.device->OpenCl(task.facts.program));
  HOLOGRAM_ASSIGN_OR_RETURN(const bool done, kernel->Run(task.launch));
  if (!done) return FaultOf(task.facts.program, task.launch);
  return Ran::kDone;
}

}  // namespace hologram::engines
