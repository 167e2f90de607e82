// OpenCL devices of this machine: those that compute the right bits, and why the others are not
// used.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/result.h"
#include "device/write.h"
#include "engines/opencl/api.h"

namespace hologram::engines::opencl {

// A device with a queue. One thread at a time uses it, with `mutex` held.
struct Device {
  const Api& api;
  Handle device = nullptr;
  Handle context = nullptr;
  Handle queue = nullptr;
  std::string name;     // "Intel(R) OpenCL, AMD EPYC"
  std::string driver;   // its version
  std::string why_not;  // not empty: it is not used
  std::string options;  // of builds
  device::Division division = device::Division::kSingle;
  bool has_f64 = false;
  bool has_atomics64 = false;
  uint64_t max_lanes = 0;    // of a block
  uint64_t local_bytes = 0;  // of shared memory of a block
  std::mutex mutex;

  explicit Device(const Api& functions) : api(functions) {}
};

// All of them, found once. Errors: there is no library.
Result<const std::vector<std::unique_ptr<Device>>*> Devices();
// The one that launches use: the first GPU that may be used, else the first other device. Errors
// say why there is none.
Result<Device*> UsedDevice();

}  // namespace hologram::engines::opencl
