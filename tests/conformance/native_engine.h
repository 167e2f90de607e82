// Native code as engines of the tests, one per level that this machine runs.
#pragma once

#include <vector>

#include "engine.h"

namespace hologram::tests {

std::vector<Engine> NativeEngines();

}  // namespace hologram::tests
