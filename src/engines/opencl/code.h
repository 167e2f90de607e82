// A kernel in SPIR-V, and as an OpenCL driver has built it. Its binary is kept in the code cache of
// the user (docs/code-cache.md), for the next process: builds take tens of milliseconds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/blake3.h"
#include "engines/code_cache.h"
#include "engines/devices/device.h"
#include "engines/opencl/api.h"
#include "engines/opencl/queue.h"

namespace hologram::engines::opencl {

// The facts of a device that its builds need, and that binaries follow from beside the SPIR-V.
struct Builder {
  Handle device = nullptr;
  Handle context = nullptr;
  const char* options = "";
  std::string name;    // of the device
  std::string driver;  // versions of platform and driver
};

Handle HandleOf(devices::Address memory);

Status CheckCall(const char* call, int32_t code);

class OpenClCode final : public devices::Code {
 public:
  OpenClCode(const Api& api, const Builder& builder, Queue& queue, device::SpirvKernel kernel);
  ~OpenClCode() override { Release(); }

  const device::KernelCode& facts() const override { return kernel_; }
  Status Build() override;
  Status SetMemory(uint32_t number, devices::Address memory) override;
  Status SetNumber(uint32_t number, const void* value, size_t size) override;
  Status Start(const hologram_launch_shape& shape) override;

 private:
  void Release();
  Hash Key() const;
  // The program is there; also makes the kernel of it.
  Status BuildProgram();
  Status BuildSpirv();
  // Whether there is what the driver made before, and it takes that.
  bool BuildKept(const CodeCache& cache, const Hash& key);
  std::optional<std::vector<uint8_t>> Binary() const;
  Diagnostic WhyNotBuilt() const;

  const Api& api_;
  const Builder& builder_;
  Queue& queue_;
  device::SpirvKernel kernel_;
  Handle program_ = nullptr;
  Handle built_ = nullptr;
};

}  // namespace hologram::engines::opencl
