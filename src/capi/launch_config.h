// The launch config of the C API as the runtime has it.
#pragma once

#include "base/result.h"
#include "hologram/hologram.h"
#include "runtime/launchable.h"

namespace hologram::capi {

// Null: the usual one. Errors name what is out of range.
Status ReadConfig(const hologram_launch_config* config, runtime::LaunchConfig& result);

}  // namespace hologram::capi
