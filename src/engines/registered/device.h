// The devices of a registered engine.
#pragma once

#include <string>

#include "base/result.h"
#include "engines/devices/device.h"
#include "hologram/engine.h"

namespace hologram::engines::registered {

// All of them, those that are not used too. `engine` stays. Errors: it cannot count them.
Result<const devices::DeviceList*> Open(const hologram_engine& engine, const std::string& name);

}  // namespace hologram::engines::registered
