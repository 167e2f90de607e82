// The devices of this machine, by the API that gives them. Tested by tests/device.
#pragma once

#include <cstdint>

#include "engines/devices/device.h"
#include "launch/engine_names.h"

namespace hologram::engines::devices {

// The engines that run kernels on devices, those that are registered now behind the others.
uint32_t NumDeviceEngines();
launch::Engine DeviceEngine(uint32_t k);

// All devices of one of these engines, found once, those with another bit in the probe
// (engines/devices/probe.h) too. Errors: there is no library.
Result<const DeviceList*> DevicesOf(launch::Engine engine);
// The one that launches use: the first GPU that may be used, else the first other device. Errors
// say why there is none.
Result<Device*> UsedDevice(launch::Engine engine);

}  // namespace hologram::engines::devices
