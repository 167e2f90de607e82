// NVIDIA devices of this machine: those that compute the right bits, and why the others are not
// used. A module is PTX that the driver compiles when it is loaded. It keeps what it has compiled
// (~/.nv/ComputeCache, by text, driver and device), so nothing here does. Tested by tests/fakecuda.
#pragma once

#include "engines/devices/device.h"

namespace hologram::engines::cuda {

// Errors: there is no driver. The caller owns them.
Result<const devices::DeviceList*> FindDevices();

}  // namespace hologram::engines::cuda
