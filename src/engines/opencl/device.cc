#include "engines/opencl/device.h"

#include <algorithm>

#include "engines/opencl/probe.h"

namespace hologram::engines::opencl {
namespace {

std::string TextOf(const Api& api, Handle device, uint32_t what) {
  size_t size = 0;
  if (api.get_device_info(device, what, 0, nullptr, &size) != 0 || size == 0) return {};
  std::string text(size, '\0');
  if (api.get_device_info(device, what, size, text.data(), nullptr) != 0) return {};
  text.resize(text.find('\0') == std::string::npos ? size : text.find('\0'));
  return text;
}

// A number of 64 bits, or of the width of an address.
uint64_t NumberOf(const Api& api, Handle device, uint32_t what) {
  uint64_t value = 0;
  return api.get_device_info(device, what, sizeof value, &value, nullptr) == 0 ? value : 0;
}

std::string PlatformName(const Api& api, Handle platform) {
  char text[256] = {};
  const int32_t code =
      api.get_platform_info(platform, kPlatformName, sizeof text - 1, text, nullptr);
  return code == 0 ? text : "OpenCL";
}

// Why it cannot take kernels at all; empty: it can be asked for results.
std::string WhyNot(const Device& device) {
  if (TextOf(device.api, device.device, kIlVersion).find("SPIR-V") == std::string::npos) {
    return "it takes no SPIR-V";
  }
  if (device.context == nullptr || device.queue == nullptr) return "it gives no queue";
  const bool exact = !device.options.empty();
  if (!exact && !device.has_f64) {
    return "it neither divides f32 exactly nor has f64";
  }
  return {};
}

std::unique_ptr<Device> Open(const Api& api, Handle platform, Handle handle) {
  auto device = std::make_unique<Device>(api);
  device->device = handle;
  device->name = PlatformName(api, platform) + ", " + TextOf(api, handle, kDeviceName);
  device->driver = TextOf(api, handle, kDriverVersion);
  device->max_lanes = NumberOf(api, handle, kMaxGroupSize);
  device->local_bytes = NumberOf(api, handle, kLocalMemory);
  device->has_f64 = NumberOf(api, handle, kDoubleConfig) != 0;
  const std::string extensions = TextOf(api, handle, kExtensions);
  device->has_atomics64 = extensions.find("cl_khr_int64_base_atomics") != std::string::npos &&
                          extensions.find("cl_khr_int64_extended_atomics") != std::string::npos;
  if ((NumberOf(api, handle, kSingleConfig) & kExactDivision) != 0) {
    device->options = "-cl-fp32-correctly-rounded-divide-sqrt";
  } else {
    device->division = device::Division::kDouble;
  }
  int32_t error = 0;
  device->context = api.create_context(nullptr, 1, &handle, nullptr, nullptr, &error);
  if (device->context != nullptr) {
    device->queue = api.create_queue(device->context, handle, 0, &error);
  }
  device->why_not = WhyNot(*device);
  if (device->why_not.empty()) device->why_not = Probe(*device);
  return device;
}

Result<const std::vector<std::unique_ptr<Device>>*> FindDevices() {
  HOLOGRAM_ASSIGN_OR_RETURN(const Api* const api, Load());
  // Never freed: launches of other threads may go on while the process ends.
  auto* const found = new std::vector<std::unique_ptr<Device>>();
  constexpr uint32_t kMost = 16;
  Handle platforms[kMost];
  uint32_t num_platforms = 0;
  if (api->get_platforms(kMost, platforms, &num_platforms) != 0) return found;
  for (uint32_t p = 0; p < std::min(num_platforms, kMost); ++p) {
    Handle devices[kMost];
    uint32_t num_devices = 0;
    if (api->get_devices(platforms[p], kAllDevices, kMost, devices, &num_devices) != 0) continue;
    for (uint32_t d = 0; d < std::min(num_devices, kMost); ++d) {
      found->push_back(Open(*api, platforms[p], devices[d]));
    }
  }
  (void)IsEnding();
  return found;
}

}  // namespace

Result<const std::vector<std::unique_ptr<Device>>*> Devices() {
  static const Result<const std::vector<std::unique_ptr<Device>>*> found = FindDevices();
  return found;
}

Result<Device*> UsedDevice() {
  HOLOGRAM_ASSIGN_OR_RETURN(const auto* const devices, Devices());
  Device* used = nullptr;
  std::string why = "no OpenCL device was found";
  for (const std::unique_ptr<Device>& device : *devices) {
    if (!device->why_not.empty()) {
      why = "OpenCL device '" + device->name + "' is not used: " + device->why_not;
      continue;
    }
    const bool is_gpu = (NumberOf(device->api, device->device, kDeviceType) & kTypeGpu) != 0;
    if (is_gpu) return device.get();
    if (used == nullptr) used = device.get();
  }
  if (used != nullptr) return used;
  return Error(ErrorCode::kUnsupported, why);
}

}  // namespace hologram::engines::opencl
