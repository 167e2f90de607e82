// Engines that the program has registered (hologram/engine.h): their functions behind the interface
// of devices. Tested by tests/device/registered_test.cc.
#pragma once

#include "base/result.h"
#include "engines/devices/device.h"
#include "hologram/engine.h"
#include "launch/engine_names.h"

namespace hologram::engines::registered {

// As hologram_register_engine. Thread-safe.
Result<launch::Engine> Add(const hologram_engine& engine);

// REQUIRES: IsRegistered(engine), and there is such an engine. Errors: its `count` failed.
Result<const devices::DeviceList*> FindDevices(launch::Engine engine);

}  // namespace hologram::engines::registered
