#include "engines/devices/devices.h"

#include "engines/cuda/device.h"
#include "engines/opencl/device.h"
#include "observe/span.h"

namespace hologram::engines::devices {
namespace {

const char* ApiName(launch::Engine engine) {
  return engine == launch::Engine::kCuda ? "CUDA" : "OpenCL";
}

Result<const DeviceList*> Seen(const char* name, Result<const DeviceList*> (*find)()) {
  const observe::Span span("load", name);
  return find();
}

}  // namespace

Result<const DeviceList*> DevicesOf(launch::Engine engine) {
  // Never freed: launches of other threads may go on while the process ends.
  if (engine == launch::Engine::kCuda) {
    static const Result<const DeviceList*> found = Seen("devices of cuda", cuda::FindDevices);
    return found;
  }
  static const Result<const DeviceList*> found = Seen("devices of opencl", opencl::FindDevices);
  return found;
}

Result<Device*> UsedDevice(launch::Engine engine) {
  HOLOGRAM_ASSIGN_OR_RETURN(const DeviceList* const devices, DevicesOf(engine));
  Device* used = nullptr;
  std::string why = std::string("no ") + ApiName(engine) + " device was found";
  for (const std::unique_ptr<Device>& device : *devices) {
    const DeviceFacts& facts = device->facts();
    if (!facts.why_not.empty()) {
      why = std::string(ApiName(engine)) + " device '" + facts.name +
            "' is not used: " + facts.why_not;
      continue;
    }
    if (facts.is_gpu) return device.get();
    if (used == nullptr) used = device.get();
  }
  if (used != nullptr) return used;
  return Error(ErrorCode::kUnsupported, why);
}

}  // namespace hologram::engines::devices
