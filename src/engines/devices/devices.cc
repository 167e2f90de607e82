#include "engines/devices/devices.h"

#include <iterator>

#include "engines/cuda/device.h"
#include "engines/opencl/device.h"
#include "engines/registered/engines.h"
#include "observe/span.h"

namespace hologram::engines::devices {
namespace {

constexpr launch::Engine kOwn[] = {launch::Engine::kCuda, launch::Engine::kOpenCl};

std::string ApiName(launch::Engine engine) {
  if (engine == launch::Engine::kCuda) return "CUDA";
  return engine == launch::Engine::kOpenCl ? "OpenCL" : std::string(launch::NameOf(engine));
}

Result<const DeviceList*> Seen(const char* name, Result<const DeviceList*> (*find)()) {
  const observe::Span span("load", name);
  return find();
}

}  // namespace

uint32_t NumDeviceEngines() {
  return std::size(kOwn) + launch::NumRegistered();
}

launch::Engine DeviceEngine(uint32_t k) {
  constexpr uint32_t kNumOwn = std::size(kOwn);
  if (k < kNumOwn) return kOwn[k];
  return static_cast<launch::Engine>(launch::kFirstRegistered + k - kNumOwn);
}

Result<const DeviceList*> DevicesOf(launch::Engine engine) {
  if (launch::IsRegistered(engine)) return registered::FindDevices(engine);
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
  std::string why = "no " + ApiName(engine) + " device was found";
  for (const std::unique_ptr<Device>& device : *devices) {
    const DeviceFacts& facts = device->facts();
    if (!facts.why_not.empty()) {
      why = ApiName(engine) + " device '" + facts.name + "' is not used: " + facts.why_not;
      continue;
    }
    if (facts.is_gpu) return device.get();
    if (used == nullptr) used = device.get();
  }
  if (used != nullptr) return used;
  return Error(ErrorCode::kUnsupported, why);
}

}  // namespace hologram::engines::devices
