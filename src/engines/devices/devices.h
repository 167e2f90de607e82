// The devices of this machine, by the API that gives them. Tested by tests/device.
#pragma once

#include "engines/devices/device.h"
#include "launch/way.h"

namespace hologram::engines::devices {

// The engines that run kernels on devices.
inline constexpr launch::Engine kDeviceEngines[] = {launch::Engine::kCuda, launch::Engine::kOpenCl};

inline bool IsOfDevices(launch::Engine engine) {
  return engine == launch::Engine::kCuda || engine == launch::Engine::kOpenCl;
}

// All devices of one of these engines, found once, those with another bit in the probe
// (engines/devices/probe.h) too. Errors: there is no library.
Result<const DeviceList*> DevicesOf(launch::Engine engine);
// The one that launches use: the first GPU that may be used, else the first other device. Errors
// say why there is none.
Result<Device*> UsedDevice(launch::Engine engine);

}  // namespace hologram::engines::devices
