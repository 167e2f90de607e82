// The engines of devices, OpenCL and CUDA. A kernel is built for the device when it is first
// launched there, and kept. Tested by tests/device.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "engines/devices/kernel.h"
#include "engines/engine.h"

namespace hologram::engines {

// Code of a kernel for devices.
class DeviceCode {
 public:
  // Made by the first call for the device. Errors: no device code for the program; the next call
  // gives them again. REQUIRES: the program outlives this, and is the same in each call.
  // Thread-safe.
  Result<devices::Kernel*> For(devices::Device& device,
                               const verify::VerifiedProgram& program) const;

 private:
  struct Made {
    const devices::Device* device;
    Result<std::unique_ptr<devices::Kernel>> kernel;
  };
  mutable std::mutex mutex_;
  mutable std::vector<Made> made_;
};

}  // namespace hologram::engines
