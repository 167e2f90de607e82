// The engine of OpenCL devices. A kernel is built for the device when it is first launched there,
// and kept. Tested by tests/device.
#pragma once

#include <memory>
#include <mutex>
#include <optional>

#include "engines/engine.h"
#include "engines/opencl/kernel.h"

namespace hologram::engines {

// Code of a kernel for devices.
class DeviceCode {
 public:
  // Made by the first call. Errors: no device, no device code for the program; the next call gives
  // them again. REQUIRES: the program outlives this, and is the same in each call. Thread-safe.
  Result<opencl::Kernel*> OpenCl(const verify::VerifiedProgram& program) const;

 private:
  mutable std::mutex mutex_;
  mutable std::optional<Result<std::unique_ptr<opencl::Kernel>>> opencl_;
};

}  // namespace hologram::engines
