// hologram_launch_config, read.
#pragma once

#include "base/result.h"
#include "hologram/hologram.h"
#include "runtime/launchable.h"

namespace hologram::capi {

// `config` may be null: a default launch. Errors name the field.
Status ReadConfig(const hologram_launch_config* config, runtime::LaunchConfig& result);

}  // namespace hologram::capi
