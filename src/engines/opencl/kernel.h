// A program on an OpenCL device: built by the driver of the device, launched on copies of its
// arrays there. Tested by tests/device.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "engines/opencl/device.h"
#include "launch/launch.h"

namespace hologram::engines::opencl {

class Kernel {
 public:
  // Errors name what there is no device code for, or what the device does not have.
  static Result<std::unique_ptr<Kernel>> Make(Device& device,
                                              const verify::VerifiedProgram& program);
  ~Kernel();
  Kernel(const Kernel&) = delete;
  Kernel& operator=(const Kernel&) = delete;

  // Runs a launch whose check holds, with all proofs. False: a lane has faulted, and nothing has
  // changed. Errors, after which nothing has changed: the device has no place for the launch.
  Result<bool> Run(const launch::Launch& launch);

  // ---- The same in its steps, for who keeps arrays on the device. With the device's mutex held.
  Status Upload(const launch::Launch& launch);
  Status Start(const launch::Launch& launch);  // with what was uploaded last
  Result<bool> Wait();                         // false: a lane has faulted
  Status Download(const launch::Launch& launch);

 private:
  struct Memory {
    Handle buffer = nullptr;
    uint64_t bytes = 0;
  };

  Kernel(Device& device, const verify::VerifiedProgram& program, device::SpirvKernel code)
      : device_(device), program_(program), code_(std::move(code)) {}
  Status Build();
  Status Resize(Memory& memory, uint64_t bytes);
  size_t PlaceOf(const launch::Launch& launch, size_t buffer) const;
  Status SetArgument(uint32_t number, const launch::Launch& launch);

  Device& device_;
  const verify::VerifiedProgram& program_;
  device::SpirvKernel code_;
  std::vector<size_t> number_;  // by parameter: among the buffers, or the scalars
  Handle program_handle_ = nullptr;
  Handle kernel_ = nullptr;
  std::vector<Memory> memories_;  // by buffer
  Memory fault_;
};

}  // namespace hologram::engines::opencl
