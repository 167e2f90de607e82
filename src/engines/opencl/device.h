// OpenCL devices of this machine: those that compute the right bits, and why the others are not
// used. Tested by tests/device.
#pragma once

#include "engines/devices/device.h"

namespace hologram::engines::opencl {

// Errors: there is no library. The caller owns them.
Result<const devices::DeviceList*> FindDevices();

}  // namespace hologram::engines::opencl
