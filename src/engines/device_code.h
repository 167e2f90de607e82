// The engines of devices, OpenCL and CUDA. A kernel is built for the device when it is first
// launched there, and kept. Tested by tests/device.
#pragma once

#include <memory>
#include <mutex>
#include <optional>

#include "engines/devices/kernel.h"
#include "engines/engine.h"

namespace hologram::engines {

// Code of a kernel for devices.
class DeviceCode {
 public:
  // Made by the first call for the engine. Errors: no device, no device code for the program; the
  // next call gives them again. REQUIRES: devices::IsOfDevices(engine); the program outlives this,
  // and is the same in each call. Thread-safe.
  Result<devices::Kernel*> For(launch::Engine engine, const verify::VerifiedProgram& program) const;

 private:
  using Made = std::optional<Result<std::unique_ptr<devices::Kernel>>>;
  mutable std::mutex mutex_;
  mutable Made cuda_;
  mutable Made opencl_;
};

}  // namespace hologram::engines
